import { type ResponseHead } from "../exchange/exchange.ts";
import { headValue } from "../exchange/head-fields.ts";

/** True for an event stream. It may never end, so only its idle time is limited. */
export function isEventStream(head: ResponseHead): boolean {
  if (head.bodyLength !== -1) return false;
  return headValue(head, "content-type")?.toLowerCase().startsWith("text/event-stream") === true;
}
