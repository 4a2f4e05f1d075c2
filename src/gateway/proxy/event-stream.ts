import { fieldValue } from "../../lib/fields.ts";
import { type ResponseHead } from "../exchange.ts";

/** True for an event stream. It may never end, so only its idle time is limited. */
export function isEventStream({ bodyLength, fields }: ResponseHead): boolean {
  return (
    bodyLength === -1 && fieldValue(fields, "content-type")?.toLowerCase().startsWith("text/event-stream") === true
  );
}
