import { type Address, type Hex, isAddress } from "../../x402/address.ts";
import { checkSignature, checkTerms } from "../../signatures/check-payment.ts";
import { checkEip3009Agreement } from "../../signatures/eip3009.ts";
import { type Outcome, type Settlement, type Verification } from "../../x402/facilitator.ts";
import { type Eip3009Payment, type PaymentRequirements } from "../../x402/messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { type Transfer, transferOf } from "../../x402/transfer.ts";
import { wordAt } from "../node/abi.ts";
import { type EvmNode } from "../node/node.ts";
import { callRequest, codeRequest } from "../node/requests.ts";
import { type RpcError, isRpcError } from "../node/rpc.ts";
import { refused, unknown, unsent } from "../node/settlements.ts";
import { type Chain, type PayerShare, type Sent } from "../node/scheme.ts";
import { balanceCall, stateCall } from "./calls.ts";
import { showsTransfer } from "./evidence.ts";
import { findEip3009, usedAt } from "./find.ts";
import { planTransfer, verifyEip3009 } from "./verify.ts";

/** A payment counts as ending when less than this many seconds of its time are left. */
const ENDING_S = 60n;
const CONTRADICTION = "the node contradicts itself";
/** Reasons that a node also gives for a payment that has settled. */
const AFTERWARDS: ReadonlySet<Reason> = new Set([
  "invalid_exact_evm_nonce_already_used",
  "invalid_exact_evm_payload_authorization_valid_before",
]);

/** Moves the money by this payment's authorization, unless it has moved already. */
export async function settleEip3009(
  chain: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
): Promise<Settlement> {
  // A payment that has settled meets no other requirements.
  const reason = checkEip3009Agreement(payment, requirements);
  if (reason !== undefined) return refused(reason);
  return await new Eip3009Settlement(chain, payment, requirements).settle();
}

class Eip3009Settlement {
  readonly #chain: Chain;
  readonly #payment: Eip3009Payment;
  readonly #requirements: PaymentRequirements;
  readonly #transfer: Transfer;

  constructor(chain: Chain, payment: Eip3009Payment, requirements: PaymentRequirements) {
    this.#chain = chain;
    this.#payment = payment;
    this.#requirements = requirements;
    this.#transfer = transferOf(payment, requirements);
  }

  async settle(): Promise<Settlement> {
    if (!this.#chain.factories.allows(this.#payment.payload.signature)) return refused("eip6492_factory_not_allowed");
    const { asset } = this.#requirements;
    if (!isAddress(asset)) return refused("asset_not_deployed_contract");
    const { contract, from, to, value, nonce } = this.#transfer;
    const tag = [contract, from, to, value, nonce].join(" ").toLowerCase();
    const { node, sender } = this.#chain;
    const resumed = sender.resume(tag);
    if (resumed !== undefined) return await this.#conclude(await resumed);

    const [state, next, code] = await node.readAll<[Hex, Hex, Hex]>(
      callRequest(contract, stateCall(this.#transfer)),
      callRequest(contract, stateCall(this.#transfer), { block: "pending" }),
      codeRequest(from),
    );
    if (isRpcError(state) && state.refusal === "reverted") return refused("invalid_exact_evm_eip3009_not_supported");
    if (isRpcError(state)) return unsent(`${state.cause}: nothing was sent`);
    if (isRpcError(code)) return unsent(`${code.cause}: nothing was sent`);
    const used = wordAt(state, 0);
    // A transaction to an address without code succeeds and moves no money.
    if (used === undefined) return refused("asset_not_deployed_contract");
    if (used !== 0n) return await this.#concludeUsed();
    // An earlier process has probably sent it. A second transaction would cost gas and change nothing. Some nodes do not
    // know their pending state.
    if (!isRpcError(next) && (wordAt(next, 0) ?? 0n) !== 0n)
      return unknown("a transaction with this payment is under way");
    const reason = checkTerms(this.#payment, this.#requirements, node.now() / 1000);
    if (reason !== undefined) return await this.#concludeUnfit(reason);
    // The token checks a contract's signature before anything is sent: see `rejected` in `Sent`.
    const planned = await planTransfer(this.#chain, this.#payment, asset);
    if (isRpcError(planned)) return unsent(`${planned.cause}: nothing was sent`);
    const isAccount = code === "0x" && !planned.isUndeployed;
    const signed = isAccount ? checkSignature(this.#payment, this.#requirements) : undefined;
    if (typeof signed === "string") return refused(signed);
    const share: PayerShare = {
      payer: from,
      asset,
      value: BigInt(value),
      isContract: !isAccount,
      funds: () => readFunds(node, asset, from),
    };
    return await this.#conclude(await sender.send({ tag, ...planned, share }));
  }

  #find(): Promise<Outcome> {
    return findEip3009(this.#chain.node, this.#payment, this.#requirements);
  }

  #verify(): Promise<Verification> {
    return verifyEip3009(this.#chain, this.#payment, this.#requirements);
  }

  async #conclude(sent: Sent): Promise<Settlement> {
    if (sent.kind === "withheld") return unsent(sent.cause);
    if (sent.kind === "mined") {
      return showsTransfer(sent.logs, this.#transfer)
        ? { kind: "settled", transaction: sent.transaction, payer: this.#transfer.from }
        : unknown("the transaction's events do not show the transfer", sent.transaction);
    }
    // The outcome of our transaction is open, but another account may have sent the same authorization.
    if (sent.kind === "open") {
      const outcome = await this.#find();
      return outcome.kind === "settled" ? outcome : unknown(sent.cause, sent.transaction);
    }
    return await this.#concludeUnmoved(sent);
  }

  /** Our transaction changed nothing or was not accepted: another one used the nonce, or it is invalid. */
  async #concludeUnmoved(sent: Sent & { readonly kind: "reverted" | "rejected" }): Promise<Settlement> {
    if (sent.kind === "reverted") {
      const used = await usedAt(this.#chain.node, this.#transfer, sent.blockNumber);
      if (isRpcError(used)) return unknown(used.cause, sent.transaction);
      if (used) return await this.#concludeUsed();
    }
    const outcome = await this.#find();
    if (outcome.kind === "settled") return outcome;
    if (outcome.kind === "unknown") return unknown(outcome.cause);
    const verification = await this.#verify();
    if (outcome.kind === "void")
      return refused(verification.kind === "refused" ? verification.reason : "invalid_exact_evm_nonce_already_used");
    if (verification.kind === "refused") {
      // A node with newer blocks may give this reason for a settled payment. Only `void` proves that it was not settled.
      return AFTERWARDS.has(verification.reason) ? unknown(CONTRADICTION) : refused(verification.reason);
    }
    if (sent.kind === "reverted") return refused("invalid_exact_evm_transaction_failed");
    return unknown(verification.kind === "valid" ? `${CONTRADICTION}: nothing was sent` : verification.cause);
  }

  /** The nonce was used, by this transfer in any transaction, or by another transfer. */
  async #concludeUsed(): Promise<Settlement> {
    const outcome = await this.#find();
    if (outcome.kind === "settled") return outcome;
    if (outcome.kind === "void") return refused("invalid_exact_evm_nonce_already_used");
    return unknown(outcome.kind === "unknown" ? outcome.cause : CONTRADICTION);
  }

  /**
   * Ends the settlement of a payment outside its time. If the payment's time is nearly over, a transaction of an
   * earlier process may still be pending. Then the payment is refused only when no block can include it any more.
   */
  async #concludeUnfit(reason: Reason): Promise<Settlement> {
    const now = BigInt(Math.floor(this.#chain.node.now() / 1000));
    if (BigInt(this.#transfer.validBefore) - now > ENDING_S) return refused(reason);
    const outcome = await this.#find();
    if (outcome.kind === "settled") return outcome;
    if (outcome.kind === "void") return refused(reason);
    return unknown(outcome.kind === "unknown" ? outcome.cause : "its time is nearly over, and nothing was sent");
  }
}

async function readFunds(node: EvmNode, asset: Address, owner: Address): Promise<bigint | RpcError> {
  const balance = await node.read(callRequest(asset, balanceCall(owner)));
  return isRpcError(balance) ? balance : (wordAt(balance, 0) ?? 0n);
}
