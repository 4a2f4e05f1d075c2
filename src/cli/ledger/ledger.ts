import { join } from "node:path";
import { defaultStorePath } from "../../gateway/process/gateway/store-path.ts";
import { openConfiguredStore, type PostgresConfig, readLedgerVersion } from "../../store/open/configured-store.ts";
import { type LedgerFilter, type LedgerView, MAX_FOUND, type Total } from "../../store/ledger-view.ts";
import { type Payment } from "../../store/ledger.ts";
import { isAccount } from "../../payments/x402/account.ts";
import { type Refund } from "../../store/refunds.ts";
import { visibleJson } from "../../lib/text/visible-text.ts";
import { backUpLedger, openLedgerView, type OpenLedgerView } from "../../store/open/open-ledger-view.ts";
import { atBoundary } from "../common/boundary.ts";
import { readConfig } from "../common/configuration.ts";
import {
  DEFAULT_LIMIT,
  LEDGER_USAGE,
  type LedgerLocation,
  type LedgerQuery,
  type LedgerRequest,
  parseLedger,
} from "./ledger-arguments.ts";
import { exportRows, gasMeter } from "./export-rows.ts";
import { exportFormat } from "./ledger-export.ts";
import { Rates } from "./ledger-rates.ts";
import { toRecord, toTotal } from "../common/ledger-record.ts";
import { paymentDetail, paymentTable, totalTable } from "./ledger-render.ts";
import { writeStandard } from "../common/standard-output.ts";
import { stateFolder } from "../common/state-folder.ts";
import { say, sayError, sayNote } from "../common/terminal.ts";

/** Payments that are read at a time. @bound */
const PAGE = 500;
/** Characters that are collected before each write. */
const WRITE_LENGTH = 65_536;

/** `turnpike ledger`: shows payments. Returns the exit code: 0 done, 1 failed or nothing found, 2 wrong usage. */
export function ledger(args: readonly string[]): Promise<number> {
  return atBoundary(LEDGER_USAGE, async () => {
    const request = parseLedger(args);
    const { query } = request;
    const place = await placeOf(request.location);
    if (query.kind === "backup") {
      if (typeof place !== "string") throw new Error("Cannot back up a ledger in PostgreSQL: use pg_dump");
      backUpLedger(place, query.file);
      sayNote(`wrote ${query.file}`);
      return 0;
    }
    const opened = typeof place === "string" ? openLedgerView(place) : await openDatabase(place);
    try {
      return await run(opened.view, { ...request, query });
    } finally {
      await opened.close();
    }
  });
}

/** The file of the ledger, or its database. */
async function placeOf({ config: path, stateDir, store }: LedgerLocation): Promise<string | PostgresConfig> {
  if (store !== undefined) return store;
  if (path === undefined) return join(stateFolder(stateDir), "turnpike.db");
  const { config } = await readConfig({ path, flags: {} });
  if (config.postgres.url !== undefined && config.postgres.url !== "") return config.postgres;
  const inFolder = stateDir !== undefined && config.state_path === "";
  return inFolder ? join(stateFolder(stateDir), "turnpike.db") : defaultStorePath(config, path);
}

async function openDatabase(postgres: PostgresConfig): Promise<OpenLedgerView> {
  await assertCurrent(postgres);
  const opened = openConfiguredStore(postgres, "");
  await opened.ready();
  return { view: opened.view, close: () => opened.close() };
}

/** Opening a store that is not current would create or change its tables. Throws if the tables are missing or old. */
async function assertCurrent(postgres: PostgresConfig): Promise<void> {
  const { found, known } = await readLedgerVersion(postgres, "");
  if (found >= known) return;
  const why = found === 0 ? "the database has no tables of Turnpike yet" : "an older version of Turnpike wrote it";
  throw new Error(`Cannot read the ledger in PostgreSQL: ${why}; start the gateway once`);
}

type ViewQuery = Exclude<LedgerQuery, { readonly kind: "backup" }>;

async function run(
  view: LedgerView,
  { query, json, location }: LedgerRequest & { readonly query: ViewQuery },
): Promise<number> {
  const isTerminal = process.stdout.isTTY;
  if (query.kind === "show") return await show(view, query.prefix, json);
  const filter = await withPayer(view, query.filter);
  if (query.kind === "export") {
    await exportAll(view, { ...query, filter }, location);
  } else if (query.kind === "list") {
    const { limit = DEFAULT_LIMIT } = query;
    const found = await first(paymentsOf(view, filter), limit + 1);
    const payments = found.slice(0, limit);
    await writeStandard(json ? jsonText(payments.map(toRecord)) : paymentTable(payments, isTerminal));
    if (query.limit === undefined && found.length > limit)
      sayNote(`turnpike ledger: these are the newest ${limit}; --limit N prints more`);
  } else {
    const { by } = query;
    const totals = inOrder(by, await view.totals(by, filter));
    await writeStandard(
      json ? jsonText(totals.map((total) => toTotal(by, total))) : totalTable(by, totals, isTerminal),
    );
  }
  return 0;
}

/** The filter with the whole address of the payer whose beginning it has. Throws if several payers match, or none. */
async function withPayer(view: LedgerView, filter: LedgerFilter): Promise<LedgerFilter> {
  const { payer: prefix } = filter;
  if (prefix === undefined || isAccount(prefix)) return filter;
  const [payer, other] = await view.payers(prefix);
  if (payer === undefined) throw new Error(`Cannot use --payer "${prefix}": no address of a payer starts with it`);
  if (other === undefined) return { ...filter, payer };
  throw new Error(`Cannot use --payer "${prefix}": several addresses start with it, such as ${payer} and ${other}`);
}

/** Days in their order; routes and payers with the largest amount of a token first. */
function inOrder(by: string, totals: readonly Total[]): readonly Total[] {
  if (by === "day") return totals;
  return [...Map.groupBy(totals, ({ network, token }) => `${network} ${token}`).values()].flatMap((same) =>
    same.toSorted((a, b) => Number(BigInt(b.amount) - BigInt(a.amount))),
  );
}

async function show(view: LedgerView, prefix: string, json: boolean): Promise<number> {
  const found = await view.search(prefix);
  const [payment, ...others] = found;
  if (payment === undefined)
    throw new Error(
      `Cannot show "${prefix}": no nonce or transaction of a payment starts with it (a released payment is deleted when it has expired)`,
    );
  if (others.length > 0) {
    const count = found.length === MAX_FOUND ? `${MAX_FOUND} payments or more` : `${found.length} payments`;
    sayError(`turnpike ledger: "${prefix}" is the beginning of ${count}:`);
    say(paymentTable(found, true).trimEnd());
    return 1;
  }
  const refunds = await view.refundsOf(payment);
  await writeStandard(
    json
      ? jsonText({ ...toRecord(payment), refunds: refunds.map((refund) => refundJson(refund)) })
      : paymentDetail(payment, refunds),
  );
  return 0;
}

async function exportAll(
  view: LedgerView,
  query: LedgerQuery & { kind: "export" },
  { config: file }: LedgerLocation,
): Promise<void> {
  const { rates: path, vat, format, gas, filter } = query;
  const rates = path === undefined ? undefined : Rates.open(path, vat);
  const { head, line } = exportFormat(format, rates, gas !== undefined);
  const meter = gas === undefined ? undefined : gasMeter((await readConfig({ path: file, flags: {} })).config, gas);
  let text = head;
  for await (const row of exportRows(view, paymentsOf(view, filter), filter, meter)) {
    text += line(row);
    if (text.length < WRITE_LENGTH) continue;
    await writeStandard(text);
    text = "";
  }
  await writeStandard(text);
}

/** All payments that match, newest first. Payments that are added meanwhile are not included. */
async function* paymentsOf(view: LedgerView, filter: LedgerFilter): AsyncGenerator<Payment> {
  let before: Payment | undefined;
  for (;;) {
    const page = await view.list(filter, { limit: PAGE, before });
    yield* page;
    before = page.at(-1);
    if (page.length < PAGE) return;
  }
}

async function first<T>(items: AsyncIterable<T>, limit: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}

function refundJson({ id, state, amount, transaction, reason, updatedAt }: Refund): object {
  return { id, state, amount, transaction, reason, updated_at: new Date(updatedAt).toISOString() };
}

function jsonText(value: unknown): string {
  return `${visibleJson(value, 2)}\n`;
}
