import { fieldLine } from "../../../../lib/http/fields.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { respond } from "../../../exchange/local-response.ts";

const JSON_FIELDS = fieldLine("Content-Type", "application/json") + fieldLine("Cache-Control", "no-store");

/** Responds with JSON that no cache keeps. */
export function respondCredit(exchange: Exchange, status: number, body: object): void {
  respond(exchange, status, JSON_FIELDS, Buffer.from(JSON.stringify(body)));
}
