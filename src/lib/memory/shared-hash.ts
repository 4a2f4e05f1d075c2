import { HalfSipHash } from "./half-sip-hash.ts";

/** A hash with a random key of 8 bytes in shared memory, which the first caller chooses for all. */
export function sharedHash(key: BigInt64Array): HalfSipHash {
  const chosen = new BigInt64Array(1);
  crypto.getRandomValues(chosen);
  Atomics.compareExchange(key, 0, 0n, (chosen[0] ?? 0n) | 1n);
  chosen[0] = Atomics.load(key, 0);
  const [key0 = 0, key1 = 0] = new Int32Array(chosen.buffer);
  return new HalfSipHash(key0, key1);
}
