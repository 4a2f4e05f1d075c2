import { fieldValue } from "../../lib/http/fields.ts";
import { type ResponseHead } from "../exchange/exchange.ts";

/** True for an event stream. It may never end, so only its idle time is limited. */
export function isEventStream(head: ResponseHead): boolean {
  if (head.bodyLength !== -1) return false;
  return fieldValue(head.fields, "content-type")?.toLowerCase().startsWith("text/event-stream") === true;
}
