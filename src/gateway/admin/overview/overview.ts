import { messageOf } from "../../../lib/caught.ts";
import { type SharedZone } from "../../../lib/shared-zone.ts";
import { type LedgerView } from "../../../store/ledger-view.ts";
import { SUPERVISOR_ROW } from "../../telemetry/layout.ts";
import { FilterCounts } from "../../telemetry/filter-metrics.ts";
import { RouteTraffic } from "../../telemetry/route-traffic.ts";
import { type ContentSummary } from "./content-summary.ts";
import { hasResponseFor, forAWhile } from "./for-a-while.ts";
import { type OverviewSnapshot, type OverviewUpstream, type WasmState } from "./overview-snapshot.ts";
import { type PaymentSummary } from "./payment-summary.ts";
import { readContent } from "./read-content.ts";
import { readPayments } from "./read-payments.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { readWasm } from "./read-wasm.ts";

/** Milliseconds for which a snapshot, and what ledger and content service answer, is told again. @bound */
const SNAPSHOT_MS = 500;
const RESPONSE_MS = 1000;
/** Milliseconds that the ledger has for its response. @bound */
const LEDGER_MS = 3000;

/** The figures that operators look at. */
export interface Overview {
  /** Made at most twice a second, however many ask. */
  snapshot(): OverviewSnapshot;
  /** The same as JSON, which is written once for all who ask. */
  snapshotText(): string;
  /** Every server of every upstream, as it is now. */
  servers(): readonly OverviewUpstream[];
  /** Filters and tenants, as they are now. */
  wasm(): WasmState;
  /** Made at most once a second; `available: false` if no ledger is open or it gives no response. */
  payments(): Promise<PaymentSummary>;
  /** Asked for at most once a second. */
  content(): Promise<ContentSummary>;
}

/** Where the figures come from: a gateway that runs. */
export interface OverviewSource {
  /** What all processes of the server count. */
  readonly zone: SharedZone;
  upstreams(): readonly OverviewUpstream[];
  /** Undefined: nothing is sold. Throws where the ledger cannot be opened. */
  ledger(): LedgerView | undefined;
}

export interface OverviewOptions {
  /** When the gateway was started, in Unix milliseconds. */
  readonly startedAtMs: number;
  /** The Unix socket of the content service of this program; undefined: there is none. */
  readonly contentSocket?: string | undefined;
}

/** The figures of a gateway that runs. */
export function createOverview(source: OverviewSource, { startedAtMs, contentSocket }: OverviewOptions): Overview {
  const { zone } = source;
  // Kept, as they know the names that they have read.
  const traffic = new RouteTraffic(zone, SUPERVISOR_ROW);
  const filters = new FilterCounts(zone);
  const snapshot = forAWhile(SNAPSHOT_MS, () =>
    readSnapshot({ zone, traffic, filters, upstreams: source.upstreams(), startedAtMs, nowMs: Date.now() }),
  );
  let written: { readonly of: OverviewSnapshot; readonly text: string } | undefined;
  return {
    snapshot,
    snapshotText() {
      const of = snapshot();
      if (written?.of !== of) written = { of, text: JSON.stringify(of) };
      return written.text;
    },
    servers: () => source.upstreams(),
    wasm: () => readWasm(zone),
    payments: hasResponseFor(RESPONSE_MS, () => paymentsOf(source)),
    content: hasResponseFor(RESPONSE_MS, async () =>
      contentSocket === undefined
        ? { available: false, reason: "This gateway has no content service of its own" }
        : await readContent(contentSocket),
    ),
  };
}

async function paymentsOf(source: OverviewSource): Promise<PaymentSummary> {
  try {
    const view = source.ledger();
    if (view === undefined) return { available: false, reason: "This gateway sells nothing: it has no ledger" };
    return await withinTime(readPayments(view, Date.now()));
  } catch (error) {
    return { available: false, reason: messageOf(error) };
  }
}

/** The payments, or that the ledger is late with them. */
async function withinTime(payments: Promise<PaymentSummary>): Promise<PaymentSummary> {
  const { promise: late, resolve } = Promise.withResolvers<PaymentSummary>();
  const reason = `Cannot read the ledger: it did not respond within ${LEDGER_MS} ms`;
  const timer = setTimeout(resolve, LEDGER_MS, { available: false, reason });
  try {
    return await Promise.race([payments, late]);
  } finally {
    clearTimeout(timer);
  }
}
