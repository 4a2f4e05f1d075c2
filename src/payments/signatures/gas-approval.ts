import { type Address, type Hex } from "../x402/address.ts";

/** The extension by which a payer signs an approval transaction for Permit2, and the facilitator pays its gas. */
export const GAS_APPROVAL = "erc20ApprovalGasSponsoring";

/** An approval of a payer for Permit2, as the extension contains it. */
export interface GasApproval {
  readonly from: Address;
  readonly asset: Address;
  readonly spender: Address;
  readonly amount: string;
  /** The signed transaction, ready to be sent. */
  readonly signedTransaction: Hex;
  readonly version: "1";
}
