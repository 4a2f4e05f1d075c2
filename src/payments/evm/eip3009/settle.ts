import { type Address, type Hex, isAddress } from "../../x402/address.ts";
import { checkSignature, checkTerms } from "../../signatures/check-payment.ts";
import { type Settlement } from "../../x402/facilitator.ts";
import { type Eip3009Payment, type PaymentRequirements } from "../../x402/messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { type Transfer, transferOf } from "../../x402/transfer.ts";
import { wordAt } from "../node/abi.ts";
import { type EvmNode } from "../node/node.ts";
import { callRequest, codeRequest } from "../node/requests.ts";
import { type RpcError, isRpcError } from "../node/rpc.ts";
import { type Chain, type PayerShare, type Sent } from "../node/scheme.ts";
import { balanceCall, isForUndeployed, stateCall, transferCall } from "./calls.ts";
import { showsTransfer } from "./evidence.ts";
import { findEip3009, usedAt } from "./find.ts";
import { verifyEip3009 } from "./verify.ts";

/** A payment counts as ending when less than this many seconds of its time are left. */
const ENDING_S = 60n;
const CONTRADICTION = "the node contradicts itself";
/** Reasons that a node also gives for a payment that has settled. */
const AFTERWARDS: ReadonlySet<Reason> = new Set([
  "invalid_exact_evm_nonce_already_used",
  "invalid_exact_evm_payload_authorization_valid_before",
]);

function unknown(cause: string, transaction = ""): Settlement {
  return { kind: "unknown", cause, transaction };
}

function refused(reason: Reason): Settlement {
  return { kind: "refused", reason };
}

function tagOf({ contract, from, to, value, nonce }: Transfer): string {
  return [contract, from, to, value, nonce].join(" ").toLowerCase();
}

/** Moves the money by this payment's authorization, unless it has moved already. */
export async function settleEip3009(
  chain: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
): Promise<Settlement> {
  const { signature, authorization } = payment.payload;
  if (isForUndeployed(signature)) return refused("eip6492_factory_not_allowed");
  const { asset } = requirements;
  if (!isAddress(asset)) return refused("asset_not_deployed_contract");
  const transfer = transferOf(payment, requirements);
  const tag = tagOf(transfer);
  const { node, sender } = chain;
  const resumed = sender.resume(tag);
  if (resumed !== undefined) return await conclude(chain, payment, requirements, await resumed);

  const [state, next, code] = await node.readAll<[Hex, Hex, Hex]>(
    callRequest(transfer.contract, stateCall(transfer)),
    callRequest(transfer.contract, stateCall(transfer), { block: "pending" }),
    codeRequest(transfer.from),
  );
  if (isRpcError(state) && state.refusal === "reverted") return refused("invalid_exact_evm_eip3009_not_supported");
  if (isRpcError(state)) return unknown(`${state.cause}: nothing was sent`);
  if (isRpcError(code)) return unknown(`${code.cause}: nothing was sent`);
  const used = wordAt(state, 0);
  // A transaction to an address without code succeeds and moves no money.
  if (used === undefined) return refused("asset_not_deployed_contract");
  if (used !== 0n) return await concludeUsed(chain, payment, requirements);
  // An earlier process has probably sent it. A second transaction would cost gas and change nothing. Some nodes do not
  // know their pending state.
  if (!isRpcError(next) && (wordAt(next, 0) ?? 0n) !== 0n)
    return unknown("a transaction with this payment is under way");
  const reason = checkTerms(payment, requirements, node.now() / 1000);
  if (reason !== undefined) return await concludeUnfit(chain, payment, requirements, reason);
  // The token checks a contract's signature before anything is sent: see `rejected` in `Sent`.
  const signed = code === "0x" ? checkSignature(payment, requirements) : undefined;
  if (typeof signed === "string") return refused(signed);
  const share: PayerShare = {
    payer: transfer.from,
    asset,
    value: BigInt(transfer.value),
    isContract: code !== "0x",
    funds: () => readFunds(node, asset, transfer.from),
  };
  const sent = await sender.send({ tag, to: asset, data: transferCall(authorization, signature), share });
  return await conclude(chain, payment, requirements, sent);
}

async function readFunds(node: EvmNode, asset: Address, owner: Address): Promise<bigint | RpcError> {
  const balance = await node.read(callRequest(asset, balanceCall(owner)));
  return isRpcError(balance) ? balance : (wordAt(balance, 0) ?? 0n);
}

async function conclude(
  chain: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
  sent: Sent,
): Promise<Settlement> {
  const transfer = transferOf(payment, requirements);
  if (sent.kind === "withheld") return unknown(sent.cause);
  if (sent.kind === "mined") {
    return showsTransfer(sent.logs, transfer)
      ? { kind: "settled", transaction: sent.transaction, payer: transfer.from }
      : unknown("the transaction's events do not show the transfer", sent.transaction);
  }
  // The outcome of our transaction is open, but another account may have sent the same authorization.
  if (sent.kind === "open") {
    const outcome = await findEip3009(chain.node, payment, requirements);
    return outcome.kind === "settled" ? outcome : unknown(sent.cause, sent.transaction);
  }
  return await concludeUnmoved(chain, payment, requirements, sent);
}

/** Our transaction changed nothing or was not accepted: another one used the nonce, or it is invalid. */
async function concludeUnmoved(
  chain: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
  sent: Sent & { readonly kind: "reverted" | "rejected" },
): Promise<Settlement> {
  const { node } = chain;
  if (sent.kind === "reverted") {
    const { transaction, blockNumber } = sent;
    const used = await usedAt(node, transferOf(payment, requirements), blockNumber);
    if (isRpcError(used)) return unknown(used.cause, transaction);
    if (used) return await concludeUsed(chain, payment, requirements);
  }
  const outcome = await findEip3009(node, payment, requirements);
  if (outcome.kind === "settled") return outcome;
  if (outcome.kind === "unknown") return unknown(outcome.cause);
  if (outcome.kind === "void") return await refuseVoid(chain, payment, requirements);
  const verification = await verifyEip3009(chain, payment, requirements);
  if (verification.kind === "refused") {
    // A node with newer blocks may give this reason for a settled payment. Only `void` proves that it was not settled.
    if (AFTERWARDS.has(verification.reason)) return unknown(CONTRADICTION);
    return refused(verification.reason);
  }
  if (sent.kind === "reverted") return refused("invalid_exact_evm_transaction_failed");
  return unknown(verification.kind === "valid" ? `${CONTRADICTION}: nothing was sent` : verification.cause);
}

/** The nonce was used, by this transfer in any transaction, or by another transfer. */
async function concludeUsed(
  chain: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
): Promise<Settlement> {
  const outcome = await findEip3009(chain.node, payment, requirements);
  if (outcome.kind === "settled") return outcome;
  if (outcome.kind === "void") return refused("invalid_exact_evm_nonce_already_used");
  return unknown(outcome.kind === "unknown" ? outcome.cause : CONTRADICTION);
}

/** Refuses a void payment with its reason. */
async function refuseVoid(
  chain: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
): Promise<Settlement> {
  const verification = await verifyEip3009(chain, payment, requirements);
  const reason = verification.kind === "refused" ? verification.reason : "invalid_exact_evm_nonce_already_used";
  return refused(reason);
}

/**
 * Ends the settlement of a payment with invalid terms. If the payment's time is nearly over, a transaction of an
 * earlier process may still be pending. Then the payment is refused only when no block can include that transaction any
 * more.
 */
async function concludeUnfit(
  { node }: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
  reason: Reason,
): Promise<Settlement> {
  const left = BigInt(payment.payload.authorization.validBefore) - BigInt(Math.floor(node.now() / 1000));
  if (left > ENDING_S) return refused(reason);
  const outcome = await findEip3009(node, payment, requirements);
  if (outcome.kind === "settled") return outcome;
  if (outcome.kind === "void") return refused(reason);
  return unknown(outcome.kind === "unknown" ? outcome.cause : "its time is nearly over, and nothing was sent");
}
