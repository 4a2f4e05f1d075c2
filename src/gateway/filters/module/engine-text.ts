import { messageOf } from "../../../lib/caught.ts";

/**
 * The runtime's message about a module or a trap, without the position in our code and without the runtime's class
 * names.
 */
export function engineText(error: unknown): string {
  return messageOf(error)
    .replace(/ \(evaluating '.*'\)$/s, "")
    .replace(/^WebAssembly\.\w+ doesn't (?:parse|validate)(?: at byte \d+)?:\s*/, "")
    .replace(/\.$/, "");
}
