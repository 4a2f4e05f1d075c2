/** The smaller number. */
export function smallest(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The larger number. */
export function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
