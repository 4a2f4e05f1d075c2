/** The reason why there was no response. */
export type AskFailure = "timeout" | "refused" | "unresolved" | "private" | "tls" | "closed" | "malformed";

export type ProbeReason = AskFailure | "status" | "body";

/** All reasons, at the index that stands for them in the shared memory; 0 means no failure. */
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

/** The number of a reason; 0 without a reason. */
export function reasonNumber(reason: ProbeReason | undefined): number {
  return reason === undefined ? 0 : REASONS.indexOf(reason);
}

/** The reason with this number; empty for 0. */
export function reasonName(number: number): "" | ProbeReason {
  return REASONS[number] ?? "";
}

export const PROBE_WORDS: Readonly<Record<ProbeReason, string>> = {
  timeout: "a probe got no response in time",
  refused: "the connection of a probe was refused",
  unresolved: "no address was found for its name",
  private: "its address is private, which allow_private forbids",
  tls: "the TLS handshake of a probe failed",
  closed: "the connection of a probe was closed before its response was complete",
  malformed: "the response to a probe was malformed",
  status: "the response to a probe had another status than health_check.expected_status",
  body: "the response to a probe lacked health_check.expected_body",
};
