import { eventDate, eventTime } from "../../lib/event-clock.ts";
import { type SharedZone } from "../../lib/shared-zone.ts";
import { type UseCounts } from "../../store/usage-store.ts";
import { type Exchange } from "../exchange.ts";
import { CounterTable, type TableEntry } from "./counter-table.ts";
import { add, COLUMN, USAGE_COLUMNS, USAGE_ROWS } from "./layout.ts";

/** What one consumer has used of one route since the server was started. */
export interface Usage extends UseCounts {
  /** Its row of the table: always the same one. */
  readonly index: number;
  /** The authenticated name; empty: requests without one. Undefined: all that found no row of their own. */
  readonly consumer: string | undefined;
  /** The route's host, where it has one, and path prefix. */
  readonly route: string | undefined;
}

/** The columns of a name. */
export const USE = { requests: 0, requestBytes: 1, responseBytes: 2, clientErrors: 3, serverErrors: 4, lastSeen: 5 };

/** Milliseconds in which `lastSeen` is written once: a look at the clock costs more than all else that is counted (bench http1). */
export const SEEN_MS = 100;

/** An entry's columns by their names. */
export function useCounts({ values }: TableEntry): UseCounts {
  const at = (column: number): number => values[column] ?? 0;
  return {
    requests: at(USE.requests),
    requestBytes: at(USE.requestBytes),
    responseBytes: at(USE.responseBytes),
    clientErrors: at(USE.clientErrors),
    serverErrors: at(USE.serverErrors),
    lastSeen: at(USE.lastSeen),
  };
}

/** What consumers use of routes: names that all workers share, and what one worker counts of them. */
export class UsageCounters {
  readonly #table: CounterTable;

  constructor(zone: SharedZone, row: number) {
    this.#table = new CounterTable(zone, row, {
      names: ["usageNames", "upstreamNames"],
      rows: USAGE_ROWS,
      column: COLUMN.usage,
      columns: USAGE_COLUMNS,
      newest: USE.lastSeen,
    });
  }

  /** Counts the requests of one route, which is named by its host and path prefix. */
  route(name: string): RouteUsage {
    return new RouteUsage(this.#table, name);
  }

  /** What all workers have counted; the last entry is of those that found no row, where there are any. */
  read(): Usage[] {
    return this.#table.entries().map((entry) => {
      const { index, name } = entry;
      return { index, consumer: name?.first, route: name?.second, ...useCounts(entry) };
    });
  }
}

/** Counts what consumers use of one route, in one worker. */
export class RouteUsage {
  readonly #table: CounterTable;
  readonly #route: string;
  /** Columns of consumers that were seen; those without a row are looked for each time. */
  readonly #known = new Map<string, number>();
  readonly #row: Float64Array;
  #last: string | undefined;
  #lastColumn = 0;
  /** When its `lastSeen` was written, in the time of `eventTime`. */
  #seenAt = 0;

  constructor(table: CounterTable, route: string) {
    this.#table = table;
    this.#row = table.row;
    this.#route = route;
  }

  /** A request has ended. One that nobody has let in is no use of the route. */
  count({ isLetIn, consumer, status, bytesReceived, bytesSent }: Exchange): void {
    if (!isLetIn) return;
    if (consumer !== this.#last) {
      this.#lastColumn = this.#columnOf(consumer);
      this.#last = consumer;
      this.#seenAt = Number.NEGATIVE_INFINITY;
    }
    const column = this.#lastColumn;
    const row = this.#row;
    add(row, column + USE.requests, 1);
    add(row, column + USE.requestBytes, bytesReceived);
    add(row, column + USE.responseBytes, bytesSent);
    if (status >= 500) add(row, column + USE.serverErrors, 1);
    else if (status >= 400) add(row, column + USE.clientErrors, 1);
    const now = eventTime();
    if (now - this.#seenAt < SEEN_MS) return;
    this.#seenAt = now;
    row[column + USE.lastSeen] = eventDate();
  }

  #columnOf(consumer: string): number {
    const known = this.#known.get(consumer);
    if (known !== undefined) return known;
    const column = this.#table.columnOf({ first: consumer, second: this.#route });
    // There are no more than `USAGE_ROWS` of these.
    if (!this.#table.isShared(column)) this.#known.set(consumer, column);
    return column;
  }
}
