/**
 * One payment is sent several times at once: to two gateways that share PostgreSQL, and to the workers of one gateway with
 * SQLite, over any two protocols. Money moves once, and the upstream works once.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { ask, type Asked, newPayment, nonceOf, PROTOCOLS, type Reply, Shops, type Shop } from "./shops.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const shops = new Shops();
let database: SharedPostgres | undefined;
/** The gateways of each store that share the ledger. One gateway with SQLite has several workers. */
const selling = new Map<string, readonly [Shop, Shop]>();

beforeAll(async () => {
  // Requests meet in the ledger only if the facilitator takes its time.
  shops.facilitator.hand = async () => {
    await Bun.sleep(20);
    return undefined;
  };
  const sqlite = await shops.open({ server: { workers: 3 } });
  selling.set("SQLite", [sqlite, sqlite]);
  if (!hasPostgres) return;
  database = await sharedPostgres();
  const postgres = { url: database.url(await database.newUser()) };
  const [one, two] = await Promise.all([shops.open({ postgres }), shops.open({ postgres })]);
  selling.set("PostgreSQL", [one, two]);
});

afterAll(async () => {
  await shops.close();
});

const SETTLES = ["before", "after"] as const;

function paid(path: string, payment: PaymentPayload): Asked {
  return { path, headers: { "payment-signature": encodeHeader(payment) } };
}

/** The next step of a client: it has the response, sends the same payment again, or needs a new payment. */
function kindOf({ status, headers }: Reply): string {
  if (status === 200) return "sold";
  return `${status} ${headers["retry-after"] === undefined ? "spent" : "again"}`;
}

describe.each(["SQLite", "PostgreSQL"])("%s", (store) => {
  for (const settle of SETTLES) {
    for (const one of PROTOCOLS) {
      for (const two of PROTOCOLS) {
        test.skipIf(store === "PostgreSQL" && !hasPostgres)(
          `settle ${settle}: the same payment over ${one} and ${two} is accepted once`,
          async () => {
            const [here, there] = selling.get(store) ?? [];
            if (here === undefined || there === undefined) throw new Error("No gateway runs");
            const payment = newPayment(settle);
            const nonce = nonceOf(payment);
            const same = paid(`/${settle}?${nonce}`, payment);
            const other = paid(`/${settle}?${nonce}&other`, payment);
            const asked = [ask(one, here, same), ask(two, there, same), ask(two, there, other)] as const;
            const [first, second, third] = await Promise.all(asked);
            const winner = [first, second, third].find(({ status }) => status === 200);
            // The same request may come again, and another one has lost.
            const kinds = [kindOf(first), kindOf(second), kindOf(third)].toSorted();
            expect([
              ["409 again", "409 spent", "sold"],
              ["409 spent", "409 spent", "sold"],
              // The second one came when the first one was over.
              ["409 spent", "sold", "sold"],
            ]).toContainEqual(kinds);
            expect(shops.runs(same.path) + shops.runs(other.path)).toBe(1);
            expect([shops.facilitator.settles.get(nonce), shops.facilitator.transfers.has(nonce)]).toEqual([1, true]);
            if (settle === "before") return;
            const again = third.status === 200 ? other : same;
            const repeated = await Promise.all([ask(one, here, again), ask(two, there, again)]);
            expect(repeated.map(({ status, body }) => [status, body])).toEqual(
              repeated.map(() => [200, winner?.body ?? ""]),
            );
            expect(shops.facilitator.settles.get(nonce)).toBe(1);
          },
        );
      }
    }
  }

  test.skipIf(store === "PostgreSQL" && !hasPostgres)(
    "the same payment gets its response three more times, over all workers, gateways and protocols",
    async () => {
      const [here, there] = selling.get(store) ?? [];
      if (here === undefined || there === undefined) throw new Error("No gateway runs");
      const payment = newPayment();
      const same = paid(`/after?${nonceOf(payment)}`, payment);
      const first = await ask("HTTP/1.1", here, same);
      const all = Array.from({ length: 24 }, (_, i) => {
        return ask(PROTOCOLS[i % 3] ?? "HTTP/2", i % 2 === 0 ? here : there, same);
      });
      const sold = (await Promise.all(all)).filter(({ status }) => status === 200);
      expect([first.status, sold.map(({ body }) => body)]).toEqual([200, [first.body, first.body, first.body]]);
      expect(shops.runs(same.path)).toBe(1);
    },
  );

  test.skipIf(store === "PostgreSQL" && !hasPostgres)(
    "of two simultaneous payments with one id, only one is accepted",
    async () => {
      const [here, there] = selling.get(store) ?? [];
      if (here === undefined || there === undefined) throw new Error("No gateway runs");
      const id = `order-${crypto.randomUUID()}`;
      const extensions = { "payment-identifier": { info: { id } } };
      const payments = [
        { ...newPayment(), extensions },
        { ...newPayment(), extensions },
      ] as const;
      const path = `/after?${id}`;
      const replies = await Promise.all([
        ask("HTTP/1.1", here, paid(path, payments[0])),
        ask("HTTP/2", there, paid(path, payments[1])),
      ]);
      expect(replies.map(kindOf).toSorted()).toEqual(["409 spent", "sold"]);
      expect(payments.filter((payment) => shops.facilitator.transfers.has(nonceOf(payment)))).toHaveLength(1);
      expect(shops.runs(path)).toBe(1);
    },
  );
});
