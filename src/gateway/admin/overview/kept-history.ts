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
    if ((this.#samples.at(-1)?.time_ms ?? 0) >= time_ms) return;
    const { counts } = durations;
    const sample = { time_ms, requests, responses, durations: { counts } };
    this.#samples = [...this.#samples, sample].filter((old) => time_ms - old.time_ms <= HOUR_MS).slice(-MAX_SAMPLES);
    if (time_ms - (this.#whole.at(-1)?.time_ms ?? 0) < WHOLE_MS) return;
    this.#whole = [...this.#whole.filter((old) => time_ms - old.time_ms <= MINUTE_MS), snapshot];
  }

  /** `nowMs`: Unix milliseconds. */
  read(nowMs: number): History {
    const minute = this.#whole.find((old) => nowMs - old.time_ms <= MINUTE_MS);
    return { samples: this.#samples, ...(minute === undefined ? {} : { minute }) };
  }
}
