import { fieldLine, type Fields, fieldValue, withoutFields } from "../../lib/http/fields.ts";
import { dateLine } from "../../lib/http/http-date.ts";
import { respond, type RespondWithError } from "../exchange/local-response.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { REJECTED } from "./errors.ts";
import { type Reply } from "./own-abi/host-state.ts";

/** Fields that the gateway sets in its own errors. */
const OF_ERRORS = ["content-type", "date", "retry-after"];
const NO_CONTENT = 204;
const RESET_CONTENT = 205;
const NOT_MODIFIED = 304;

/** A response with this status has no body (RFC 9110 §6.4.1, §15.3.6). */
export function isBodiless(status: number): boolean {
  return status === NO_CONTENT || status === RESET_CONTENT || status === NOT_MODIFIED;
}

/** Sends the response that a filter has given with `respond`, and its fields. Without a `respond`, it sends 403. */
export function reject(
  exchange: Exchange,
  reply: Reply | undefined,
  { fields, respondWithError }: { readonly fields: Fields; readonly respondWithError: RespondWithError },
): void {
  if (reply === undefined) {
    respondWithError(exchange, REJECTED, withoutFields(fields, OF_ERRORS));
    return;
  }
  const { status, body } = reply;
  const own = withoutFields(fields, ["date"]);
  if (isBodiless(status)) {
    const bodyLength = status === NOT_MODIFIED ? -1 : 0;
    exchange.response.start({ status, reason: "", fields: dateLine() + own, bodyLength });
    exchange.response.end("");
    return;
  }
  const hasType = body.length === 0 || fieldValue(fields, "content-type") !== undefined;
  // Without a type, clients guess one from the bytes.
  const type = hasType ? "" : fieldLine("Content-Type", "text/plain; charset=utf-8");
  respond(exchange, status, type + own, body);
}
