import { fieldLine, type Fields, fieldValue } from "../../lib/fields.ts";
import { respond } from "../local-response.ts";
import { type Exchange } from "../exchange.ts";

/** A response to a preflight depends on these. */
export const VARY_PREFLIGHT: Fields = fieldLine(
  "Vary",
  "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
);
const NOTHING = new Uint8Array(0);

/**
 * A browser asks for leave before a request of a script, without credentials, money and body (Fetch §CORS-preflight fetch).
 */
export function isPreflight({ head }: Exchange): boolean {
  return (
    head.method === "OPTIONS" &&
    head.bodyLength === 0 &&
    !head.isGrpc &&
    fieldValue(head.fields, "origin") !== undefined &&
    fieldValue(head.fields, "access-control-request-method") !== undefined
  );
}

/** Answers a preflight. Without `allowed`, the browser refuses the script. */
export function respondToPreflight(exchange: Exchange, allowed: Fields): void {
  // The browser's request, and not the script's.
  exchange.isLetIn = false;
  respond(exchange, 204, VARY_PREFLIGHT + allowed, NOTHING);
}
