import { fieldLine, type Fields } from "../../lib/http/fields.ts";
import { respond } from "../exchange/local-response.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { headValue } from "../exchange/head-fields.ts";

/** The fields on which the response to a preflight depends. */
export const VARY_PREFLIGHT: Fields = fieldLine(
  "Vary",
  "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
);
const NOTHING = new Uint8Array(0);

/**
 * True for a preflight: a browser's request for permission before a script's request. It has no credentials, no payment
 * and no body (Fetch §CORS-preflight fetch).
 */
export function isPreflight({ head }: Exchange): boolean {
  return (
    head.method === "OPTIONS" &&
    head.bodyLength === 0 &&
    !head.isGrpc &&
    headValue(head, "origin") !== undefined &&
    headValue(head, "access-control-request-method") !== undefined
  );
}

/** Responds to a preflight. Without `allowed`, the browser refuses the script. */
export function respondToPreflight(exchange: Exchange, allowed: Fields): void {
  // The preflight comes from the browser, not from the script.
  exchange.isAuthorized = false;
  respond(exchange, 204, VARY_PREFLIGHT + allowed, NOTHING);
}
