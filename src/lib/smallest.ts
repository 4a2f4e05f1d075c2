/** The smaller number. */
export function smallest(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
