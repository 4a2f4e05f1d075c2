import { decode } from "./header.ts";
import { member } from "./member.ts";

/** The meaning of a response without the goods, for the person. */
export interface Outcome {
  readonly text: string;
  /** True if the same payment can be sent again: it is not known to be refused. */
  readonly again: boolean;
}

const NOT_PAID = "Nothing was paid.";

/** Endings of the reasons in a 402, in the order in which they are tried. */
const REASONS: readonly (readonly [ending: RegExp, text: string])[] = [
  [/insufficient_(?:balance|funds)$/, `Your account does not have enough of the token. ${NOT_PAID}`],
  [/permit2_allowance_required$/, `Your account has not approved Permit2 for this amount. ${NOT_PAID}`],
  [
    /(?:nonce_already_used|permit2_invalid_nonce)$/,
    "This payment was already used, and cannot pay again. See your wallet, or the seller.",
  ],
  [
    /(?:valid_before|deadline_expired)$/,
    `The payment expired before it was settled, or this device's clock is wrong. ${NOT_PAID}`,
  ],
  [/valid_after$|not_yet_valid$/, `The payment is not valid yet: this device's clock is wrong. ${NOT_PAID}`],
  [/_signature$/, `The signature does not belong to the account that the wallet named. ${NOT_PAID}`],
  [/^No matching payment requirements$/, `The price has changed since this page was loaded. ${NOT_PAID}`],
  [
    /svm.*simulation_failed$/,
    `The network does not accept this payment: more than a minute passed before it was signed, or the account does not have enough of the token. ${NOT_PAID}`,
  ],
  [
    /simulation_failed$/,
    `The chain does not accept this payment. Your account may not have enough of the token. ${NOT_PAID}`,
  ],
  [/transaction_failed$/, `The transaction failed on the chain. ${NOT_PAID}`],
];

/** The meaning of a response that is not a success. `detail` is the text of its problem document. */
export function outcomeOf(response: Response, problem: unknown): Outcome {
  const { status, headers } = response;
  const detail = shownText(member(problem, "detail")) || shownText(member(problem, "title"));
  const isPaid = member(decode(headers.get("payment-response")), "success") === true;
  const isRefused = status === 402 || (status === 412 && headers.has("payment-required"));
  if (isRefused) return { text: refusal(decode(headers.get("payment-required")), detail), again: false };
  if (status === 409) {
    const again = headers.has("retry-after");
    return { text: `The payment is in use by another request. ${detail} ${again ? "Send it again." : ""}`, again };
  }
  if (status >= 500) {
    const wait = headers.get("retry-after") ?? "";
    const when = /^\d{1,5}$/.test(wait) ? ` in ${wait} s` : "";
    const text = `The seller failed (${status}). ${detail} Your payment is kept here: send the same one again${when}. It pays once.`;
    return { text, again: true };
  }
  if (status === 400 && shownText(member(problem, "type")).endsWith(":invalid-payment")) {
    return { text: `The payment was refused: ${detail} ${NOT_PAID}`, again: false };
  }
  const charge = isPaid ? "It was charged." : "It was not charged: the same payment can be sent again.";
  return { text: `The seller responded with ${status}. ${detail} ${charge}`, again: !isPaid };
}

/** Nothing is known of the payment: the connection failed. */
export const UNKNOWN: Outcome = {
  text: "No response came. The payment may have arrived: send the same one again. It pays once.",
  again: true,
};

function refusal(required: unknown, detail: string): string {
  if (required === undefined) return `The seller's server refused the payment. ${NOT_PAID} ${detail}`;
  const reason = shownText(member(required, "error"));
  const known = REASONS.find(([ending]) => ending.test(reason));
  return known?.[1] ?? (detail || `The payment was refused (${reason || "no reason"}).`);
}

function shownText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 500) : "";
}
