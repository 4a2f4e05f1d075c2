import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { type UseCounts } from "../../store/usage-store.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { CounterTable, NamedCounters } from "./counter-table.ts";
import { COLUMN, ROUTE_COLUMNS, ROUTE_ROWS } from "./metrics/layout.ts";
import { CACHE_RESULTS, DURATION_BOUNDS } from "./metrics/metrics.ts";
import { bucketOf } from "./metrics/page.ts";

/** All requests of one route since the server was started, including unauthenticated ones. */
export interface RouteTotals extends Omit<UseCounts, "lastSeen"> {
  /** The route's path prefix, after its host if it has one. Undefined: all routes without a row of their own. */
  readonly route: string | undefined;
  /** Requests by duration: one number for each of `DURATION_BOUNDS`, and a last one for longer requests. */
  readonly durations: readonly number[];
  /** Requests to the route's cache, by `CACHE_RESULTS`. */
  readonly cache: readonly number[];
}

const FIELD = {
  requestBytes: 0,
  responseBytes: 1,
  clientErrors: 2,
  serverErrors: 3,
  durations: 4,
  cache: 4 + DURATION_BOUNDS.length + 1,
};

/** The traffic of each route. All workers share the names; each worker has its own counts. */
export class RouteTraffic {
  readonly #table: CounterTable;

  constructor(zone: SharedZone, row: number) {
    this.#table = new CounterTable(zone, row, {
      names: ["routeNames", "filterNames"],
      rows: ROUTE_ROWS,
      column: COLUMN.routes,
      columns: ROUTE_COLUMNS,
    });
  }

  /** Counts the requests of one route, which is identified by its host and path prefix. */
  route(name: string): TrafficOfRoute {
    return new TrafficOfRoute(this.#table, name);
  }

  /** The totals over all workers. The last entry is of routes without a row of their own, if there are any. */
  read(): RouteTotals[] {
    return this.#table.entries().map(({ name, values }) => {
      const durations = [...values.subarray(FIELD.durations, FIELD.cache)];
      return {
        route: name?.first,
        requests: durations.reduce((sum, count) => sum + count, 0),
        clientErrors: values[FIELD.clientErrors] ?? 0,
        serverErrors: values[FIELD.serverErrors] ?? 0,
        requestBytes: values[FIELD.requestBytes] ?? 0,
        responseBytes: values[FIELD.responseBytes] ?? 0,
        durations,
        cache: [...values.subarray(FIELD.cache)],
      };
    });
  }
}

/** Counts the requests of one route, in one worker. */
export class TrafficOfRoute extends NamedCounters {
  /** A request has reached the route's cache. */
  cached(how: (typeof CACHE_RESULTS)[number]): void {
    this.add(FIELD.cache + CACHE_RESULTS.indexOf(how), 1);
  }

  /** A request has ended, `elapsedMs` milliseconds after it began. */
  count(
    { status, bytesReceived, bytesSent }: Pick<Exchange, "status" | "bytesReceived" | "bytesSent">,
    elapsedMs: number,
  ): void {
    this.add(FIELD.durations + bucketOf(DURATION_BOUNDS, elapsedMs / 1000), 1);
    this.add(FIELD.requestBytes, bytesReceived);
    this.add(FIELD.responseBytes, bytesSent);
    if (status >= 500) this.add(FIELD.serverErrors, 1);
    else if (status >= 400) this.add(FIELD.clientErrors, 1);
  }
}
