import { engineText } from "./engine-text.ts";

/** An invocation that did not go well: the instance is thrown away, and the request fails closed. */
export interface Failure {
  readonly kind: "failed";
  /** `fuel`: none was left. `trap`: the module trapped. `misuse`: it asked the gateway for what it must not. */
  readonly cause: "fuel" | "trap" | "misuse";
  /** For logs: "ran out of fuel". */
  readonly reason: string;
}

export function failure(cause: Failure["cause"], reason: string): Failure {
  return { kind: "failed", cause, reason };
}

/** The failure of an invocation that threw or went on without fuel. `misuse` is why the host ended it. */
export function failureOf(error: unknown, fuelLeft: number, misuse: string | undefined): Failure {
  if (misuse !== undefined) return failure("misuse", misuse);
  // By the counter, not by the message: a filter can trap by the same instruction itself.
  if (fuelLeft < 0) return failure("fuel", "ran out of fuel");
  return failure("trap", `trapped: ${engineText(error)}`);
}
