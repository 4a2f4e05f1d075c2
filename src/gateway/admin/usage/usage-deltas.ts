import { type SharedZone } from "../../../lib/shared-zone.ts";
import { type RouteUse, type UpstreamUse, type UseCounts } from "../../../store/usage-store.ts";
import { SUPERVISOR_ROW } from "../../telemetry/layout.ts";
import { UpstreamCounters } from "../../telemetry/upstream-usage.ts";
import { UsageCounters } from "../../telemetry/usage.ts";

/** The usage between two readings. */
export interface Uses {
  readonly routes: readonly RouteUse[];
  readonly upstreams: readonly UpstreamUse[];
}

type Taken = ReadonlyMap<number, UseCounts>;

/**
 * The usage that all workers have counted since it was last taken. Counters only grow, and only their own worker writes
 * them. This class remembers the counts that were taken, so that every request is taken exactly once.
 */
export class UsageDeltas {
  readonly #routes: UsageCounters;
  readonly #upstreams: UpstreamCounters;
  #takenOfRoutes: Taken = new Map();
  #takenOfUpstreams: Taken = new Map();

  constructor(zone: SharedZone) {
    this.#routes = new UsageCounters(zone, SUPERVISOR_ROW);
    this.#upstreams = new UpstreamCounters(zone, SUPERVISOR_ROW);
  }

  /** The usage that was not taken yet, without taking it. */
  look(): Uses {
    return this.#since().uses;
  }

  take(): Uses {
    const { uses, routes, upstreams } = this.#since();
    this.#takenOfRoutes = new Map(routes.map((use) => [use.index, use]));
    this.#takenOfUpstreams = new Map(upstreams.map((use) => [use.index, use]));
    return uses;
  }

  #since() {
    const routes = this.#routes.read();
    const upstreams = this.#upstreams.read();
    const uses: Uses = {
      routes: routes.flatMap((use) => {
        const { index, consumer = "", route = "" } = use;
        const counts = difference(use, this.#takenOfRoutes.get(index));
        return counts === undefined ? [] : { consumer, route, ...counts };
      }),
      upstreams: upstreams.flatMap((use) => {
        const { index, upstream = "" } = use;
        const counts = difference(use, this.#takenOfUpstreams.get(index));
        return counts === undefined ? [] : { upstream, ...counts };
      }),
    };
    return { uses, routes, upstreams };
  }
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
