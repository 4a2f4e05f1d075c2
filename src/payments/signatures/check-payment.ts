import { type Checked } from "./signature.ts";
import { checkEip3009Signature, checkEip3009Terms } from "./eip3009.ts";
import {
  isEip3009,
  isEvmPayment,
  isPermit2,
  isSolanaPayment,
  type PaymentPayload,
  type PaymentRequirements,
} from "../x402/messages.ts";
import { checkPermit2Signature, checkPermit2Terms } from "./permit2.ts";
import { type Reason } from "../x402/reasons.ts";
import { transferOf } from "../x402/transfer.ts";
import type * as Solana from "./solana.ts";

/** Loaded with the first payment on Solana: the code of its curve takes memory (bench start). */
const solana = (): typeof Solana => require("./solana.ts");

/**
 * Checks an `exact` or `upto` payment as far as that needs no signature: terms, recipient, amount and times. Under
 * `upto`, `requirements.amount` is the most that may be charged. `now` is in Unix seconds.
 */
export function checkTerms(
  payment: PaymentPayload,
  requirements: PaymentRequirements,
  now: number,
): Reason | undefined {
  if (isEip3009(payment)) return checkEip3009Terms(payment, requirements, now);
  if (isPermit2(payment)) return checkPermit2Terms(payment, requirements, now);
  if (isSolanaPayment(payment)) return solana().checkSolanaTerms(payment, requirements);
  // Only the facilitator can read it.
  return undefined;
}

/**
 * Converts the requirements of a settlement to those of its verification. Under `upto`, verification uses the full
 * amount that the payment permits, and settlement the amount charged. Undefined if the charge is above the permitted
 * amount.
 */
export function atMost(payment: PaymentPayload, requirements: PaymentRequirements): PaymentRequirements | undefined {
  if (requirements.scheme !== "upto" || !isEvmPayment(payment)) return requirements;
  const { value } = transferOf(payment, requirements);
  return BigInt(requirements.amount) > BigInt(value) ? undefined : { ...requirements, amount: value };
}

interface Known {
  readonly requirements: PaymentRequirements;
  readonly outcome: Checked | Reason;
}

/** Recovering a signer takes 0.4 ms. Verification and settlement check the same signature, so the result is kept. */
const known = new WeakMap<PaymentPayload, Known>();

/** True if both requirements ask for the same signature. The charged amount is not part of it. */
function sameDomain(a: PaymentRequirements, b: PaymentRequirements): boolean {
  return (
    a.network === b.network &&
    a.asset === b.asset &&
    a.extra["name"] === b.extra["name"] &&
    a.extra["version"] === b.extra["version"]
  );
}

/**
 * Checks the signer and the signature's domain, once per payment; the payment must not be changed afterwards. Accepts
 * only plain accounts: checking a contract's signature would need a call to the chain.
 */
export function checkSignature(payment: PaymentPayload, requirements: PaymentRequirements): Checked | Reason {
  const before = known.get(payment);
  if (before !== undefined && sameDomain(before.requirements, requirements)) return before.outcome;
  const outcome = recoverPayer(payment, requirements);
  known.set(payment, { requirements, outcome });
  return outcome;
}

function recoverPayer(payment: PaymentPayload, requirements: PaymentRequirements): Checked | Reason {
  if (isEip3009(payment)) return checkEip3009Signature(payment, requirements);
  if (isPermit2(payment)) return checkPermit2Signature(payment, requirements);
  if (isSolanaPayment(payment)) return solana().checkSolanaSignature(payment);
  return "unsupported_payload_type";
}
