import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type Bookings } from "../store/bookings.ts";
import { type Checked } from "./checked.ts";
import { checkSignature, checkTerms } from "./exact.ts";
import { type Facilitator, type Kind, type Outcome, type Settlement, type Verification } from "./facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";
import { paymentKey } from "./payment-key.ts";
import { type Reason } from "./reasons.ts";
import { transferOf } from "./transfer.ts";

/** What a test-mode transaction hash starts with: nobody takes it for a real one ("test", twice). */
const TRANSACTION_PREFIX = "7e577e57";

function transactionOf(hash: Uint8Array): string {
  return `0x${TRANSACTION_PREFIX}${bytesToHex(keccak_256(hash)).slice(TRANSACTION_PREFIX.length)}`;
}

/**
 * The embedded facilitator of test mode: checks signature, amount, recipient, times and nonce as a chain would, and books
 * the transfer instead of making it. Nobody's balance is asked for. `now` is in milliseconds.
 */
export function createBookingFacilitator(bookings: Bookings, now: () => number): Facilitator {
  function check(payment: PaymentPayload, requirements: PaymentRequirements): Checked | Reason {
    return checkTerms(payment, requirements, now() / 1000) ?? checkSignature(payment, requirements);
  }

  return {
    async supported(): Promise<readonly Kind[]> {
      return [{ scheme: "exact", network: "eip155:*" }];
    },

    async verify(payment, requirements): Promise<Verification> {
      const checked = check(payment, requirements);
      if (typeof checked === "string") return { kind: "refused", reason: checked };
      if ((await bookings.find(paymentKey(payment, requirements))) !== undefined) {
        return { kind: "refused", reason: "invalid_exact_evm_nonce_already_used" };
      }
      return { kind: "valid", payer: checked.payer };
    },

    async settle(payment, requirements): Promise<Settlement> {
      const signed = checkSignature(payment, requirements);
      if (typeof signed === "string") return { kind: "refused", reason: signed };
      const key = paymentKey(payment, requirements);
      const digest = bytesToHex(signed.hash);
      const standing = await bookings.find(key);
      if (standing === undefined) {
        const reason = checkTerms(payment, requirements, now() / 1000);
        if (reason !== undefined) return { kind: "refused", reason };
      }
      const booking =
        standing ??
        (await bookings.book({
          ...key,
          digest,
          to: requirements.payTo.toLowerCase(),
          amount: requirements.amount,
          transaction: transactionOf(signed.hash),
        }));
      if (booking.digest !== digest) return { kind: "refused", reason: "invalid_exact_evm_nonce_already_used" };
      return { kind: "settled", transaction: booking.transaction, payer: signed.payer };
    },

    async find(payment, requirements): Promise<Outcome> {
      const signed = checkSignature(payment, requirements);
      if (typeof signed === "string") return { kind: "void" };
      const booking = await bookings.find(paymentKey(payment, requirements));
      if (booking?.digest === bytesToHex(signed.hash)) {
        return { kind: "settled", transaction: booking.transaction, payer: signed.payer };
      }
      const isOver = Number(transferOf(payment, requirements).validBefore) <= now() / 1000;
      return { kind: booking !== undefined || isOver ? "void" : "unspent" };
    },

    async close() {
      // The bookings are the store's to close.
    },
  };
}
