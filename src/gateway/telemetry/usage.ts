import { eventDate } from "../../lib/time/event-clock.ts";
import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { type UseCounts } from "../../store/usage-store.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { type PairName } from "../../lib/memory/shared-names.ts";
import { CounterTable, type TableEntry } from "./counter-table.ts";
import { add, COLUMN, COMMON, ROUTE_ROWS, USAGE_COLUMNS, USAGE_COUNTING, USAGE_ROWS } from "./metrics/layout.ts";

/** One consumer's use of one route in a period. */
export interface Usage extends UseCounts {
  /** Its row, which does not change in a period. */
  readonly index: number;
  /** The authenticated name; empty for requests without a name. Undefined: all consumers without a row of their own. */
  readonly consumer: string | undefined;
  /** The route's path prefix, after its host if it has one. Undefined: all routes without a row of their own. */
  readonly route: string | undefined;
}

export const USE = { requests: 0, requestBytes: 1, responseBytes: 2, clientErrors: 3, serverErrors: 4, lastSeen: 5 };

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

/** The tables of one half. Pairs without a row are counted only by route. */
interface Half {
  readonly pairs: CounterTable;
  readonly others: CounterTable;
}

const HALVES = [
  { names: ["usageNames", "nextUsageNames"], column: COLUMN.usage, others: ["otherNames", "nextOtherNames"] },
  { names: ["nextUsageNames", "otherNames"], column: COLUMN.nextUsage, others: ["nextOtherNames", "upstreamNames"] },
] as const;

/** The mark of a worker that counts in a period. One that does not count has the mark 0, and the period before 0 is -1. */
function markOf(period: number): number {
  return period + 2;
}

/**
 * The use of routes by consumers. All workers share the names; each worker has its own counts.
 *
 * The counts of a period are in one half of the memory. The reader of the counts begins the next period in the other half,
 * whose names it frees, after it has read both. While a worker counts, its row says in which period. The next period does
 * not begin while a worker still counts in that half, so no count is lost. At its first count in a period a worker sets
 * its own counters of the half to 0 and marks them with the period.
 */
export class UsageCounters {
  readonly #halves: readonly Half[];
  readonly #row: Float64Array;
  readonly #period: Int32Array;
  /** The cells of all processes, and those of this one. */
  readonly #cells: readonly Int32Array[];
  readonly #own: Int32Array;

  constructor(zone: SharedZone, row: number) {
    const [columns, newest] = [USAGE_COLUMNS, USE.lastSeen];
    this.#halves = HALVES.map(({ names, column, others }, i) => ({
      pairs: new CounterTable(zone, row, { names, rows: USAGE_ROWS, column, columns, newest }),
      others: new CounterTable(zone, row, {
        names: others,
        rows: ROUTE_ROWS,
        column: i === 0 ? COLUMN.others : COLUMN.nextOthers,
        columns,
        newest,
      }),
    }));
    this.#row = zone.counters(row);
    const { buffer, byteOffset } = zone.common().subarray(COMMON.usagePeriod, COMMON.end);
    this.#period = new Int32Array(buffer, byteOffset, 1);
    this.#cells = Array.from({ length: zone.shape.rows }, (_, index) => zone.cells(index));
    this.#own = zone.cells(row);
  }

  /** The number of the period in which requests are counted now. */
  get period(): number {
    return Atomics.load(this.#period, 0);
  }

  /** Returns the period in which this worker counts until `ended`. */
  begin(): number {
    for (;;) {
      const { period } = this;
      Atomics.store(this.#own, USAGE_COUNTING, markOf(period));
      if (this.period === period) return period;
    }
  }

  ended(): void {
    Atomics.store(this.#own, USAGE_COUNTING, 0);
  }

  /** Counts the requests of one route, which is identified by its host and path prefix. */
  route(name: string): RouteUsage {
    return new RouteUsage(this, this.#row, name);
  }

  /** The first column of a pair in a period, and whether it has a row of its own. */
  columnOf(period: number, name: PairName): { readonly column: number; readonly isOwn: boolean } {
    const { pairs, others } = this.#half(period);
    if (this.#row[COLUMN.usagePeriods + (period & 1)] !== period) {
      pairs.zero();
      others.zero();
      this.#row[COLUMN.usagePeriods + (period & 1)] = period;
    }
    const column = pairs.columnOf(name);
    if (!pairs.isShared(column)) return { column, isOwn: true };
    return { column: others.columnOf({ first: "", second: name.second }), isOwn: false };
  }

  /** The totals of a period, the current or the last one, over all workers. */
  read(period = this.period): Usage[] {
    const { pairs, others } = this.#half(period);
    const isOf = (row: Float64Array): boolean => row[COLUMN.usagePeriods + (period & 1)] === period;
    const own = pairs.entries(isOf).map((entry) => {
      return { index: entry.index, consumer: entry.name?.first, route: entry.name?.second, ...useCounts(entry) };
    });
    const shared = others.entries(isOf).map((entry) => {
      return { index: USAGE_ROWS + entry.index, consumer: undefined, route: entry.name?.second, ...useCounts(entry) };
    });
    return [...own, ...shared];
  }

  /** True if all workers have left the period before the current one. Their counts in it are then final. */
  get isLastEnded(): boolean {
    const last = markOf(this.period - 1);
    return this.#cells.every((cells) => Atomics.load(cells, USAGE_COUNTING) !== last);
  }

  /**
   * Begins the next period, in which all rows are free. The period before the current one can no longer be read: call it
   * only if that had ended before it was read for the last time.
   */
  beginPeriod(): void {
    const next = this.period + 1;
    const { pairs, others } = this.#half(next);
    pairs.freeNames();
    others.freeNames();
    Atomics.store(this.#period, 0, next);
  }

  #half(period: number): Half {
    const half = this.#halves[period & 1];
    if (half === undefined) throw new Error("Cannot count usage: there are two halves");
    return half;
  }
}

/** Counts the consumers' use of one route, in one worker. */
export class RouteUsage {
  readonly #counters: UsageCounters;
  readonly #route: string;
  /** Columns of known consumers. Consumers without a row are looked up each time. */
  #known: Map<string, number> | undefined;
  readonly #row: Float64Array;
  #period = -1;

  constructor(counters: UsageCounters, row: Float64Array, route: string) {
    this.#counters = counters;
    this.#row = row;
    this.#route = route;
  }

  /** A request has ended. A request that was not admitted does not count as use of the route. */
  count(exchange: Exchange): void {
    if (!exchange.isAuthorized) return;
    const period = this.#counters.begin();
    if (period !== this.#period) {
      this.#period = period;
      this.#known = undefined;
    }
    this.#add(this.#columnOf(exchange.consumer), exchange);
    this.#counters.ended();
  }

  #add(column: number, { status, bytesReceived, bytesSent }: Exchange): void {
    const row = this.#row;
    add(row, column + USE.requests, 1);
    add(row, column + USE.requestBytes, bytesReceived);
    add(row, column + USE.responseBytes, bytesSent);
    if (status >= 500) add(row, column + USE.serverErrors, 1);
    else if (status >= 400) add(row, column + USE.clientErrors, 1);
    row[column + USE.lastSeen] = eventDate();
  }

  #columnOf(consumer: string): number {
    const known = this.#known?.get(consumer);
    if (known !== undefined) return known;
    const { column, isOwn } = this.#counters.columnOf(this.#period, { first: consumer, second: this.#route });
    // There are at most `USAGE_ROWS` of these.
    if (isOwn) (this.#known ??= new Map()).set(consumer, column);
    return column;
  }
}
