import { messageOf } from "../../../lib/caught.ts";

/** What the runtime says of a module or a trap, without where in our code it was called and without its own class names. */
export function engineText(error: unknown): string {
  return messageOf(error)
    .replace(/ \(evaluating '.*'\)$/s, "")
    .replace(/^WebAssembly\.\w+ doesn't (?:parse|validate)(?: at byte \d+)?:\s*/, "")
    .replace(/\.$/, "");
}
