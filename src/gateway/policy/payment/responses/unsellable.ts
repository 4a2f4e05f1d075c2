import { fieldValue } from "../../../../lib/http/fields.ts";
import { type Exchange, type ResponseHead } from "../../../exchange/exchange.ts";

const UNCARRIED =
  "The response has more header fields than HTTP/3 can carry. Send the same request over HTTP/2 or HTTP/1.1";
const UNASKED = "The upstream responded with 304 to a request without If-None-Match and If-Modified-Since";

/** The reason why a final response is worth nothing to the client, so that it must not be charged; else undefined. */
export function unsellable(exchange: Exchange, head: ResponseHead): string | undefined {
  // RFC 9110 §15.4.5: the client has no copy that a 304 could confirm.
  if (head.status === 304 && !isConditional(exchange)) return UNASKED;
  return uncarried(exchange, head);
}

/** The reason why the client's protocol cannot carry a final response; else undefined. */
export function uncarried(exchange: Exchange, { fields }: ResponseHead): string | undefined {
  return exchange.carries?.(fields) === false ? UNCARRIED : undefined;
}

function isConditional({ head: { fields } }: Exchange): boolean {
  return ["if-none-match", "if-modified-since"].some((name) => fieldValue(fields, name) !== undefined);
}
