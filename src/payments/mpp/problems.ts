/** The problem types of the `Payment` scheme, with their statuses and titles. */
const PROBLEMS = {
  "payment-required": [402, "Payment Required"],
  "payment-insufficient": [402, "Payment Insufficient"],
  "payment-expired": [402, "Payment Expired"],
  "verification-failed": [402, "Payment Verification Failed"],
  "method-unsupported": [400, "Payment Method Unsupported"],
  "malformed-credential": [402, "Malformed Credential"],
  "invalid-challenge": [402, "Invalid Challenge"],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type PaymentProblem = keyof typeof PROBLEMS;

const BASE = "https://paymentauth.org/problems/";

/** A problem document (RFC 9457) of the scheme. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: 400 | 402;
  readonly detail: string;
}

/** A problem with the status and title of its type. */
export function paymentProblem(problem: PaymentProblem, detail: string): Problem {
  const [status, title] = PROBLEMS[problem];
  return { type: BASE + problem, title, status, detail };
}

/** The problem that a reason of x402, or of the gateway's own checks, is in the scheme. The first words that fit decide. */
export function problemOf(reason: string): PaymentProblem {
  return REASONS.find(([words]) => words.test(reason))?.[1] ?? "verification-failed";
}

const REASONS: readonly (readonly [RegExp, PaymentProblem])[] = [
  [/^Payment required$/, "payment-required"],
  [/^No matching|^challenge_(?:unknown|other)/, "invalid-challenge"],
  [/expired|valid_before/, "payment-expired"],
  [/value_mismatch/, "payment-insufficient"],
];
