import { type Address } from "./address.ts";

/** An authorization that holds: who pays, and the hash that was signed. */
export interface Checked {
  readonly payer: Address;
  readonly hash: Uint8Array;
}
