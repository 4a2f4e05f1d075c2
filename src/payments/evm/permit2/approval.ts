import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { gasApprovalOf } from "../../signatures/read-gas-approval.ts";
import { recoverSigner } from "../../signatures/recover-signer.ts";
import { type Address, sameAddress } from "../../x402/address.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { chainId, type EvmNetwork } from "../../x402/networks.ts";
import { type Reason } from "../../x402/reasons.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { approveCall } from "./sign-approval.ts";
import { type ReadTransaction, readTransaction } from "../transactions/read-transaction.ts";
import { preimageOf } from "../transactions/transaction.ts";

const SELECTOR_CHARACTERS = 10;
/** Characters of the selector and the first argument. */
const SPENDER_CHARACTERS = 74;
/** Gas limit of an approval that is accepted; a higher one is refused. Tokens take 30,000 to 60,000. @operator */
const MAX_APPROVAL_GAS = 100_000n;

function isSignedBy(read: ReadTransaction, from: Address): boolean {
  const [recovery = 2, ...rest] = read.signature;
  const signature = `0x${bytesToHex(Uint8Array.from(rest))}${(recovery + 27).toString(16)}`;
  const signer = recoverSigner(keccak_256(preimageOf(read.transaction)), signature);
  return signer !== undefined && sameAddress(signer, from);
}

/**
 * The transaction in the payment's extension, which approves at least `charge` for Permit2 and does nothing else. Undefined
 * without an extension. Nonce, fees and funds are not checked.
 */
export function approvalOf(
  payment: Permit2Payment,
  network: EvmNetwork,
  charge: bigint,
): ReadTransaction | Reason | undefined {
  const approval = gasApprovalOf(payment);
  if (approval === undefined) return undefined;
  const { from, permitted } = payment.payload.permit2Authorization;
  if (!sameAddress(approval.from, from)) return "erc20_approval_from_mismatch";
  if (!sameAddress(approval.asset, permitted.token)) return "erc20_approval_asset_mismatch";
  if (!sameAddress(approval.spender, PERMIT2)) return "erc20_approval_spender_not_permit2";
  const read = readTransaction(approval.signedTransaction);
  if (read === undefined) return "erc20_approval_tx_parse_failed";
  const { to, data, value = 0n, gas, chainId: id } = read.transaction;
  if (!sameAddress(to, permitted.token)) return "erc20_approval_tx_wrong_target";
  const expected = approveCall(BigInt(approval.amount));
  if (!data.startsWith(expected.slice(0, SELECTOR_CHARACTERS))) return "erc20_approval_tx_wrong_selector";
  if (!data.startsWith(expected.slice(0, SPENDER_CHARACTERS))) return "erc20_approval_tx_wrong_spender";
  const isSound =
    data === expected &&
    value === 0n &&
    gas <= MAX_APPROVAL_GAS &&
    id === chainId(network) &&
    BigInt(approval.amount) >= charge;
  if (!isSound) return "erc20_approval_tx_invalid_calldata";
  return isSignedBy(read, from) ? read : "erc20_approval_tx_signer_mismatch";
}
