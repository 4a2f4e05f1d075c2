import { fieldValue } from "../../lib/http/fields.ts";
import { sharedHash, type HalfSipHash } from "../../lib/memory/half-sip-hash.ts";
import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { type Exchange, type RequestHead } from "../exchange/exchange.ts";
import { CounterTable, NamedCounters } from "./counter-table.ts";
import { COLUMN, COMMON, FUNNEL_ROWS, PAYER_SLOTS, SUPERVISOR_ROW } from "./metrics/layout.ts";
import { at, type Page } from "./metrics/page.ts";
import { clientClassOf } from "./client-class.ts";
import {
  CLIENT_CLASSES,
  FUNNEL_LOSSES,
  FUNNEL_STAGES,
  FUNNEL_STEPS,
  type FunnelLoss,
  type FunnelStage,
  type FunnelStep,
} from "./metrics/funnel-steps.ts";

const COLUMN_OF = new Map<FunnelStep, number>(FUNNEL_STEPS.map((step, i) => [step, i]));
const KEY_BYTES = 8;

/** The requests of one class of clients on one priced route, since the start. */
export interface FunnelTotals {
  /** Its row of the table, which does not change. */
  readonly index: number;
  /** Empty, like the class: all pairs without a row of their own. */
  readonly route: string;
  readonly client: string;
  /** By `FUNNEL_STEPS`. */
  readonly counts: Float64Array;
}

/** The progress of requests on priced routes. All workers share the names; each worker has its own counts. */
export class Funnel {
  readonly #table: CounterTable;
  readonly #payers: Int32Array;
  readonly #hash: HalfSipHash;

  constructor(zone: SharedZone, row: number) {
    this.#table = new CounterTable(zone, row, {
      names: ["funnelNames", "payers"],
      rows: FUNNEL_ROWS,
      column: COLUMN.funnel,
      columns: FUNNEL_STEPS.length,
    });
    const { buffer, byteOffset } = zone.common().subarray(COMMON.payers, COMMON.shareKey);
    this.#hash = sharedHash(new BigInt64Array(buffer, byteOffset, 1));
    this.#payers = new Int32Array(buffer, byteOffset + KEY_BYTES, PAYER_SLOTS);
  }

  /** Counts the requests of one priced route, in one worker. */
  route(name: string): RouteFunnel {
    return new RouteFunnel(this, this.#table, name);
  }

  /** The totals over all workers. */
  read(): FunnelTotals[] {
    return this.#table.entries().map(({ index, name, values }) => {
      return { index, route: name?.first ?? "", client: name?.second ?? "", counts: values };
    });
  }

  /** Notes a payer; true if it was noted before. A payer whose slot another has taken is unknown again. */
  knows(payer: string): boolean {
    this.#hash.hash(0, 0, payer);
    const slot = this.#hash.low & (PAYER_SLOTS - 1);
    const tag = this.#hash.high || 1;
    return Atomics.exchange(this.#payers, slot, tag) === tag;
  }
}

/** Counts the requests on one priced route, in one worker. */
export class RouteFunnel {
  readonly #clients: readonly ClientFunnel[];

  constructor(funnel: Funnel, table: CounterTable, route: string) {
    this.#clients = CLIENT_CLASSES.map((client) => new ClientFunnel(funnel, table, [route, client]));
  }

  of({ fields }: Pick<RequestHead, "fields">): ClientFunnel {
    const found = this.#clients[clientClassOf(fieldValue(fields, "user-agent"))];
    if (found === undefined) throw new Error("Cannot count a request: its class of clients is unknown");
    return found;
  }
}

/** Counts the requests of one class of clients on one priced route, in one worker. */
export class ClientFunnel extends NamedCounters {
  readonly #funnel: Funnel;

  constructor(funnel: Funnel, table: CounterTable, name: readonly [route: string, client: string]) {
    super(table, ...name);
    this.#funnel = funnel;
  }

  count(stage: FunnelStage): void {
    this.#step(stage);
  }

  /** Counts a request that is not sold. Call it before the response, so that the log line of the request has the reason. */
  lose(exchange: Pick<Exchange, "loss">, loss: FunnelLoss): void {
    exchange.loss = loss;
    this.#step(loss);
  }

  #step(step: FunnelStep): void {
    this.add(COLUMN_OF.get(step) ?? 0, 1);
  }

  delivered(payer: string): void {
    this.count("delivered");
    if (this.#funnel.knows(payer)) this.count("again");
  }
}

/** Counts above 0 by name. `steps`: the first or the last part of `FUNNEL_STEPS`. */
function countsOf<S extends FunnelStep>(steps: readonly S[], counts: Float64Array): Partial<Record<S, number>> {
  const found: Partial<Record<S, number>> = {};
  for (const step of steps) {
    const count = at(counts, COLUMN_OF.get(step) ?? 0);
    if (count > 0) found[step] = count;
  }
  return found;
}

/** Stages and losses with counts above 0. */
export interface FunnelCounts {
  readonly stages: Partial<Record<FunnelStage, number>>;
  readonly losses: Partial<Record<FunnelLoss, number>>;
}

/** The stages and losses of counts in the order of `FUNNEL_STEPS`. */
export function funnelCounts(counts: Float64Array): FunnelCounts {
  return { stages: countsOf(FUNNEL_STAGES, counts), losses: countsOf(FUNNEL_LOSSES, counts) };
}

/** Writes the funnel by route and class of clients. */
export function writeFunnel(page: Page, zone: SharedZone): void {
  const totals = new Funnel(zone, SUPERVISOR_ROW).read();
  const write = (label: "stage" | "reason", part: keyof FunnelCounts): void => {
    for (const { route, client, counts } of totals) {
      const labels = { route: route || "other", client: client || "other" };
      for (const [step, count] of Object.entries(funnelCounts(counts)[part])) {
        page.sample(count, { ...labels, [label]: step });
      }
    }
  };
  page.metric(
    "turnpike_funnel_requests_total",
    "counter",
    "Requests on priced routes by the stages that they reached.",
  );
  write("stage", "stages");
  page.metric("turnpike_funnel_losses_total", "counter", "Requests on priced routes that were not sold, by reason.");
  write("reason", "losses");
}
