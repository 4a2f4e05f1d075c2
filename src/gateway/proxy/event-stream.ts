import { fieldValue } from "../../lib/fields.ts";
import { type ResponseHead } from "../exchange.ts";

/** A stream of events has no end: only its silence is limited. */
export function isEventStream({ bodyLength, fields }: ResponseHead): boolean {
  return (
    bodyLength === -1 && fieldValue(fields, "content-type")?.toLowerCase().startsWith("text/event-stream") === true
  );
}
