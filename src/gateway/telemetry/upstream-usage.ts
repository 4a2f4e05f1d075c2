import { eventDate } from "../../lib/time/event-clock.ts";
import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { type UseCounts } from "../../store/usage-store.ts";
import { CounterTable, NamedCounters } from "./counter-table.ts";
import { COLUMN, UPSTREAM_COLUMNS, UPSTREAM_ROWS } from "./metrics/layout.ts";
import { USE, useCounts } from "./usage.ts";

/** The use of one upstream. Each try counts. Server errors are 5xx responses and failures without a response. */
export interface UpstreamUsage extends UseCounts {
  /** Its row of the table, which does not change. */
  readonly index: number;
  /** Undefined: all upstreams without a row of their own. */
  readonly upstream: string | undefined;
}

/** The use of upstreams. All workers share the names; each worker has its own counts. */
export class UpstreamCounters {
  readonly #table: CounterTable;

  constructor(zone: SharedZone, row: number) {
    this.#table = new CounterTable(zone, row, {
      names: ["upstreamNames", "routeNames"],
      rows: UPSTREAM_ROWS,
      column: COLUMN.upstreams,
      columns: UPSTREAM_COLUMNS,
      newest: USE.lastSeen,
    });
  }

  upstream(name: string): UpstreamUses {
    return new UpstreamUses(this.#table, name);
  }

  /** The totals over all workers. The last entry is of upstreams without a row of their own, if there are any. */
  read(): UpstreamUsage[] {
    return this.#table.entries().map((entry) => {
      return { index: entry.index, upstream: entry.name?.first, ...useCounts(entry) };
    });
  }
}

/** Counts one worker's use of one upstream. */
export class UpstreamUses extends NamedCounters {
  requested(): void {
    this.add(USE.requests, 1);
    this.set(USE.lastSeen, eventDate());
  }

  responded(status: number): void {
    if (status >= 400) this.add(status >= 500 ? USE.serverErrors : USE.clientErrors, 1);
  }

  /** A try has failed without a whole response. */
  failed(): void {
    this.add(USE.serverErrors, 1);
  }

  /** Body bytes that were sent to the upstream, and received from it. */
  carried(sent: number, received: number): void {
    if (sent > 0) this.add(USE.requestBytes, sent);
    if (received > 0) this.add(USE.responseBytes, received);
  }
}
