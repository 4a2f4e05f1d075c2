/** Crawls that the stock client pays from a channel by their pages, on each store. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { createPublicClient, http, type PublicClient } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Folder, Program } from "../support/program.ts";
import { ChannelTill } from "./channel-till.ts";

setDefaultTimeout(patient(60_000));

const PAGE = 5_000;
const SITE_PAGES = 5;

interface State {
  readonly state: string;
  readonly delivered: number;
  readonly cost: { readonly due: string; readonly paid: string; readonly quote: string; readonly open: boolean };
}

/** The last page waits for it. */
let gate = Promise.resolve();

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch({ url }) {
    const page = new URL(url).pathname.slice(1);
    if (page === String(SITE_PAGES - 1)) await gate;
    if (page !== "" && !(Number(page) < SITE_PAGES)) return new Response("", { status: 404 });
    const links = Array.from({ length: SITE_PAGES - 1 }, (_, at) => `<a href="/${at + 1}">page ${at + 1}</a>`).join(
      " ",
    );
    const text = `Page ${page} tells of the tides at place ${page}. `.repeat(8);
    const html = `<!doctype html><title>Page ${page}</title><article><h1>Page ${page}</h1><p>${text}</p>${links}</article>`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  },
});
let till: ChannelTill;

beforeAll(async () => {
  if (hasChain) till = await ChannelTill.open();
}, CHAIN_SETUP_MS);
afterAll(async () => {
  await site.stop(true);
  await till?.close();
});

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  if (!hasChain || (kind === "postgres" && !hasPostgres)) return;
  const folder = new Folder();
  let database: { readonly server: SharedPostgres; readonly user: string } | undefined;
  let content: Program;
  let port = 0;
  let gateway: Gateway | undefined;
  let store: Store;

  const open = async (): Promise<Gateway> => {
    const opened = await startGateway(
      {
        state_path: folder.path,
        ...(database === undefined ? {} : { postgres: { url: database.server.url(database.user) } }),
        x402: till.x402,
        upstreams: [{ name: "content", servers: [serverAt(port)] }],
        routes: [
          {
            path_prefix: "/crawl",
            upstream: "content",
            x402: { ...till.terms(PAGE * 100), rules: [{ unit_price: { price: String(PAGE), count: "/limit" } }] },
          },
        ],
      },
      till.environment,
    );
    const body = JSON.stringify({ limit: 100 });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    // Until the facilitator has named its kinds, the route has no terms and responds 503.
    await until(async () => (await fetch(`http://127.0.0.1:${opened.port}/crawl`, init)).status === 402);
    return opened;
  };

  beforeAll(async () => {
    if (kind === "postgres") {
      const server = await sharedPostgres();
      database = { server, user: await server.newUser() };
    }
    const state = withBrowser(folder.file("content"));
    content = new Program(["content", "--port", "0", "--state-dir", state, "--allow-private"]);
    port = Number((await content.sees(/listening on http:\/\/\S+?:(\d+)/))[1]);
    gateway = await open();
    const { server, user } = database ?? {};
    store =
      server === undefined || user === undefined
        ? openStore(folder.file("turnpike.db"))
        : openPostgresStore(server.settings({ user }));
    await store.ready();
  });
  afterAll(async () => {
    await gateway?.stop();
    await content.stop();
    await store.close();
    folder.remove();
  });
  afterEach(async () => {
    gateway ??= await open();
  });

  /** The stock client, with a wallet of its own. */
  async function buyer(): Promise<(limit: number) => Promise<Response>> {
    const account = privateKeyToAccount(generatePrivateKey());
    await till.market.token.mint(account.address, 10_000_000n);
    const reader: PublicClient = createPublicClient({ transport: http(till.market.chain.rpcUrl) });
    const signer = {
      ...account,
      readContract: (call: Parameters<PublicClient["readContract"]>[0]) => reader.readContract(call),
    };
    const client = new BatchSettlementEvmScheme(signer);
    const schemes = [{ network: till.market.chain.network, client }];
    const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes, spendControls: false });
    return (limit) =>
      pay(`http://127.0.0.1:${gateway?.port}/crawl`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ urls: [site.url.href], limit, sitemap: "skip", format: "text", engine: "static" }),
      });
  }

  async function started(response: Response) {
    expect(response.status).toBe(202);
    const { id, secret } = (await response.json()) as { id: string; secret: string };
    const get = async <T>(path: string): Promise<T> => {
      const headers = { "x-job-secret": secret };
      return (await (await fetch(`http://127.0.0.1:${port}/crawl/${id}${path}`, { headers })).json()) as T;
    };
    return {
      state: () => get<State>(""),
      results: async () => (await get<{ results: { content?: string }[] }>("/results?count=100")).results,
      payment: async () => (await store.view.list({}, { limit: 100 })).find((row) => row.deferral.includes(`/${id}/`)),
    };
  }

  const channel = async () => (await store.channels.list(undefined, 10)).at(-1);

  test("a gateway that dies between delivery and charge charges the delivered pages once, and the rest stays the payer's", async () => {
    const buy = await buyer();
    const { promise, resolve: release } = Promise.withResolvers<void>();
    gate = promise;
    const crawl = await started(await buy(100));
    await until(async () => (await crawl.state()).delivered > 0);
    await gateway?.kill();
    gateway = undefined;
    release();
    await until(async () => (await crawl.state()).state === "completed");
    const charged = String(PAGE * SITE_PAGES);
    const { delivered, cost } = await crawl.state();
    expect([delivered, cost.due, cost.quote, cost.open]).toEqual([SITE_PAGES, charged, String(PAGE * 100), true]);
    expect(Number(cost.paid)).toBeLessThan(PAGE * SITE_PAGES);
    expect((await crawl.results()).length * PAGE).toBe(Number(cost.paid));
    expect(await crawl.payment()).toMatchObject({ state: "deferred", scheme: "batch-settlement" });
    gateway = await open();
    await until(async () => !(await crawl.state()).cost.open, 30_000);
    expect((await crawl.state()).cost).toMatchObject({ due: charged, paid: charged });
    expect(await crawl.results()).toHaveLength(SITE_PAGES);
    expect(await crawl.payment()).toMatchObject({ state: "settled", amount: charged });
    expect(await channel()).toMatchObject({ charged, base: charged });
    // The next voucher begins at what was charged.
    const next = await started(await buy(2));
    await until(async () => !(await next.state()).cost.open, 30_000);
    expect(await next.results()).toHaveLength(2);
    const both = String(PAGE * (SITE_PAGES + 2));
    expect(await channel()).toMatchObject({ charged: both, base: both });
    const before = await till.received();
    await gateway.stop();
    gateway = undefined;
    expect((await till.received()) - before).toBe(BigInt(both));
  });
});
