import { eventDate, eventTime } from "../../lib/event-clock.ts";
import { type SharedZone } from "../../lib/shared-zone.ts";
import { type UseCounts } from "../../store/usage-store.ts";
import { type Exchange } from "../exchange.ts";
import { CounterTable, type TableEntry } from "./counter-table.ts";
import { add, COLUMN, USAGE_COLUMNS, USAGE_ROWS } from "./layout.ts";

/** One consumer's use of one route since the server was started. */
export interface Usage extends UseCounts {
  /** Its row of the table, which does not change. */
  readonly index: number;
  /** The authenticated name; empty for requests without a name. Undefined: all pairs without a row of their own. */
  readonly consumer: string | undefined;
  /** The route's path prefix, after its host if it has one. */
  readonly route: string | undefined;
}

/** The columns of a name. */
export const USE = { requests: 0, requestBytes: 1, responseBytes: 2, clientErrors: 3, serverErrors: 4, lastSeen: 5 };

/**
 * Milliseconds between two updates of `lastSeen`. Reading the clock costs more than all other counts together (bench
 * http1).
 */
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

/** The use of routes by consumers. All workers share the names; each worker has its own counts. */
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

  /** Counts the requests of one route, which is identified by its host and path prefix. */
  route(name: string): RouteUsage {
    return new RouteUsage(this.#table, name);
  }

  /** The totals over all workers. The last entry is of pairs without a row of their own, if there are any. */
  read(): Usage[] {
    return this.#table.entries().map((entry) => {
      const { index, name } = entry;
      return { index, consumer: name?.first, route: name?.second, ...useCounts(entry) };
    });
  }
}

/** Counts the consumers' use of one route, in one worker. */
export class RouteUsage {
  readonly #table: CounterTable;
  readonly #route: string;
  /** Columns of known consumers. Consumers without a row are looked up each time. */
  #known: Map<string, number> | undefined;
  readonly #row: Float64Array;
  #last: string | undefined;
  #lastColumn = 0;
  /** When `lastSeen` of the last column was written, in the time of `eventTime`. */
  #seenAt = 0;

  constructor(table: CounterTable, route: string) {
    this.#table = table;
    this.#row = table.row;
    this.#route = route;
  }

  /** A request has ended. A request that was not admitted does not count as use of the route. */
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
    const known = this.#known?.get(consumer);
    if (known !== undefined) return known;
    const column = this.#table.columnOf({ first: consumer, second: this.#route });
    // There are at most `USAGE_ROWS` of these.
    if (!this.#table.isShared(column)) (this.#known ??= new Map()).set(consumer, column);
    return column;
  }
}
