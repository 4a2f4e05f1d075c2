import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import { type GasApproval } from "../../signatures/gas-approval.ts";
import { type Account, signHash } from "../../signatures/signature.ts";
import { type Address, type Hex } from "../../x402/address.ts";
import { chainId, type EvmNetwork } from "../../x402/networks.ts";
import { UINT256_MAX } from "../../x402/price.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { encodeCall } from "../node/abi.ts";
import { type Fees } from "../transactions/fees.ts";
import { preimageOf, type Transaction, withSignature } from "../transactions/transaction.ts";

/** Gas limit of the approvals that this client signs, as the reference client's. */
const APPROVAL_GAS = 70_000n;

/** The call of a token by which Permit2 may move `amount`. */
export function approveCall(amount: bigint): Hex {
  return encodeCall("approve(address,uint256)", [PERMIT2, amount]);
}

/** The state of the payer's account by which it signs an approval. */
export interface ApprovalTerms {
  readonly nonce: bigint;
  readonly fees: Fees;
}

/** Signs a transaction by which Permit2 may move the payer's tokens. It is not sent. */
export function signApproval(
  asset: { readonly network: EvmNetwork; readonly address: Address },
  { nonce, fees }: ApprovalTerms,
  { address: from, privateKey }: Account,
): GasApproval {
  const transaction: Transaction = {
    chainId: chainId(asset.network),
    nonce,
    ...fees,
    gas: APPROVAL_GAS,
    to: asset.address,
    data: approveCall(UINT256_MAX),
  };
  const signed = hexToBytes(signHash(keccak_256(preimageOf(transaction)), privateKey).slice(2));
  const signature = Uint8Array.of((signed[64] ?? 0) - 27, ...signed.subarray(0, 64));
  const { raw } = withSignature(transaction, signature);
  return {
    from,
    asset: asset.address,
    spender: PERMIT2,
    amount: UINT256_MAX.toString(),
    signedTransaction: raw,
    version: "1",
  };
}
