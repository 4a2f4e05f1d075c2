import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type SimulatedTransfers } from "../../store/simulated-transfers.ts";
import { type Checked } from "../signatures/signature.ts";
import type * as Checks from "../signatures/check-payment.ts";
import { type Facilitator, type Outcome, type Settlement, type Verification } from "../x402/facilitator.ts";
import { canonicalAddress } from "../x402/address.ts";
import { isPermit2, type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { paymentKey, validUntil } from "../x402/payment-key.ts";
import { type Reason } from "../x402/reasons.ts";
import { SIMULATED_KINDS } from "../x402/terms.ts";
import { SIMULATED_PREFIX } from "./simulated-transaction.ts";

/** Loaded with the first payment: the code of signatures takes memory (bench start). */
const checks = (): typeof Checks => require("../signatures/check-payment.ts");

function transactionOf(hash: Uint8Array): string {
  return `0x${SIMULATED_PREFIX}${bytesToHex(keccak_256(hash)).slice(SIMULATED_PREFIX.length)}`;
}

function spentReason(payment: PaymentPayload): Reason {
  return isPermit2(payment) ? "permit2_invalid_nonce" : "invalid_exact_evm_nonce_already_used";
}

function refusalOf(payment: PaymentPayload, requirements: PaymentRequirements, now: number): Reason | undefined {
  const most = checks().atMost(payment, requirements);
  if (most === undefined) return "invalid_upto_evm_payload_settlement_exceeds_amount";
  return checks().checkTerms(payment, most, now / 1000);
}

/**
 * The embedded facilitator of test mode. It checks signature, amount, recipient, times and nonce as a chain would, and
 * records the transfer instead of making it. It checks no balance. `now` is in milliseconds.
 */
export function createSimulatedFacilitator(simulatedTransfers: SimulatedTransfers, now: () => number): Facilitator {
  function check(payment: PaymentPayload, requirements: PaymentRequirements): Checked | Reason {
    const { checkTerms, checkSignature } = checks();
    return checkTerms(payment, requirements, now() / 1000) ?? checkSignature(payment, requirements);
  }

  return {
    supported: async () => SIMULATED_KINDS,

    async verify(payment, requirements): Promise<Verification> {
      const checked = check(payment, requirements);
      if (typeof checked === "string") return { kind: "refused", reason: checked };
      if ((await simulatedTransfers.find(paymentKey(payment, requirements))) !== undefined) {
        return { kind: "refused", reason: spentReason(payment) };
      }
      return { kind: "valid", payer: checked.payer };
    },

    async settle(payment, requirements): Promise<Settlement> {
      const signed = checks().checkSignature(payment, requirements);
      if (typeof signed === "string") return { kind: "refused", reason: signed };
      const key = paymentKey(payment, requirements);
      const digest = bytesToHex(signed.hash);
      const standing = await simulatedTransfers.find(key);
      if (standing === undefined) {
        const reason = refusalOf(payment, requirements, now());
        if (reason !== undefined) return { kind: "refused", reason };
        // As on a chain, no money moves, so there is no transfer to record.
        if (requirements.amount === "0") return { kind: "settled", transaction: "", payer: signed.payer };
      }
      const { amount, payTo } = requirements;
      const own = { ...key, digest, to: canonicalAddress(payTo), amount, transaction: transactionOf(signed.hash) };
      const transfer = standing ?? (await simulatedTransfers.book(own));
      if (transfer.digest !== digest) return { kind: "refused", reason: spentReason(payment) };
      return { kind: "settled", transaction: transfer.transaction, payer: signed.payer };
    },

    async find(payment, requirements): Promise<Outcome> {
      const signed = checks().checkSignature(payment, requirements);
      if (typeof signed === "string") return { kind: "void" };
      const transfer = await simulatedTransfers.find(paymentKey(payment, requirements));
      if (transfer?.digest === bytesToHex(signed.hash)) {
        return { kind: "settled", transaction: transfer.transaction, payer: signed.payer };
      }
      const seconds = now() / 1000;
      const isOver = validUntil(payment, requirements, seconds) <= seconds;
      return { kind: transfer !== undefined || isOver ? "void" : "unspent" };
    },

    async close() {
      // The store closes the simulated transfers.
    },
  };
}
