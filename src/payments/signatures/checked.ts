import { type Address } from "../x402/address.ts";

/** A valid authorization: its payer, and the hash that was signed. */
export interface Checked {
  readonly payer: Address;
  readonly hash: Uint8Array;
}
