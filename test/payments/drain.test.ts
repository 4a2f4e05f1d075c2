/** A gateway that gets SIGTERM while payments are at every step, over each protocol: all get their responses, paid once. */
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { isAlive } from "../../src/lib/process/is-alive.ts";
import { ask, newPayment, nonceOf, PROTOCOLS, type Protocol, type Reply, Shops } from "./shops.ts";

setDefaultTimeout(patient(60_000));

/** The step at which a payment waits when the gateway gets SIGTERM. */
const STEPS = ["verify", "upstream", "settle", "response"] as const;
type Step = (typeof STEPS)[number];

const shops = new Shops();
let release = Promise.withResolvers<void>();
/** The facilitator's path at which a payment waits, by nonce. */
const waitsAt = new Map<string, string>();
let waiting = 0;

async function wait(): Promise<void> {
  waiting += 1;
  await release.promise;
}

shops.facilitator.hand = async ({ path, nonce }) => {
  if (waitsAt.get(nonce) === path) await wait();
  return undefined;
};

shops.sell = async ({ url }) => {
  if (url.includes("upstream")) await wait();
  if (!url.includes("response")) return undefined;
  const body = new ReadableStream<string>({
    async start(controller) {
      controller.enqueue("goods ");
      await wait();
      controller.enqueue("and more");
      controller.close();
    },
  });
  return new Response(body);
};

afterAll(() => shops.close());

interface Sale {
  readonly nonce: string;
  readonly path: string;
  readonly reply: Promise<Reply>;
}

for (const workers of [1, 2]) {
  test(`no payment is lost or taken twice, with workers: ${workers}`, async () => {
    waiting = 0;
    release = Promise.withResolvers();
    const state = shops.folder.file(`ledger-${workers}`);
    mkdirSync(state);
    const shop = await shops.open({ server: { workers }, state_path: state });
    const sell = (protocol: Protocol, settle: "before" | "after", step: Step): Sale => {
      const payment = newPayment(settle);
      const nonce = nonceOf(payment);
      if (step === "verify" || step === "settle") waitsAt.set(nonce, `/${step}`);
      const path = `/${settle}?${step}-${nonce}`;
      return {
        nonce,
        path,
        reply: ask(protocol, shop, { path, headers: { "payment-signature": encodeHeader(payment) } }),
      };
    };
    const sales = PROTOCOLS.flatMap((protocol) =>
      STEPS.flatMap((step) => (["before", "after"] as const).map((settle) => sell(protocol, settle, step))),
    );
    await until(() => waiting === sales.length);
    process.kill(shop.gateway.pid, "SIGTERM");
    await until(async () => {
      const refused = await fetch(`http://127.0.0.1:${shop.gateway.port}/free`, { keepalive: false }).catch(
        () => "refused",
      );
      return refused === "refused";
    });
    expect(isAlive(shop.gateway.pid)).toBe(true);
    release.resolve();
    for (const { path, nonce, reply } of sales) {
      const { status, headers, body } = await reply;
      expect([path, status, body.startsWith("goods "), "payment-response" in headers]).toEqual([path, 200, true, true]);
      expect([shops.facilitator.settles.get(nonce), shops.runs(path)]).toEqual([1, 1]);
    }
    await until(() => !isAlive(shop.gateway.pid));
    const database = new Database(`${state}/turnpike.db`, { readonly: true });
    const rows = database.query("SELECT state, delivered, count(*) AS count FROM payments GROUP BY 1, 2").all();
    database.close();
    expect(rows).toEqual([{ state: "settled", delivered: 1, count: sales.length }]);
  });
}
