import { isAccount, searchPrefix } from "../../../payments/x402/account.ts";
import { canonicalAddress } from "../../../payments/x402/address.ts";
import { messageOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { isObject } from "../../../lib/is-object.ts";
import { within } from "../../../lib/time/within.ts";
import { type LedgerFilter, type LedgerView, type Position, type Total } from "../../../store/ledger-view.ts";
import { PAYMENT_STATES } from "../../../store/ledger.ts";
import { paymentDetail, recentPayment, unitsOf } from "../overview/read-payments.ts";
import { payersSince, searchPayments } from "../overview/search-payments.ts";
import { foundPayments, paymentPage, payments, topPayers, type TopPayers } from "../shapes/payments.ts";
import { type Operation, operationTable } from "./operation.ts";
import { type AdminParts } from "./parts.ts";

/** Payments on one page of a search. */
const PAGE = 50;
/** Hexadecimal digits that the beginning of a nonce or a transaction has at least: fewer match payments by chance. */
const MIN_DIGITS = 4;
/** Milliseconds in which the ledger must respond. @bound */
const LEDGER_MS = 5000;
const DAY_MS = 86_400_000;
/** Days of the range of top payers. */
const MAX_DAYS = 30;
/** Payers of each token in the list of top payers. */
const TOP = 10;

export const PAYMENT_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/payments": {
    name: "showPayments",
    summary: "Sales of 30 days, open and undelivered payments, and the newest payments",
    success: { description: "The payments", schema: payments },
    run: async (_call, parts) => Response.json(await parts.overview.payments()),
  },
  "GET /v1/payments/search": {
    name: "searchPayments",
    summary: "Payments that match, newest first, in pages of 50",
    query: {
      text: "The payer's address, a route, or the beginning of a nonce or transaction, with at least 4 digits; finds 10 of these at most",
      state: `${PAYMENT_STATES.join(", ")}; owed: settled, and the response not delivered; or refunded: in part or whole`,
      from: "The first day, in UTC, as 2026-11-22",
      to: "The last day, in UTC",
      before: "`next` of the page before",
    },
    success: { description: "A page of payments", schema: paymentPage },
    failures: ["store-unavailable"],
    run: async ({ query }, parts) => {
      const filter = { ...filterOf(query.get("state") ?? ""), ...daysOf(query) };
      const text = (query.get("text") ?? "").trim();
      const before = placeOf(query.get("before"));
      const view = ledgerOf(parts);
      const prefix = isAccount(text) ? undefined : searchPrefix(text, MIN_DIGITS);
      if (prefix !== undefined) {
        const found = await read(view.search(prefix, filter));
        return Response.json({ payments: found.map(recentPayment) });
      }
      const wanted = { ...filter, ...selectionOf(text) };
      const { payments: found, next, isCut } = await read(searchPayments(view, wanted, { limit: PAGE, before }));
      return Response.json({
        payments: found.map(recentPayment),
        ...(next === undefined ? {} : { next: cursorOf(next) }),
        ...(isCut && next !== undefined ? { searched_to_ms: next.createdAt } : {}),
      });
    },
  },
  "GET /v1/payments/payers": {
    name: "listPayers",
    summary: "The payers with the largest amounts of settled payments",
    query: { days: `The last days, 1 to ${MAX_DAYS} (${MAX_DAYS})` },
    success: { description: "The payers", schema: topPayers },
    failures: ["store-unavailable"],
    async run({ query }, parts) {
      const text = query.get("days") ?? String(MAX_DAYS);
      const days = /^\d{1,2}$/.test(text) ? Number(text) : 0;
      if (days < 1 || days > MAX_DAYS)
        throw new TurnpikeError("bad-request", `Cannot read days: it must be a number from 1 to ${MAX_DAYS}`);
      const { since, totals } = await read(payersSince(ledgerOf(parts), parts.events.now() - days * DAY_MS));
      return Response.json({ since_ms: since, payers: topOf(totals) } satisfies TopPayers);
    },
  },
  "GET /v1/payments/{id}": {
    name: "showPayment",
    summary: "The payments with a nonce, and everything that the ledger knows of them",
    parameters: { id: "The nonce" },
    success: { description: "The payments, newest first", schema: foundPayments },
    failures: ["not-found", "store-unavailable"],
    async run({ parameters: { id = "" } }, parts) {
      const nonce = id.toLowerCase();
      const view = ledgerOf(parts);
      const found = await read(view.search(nonce));
      const own = found.filter((payment) => payment.nonce === nonce);
      if (own.length === 0) throw new TurnpikeError("not-found", "Cannot find a payment with this nonce");
      const refunds = await read(Promise.all(own.map((payment) => view.refundsOf(payment))));
      return Response.json({ payments: own.map((payment, i) => paymentDetail(payment, refunds[i] ?? [])) });
    },
  },
});

function ledgerOf(parts: AdminParts): LedgerView {
  let view: LedgerView | undefined;
  try {
    view = parts.ledger();
  } catch (error) {
    throw unavailable(messageOf(error));
  }
  if (view === undefined) throw unavailable("this gateway sells nothing: it has no ledger");
  return view;
}

function unavailable(reason: string): TurnpikeError {
  return new TurnpikeError("store-unavailable", `Cannot read the ledger: ${reason}`);
}

function late(): never {
  throw new Error(`it did not respond within ${LEDGER_MS} ms`);
}

async function read<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(LEDGER_MS, work, late);
  } catch (error) {
    throw unavailable(messageOf(error));
  }
}

function filterOf(text: string): LedgerFilter {
  if (text === "") return {};
  if (text === "owed") return { owed: true };
  if (text === "refunded") return { refunded: true };
  const state = PAYMENT_STATES.find((known) => known === text);
  if (state !== undefined) return { states: [state] };
  throw new TurnpikeError("bad-request", "Cannot search payments: there is no such state");
}

/** From the first moment of a day to the end of another. */
function daysOf(query: URLSearchParams): LedgerFilter {
  const [since, last] = [dayOf(query, "from"), dayOf(query, "to")];
  return { ...(since === undefined ? {} : { since }), ...(last === undefined ? {} : { until: last + DAY_MS }) };
}

function dayOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // A day after the end of its month is read as one of the next month.
  if (!Number.isNaN(day) && new Date(day).toISOString().startsWith(text)) return day;
  throw new TurnpikeError("bad-request", `Cannot search payments: ${name} must be a day such as 2026-11-22`);
}

function selectionOf(text: string): LedgerFilter {
  if (text === "") return {};
  if (isAccount(text)) return { payer: canonicalAddress(text) };
  if (text.includes("/")) return { route: text };
  throw new TurnpikeError(
    "bad-request",
    `Cannot search payments: the text is neither an address, nor a route, nor the beginning of a nonce or transaction with ${MIN_DIGITS} digits`,
  );
}

function cursorOf({ createdAt, network, asset, from, nonce }: Position): string {
  return Buffer.from(JSON.stringify({ createdAt, network, asset, from, nonce })).toString("base64url");
}

function placeOf(cursor: string | null): Position | undefined {
  if (cursor === null) return undefined;
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (isObject(place)) {
      const { createdAt, network, asset, from, nonce } = place;
      if (Number.isSafeInteger(createdAt) && [network, asset, from, nonce].every((one) => typeof one === "string"))
        return place as unknown as Position; // oxlint-disable-line typescript/no-unsafe-type-assertion -- its members are checked
    }
  } catch {
    // It is not a cursor.
  }
  throw new TurnpikeError("bad-request", "Cannot search payments: `before` is not from a page before");
}

function topOf(totals: readonly Total[]): TopPayers["payers"] {
  const byToken = Map.groupBy(totals, ({ network, token }) => `${network} ${token}`);
  return [...byToken.values()].flatMap((payers) =>
    payers
      .toSorted((a, b) => Number(BigInt(b.amount) - BigInt(a.amount)))
      .slice(0, TOP)
      .map(({ key, network, token, amount, payments: count }) => ({
        payer: key,
        network,
        asset: token,
        ...unitsOf(network, token),
        amount,
        payments: count,
      })),
  );
}
