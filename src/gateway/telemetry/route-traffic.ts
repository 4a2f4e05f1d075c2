import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { CounterTable } from "./counter-table.ts";
import { bucketOf } from "./duration-buckets.ts";
import { add, COLUMN, ROUTE_COLUMNS, ROUTE_ROWS } from "./metrics/layout.ts";
import { CACHE_RESULTS, DURATION_BOUNDS } from "./metrics/metrics.ts";

/** All requests of one route since the server was started, including unauthenticated ones. */
export interface RouteTotals {
  /** The route's path prefix, after its host if it has one. Undefined: all routes without a row of their own. */
  readonly route: string | undefined;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** Body bytes, before framing. */
  readonly requestBytes: number;
  readonly responseBytes: number;
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
export class TrafficOfRoute {
  readonly #table: CounterTable;
  readonly #name: string;
  /** Looked up at the first request, because some configured routes are never used. */
  #column: number | undefined;

  constructor(table: CounterTable, name: string) {
    this.#table = table;
    this.#name = name;
  }

  get #first(): number {
    return (this.#column ??= this.#table.columnOf({ first: this.#name, second: "" }));
  }

  /** A request has reached the route's cache. */
  cached(how: (typeof CACHE_RESULTS)[number]): void {
    add(this.#table.row, this.#first + FIELD.cache + CACHE_RESULTS.indexOf(how), 1);
  }

  /** A request has ended, `elapsedMs` milliseconds after it began. */
  count(
    { status, bytesReceived, bytesSent }: Pick<Exchange, "status" | "bytesReceived" | "bytesSent">,
    elapsedMs: number,
  ): void {
    const column = this.#first;
    const { row } = this.#table;
    add(row, column + FIELD.durations + bucketOf(elapsedMs), 1);
    add(row, column + FIELD.requestBytes, bytesReceived);
    add(row, column + FIELD.responseBytes, bytesSent);
    if (status >= 500) add(row, column + FIELD.serverErrors, 1);
    else if (status >= 400) add(row, column + FIELD.clientErrors, 1);
  }
}
