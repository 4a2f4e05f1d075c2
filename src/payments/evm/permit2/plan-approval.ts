import { hexToBytes, bytesToHex } from "@noble/hashes/utils.js";
import { type Address, type Hex, sameAddress } from "../../x402/address.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { encodeCall, wordAt } from "../node/abi.ts";
import {
  balanceRequest,
  callRequest,
  codeRequest,
  simulateRequest,
  transactionCountRequest,
} from "../node/requests.ts";
import { isRpcError, type RpcError } from "../node/rpc.ts";
import { type Chain, type GasLender } from "../node/scheme.ts";
import { currentFees } from "../transactions/fees.ts";
import { type ReadTransaction, readTransaction } from "../transactions/read-transaction.ts";
import { settleCall } from "./calldata.ts";
import { largest, smallest } from "../../../lib/extremes.ts";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { gasApprovalOf } from "../../signatures/read-gas-approval.ts";
import { recoverSigner } from "../../signatures/recover-signer.ts";
import { chainId, type EvmNetwork } from "../../x402/networks.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { approveCall } from "./sign-approval.ts";
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
function approvalOf(
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

/** The contract in which rollups of the OP stack give the fee for a transaction's data on the parent chain. */
const DATA_FEE_ORACLE: Address = "0x420000000000000000000000000000000000000F";
/** The part of that fee that a payer gets: it may rise until the block. */
const DATA_FEE_MARGIN = 2n;
/** The highest fee of an approval whose gas is lent, in multiples of the chain's present one. A higher one is refused. @operator */
const MAX_FEE_MULTIPLE = 4n;
/** The fee up to which gas is lent on a chain with lower fees, in wei per unit: clients have defaults of 1 gwei and more. @operator */
const MIN_FEE_BOUND = 2_000_000_000n;

/** An approval that can be sent before a settlement. */
export interface ApprovalPlan {
  readonly approval: ReadTransaction;
  /** The wei that its payer lacks for gas. */
  readonly deficit: bigint;
}

/**
 * The approval in the payment, if a settlement of `charge` would succeed after it. Simulates both one after the other: no
 * gas is lent, and nothing is sent, for a payment that would fail.
 */
export async function planApproval(
  chain: Pick<Chain, "node" | "sender" | "lender">,
  payment: Permit2Payment,
  charge: bigint,
): Promise<ApprovalPlan | Reason | RpcError> {
  const { node, lender } = chain;
  const approval = lender && approvalOf(payment, node.network, charge);
  if (approval === undefined || lender === undefined) return "permit2_allowance_required";
  if (typeof approval === "string") return approval;
  const deficit = await readDeficit({ node, lender }, payment.payload.permit2Authorization.from, approval);
  if (typeof deficit !== "bigint") return deficit;
  return (await simulate(chain, { payment, charge, approval })) ?? { approval, deficit };
}

/** The wei that the payer lacks for its approval; a reason if the approval cannot be sent, or its gas not be lent. */
async function readDeficit(
  { node, lender }: Pick<Chain, "node"> & { readonly lender: GasLender },
  from: Address,
  { transaction, raw }: ReadTransaction,
): Promise<bigint | Reason | RpcError> {
  const dataFeeCall = encodeCall("getL1Fee(bytes)", [hexToBytes(raw.slice(2))]);
  const [fees, [latest, pending, balance, code, dataFee]] = await Promise.all([
    currentFees(node, lender.maxFeePerGas),
    node.readAll<[bigint, bigint, bigint, Hex, Hex]>(
      transactionCountRequest(from, "latest"),
      transactionCountRequest(from, "pending"),
      balanceRequest(from),
      codeRequest(from),
      callRequest(DATA_FEE_ORACLE, dataFeeCall),
    ),
  ]);
  if (isRpcError(fees)) return fees;
  for (const response of [latest, pending, balance, code]) if (isRpcError(response)) return response;
  if (fees === "too dear" || transaction.nonce !== latest || transaction.maxFee < (fees.maxFee - fees.tip) / 2n)
    return "erc20_approval_tx_failed";
  const ofData = isRpcError(dataFee) ? 0n : (wordAt(dataFee, 0) ?? 0n);
  const deficit = transaction.gas * transaction.maxFee + DATA_FEE_MARGIN * ofData - (balance as bigint);
  if (deficit <= 0n) return 0n;
  // Code of the payer could pass the money on. A transaction that waits would use it.
  if (code !== "0x" || pending !== latest) return "permit2_allowance_required";
  const most = largest(fees.maxFee * MAX_FEE_MULTIPLE, MIN_FEE_BOUND);
  if (transaction.maxFee > smallest(most, lender.maxFeePerGas)) return "erc20_approval_tx_failed";
  const canLend = await lender.canLend(from, deficit);
  return canLend === true ? deficit : canLend === false ? "permit2_allowance_required" : canLend;
}

/** Runs approval and settlement one after the other; undefined if both succeed. */
async function simulate(
  { node, sender }: Pick<Chain, "node" | "sender">,
  {
    payment,
    charge,
    approval: { transaction },
  }: { readonly payment: Permit2Payment; readonly charge: bigint; readonly approval: ReadTransaction },
): Promise<Reason | RpcError | undefined> {
  const { from, spender } = payment.payload.permit2Authorization;
  const { to, data, gas } = transaction;
  const results = await node.read(
    simulateRequest([
      { from, to, data, gas },
      { from: sender.account, to: spender, data: settleCall(payment, charge), gas: sender.maxGas },
    ]),
  );
  // Without eth_simulateV1 it is unknown whether the settlement would succeed.
  if (isRpcError(results)) {
    if (results.refusal === "reverted") return "erc20_approval_tx_failed";
    return results.refusal === "unknown method" ? "permit2_allowance_required" : results;
  }
  const [isApproved, isSettled] = results;
  if (isApproved !== true) return "erc20_approval_tx_failed";
  return isSettled === true ? undefined : "permit2_simulation_failed";
}
