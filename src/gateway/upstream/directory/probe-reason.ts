import { type AskFailure } from "./ask.ts";

/** Why a probe failed. */
export type ProbeReason = AskFailure | "status" | "body";

/** Every reason, at the number that stands for it in the shared memory; 0 is none. */
const REASONS: readonly ("" | ProbeReason)[] = [
  "",
  "timeout",
  "refused",
  "unresolved",
  "private",
  "tls",
  "closed",
  "malformed",
  "status",
  "body",
];

/** The number of a reason; 0 where there is none. */
export function reasonNumber(reason: ProbeReason | undefined): number {
  return reason === undefined ? 0 : REASONS.indexOf(reason);
}

/** The name of a number; empty for 0. */
export function reasonName(number: number): "" | ProbeReason {
  return REASONS[number] ?? "";
}
