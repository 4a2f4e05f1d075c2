import { bytesToHex } from "@noble/hashes/utils.js";
import { type Hex, sameAddress } from "../../x402/address.ts";
import { atMost } from "../../signatures/check-payment.ts";
import { type Settlement } from "../../x402/facilitator.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
import { parseNetwork } from "../../x402/networks.ts";
import { checkPermit2Agreement, checkPermit2Terms } from "../../signatures/permit2.ts";
import { permit2Hash } from "../../signatures/permit2-typed-data.ts";
import { type Reason } from "../../x402/reasons.ts";
import { toWord, TRANSFER, wordAt } from "../node/abi.ts";
import { codeRequest, type Log } from "../node/requests.ts";
import { type RpcError, isRpcError } from "../node/rpc.ts";
import { type Chain, type PayerShare, type Sent } from "../node/scheme.ts";
import { settleCall } from "./calldata.ts";
import { findPermit2 } from "./find.ts";
import { revertReason } from "./reverts.ts";
import { checkSigner } from "./signature.ts";
import { bitmapRequest, findHindrance, isSpent, readFunds } from "./state.ts";
import { checkFacilitator } from "./verify.ts";

const CONTRADICTION: RpcError = { error: "failed", cause: "the node contradicts itself" };

function unknown(cause: string, transaction = ""): Settlement {
  return { kind: "unknown", cause, transaction };
}

function refused(reason: Reason): Settlement {
  return { kind: "refused", reason };
}

/** The tag is the same for every charge of one authorization, because only one of them can be made. */
function tagOf({ payload }: Permit2Payment, network: string): string {
  const known = parseNetwork(network);
  return known === undefined ? "" : bytesToHex(permit2Hash(known, payload.permit2Authorization));
}

/** Moves the charge, unless the authorization was settled before. In that case the first charge stays. */
export async function settlePermit2(
  chain: Chain,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
): Promise<Settlement> {
  const most = atMost(payment, requirements);
  if (most === undefined) return refused("invalid_upto_evm_payload_settlement_exceeds_amount");
  const reason = checkPermit2Agreement(payment, most) ?? checkFacilitator(chain, payment);
  if (reason !== undefined) return refused(reason);
  const { node, sender } = chain;
  const tag = tagOf(payment, requirements.network);
  const resumed = sender.resume(tag);
  if (resumed !== undefined) return await conclude(chain, payment, requirements, await resumed);

  const { from, spender, permitted } = payment.payload.permit2Authorization;
  const [bitmap, next, code] = await node.readAll<[Hex, Hex, Hex]>(
    bitmapRequest(payment),
    bitmapRequest(payment, "pending"),
    codeRequest(from),
  );
  const spent = isSpent(payment, bitmap);
  if (spent === undefined)
    return unknown(`${isRpcError(bitmap) ? bitmap.cause : "there is no Permit2"}: nothing was sent`);
  if (spent) return await concludeSpent(chain, payment, requirements);
  // An earlier process has probably sent it. A second transaction would cost gas and change nothing. Some nodes do not
  // know their pending state.
  if (isSpent(payment, next) === true) return unknown("a transaction with this payment is under way");
  const problem =
    checkPermit2Terms(payment, most, node.now() / 1000) ?? (await checkSigner(node, payment, requirements));
  if (isRpcError(problem)) return unknown(`${problem.cause}: nothing was sent`);
  if (problem !== undefined) return refused(problem);
  if (isRpcError(code)) return unknown(`${code.cause}: nothing was sent`);
  const charge = BigInt(requirements.amount);
  // A charge of 0 moves no money and needs no gas. The authorization stays unspent, so the caller must remember the
  // settlement.
  if (charge === 0n) return { kind: "settled", transaction: "", payer: from };
  const share: PayerShare = {
    payer: from,
    asset: permitted.token,
    value: charge,
    isContract: code !== "0x",
    funds: () => readFunds(node, permitted.token, from),
  };
  const sent = await sender.send({ tag, to: spender, data: settleCall(payment, charge), share });
  return await conclude(chain, payment, requirements, sent);
}

/** True if a transaction's `logs` show that the payer paid the charge to the payee. */
function showsPayment(logs: readonly Log[], { payload }: Permit2Payment, charge: bigint): boolean {
  const { from, permitted, witness } = payload.permit2Authorization;
  return logs.some(
    ({ address, topics, data }) =>
      sameAddress(address, permitted.token) &&
      topics[0] === TRANSFER &&
      topics[1]?.toLowerCase() === toWord(from) &&
      topics[2]?.toLowerCase() === toWord(witness.to) &&
      wordAt(data, 0) === charge,
  );
}

async function conclude(
  chain: Chain,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
  sent: Sent,
): Promise<Settlement> {
  if (sent.kind === "withheld") return unknown(sent.cause);
  if (sent.kind === "open") return await concludeOpen(chain, payment, requirements, sent);
  if (sent.kind === "rejected") return await concludeRejected(chain, payment, requirements, sent.data);
  if (sent.kind === "reverted") return await concludeReverted(chain, payment, requirements, sent);
  const { transaction, logs } = sent;
  if (showsPayment(logs, payment, BigInt(requirements.amount))) {
    return { kind: "settled", transaction, payer: payment.payload.permit2Authorization.from };
  }
  const cause = "the transaction's events do not show the payment";
  return await concludeOpen(chain, payment, requirements, { transaction, cause });
}

function failureOf({ scheme }: PaymentRequirements): Reason {
  return scheme === "upto" ? "invalid_upto_evm_transaction_failed" : "invalid_exact_evm_transaction_failed";
}

/** The payment may still have been settled: earlier with another charge, or by another account that may settle. */
async function concludeOpen(
  { node }: Chain,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
  { cause, transaction }: { readonly cause: string; readonly transaction: string },
): Promise<Settlement> {
  const outcome = await findPermit2(node, payment, requirements);
  return outcome.kind === "settled" ? outcome : unknown(cause, transaction);
}

/** The nonce was spent, by this payment in any transaction, or by another one. */
async function concludeSpent(
  { node }: Chain,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
): Promise<Settlement> {
  const outcome = await findPermit2(node, payment, requirements);
  if (outcome.kind === "settled") return outcome;
  if (outcome.kind === "void") return refused("permit2_invalid_nonce");
  return unknown(outcome.kind === "unknown" ? outcome.cause : CONTRADICTION.cause);
}

/** No node accepted the transaction, and nothing was sent. */
async function concludeRejected(
  chain: Chain,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
  data: Hex | undefined,
): Promise<Settlement> {
  const reason =
    revertReason(data) ?? (await findHindrance(chain, payment, BigInt(requirements.amount))) ?? CONTRADICTION;
  if (isRpcError(reason)) return unknown(`${reason.cause}: nothing was sent`);
  if (reason === "permit2_invalid_nonce") return await concludeSpent(chain, payment, requirements);
  return refused(reason);
}

/** Our transaction changed nothing. Either another one had spent the nonce, or the payment is invalid. */
async function concludeReverted(
  chain: Chain,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
  { transaction, blockNumber }: Sent & { readonly kind: "reverted" },
): Promise<Settlement> {
  // Reads the state at that block, because a node behind the same address may lag behind.
  const spent = isSpent(payment, await chain.node.read(bitmapRequest(payment, blockNumber)));
  if (spent === undefined) return unknown("it is unknown which transaction spent the nonce", transaction);
  if (spent) return await concludeSpent(chain, payment, requirements);
  const hindrance = await findHindrance(chain, payment, BigInt(requirements.amount));
  if (hindrance === "permit2_invalid_nonce") return await concludeSpent(chain, payment, requirements);
  return refused(hindrance === undefined || isRpcError(hindrance) ? failureOf(requirements) : hindrance);
}
