import { NO_MATCH } from "../../../../payments/x402/terms.ts";

/** The first words that fit a reason are shown. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/insufficient_(?:balance|funds)$/, "the payer has too little of the token"],
  [/(?:valid_before|expired)$/, "it has expired, or the client's clock is wrong"],
  [/(?:valid_after|not_yet_valid)$/, "it is not valid yet: the client's clock is wrong"],
  [/value_mismatch$/, "it is for another amount"],
  [/recipient_mismatch$/, "it is for another recipient"],
  [/_signature$/, "its signature does not fit"],
  [/nonce_already_used$/, "it was used before"],
];

/** The reason why a payment was refused, for people, with the code that programs and reports of errors name. */
export function refusalWords(reason: string): string {
  if (reason === NO_MATCH) return "its price, network, token or recipient is not one of those that are sold now";
  const words = WORDS.find(([ending]) => ending.test(reason))?.[1];
  return words === undefined ? reason : `${words} (${reason})`;
}
