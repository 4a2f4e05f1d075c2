import { type Address, type Claim } from "./job-store.ts";

/** An address as the stores keep it. */
export interface KeyedAddress extends Address {
  /** A signed 64-bit number in decimal digits. */
  readonly key: string;
  /** As `key`, for the scheme, the name and the port of its host. */
  readonly host: string;
  /** Its place among the addresses that were found together. */
  readonly place: number;
}

/**
 * The addresses with their keys, each key once. A job has its own hash function, so that a site cannot choose addresses
 * with equal keys.
 */
export function keyed(id: string, addresses: readonly Address[]): readonly KeyedAddress[] {
  const seed = Bun.hash.xxHash64(id);
  const byKey = new Map<string, KeyedAddress>();
  for (const address of addresses) {
    const key = signed(Bun.hash.xxHash64(`${address.task} ${address.url}`, seed));
    const host = signed(Bun.hash.xxHash64(new URL(address.url).origin));
    if (!byKey.has(key)) byKey.set(key, { ...address, key, host, place: byKey.size });
  }
  return [...byKey.values()];
}

/** Task of a row that has a claim instead of an address. */
export const CLAIM = -1;

/** The keys of the names of a claim. */
export function claimKeys(id: string, { names }: Pick<Claim, "names">): readonly string[] {
  const seed = Bun.hash.xxHash64(id);
  return names.map((name) => signed(Bun.hash.xxHash64(`${CLAIM} ${name}`, seed)));
}

function signed(hash: bigint): string {
  return String(BigInt.asIntN(64, hash));
}
