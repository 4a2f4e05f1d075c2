import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { FACILITATOR_PLACES } from "../../../payments/facilitator/facilitator-observer.ts";
import { COLUMN } from "../../telemetry/metrics/layout.ts";
import { CHAINS } from "../../telemetry/metrics/metrics.ts";

export interface FacilitatorState {
  /** By the index of the facilitator in the configuration, and at last all others: open breakers of all workers. */
  readonly breakersOpen: readonly number[];
  /** By the index of the chain. `balance` is in native coins. Both are 0 if the gas was not read. */
  readonly gas: readonly { readonly balance: number; readonly low: number }[];
}

/** Reads what all processes have counted. */
export function readFacilitators(zone: SharedZone): FacilitatorState {
  const rows = Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row));
  // One process has the keys.
  const largest = (column: number): number => Math.max(...rows.map((row) => row[column] ?? 0));
  return {
    breakersOpen: FACILITATOR_PLACES.map((_, i) =>
      rows.reduce((total, row) => total + (row[COLUMN.facilitatorBreakersOpen + i] ?? 0), 0),
    ),
    gas: CHAINS.map((i) => ({ balance: largest(COLUMN.gasBalance + i), low: largest(COLUMN.gasLow + i) })),
  };
}
