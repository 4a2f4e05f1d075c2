import { bytesToHex } from "@noble/hashes/utils.js";
import { type Hex, sameAddress } from "../../x402/address.ts";
import { atMost } from "../../signatures/check-payment.ts";
import { type Outcome, type Settlement } from "../../x402/facilitator.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
import { checkGasPermit } from "../../signatures/gas-permit.ts";
import { checkPermit2Agreement, checkPermit2Terms } from "../../signatures/permit2.ts";
import { permit2Hash } from "../../signatures/permit2-typed-data.ts";
import { toWord, TRANSFER, wordAt } from "../node/abi.ts";
import { codeRequest, type Log } from "../node/requests.ts";
import { type RpcError, isRpcError } from "../node/rpc.ts";
import { refused, unknown, unsent } from "../node/settlements.ts";
import { type Chain, type PayerShare, type Sent } from "../node/scheme.ts";
import { approveFirst } from "./approve-first.ts";
import { settleCall } from "./calldata.ts";
import { findPermit2 } from "./find.ts";
import { revertReason } from "./reverts.ts";
import { checkSigner } from "./signature.ts";
import { bitmapRequest, findHindrance, isSpent, neededPermit, readFunds } from "./state.ts";
import { checkFacilitator } from "./verify.ts";

const CONTRADICTION: RpcError = { error: "failed", cause: "the node contradicts itself" };

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
  return await new Permit2Settlement(chain, payment, requirements).settle(most);
}

class Permit2Settlement {
  readonly #chain: Chain;
  readonly #payment: Permit2Payment;
  readonly #requirements: PaymentRequirements;
  readonly #charge: bigint;

  constructor(chain: Chain, payment: Permit2Payment, requirements: PaymentRequirements) {
    this.#chain = chain;
    this.#payment = payment;
    this.#requirements = requirements;
    this.#charge = BigInt(requirements.amount);
  }

  /** `most` are the requirements with the permitted amount. */
  async settle(most: PaymentRequirements): Promise<Settlement> {
    const payment = this.#payment;
    const { node, sender } = this.#chain;
    const tag = this.#tag;
    const resumed = sender.resume(tag);
    if (resumed !== undefined) return await this.#conclude(await resumed);

    const { from, spender, permitted, witness } = payment.payload.permit2Authorization;
    const [bitmap, next, code] = await node.readAll<[Hex, Hex, Hex]>(
      bitmapRequest(payment),
      bitmapRequest(payment, "pending"),
      codeRequest(from),
    );
    const spent = isSpent(payment, bitmap);
    if (spent === undefined)
      return unsent(`${isRpcError(bitmap) ? bitmap.cause : "there is no Permit2"}: nothing was sent`);
    if (spent) return await this.#concludeSpent();
    // An earlier process has probably sent it. A second transaction would cost gas and change nothing. Some nodes do not
    // know their pending state.
    if (isSpent(payment, next) === true) return unknown("a transaction with this payment is under way");
    const problem =
      checkPermit2Terms(payment, most, node.now() / 1000) ?? (await checkSigner(node, payment, this.#requirements));
    if (isRpcError(problem)) return unsent(`${problem.cause}: nothing was sent`);
    if (problem !== undefined) return refused(problem);
    if (isRpcError(code)) return unsent(`${code.cause}: nothing was sent`);
    // A charge of 0 moves no money and needs no gas. The authorization stays unspent, so the caller must remember the
    // settlement.
    if (this.#charge === 0n) return { kind: "settled", transaction: "", payer: from };
    const permit = await neededPermit(node, payment, this.#charge);
    const unsound = permit && checkGasPermit(payment, node.now() / 1000);
    if (unsound !== undefined) return refused(unsound);
    const problemOfApproval = permit === undefined ? await approveFirst(this.#chain, payment, this.#charge) : undefined;
    if (problemOfApproval !== undefined) return problemOfApproval;
    const owner = { token: permitted.token, owner: from };
    const share: PayerShare = {
      payer: from,
      asset: permitted.token,
      value: this.#charge,
      isContract: code !== "0x",
      funds: () => readFunds(node, owner, permit),
    };
    return await this.#conclude(
      await sender.send({
        tag,
        to: spender,
        data: settleCall(payment, this.#charge, permit),
        share,
        from: witness.facilitator,
      }),
    );
  }

  /** The same for every charge of one authorization, because only one of them can be made. */
  get #tag(): string {
    return bytesToHex(permit2Hash(this.#chain.node.network, this.#payment.payload.permit2Authorization));
  }

  #find(): Promise<Outcome> {
    return findPermit2(this.#chain.node, this.#payment, this.#requirements);
  }

  async #conclude(sent: Sent): Promise<Settlement> {
    if (sent.kind === "withheld") return unsent(sent.cause);
    if (sent.kind === "open") return await this.#concludeOpen(sent.cause, sent.transaction);
    if (sent.kind === "rejected") return await this.#concludeRejected(sent.data);
    if (sent.kind === "reverted") return await this.#concludeReverted(sent);
    const { transaction, logs } = sent;
    const payer = this.#payment.payload.permit2Authorization.from;
    if (this.#isShownIn(logs)) return { kind: "settled", transaction, payer };
    return await this.#concludeOpen("the transaction's events do not show the payment", transaction);
  }

  /** True if a transaction's `logs` show that the payer paid the charge to the payee. */
  #isShownIn(logs: readonly Log[]): boolean {
    const { from, permitted, witness } = this.#payment.payload.permit2Authorization;
    return logs.some(
      ({ address, topics, data }) =>
        sameAddress(address, permitted.token) &&
        topics[0] === TRANSFER &&
        topics[1]?.toLowerCase() === toWord(from) &&
        topics[2]?.toLowerCase() === toWord(witness.to) &&
        wordAt(data, 0) === this.#charge,
    );
  }

  /** The payment may still have been settled: earlier with another charge, or by another account that may settle. */
  async #concludeOpen(cause: string, transaction: string): Promise<Settlement> {
    const outcome = await this.#find();
    return outcome.kind === "settled" ? outcome : unknown(cause, transaction);
  }

  /** The nonce was spent, by this payment in any transaction, or by another one. */
  async #concludeSpent(): Promise<Settlement> {
    const outcome = await this.#find();
    if (outcome.kind === "settled") return outcome;
    if (outcome.kind === "void") return refused("permit2_invalid_nonce");
    return unknown(outcome.kind === "unknown" ? outcome.cause : CONTRADICTION.cause);
  }

  /** No node accepted the transaction, and nothing was sent. */
  async #concludeRejected(data: Hex | undefined): Promise<Settlement> {
    const reason =
      revertReason(data) ?? (await findHindrance(this.#chain, this.#payment, this.#charge)) ?? CONTRADICTION;
    if (isRpcError(reason)) return unknown(`${reason.cause}: nothing was sent`);
    return reason === "permit2_invalid_nonce" ? await this.#concludeSpent() : refused(reason);
  }

  /** Our transaction changed nothing. Either another one had spent the nonce, or the payment is invalid. */
  async #concludeReverted({ transaction, blockNumber }: Sent & { readonly kind: "reverted" }): Promise<Settlement> {
    // Reads the state at that block, because a node behind the same address may lag behind.
    const spent = isSpent(this.#payment, await this.#chain.node.read(bitmapRequest(this.#payment, blockNumber)));
    if (spent === undefined) return unknown("it is unknown which transaction spent the nonce", transaction);
    if (spent) return await this.#concludeSpent();
    const hindrance = await findHindrance(this.#chain, this.#payment, this.#charge);
    if (hindrance === "permit2_invalid_nonce") return await this.#concludeSpent();
    if (hindrance !== undefined && !isRpcError(hindrance)) return refused(hindrance);
    const isUpto = this.#requirements.scheme === "upto";
    return refused(isUpto ? "invalid_upto_evm_transaction_failed" : "invalid_exact_evm_transaction_failed");
  }
}
