import { SharedNames } from "../../lib/shared-names.ts";
import { type SharedZone } from "../../lib/shared-zone.ts";
import { type Exchange } from "../exchange.ts";
import { add, COLUMN, COMMON, USAGE_COLUMNS, USAGE_ROWS } from "./layout.ts";

/** What one consumer has used of one route since the server was started. */
export interface Usage {
  /** The authenticated name; empty: requests without one. Undefined: all that found no row of their own. */
  readonly consumer: string | undefined;
  /** The route's host, where it has one, and path prefix. */
  readonly route: string | undefined;
  readonly requests: number;
  /** Body bytes, before framing. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Answers of 4xx, and of 5xx. */
  readonly clientErrors: number;
  readonly serverErrors: number;
}

const FIELD = { requests: 0, requestBytes: 1, responseBytes: 2, clientErrors: 3, serverErrors: 4 };

/** A zone's names of consumers and routes, and what one worker counts of them. */
export class UsageCounters {
  readonly #zone: SharedZone;
  readonly #row: Float64Array;
  readonly #names: SharedNames;

  constructor(zone: SharedZone, row: number) {
    this.#zone = zone;
    this.#row = zone.counters(row);
    this.#names = new SharedNames(zone.common().subarray(COMMON.names, COMMON.end), USAGE_ROWS);
  }

  /** Counts the requests of one route, which is named by its host and path prefix. */
  route(name: string): RouteUsage {
    return new RouteUsage(this.#row, (consumer) => this.#names.rowOf({ first: consumer, second: name }));
  }

  /** What all workers have counted; the last entry is of those that found no row, where there are any. */
  read(): Usage[] {
    const rows = Array.from({ length: this.#zone.shape.rows }, (_, row) => this.#zone.counters(row));
    const sum = (usage: number, field: number): number =>
      rows.reduce((total, row) => total + (row[columnOf(usage) + field] ?? 0), 0);
    const all: Usage[] = [];
    for (let usage = USAGE_ROWS - 1; usage >= 0; usage--) {
      const name = this.#names.nameOf(usage);
      const requests = sum(usage, FIELD.requests);
      if (requests === 0) continue;
      all.push({
        consumer: name?.first,
        route: name?.second,
        requests,
        requestBytes: sum(usage, FIELD.requestBytes),
        responseBytes: sum(usage, FIELD.responseBytes),
        clientErrors: sum(usage, FIELD.clientErrors),
        serverErrors: sum(usage, FIELD.serverErrors),
      });
    }
    return all;
  }
}

/** Counts what consumers use of one route, in one worker. */
export class RouteUsage {
  readonly #row: Float64Array;
  readonly #find: (consumer: string) => number;
  /** Columns of consumers that were seen; those without a row are looked for each time. */
  readonly #known = new Map<string, number>();
  #last = "";
  #lastColumn: number;

  constructor(row: Float64Array, find: (consumer: string) => number) {
    this.#row = row;
    this.#find = find;
    this.#lastColumn = columnOf(find(""));
  }

  /** A request has ended. */
  count({ consumer, status, bytesReceived, bytesSent }: Exchange): void {
    if (consumer !== this.#last) {
      this.#lastColumn = this.#columnOf(consumer);
      this.#last = consumer;
    }
    const column = this.#lastColumn;
    const row = this.#row;
    add(row, column + FIELD.requests, 1);
    add(row, column + FIELD.requestBytes, bytesReceived);
    add(row, column + FIELD.responseBytes, bytesSent);
    if (status >= 500) add(row, column + FIELD.serverErrors, 1);
    else if (status >= 400) add(row, column + FIELD.clientErrors, 1);
  }

  #columnOf(consumer: string): number {
    const known = this.#known.get(consumer);
    if (known !== undefined) return known;
    const usage = this.#find(consumer);
    // There are no more than `USAGE_ROWS` of these.
    if (usage !== 0) this.#known.set(consumer, columnOf(usage));
    return columnOf(usage);
  }
}

function columnOf(usage: number): number {
  return COLUMN.usage + usage * USAGE_COLUMNS;
}
