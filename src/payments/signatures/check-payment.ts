import { type Checked } from "./checked.ts";
import { checkEip3009Signature, checkEip3009Terms } from "./eip3009.ts";
import { isEip3009, isPermit2, type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { checkPermit2Signature, checkPermit2Terms } from "./permit2.ts";
import { type Reason } from "../x402/reasons.ts";
import { transferOf } from "../x402/transfer.ts";

/**
 * Refuses what needs no signature to be refused: terms, recipient, amount, times, of `exact` and `upto`. Under `upto`,
 * `requirements.amount` is the most that may be charged. `now` is in Unix seconds.
 */
export function checkTerms(
  payment: PaymentPayload,
  requirements: PaymentRequirements,
  now: number,
): Reason | undefined {
  if (isEip3009(payment)) return checkEip3009Terms(payment, requirements, now);
  if (isPermit2(payment)) return checkPermit2Terms(payment, requirements, now);
  return "unsupported_payload_type";
}

/**
 * The terms as they were verified, from those of a settlement: under `upto` they ask for all that the payment permits, and
 * a settlement for what is charged of it. Undefined where that is more.
 */
export function atMost(payment: PaymentPayload, requirements: PaymentRequirements): PaymentRequirements | undefined {
  if (requirements.scheme !== "upto") return requirements;
  const { value } = transferOf(payment, requirements);
  return BigInt(requirements.amount) > BigInt(value) ? undefined : { ...requirements, amount: value };
}

interface Known {
  readonly requirements: PaymentRequirements;
  readonly outcome: Checked | Reason;
}

/** Recovering a signer takes 0.4 ms, and settlement asks for the same as verification before it. */
const known = new WeakMap<PaymentPayload, Known>();

/** True where both ask for the same signature. What is charged is no part of it. */
function sameDomain(a: PaymentRequirements, b: PaymentRequirements): boolean {
  return (
    a.network === b.network &&
    a.asset === b.asset &&
    a.extra["name"] === b.extra["name"] &&
    a.extra["version"] === b.extra["version"]
  );
}

/** Checks who signed, once per payment, which may not be changed afterwards, and domain. Only plain accounts: a contract's signature needs the chain to be asked. */
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
  return "unsupported_payload_type";
}
