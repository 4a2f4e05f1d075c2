import { call, session } from "../api/client.ts";
import { type Problem, problemOf, sameOr } from "../api/problem.ts";
import { type Overview } from "../api/shapes.ts";
import { between, gapAt, isRestart, type Sample, sampleOf, type Window } from "./rates.ts";
import { Store } from "../api/store.ts";
import { isVisible } from "./visible.ts";

/** Four tabs that read every second cost a busy gateway 1.4 % of its CPU; with reads every two seconds, half of that. */
const POLL_MS = 2_000;
/** Five minutes of points. */
const MAX_SAMPLES = 150;
/** Rates and percentiles in tables are those of the last minute, from readings that are kept every 5 s. */
const WINDOW_MS = 60_000;
const WINDOW_GRAIN_MS = 5_000;
/** If two readings are further apart than this, the plots have a gap between them. */
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

function take(now: Overview): void {
  const { now: before, samples } = traffic.value;
  let points = samples;
  if (before !== undefined && isRestart(before, now)) {
    kept = [];
    points = [...samples, gapAt(now.time_ms)];
  } else if (before !== undefined && now.time_ms > before.time_ms) {
    if (now.time_ms - before.time_ms > GAP_MS) points = [...samples, gapAt(before.time_ms + 1)];
    points = [...points, sampleOf(before, now)];
  }
  kept = kept.filter(({ time_ms }) => now.time_ms - time_ms <= WINDOW_MS);
  const newest = kept.at(-1);
  if (newest === undefined || now.time_ms - newest.time_ms >= WINDOW_GRAIN_MS) kept.push(now);
  const oldest = kept[0];
  const window = oldest === undefined || oldest === now ? undefined : between(oldest, now);
  traffic.set({ now, samples: points.slice(-MAX_SAMPLES), window, problem: undefined });
}

async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  const began = performance.now();
  try {
    take((await call<Overview>("/v1/overview")).body);
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
