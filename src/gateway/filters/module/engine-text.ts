import { messageOf } from "../../../lib/caught.ts";

/** The runtime's message about a module or trap, without positions in our code and class names. */
export function engineText(error: unknown): string {
  return messageOf(error)
    .replace(/ \(evaluating '.*'\)$/s, "")
    .replace(/^WebAssembly\.\w+ doesn't (?:parse|validate)(?: at byte \d+)?:\s*/, "")
    .replace(/\.$/, "");
}
