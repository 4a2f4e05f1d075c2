import { expect, test } from "bun:test";
import { encodeHeader } from "../../x402/header.ts";
import { type Outcome, outcomeOf } from "./words.ts";

/** A response with the error of a 402 in its field. */
function refused(error: unknown, status = 402): Response {
  return new Response(null, { status, headers: { "payment-required": encodeHeader({ error }) } });
}

test.each<[error: string, words: string]>([
  ["insufficient_funds", "does not have enough of the token. Nothing was paid."],
  ["x_insufficient_balance", "does not have enough of the token. Nothing was paid."],
  ["permit2_allowance_required", "has not approved Permit2"],
  ["nonce_already_used", "was already used"],
  ["permit2_invalid_nonce", "was already used"],
  ["valid_before", "expired before it was settled"],
  ["deadline_expired", "expired before it was settled"],
  ["valid_after", "is not valid yet"],
  ["not_yet_valid", "is not valid yet"],
  ["invalid_signature", "does not belong to the account"],
  ["No matching payment requirements", "The price has changed"],
  ["invalid_exact_svm_simulation_failed", "more than a minute passed"],
  ["simulation_failed", "The chain does not accept this payment"],
  ["transaction_failed", "The transaction failed on the chain"],
])("a refusal with the reason %s has words for the person", (error, words) => {
  for (const status of [402, 412]) {
    const outcome = outcomeOf(refused(error, status), { detail: "more" });
    expect(outcome).toEqual({ text: expect.stringContaining(words), again: false });
  }
});

test.each<[what: string, response: Response, problem: unknown, outcome: Outcome]>([
  ["another reason", refused("other"), { detail: "Words." }, { text: "Words.", again: false }],
  ["another reason, with a title", refused("other"), { title: "Title." }, { text: "Title.", again: false }],
  ["another reason alone", refused("other"), undefined, { text: "The payment was refused (other).", again: false }],
  ["no reason", refused(7), undefined, { text: "The payment was refused (no reason).", again: false }],
  [
    "no challenge",
    new Response(null, { status: 402 }),
    { detail: "Words." },
    { text: "The seller's server refused the payment. Nothing was paid. Words.", again: false },
  ],
  ["long words", refused("other"), { detail: "w".repeat(501) }, { text: "w".repeat(500), again: false }],
  [
    "a 412 of its own",
    new Response(null, { status: 412 }),
    {},
    { text: "The seller responded with 412.  It was not charged: the same payment can be sent again.", again: true },
  ],
  [
    "a payment in use",
    new Response(null, { status: 409 }),
    { detail: "Words." },
    { text: "The payment is in use by another request. Words. ", again: false },
  ],
  [
    "a payment in use for a while",
    new Response(null, { status: 409, headers: { "retry-after": "1" } }),
    {},
    { text: "The payment is in use by another request.  Send it again.", again: true },
  ],
  [
    "a failure",
    new Response(null, { status: 500 }),
    { detail: "Words." },
    {
      text: "The seller failed (500). Words. Your payment is kept here: send the same one again. It pays once.",
      again: true,
    },
  ],
  [
    "a failure for a while",
    new Response(null, { status: 503, headers: { "retry-after": "7" } }),
    {},
    {
      text: "The seller failed (503).  Your payment is kept here: send the same one again in 7 s. It pays once.",
      again: true,
    },
  ],
  [
    "a failure until a date",
    new Response(null, { status: 503, headers: { "retry-after": "Sat" } }),
    {},
    {
      text: "The seller failed (503).  Your payment is kept here: send the same one again. It pays once.",
      again: true,
    },
  ],
  [
    "an invalid payment",
    new Response(null, { status: 400 }),
    { type: "a:invalid-payment", detail: "Words." },
    { text: "The payment was refused: Words. Nothing was paid.", again: false },
  ],
  [
    "another bad request",
    new Response(null, { status: 400 }),
    { type: "a:other", detail: "Words." },
    {
      text: "The seller responded with 400. Words. It was not charged: the same payment can be sent again.",
      again: true,
    },
  ],
  [
    "the type with another status",
    new Response(null, { status: 422 }),
    { type: "a:invalid-payment" },
    { text: "The seller responded with 422.  It was not charged: the same payment can be sent again.", again: true },
  ],
  [
    "a paid error",
    new Response(null, { status: 404, headers: { "payment-response": encodeHeader({ success: true }) } }),
    {},
    { text: "The seller responded with 404.  It was charged.", again: false },
  ],
  [
    "an error whose payment failed",
    new Response(null, { status: 404, headers: { "payment-response": encodeHeader({ success: "true" }) } }),
    {},
    { text: "The seller responded with 404.  It was not charged: the same payment can be sent again.", again: true },
  ],
])("a response with %s", (_what, response, problem, outcome) => {
  expect(outcomeOf(response, problem)).toEqual(outcome);
});
