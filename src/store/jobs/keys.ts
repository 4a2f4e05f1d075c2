import { type Address } from "./job-store.ts";

/** An address as the stores keep it. */
export interface KeyedAddress extends Address {
  /** A signed 64-bit number in decimal digits. */
  readonly key: string;
  readonly host: string;
  /** Its place among the addresses that were found together. */
  readonly place: number;
}

/**
 * The addresses with their keys, each key once, in the order of keys: writers that lock rows in one order do not
 * deadlock. A job has its own hash function, so that a site cannot choose addresses with equal keys.
 */
export function keyed(id: string, addresses: readonly Address[]): readonly KeyedAddress[] {
  const seed = Bun.hash.xxHash64(id);
  const byKey = new Map<bigint, KeyedAddress>();
  for (const [place, address] of addresses.entries()) {
    const key = signed(Bun.hash.xxHash64(`${address.task} ${address.url}`, seed));
    if (byKey.has(key)) continue;
    byKey.set(key, { ...address, key: String(key), host: hostKey(address.url), place });
  }
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

/** The key of the host of an address: its scheme, name and port. */
function hostKey(url: string): string {
  return String(signed(Bun.hash.xxHash64(new URL(url).origin)));
}

function signed(hash: bigint): bigint {
  return BigInt.asIntN(64, hash);
}
