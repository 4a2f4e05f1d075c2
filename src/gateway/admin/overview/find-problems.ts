import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { ageText } from "../../../lib/time/age-text.ts";
import { COLUMN } from "../../telemetry/metrics/layout.ts";
import { type OverviewUpstream } from "../shapes/common.ts";
import { type Status } from "../shapes/status.ts";

/** The facts of a gateway in which problems are looked for. */
export interface ProblemFacts extends Pick<Status, "certificates" | "facilitators" | "wasm"> {
  readonly upstreams: readonly OverviewUpstream[];
  /** The ledger cannot be read or written. */
  readonly isLedgerAway: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** Whether any process cannot read or write its ledger. */
export function readLedgerAway(zone: SharedZone): boolean {
  return Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row)).some(
    (row) => (row[COLUMN.ledgerAway] ?? 0) > 0,
  );
}

/** The problems that an operator must solve, in words; the worst first. */
export function findProblems(facts: ProblemFacts): readonly string[] {
  const { isLedgerAway, upstreams, facilitators, certificates, wasm, nowMs } = facts;
  return [
    ...(isLedgerAway ? ["the ledger cannot be read or written: payments get 503"] : []),
    ...upstreams.flatMap(problemOfUpstream),
    ...facilitators.members
      .filter(({ breakers_open: open }) => open > 0)
      .map(({ name }) => `facilitator ${JSON.stringify(name)} does not respond`),
    ...facilitators.gas
      .filter(({ low_keys: low }) => low > 0)
      .map(({ network }) => `keys of the facilitator have little gas on ${network}`),
    ...certificates.flatMap(({ path, valid_from_ms: from, valid_to_ms: to }) => {
      if (to < nowMs) return [`the certificate of ${path} has expired ${ageText(nowMs - to)} ago`];
      return nowMs < from ? [`the certificate of ${path} is not valid yet`] : [];
    }),
    ...(wasm.control_configured && !wasm.control_ready ? ["the control socket of the filters is not connected"] : []),
  ];
}

/** A server that an operator has drained is not a problem while others remain. */
function problemOfUpstream({ name, servers }: OverviewUpstream): readonly string[] {
  const upstream = `upstream ${JSON.stringify(name)}`;
  if (!servers.some(({ in_rotation: isIn }) => isIn)) return [`${upstream} has no server in rotation`];
  const out = servers.filter(({ in_rotation: isIn, drained }) => !isIn && !drained).length;
  return out === 0 ? [] : [`${upstream} has ${out} of ${servers.length} servers out of rotation`];
}
