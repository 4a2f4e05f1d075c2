import { call, session } from "../api/client.ts";
import { type Problem, problemOf, sameOr } from "../api/problem.ts";
import { type History, type Overview } from "../api/shapes.ts";
import {
  between,
  type Counters,
  gapAt,
  isRestart,
  type Sample,
  sampleOf,
  type Window,
} from "../../../figures/rates.ts";
import { Store } from "../api/store.ts";
import { isVisible } from "./visible.ts";

/** Four tabs that read every second cost a busy gateway 1.4 % of its CPU; with reads every two seconds, half of that. */
const POLL_MS = 2_000;
/** The plots have points of the last hour. */
const HOUR_MS = 3_600_000;
/** Rates and percentiles in tables are those of the last minute, from readings that are kept every 5 s. */
const WINDOW_MS = 60_000;
const WINDOW_GRAIN_MS = 5_000;
/** If two readings are further apart than this, the points between them come from the gateway's history. */
const GAP_MS = 5_000;

export interface Traffic {
  readonly now: Overview | undefined;
  readonly samples: readonly Sample[];
  /** The last minute, or less at the start. */
  readonly window: Window | undefined;
  readonly problem: Problem | undefined;
}

export const traffic = new Store<Traffic>({ now: undefined, samples: [], window: undefined, problem: undefined });

let kept: Overview[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;

function take(now: Overview, history: History | undefined): void {
  const { now: before, samples } = traffic.value;
  const bounds = now.durations.bounds_ms;
  let points = samples;
  let last: Counters | undefined = before;
  if (before !== undefined && isRestart(before, now)) {
    kept = [];
    points = [...samples, gapAt(now.time_ms)];
    last = undefined;
  }
  if (history !== undefined) {
    const past = history.samples;
    const [first] = past;
    points = [
      ...points.filter(({ timeMs }) => first === undefined || timeMs < first.time_ms),
      ...past.slice(1).map((sample, at) => sampleOf(past[at] ?? sample, sample, bounds)),
    ];
    last = past.at(-1) ?? last;
    if (history.minute !== undefined) kept = [history.minute];
  }
  if (last !== undefined && now.time_ms > last.time_ms) points = [...points, sampleOf(last, now, bounds)];
  kept = kept.filter(({ time_ms }) => now.time_ms - time_ms <= WINDOW_MS);
  const newest = kept.at(-1);
  if (newest === undefined || now.time_ms - newest.time_ms >= WINDOW_GRAIN_MS) kept.push(now);
  const oldest = kept[0];
  const window = oldest === undefined || oldest === now ? undefined : between(oldest, now);
  const recent = points.filter(({ timeMs }) => now.time_ms - timeMs <= HOUR_MS);
  traffic.set({ now, samples: recent, window, problem: undefined });
}

async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  const began = performance.now();
  try {
    const { body } = await call<Overview>("/v1/overview");
    const { now: before } = traffic.value;
    const isLate = before === undefined || body.time_ms - before.time_ms > GAP_MS || isRestart(before, body);
    take(body, isLate ? (await call<History>("/v1/history")).body : undefined);
  } catch (error) {
    traffic.set({ ...traffic.value, problem: sameOr(traffic.value.problem, problemOf(error)) });
  }
  isAsking = false;
  schedule(POLL_MS - (performance.now() - began));
}

function schedule(delayMs: number): void {
  clearTimeout(timer);
  if (isVisible.value && session.value.kind === "open") timer = setTimeout(() => void ask(), Math.max(100, delayMs));
}

isVisible.follow(() => schedule(0));
session.follow(() => schedule(0));
