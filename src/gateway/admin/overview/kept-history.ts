import { type History, type OverviewSnapshot } from "../shapes/overview.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Milliseconds between two whole overviews that are kept: each has the counters of all routes. */
const WHOLE_MS = 20_000;
/** Readings that are kept, if they come faster than once in 10 s. */
const MAX_SAMPLES = 360;

/** The figures of the last hour in short form, and whole overviews of the last minute. */
export class KeptHistory {
  #samples: History["samples"] = [];
  #whole: readonly OverviewSnapshot[] = [];

  /** Adds the newest figures. */
  add(snapshot: OverviewSnapshot): void {
    const { time_ms, requests, responses, durations } = snapshot;
    const { counts } = durations;
    const sample = { time_ms, requests, responses, durations: { counts } };
    // Figures of a later time were read before the clock was set back.
    const isBefore = (ms: number) => (old: { readonly time_ms: number }) =>
      old.time_ms < time_ms && time_ms - old.time_ms <= ms;
    this.#samples = [...this.#samples.filter(isBefore(HOUR_MS)), sample].slice(-MAX_SAMPLES);
    this.#whole = this.#whole.filter(isBefore(MINUTE_MS));
    if (time_ms - (this.#whole.at(-1)?.time_ms ?? 0) >= WHOLE_MS) this.#whole = [...this.#whole, snapshot];
  }

  /** `nowMs`: Unix milliseconds. */
  read(nowMs: number): History {
    const minute = this.#whole.find((old) => nowMs - old.time_ms <= MINUTE_MS);
    return { samples: this.#samples, ...(minute === undefined ? {} : { minute }) };
  }
}
