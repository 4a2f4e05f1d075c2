import { add, COLUMN } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** Counts the copies of requests. */
export class MirrorMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /** A request has arrived that is to be copied. */
  requested(): void {
    add(this.#row, COLUMN.mirrorRequests, 1);
  }

  /** No copy was sent, or only a part of one. */
  gaveUp(): void {
    add(this.#row, COLUMN.mirrorGivenUp, 1);
  }

  /** A copy got no response. */
  failed(): void {
    add(this.#row, COLUMN.mirrorFailures, 1);
  }
}

const COUNTERS = [
  ["requests", COLUMN.mirrorRequests, "Requests on routes with a mirror, each to be copied."],
  [
    "given_up",
    COLUMN.mirrorGivenUp,
    "Copies not sent completely: too many at once, a slow mirror, or an incomplete request.",
  ],
  ["failures", COLUMN.mirrorFailures, "Copies that a mirror refused or did not respond to."],
] as const;

/** Writes the copies, summed over all routes. */
export function writeMirrors(page: Page, { totals }: Snapshot): void {
  for (const [name, column, help] of COUNTERS) {
    page.metric(`turnpike_mirror_${name}_total`, "counter", help);
    page.sample(at(totals, column));
  }
}
