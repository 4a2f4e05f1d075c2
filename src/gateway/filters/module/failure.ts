import { messageOf } from "../../../lib/caught.ts";

/** An invocation that failed. The instance is not used again, and the request fails closed. */
export interface Failure {
  readonly kind: "failed";
  /** `fuel`: none was left. `trap`: the module trapped. `misuse`: it called a host function wrongly. */
  readonly cause: "fuel" | "trap" | "misuse";
  /** For logs, for example "ran out of fuel". */
  readonly reason: string;
}

/** Creates a `Failure`. */
export function failure(cause: Failure["cause"], reason: string): Failure {
  return { kind: "failed", cause, reason };
}

/** The failure of an invocation that threw or used up its fuel. `misuse` is why the host ended it. */
export function failureOf(error: unknown, fuelLeft: number, misuse: string | undefined): Failure {
  if (misuse !== undefined) return failure("misuse", misuse);
  // Decided by the counter, not by the message, because a filter can trap with the same instruction itself.
  if (fuelLeft < 0) return failure("fuel", "ran out of fuel");
  return failure("trap", `trapped: ${engineText(error)}`);
}

/** The runtime's message about a module or trap, without positions in our code and class names. */
export function engineText(error: unknown): string {
  return messageOf(error)
    .replace(/ \(evaluating '.*'\)$/s, "")
    .replace(/^WebAssembly\.\w+ doesn't (?:parse|validate)(?: at byte \d+)?:\s*/, "")
    .replace(/\.$/, "");
}
