import { type FunnelUse } from "../../../store/usage-store.ts";
import { type Funnel, funnelCounts, type FunnelTotals } from "../../telemetry/funnel.ts";
import { FUNNEL_STEPS } from "../../telemetry/metrics/funnel-steps.ts";
import { type FunnelEntry, type FunnelPeriod } from "../shapes/funnel.ts";

const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** Minutes of the funnel in memory. @bound */
const FUNNEL_MINUTES = 60;

/** The counts of the funnel since they were last taken. */
export class FunnelDeltas {
  readonly #funnel: Funnel;
  #taken: ReadonlyMap<number, Float64Array> = new Map();

  constructor(funnel: Funnel) {
    this.#funnel = funnel;
  }

  take(): FunnelTotals[] {
    const now = this.#funnel.read();
    const before = this.#taken;
    this.#taken = new Map(now.map(({ index, counts }) => [index, counts]));
    return now.flatMap((totals) => {
      const taken = before.get(totals.index);
      const counts = totals.counts.map((count, i) => count - (taken?.[i] ?? 0));
      return counts.some((count) => count > 0) ? [{ ...totals, counts }] : [];
    });
  }
}

/** The funnel of the last hour by minute. */
export class FunnelHour {
  readonly #deltas: FunnelDeltas;
  readonly #clock: () => number;
  /** Oldest first. */
  #minutes: { readonly time_ms: number; readonly totals: Map<number, FunnelTotals> }[] = [];

  /** `clock` gives Unix milliseconds. */
  constructor(funnel: Funnel, clock: () => number) {
    this.#deltas = new FunnelDeltas(funnel);
    this.#clock = clock;
  }

  /** Adds what was counted since the last call to the current minute. */
  note(): void {
    const now = Math.floor(this.#clock() / MINUTE_MS) * MINUTE_MS;
    const oldest = now - (FUNNEL_MINUTES - 1) * MINUTE_MS;
    // Minutes of a later time were counted before the clock was set back.
    this.#minutes = this.#minutes.filter(({ time_ms: time }) => time >= oldest && time <= now);
    const added = this.#deltas.take();
    if (added.length === 0) return;
    const last = this.#minutes.at(-1);
    const minute = last?.time_ms === now ? last : { time_ms: now, totals: new Map<number, FunnelTotals>() };
    if (minute !== last) this.#minutes.push(minute);
    for (const totals of added) {
      const before = minute.totals.get(totals.index)?.counts;
      const counts = totals.counts.map((count, i) => count + (before?.[i] ?? 0));
      minute.totals.set(totals.index, { ...totals, counts });
    }
  }

  read(): FunnelPeriod[] {
    this.note();
    return this.#minutes.map(({ time_ms, totals }) => ({ time_ms, entries: [...totals.values()].map(entryOf) }));
  }
}

/** The counts of one pair of route and class of clients. */
export function entryOf({ route, client, counts }: Omit<FunnelTotals, "index">): FunnelEntry {
  return { route, client, ...funnelCounts(counts) };
}

/** Counts as they are stored. */
export function usesOf(day: number, totals: readonly FunnelTotals[]): FunnelUse[] {
  return totals.flatMap(({ route, client, counts }) =>
    FUNNEL_STEPS.flatMap((step, i) => {
      const count = counts[i] ?? 0;
      return count > 0 ? [{ day, route, client, step, count }] : [];
    }),
  );
}

/** The stored funnel by day, oldest first. */
export function daysOf(uses: readonly FunnelUse[]): FunnelPeriod[] {
  const days = Map.groupBy(uses, ({ day }) => day);
  return [...days.keys()]
    .toSorted((a, b) => a - b)
    .map((day) => {
      const pairs = Map.groupBy(days.get(day) ?? [], ({ route, client }) => JSON.stringify([route, client]));
      return { time_ms: day * DAY_MS, entries: [...pairs.values()].map(storedEntry) };
    });
}

function storedEntry(uses: readonly FunnelUse[]): FunnelEntry {
  const counts = new Float64Array(FUNNEL_STEPS.length);
  for (const { step, count } of uses) {
    // A newer version may have stored other steps.
    const i = FUNNEL_STEPS.findIndex((known) => known === step);
    if (i >= 0) counts[i] = count;
  }
  return entryOf({ route: uses[0]?.route ?? "", client: uses[0]?.client ?? "", counts });
}
