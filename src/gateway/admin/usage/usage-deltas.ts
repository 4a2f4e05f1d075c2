import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import {
  type FunnelUse,
  OTHER_CONSUMERS,
  type RouteUse,
  type UpstreamUse,
  type UseCounts,
} from "../../../store/usage-store.ts";
import { Funnel } from "../../telemetry/funnel.ts";
import { SUPERVISOR_ROW, USAGE_ROWS } from "../../telemetry/metrics/layout.ts";
import { UpstreamCounters } from "../../telemetry/upstream-usage.ts";
import { type Usage, UsageCounters } from "../../telemetry/usage.ts";
import { DAY_MS, FunnelDeltas, usesOf } from "./funnel-history.ts";

/** The usage between two readings. */
export interface Uses {
  readonly routes: readonly RouteUse[];
  readonly upstreams: readonly UpstreamUse[];
}

/** The usage that a store has not got yet. */
export interface NewUses extends Uses {
  readonly funnel: readonly FunnelUse[];
}

type Taken = ReadonlyMap<number, UseCounts>;

/** Pairs in memory after which the next writing frees them. */
const CROWDED = USAGE_ROWS / 2;

/**
 * The usage that all workers have counted since it was last taken. In a period counters only grow, and only their own
 * worker writes them. This class remembers the counts that were taken, so that every request is taken exactly once.
 */
export class UsageDeltas {
  readonly #routes: UsageCounters;
  readonly #upstreams: UpstreamCounters;
  /** The taken counts of the current period and of the previous one, in which a worker may still finish a count. */
  #takenOfRoutes: readonly [Taken, Taken] = [new Map(), new Map()];
  #takenOfUpstreams: Taken = new Map();
  readonly #funnel: FunnelDeltas;
  readonly #clock: () => number;

  /** `clock` gives Unix milliseconds. */
  constructor(zone: SharedZone, clock: () => number) {
    this.#clock = clock;
    this.#funnel = new FunnelDeltas(new Funnel(zone, SUPERVISOR_ROW));
    this.#routes = new UsageCounters(zone, SUPERVISOR_ROW);
    this.#upstreams = new UpstreamCounters(zone, SUPERVISOR_ROW);
  }

  /** The usage that was not taken yet, without taking it. */
  look(): Uses {
    return this.#since().uses;
  }

  /** `frees`: further names have room again. They have too if the memory is crowded. */
  take(frees = false): NewUses {
    const { isLastEnded } = this.#routes;
    const { uses, current, last, upstreams } = this.#since();
    const taken = indexed(current);
    if (isLastEnded && (frees || current.length > CROWDED)) {
      this.#routes.beginPeriod();
      this.#takenOfRoutes = [new Map(), taken];
    } else this.#takenOfRoutes = [taken, indexed(last)];
    this.#takenOfUpstreams = indexed(upstreams);
    return { ...uses, funnel: usesOf(Math.floor(this.#clock() / DAY_MS), this.#funnel.take()) };
  }

  #since() {
    const { period } = this.#routes;
    const current = this.#routes.read(period);
    const last = this.#routes.read(period - 1);
    const upstreams = this.#upstreams.read();
    const uses: Uses = {
      routes: [
        ...current.flatMap((use) => routeUse(use, this.#takenOfRoutes[0])),
        ...last.flatMap((use) => routeUse(use, this.#takenOfRoutes[1])),
      ],
      upstreams: upstreams.flatMap((use) => {
        const { index, upstream = "" } = use;
        const counts = difference(use, this.#takenOfUpstreams.get(index));
        return counts === undefined ? [] : { upstream, ...counts };
      }),
    };
    return { uses, current, last, upstreams };
  }
}

function indexed(uses: readonly (UseCounts & { readonly index: number })[]): Taken {
  return new Map(uses.map((use) => [use.index, use]));
}

function routeUse(use: Usage, taken: Taken): readonly RouteUse[] {
  const { index, consumer = OTHER_CONSUMERS, route = "" } = use;
  const counts = difference(use, taken.get(index));
  return counts === undefined ? [] : [{ consumer: route === "" ? "" : consumer, route, ...counts }];
}

/** Undefined if nothing was added. */
function difference(now: UseCounts, before: UseCounts | undefined): UseCounts | undefined {
  const counts = {
    requests: now.requests - (before?.requests ?? 0),
    requestBytes: now.requestBytes - (before?.requestBytes ?? 0),
    responseBytes: now.responseBytes - (before?.responseBytes ?? 0),
    clientErrors: now.clientErrors - (before?.clientErrors ?? 0),
    serverErrors: now.serverErrors - (before?.serverErrors ?? 0),
  };
  // A reading may fall between two counters of one request. The next reading sees the others.
  return Object.values(counts).some((count) => count > 0) ? { ...counts, lastSeen: now.lastSeen } : undefined;
}
