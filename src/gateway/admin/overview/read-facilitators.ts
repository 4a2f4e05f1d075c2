import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { COLUMN } from "../../telemetry/metrics/layout.ts";
import { CHAINS } from "../../telemetry/metrics/metrics.ts";

export interface FacilitatorState {
  readonly breakersOpen: number;
  /** By the index of the chain. `balance` is in native coins. Both are 0 if the gas was not read. */
  readonly gas: readonly { readonly balance: number; readonly low: number }[];
}

/** Reads what all processes have counted. */
export function readFacilitators(zone: SharedZone): FacilitatorState {
  const rows = Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row));
  // One process has the keys.
  const largest = (column: number): number => Math.max(...rows.map((row) => row[column] ?? 0));
  return {
    breakersOpen: rows.reduce((total, row) => total + (row[COLUMN.facilitatorBreakersOpen] ?? 0), 0),
    gas: CHAINS.map((i) => ({ balance: largest(COLUMN.gasBalance + i), low: largest(COLUMN.gasLow + i) })),
  };
}
