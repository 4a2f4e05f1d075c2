import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldValue } from "../../../../lib/http/fields.ts";
import { type Exchange, type ResponseHead } from "../../../exchange/exchange.ts";

const UNASKED = new TurnpikeError(
  "upstream-failed",
  "The upstream responded with 304 to a request without If-None-Match and If-Modified-Since",
);

/** The error in place of a final response that is worth nothing to the client, so that it must not be charged; else undefined. */
export function unsellable(exchange: Exchange, head: ResponseHead): TurnpikeError | undefined {
  // RFC 9110 §15.4.5: the client has no copy that a 304 could confirm.
  if (head.status === 304 && !isConditional(exchange)) return UNASKED;
  return exchange.whyNotCarried?.(head);
}

function isConditional({ head: { fields } }: Exchange): boolean {
  return ["if-none-match", "if-modified-since"].some((name) => fieldValue(fields, name) !== undefined);
}
