import {
  type FacilitatorObserver,
  type Operation,
  type OperationOutcome,
  OPERATIONS,
  OUTCOMES,
} from "../../payments/facilitator/facilitator-observer.ts";
import { add, COLUMN } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** Counts a worker's requests to facilitators. */
export class FacilitatorMetrics implements FacilitatorObserver {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  asked(operation: Operation, outcome: OperationOutcome): void {
    add(this.#row, columnOf(operation, outcome), 1);
  }

  breakerChanged(isOpen: boolean): void {
    add(this.#row, COLUMN.facilitatorBreakersOpen, isOpen ? 1 : -1);
  }
}

function columnOf(operation: Operation, outcome: OperationOutcome): number {
  return COLUMN.facilitatorRequests + OPERATIONS.indexOf(operation) * OUTCOMES.length + OUTCOMES.indexOf(outcome);
}

/** Writes the facilitators, summed over all routes: metrics must not reveal their addresses. */
export function writeFacilitators(page: Page, { totals }: Snapshot): void {
  page.metric("turnpike_facilitator_requests_total", "counter", "Calls to facilitators, by operation and outcome.");
  for (const operation of OPERATIONS) {
    for (const outcome of OUTCOMES) page.sample(at(totals, columnOf(operation, outcome)), { operation, outcome });
  }
  page
    .metric(
      "turnpike_facilitator_breakers_open",
      "gauge",
      "Open circuit breakers of facilitators that do not respond, one for each worker.",
    )
    .sample(at(totals, COLUMN.facilitatorBreakersOpen));
}
