/** An EVM address as hex, in any letter case. */
export type Address = `0x${string}`;
/** Bytes as hex with the prefix `0x`, in any letter case. */
export type Hex = `0x${string}`;

const HEX = /^0x[0-9a-f]+$/i;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO = /^0x0{40}$/;

/** True for `0x` and 40 hexadecimal digits. The checksum in their letter case is not checked. */
export function isAddress(text: string): text is Address {
  return ADDRESS.test(text);
}

/** True for the address of no account. */
export function isZero(address: string): boolean {
  return ZERO.test(address);
}

/** True if both are the same account. */
export function sameAddress(a: string, b: string): boolean {
  return a === b || canonicalAddress(a) === canonicalAddress(b);
}

/** The one spelling of an address. In hex, letter case is only a checksum; base58 has no 0, and its letter case counts. */
export function canonicalAddress(text: string): string {
  return HEX.test(text) ? text.toLowerCase() : text;
}
