import { messageOf } from "../../../lib/caught.ts";
import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { within } from "../../../lib/time/within.ts";
import { type LedgerView } from "../../../store/ledger-view.ts";
import { SUPERVISOR_ROW } from "../../telemetry/metrics/layout.ts";
import { Funnel } from "../../telemetry/funnel.ts";
import { FilterTable } from "../../telemetry/filter-metrics.ts";
import { RouteTraffic } from "../../telemetry/route-traffic.ts";
import { KeptHistory } from "./kept-history.ts";
import { hasResponseFor, forAWhile } from "./for-a-while.ts";
import { type OverviewUpstream, type WasmState } from "../shapes/common.ts";
import { type ContentSummary, type History, type OverviewSnapshot } from "../shapes/overview.ts";
import { type PaymentSummary } from "../shapes/payments.ts";
import { readContent } from "./read-content.ts";
import { readLedgerAway } from "./find-problems.ts";
import { readPayments } from "./read-payments.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { type FacilitatorState, readFacilitators } from "./read-facilitators.ts";
import { readWasm } from "./read-wasm.ts";

/** Milliseconds for which a snapshot, and the responses of the ledger and the content service, are reused. @bound */
const SNAPSHOT_MS = 500;
const RESPONSE_MS = 1000;
/** Milliseconds in which the ledger must respond. @bound */
const LEDGER_MS = 3000;

export interface Overview {
  /** Made at most twice a second, for any number of callers. */
  snapshot(): OverviewSnapshot;
  /** The same as JSON. It is written once for all callers. */
  snapshotText(): string;
  /** Keeps the current figures for an hour. */
  record(): void;
  history(): History;
  servers(): readonly OverviewUpstream[];
  wasm(): WasmState;
  /** Open breakers, and the gas of the embedded facilitator's keys by the index of their chain. */
  facilitators(): FacilitatorState;
  /** Whether a process cannot read or write its ledger. */
  isLedgerAway(): boolean;
  /** Read at most once a second; `available: false` if no ledger is open or the ledger does not respond. */
  payments(): Promise<PaymentSummary>;
  /** Read at most once a second. */
  content(): Promise<ContentSummary>;
}

/** The running gateway, as the source of the figures. */
export interface OverviewSource {
  readonly zone: SharedZone;
  upstreams(): readonly OverviewUpstream[];
  /** Undefined if no route is paid. Throws if the ledger cannot be opened. */
  ledger(): LedgerView | undefined;
}

/** Facts about the gateway that an overview cannot read from its counters. */
export interface OverviewOptions {
  /** The time of the gateway's start in Unix milliseconds. */
  readonly startedAtMs: number;
  /** The Unix socket of this program's content service; undefined without one. */
  readonly contentSocket?: string | undefined;
  /** Unix milliseconds. */
  readonly clock?: () => number;
}

/** The figures of a running gateway. */
export function createOverview(source: OverviewSource, options: OverviewOptions): Overview {
  const { startedAtMs, contentSocket, clock = Date.now } = options;
  const { zone } = source;
  // Reused, because it caches the names that it has read.
  const traffic = new RouteTraffic(zone, SUPERVISOR_ROW);
  const filters = new FilterTable(zone, SUPERVISOR_ROW);
  const funnel = new Funnel(zone, SUPERVISOR_ROW);
  const snapshot = forAWhile(
    SNAPSHOT_MS,
    () => readSnapshot({ zone, traffic, filters, funnel, upstreams: source.upstreams(), startedAtMs, nowMs: clock() }),
    options.clock,
  );
  const kept = new KeptHistory();
  let written: { readonly of: OverviewSnapshot; readonly text: string } | undefined;
  return {
    snapshot,
    snapshotText() {
      const of = snapshot();
      if (written?.of !== of) written = { of, text: JSON.stringify(of) };
      return written.text;
    },
    record: () => kept.add(snapshot()),
    history: () => kept.read(clock()),
    servers: () => source.upstreams(),
    wasm: () => readWasm(zone),
    facilitators: () => readFacilitators(zone),
    isLedgerAway: () => readLedgerAway(zone),
    payments: hasResponseFor(RESPONSE_MS, () => paymentsOf(source, clock)),
    content: hasResponseFor(RESPONSE_MS, async () =>
      contentSocket === undefined
        ? { available: false, reason: "This gateway has no content service of its own" }
        : await readContent(contentSocket),
    ),
  };
}

async function paymentsOf(source: OverviewSource, clock: () => number): Promise<PaymentSummary> {
  try {
    const view = source.ledger();
    if (view === undefined) return { available: false, reason: "This gateway sells nothing: it has no ledger" };
    return await withinTime(readPayments(view, clock()));
  } catch (error) {
    return { available: false, reason: messageOf(error) };
  }
}

/** The payments, or `available: false` if the ledger does not respond in time. */
async function withinTime(payments: Promise<PaymentSummary>): Promise<PaymentSummary> {
  const reason = `Cannot read the ledger: it did not respond within ${LEDGER_MS} ms`;
  return await within(LEDGER_MS, payments, () => ({ available: false, reason }));
}
