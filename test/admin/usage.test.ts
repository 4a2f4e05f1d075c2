/** The usage of real gateways: counted, stored and reported. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { isAlive } from "../../src/lib/process/is-alive.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { loadValue } from "../../src/gateway/config/load.ts";
import { startGateway } from "../../src/gateway/process/gateway/gateway.ts";
import { createUsageKeeper } from "../../src/gateway/process/usage-keeping.ts";
import { type UsageBody } from "../../src/gateway/admin/shapes/usage.ts";
import { PAYER, REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { openUsageStore } from "../../src/store/open/open-store.ts";
import { descendants, Folder } from "../support/program.ts";
import { requestsOf, type SiteOptions, UsageSite } from "./testing/usage-site.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(90_000));

const FORMULA = '=HYPERLINK("x")';
const GOODS = "the goods".length;

type Run = (folder: Folder) => Promise<void>;

/** Gives a test a folder of its own for its state. */
function inFolder(run: Run): () => Promise<void> {
  return async () => {
    const folder = new Folder();
    await run(folder).finally(() => folder.remove());
  };
}

function testIn(name: string, run: Run): void {
  test(name, inFolder(run));
}

/** These tests wait for the regular write, so they run side by side. */
function testWaiting(name: string, run: Run): void {
  test.concurrent(name, inFolder(run));
}

function start(folder: Folder, workers: number, changes: Partial<SiteOptions> = {}): Promise<UsageSite> {
  return UsageSite.start({ workers, state: folder.path, ...changes });
}

function pay(site: UsageSite, payment: unknown, consumer: string): Promise<number> {
  return site.ask("/paid", consumer, { "payment-signature": encodeHeader(payment) });
}

/** Stored requests of a consumer. */
async function kept(folder: Folder, consumer: string): Promise<number> {
  const store = openUsageStore(folder.file("turnpike.db"));
  try {
    const { routes } = await store.read("");
    return routes.filter((use) => use.consumer === consumer).reduce((sum, { requests }) => sum + requests, 0);
  } finally {
    await store.close();
  }
}

for (const workers of [1, 2]) {
  testIn(
    `${workers} workers: each consumer's requests, bytes and errors are shown by consumer, route and upstream`,
    async (folder) => {
      await using site = await start(folder, workers);
      const before = Date.now();
      for (let i = 0; i < 6; i++) await site.ask("/keys", "alice");
      for (let i = 0; i < 3; i++) await site.ask("/limited", "alice");
      await site.ask("/keys", FORMULA);
      for (let i = 0; i < 4; i++) await site.ask("/free");
      // Usage without a consumer: authentication refuses the first request, and the second has no route.
      expect(await site.ask("/keys", "mallory")).toBe(401);
      expect(await site.ask("/nowhere", "alice")).toBe(404);
      await until(async () => requestsOf(await site.usage()) === 14);
      const usage = await site.usage();
      expect(usage.consumers).toMatchObject([
        // Requests that the rate limit refuses are counted.
        {
          name: "alice",
          requests: 9,
          response_bytes: expect.any(Number),
          client_errors: 2,
          server_errors: 0,
          payments: 0,
        },
        { name: "", anonymous: true, requests: 4, request_bytes: 0, response_bytes: 4 * GOODS, client_errors: 0 },
        { name: FORMULA, requests: 1, response_bytes: GOODS, amounts: [] },
      ]);
      expect(usage.routes.map(({ route, requests }) => [route, requests])).toEqual([
        ["/keys", 7],
        ["/free", 4],
        ["/limited", 3],
      ]);
      expect(usage.upstreams).toMatchObject([
        { upstream: "origin", requests: 12, response_bytes: 12 * GOODS, client_errors: 0, server_errors: 0 },
      ]);
      for (const { last_seen_ms: seen } of [...usage.consumers, ...usage.upstreams]) {
        expect(seen).toBeWithin(before - 1000, Date.now() + 1000);
      }
      const csv = await site.admin("/v1/usage?format=csv");
      expect(csv.headers.get("content-type")).toStartWith("text/csv");
      const lines = (await csv.text()).split("\r\n");
      expect(lines[0]).toStartWith("consumer,kind,route,requests,");
      expect(lines.map((line) => /^.*?,named,\/keys,\d+/.exec(line)?.[0])).toContain(
        `"'=HYPERLINK(""x"")",named,/keys,1`,
      );
      expect(lines.filter((line) => line.startsWith(",anonymous,/free,4,"))).toHaveLength(1);
    },
  );

  testIn(
    `${workers} workers: readings with resets every few milliseconds under load lose no count and report no count twice`,
    async (folder) => {
      await using site = await start(folder, workers);
      let sent = 0;
      let seen = 0;
      const load = { goes: true };
      const clients = ["alice", "bob", "", "alice"].map(async (consumer) => {
        while (load.goes) {
          await site.ask(consumer === "" ? "/free" : "/keys", consumer);
          sent++;
        }
      });
      for (let i = 0; i < 100; i++) {
        const response = await site.admin("/v1/usage", "DELETE");
        expect(response.status).toBe(200);
        seen += requestsOf((await response.json()) as UsageBody); // Its form is defined by the API's description.
      }
      load.goes = false;
      await Promise.all(clients);
      // The last requests are counted after the whole response was sent, a moment after it arrived.
      await until(async () => {
        const usage = await site.usage(true);
        seen += requestsOf(usage);
        return seen >= sent;
      });
      expect(seen).toBe(sent);
      expect(sent).toBeGreaterThan(100);
      expect(requestsOf(await site.usage())).toBe(0);
    },
  );

  testIn(
    `${workers} workers: a settlement is counted once, for its payer, and a crash loses no settlement`,
    async (folder) => {
      const payments = Array.from({ length: 3 }, () => signedPayment(Date.now() / 1000));
      await using first = await start(folder, workers);
      expect(await pay(first, payments[0], "alice")).toBe(200);
      expect(await pay(first, payments[1], "alice")).toBe(200);
      expect(await pay(first, payments[2], "bob")).toBe(200);
      // Requested without payment, and twice with the same payment: the second time the kept response is sent.
      expect(await first.ask("/paid", "bob")).toBe(402);
      expect(await pay(first, payments[0], "alice")).toBe(200);
      const { network, asset, amount } = REQUIREMENTS;
      const paid = [
        {
          name: "alice",
          payments: 2,
          amounts: [{ network, asset: asset.toLowerCase(), amount: String(2 * Number(amount)) }],
        },
        { name: "bob", payments: 1, amounts: [{ network, asset: asset.toLowerCase(), amount }] },
      ];
      await until(async () => requestsOf(await first.usage()) === 5);
      expect((await first.usage()).consumers).toMatchObject(paid);
      expect((await first.usage()).routes).toMatchObject([{ route: "/paid", requests: 5, payments: 3 }]);
      const metrics = await (await first.admin("/v1/metrics")).text();
      const labels = `route="/paid",network="${network}",asset="${asset.toLowerCase()}"`;
      expect(metrics).toContain(`turnpike_sales_atomic_units_total{${labels}} ${3 * Number(amount)}\n`);
      await first.gateway.kill();
      await using second = await start(folder, workers);
      // The requests were not stored yet; the payments are in the ledger.
      const { consumers } = await second.usage(true);
      expect(consumers.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject(paid);
      await pay(second, payments[0], "alice");
      const after = await second.usage();
      expect(after.consumers.reduce((sum, consumer) => sum + consumer.payments, 0)).toBe(0);
    },
  );
}

testIn("a worker that is killed loses nothing that it has counted", async (folder) => {
  await using site = await start(folder, 2);
  let sent = 0;
  // Fewer than the early deaths in a row that stop the server.
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 10; i++) {
      expect(await site.ask("/free")).toBe(200);
      sent++;
    }
    await until(async () => requestsOf(await site.usage()) === sent);
    const [victim] = descendants(site.gateway.pid, "/process/workers/worker.");
    if (victim === undefined) throw new Error("no process to kill");
    process.kill(victim, "SIGKILL");
    await until(() => {
      const now = descendants(site.gateway.pid, "/process/workers/worker.");
      return now.length === 2 && !now.includes(victim);
    });
    expect(requestsOf(await site.usage())).toBe(sent);
  }
  expect(requestsOf(await site.usage(true))).toBe(sent);
});

test("a gateway without a store counts in memory, payments too", async () => {
  const origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the goods") });
  const { config } = loadValue({
    server: { workers: 1, listeners: [{ address: "127.0.0.1", port: 0 }] },
    access_log: { enabled: false },
    x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/paid", upstream: "origin", x402: TERMS }],
  });
  if (config === undefined) throw new Error("the configuration is refused");
  const storePath = ":memory:";
  const gateway = await startGateway({ config, storePath, reusePort: false, log() {} });
  const keeper = createUsageKeeper({ figures: gateway.figures, storePath, postgres: config.postgres, log() {} });
  keeper.start();
  try {
    const headers = { "payment-signature": encodeHeader(signedPayment(Date.now() / 1000)) };
    const response = await fetch(`http://127.0.0.1:${gateway.listeners[0]?.port}/paid`, { headers });
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    await until(async () => requestsOf((await keeper.read()).body) === 1);
    const { body } = await keeper.readAndReset();
    expect(body.consumers).toMatchObject([{ name: PAYER.toLowerCase(), requests: 1, payments: 1 }]);
    expect((await keeper.read()).body.consumers).toEqual([]);
  } finally {
    await gateway.close(0);
    await keeper.close();
    await origin.stop(true);
  }
});

for (const workers of [1, 2]) {
  testWaiting(
    `${workers} workers: a restart keeps the counts, and a killed server loses at most the counts that it had not stored`,
    async (folder) => {
      await using first = await start(folder, workers);
      for (let i = 0; i < 5; i++) await first.ask("/keys", "alice");
      await first.gateway.stop();
      expect(await kept(folder, "alice")).toBe(5);

      await using second = await start(folder, workers);
      expect(requestsOf(await second.usage(), "alice")).toBe(5);
      for (let i = 0; i < 3; i++) await second.ask("/keys", "alice");
      await until(async () => requestsOf(await second.usage(), "alice") === 8);
      await until(async () => (await kept(folder, "alice")) === 8, 20_000, "the usage is written down");
      await second.ask("/keys", "alice");
      const workerPids = descendants(second.gateway.pid, "/process/workers/worker.");
      await second.gateway.kill();
      // Workers end by themselves after the death of their supervisor.
      await until(() => workerPids.every((pid) => !isAlive(pid)));
      expect(await kept(folder, "alice")).toBe(8);

      await using third = await start(folder, workers);
      await third.ask("/keys", "alice");
      await until(async () => requestsOf(await third.usage(), "alice") === 9);
    },
  );
}

/** Locks an SQLite file until its standard input ends. */
const LOCKER = `
  import { Database } from "bun:sqlite";
  const database = new Database(process.argv[1]);
  database.run("PRAGMA busy_timeout = 5000");
  database.run("BEGIN IMMEDIATE");
  await Bun.write(Bun.stdout, "locked");
  await Bun.stdin.text();
  database.run("COMMIT");
`;

testWaiting(
  "while the file is locked, requests are served and counted, the log reports it once, and nothing is lost",
  async (folder) => {
    await using site = await start(folder, 1, { sells: false });
    await site.ask("/keys", "alice");
    expect(await kept(folder, "alice")).toBe(0);
    const locker = Bun.spawn([process.execPath, "-e", LOCKER, folder.file("turnpike.db")], {
      stdin: "pipe",
      stdout: "pipe",
    });
    await locker.stdout.getReader().read();
    const trouble = "counting continues in memory";
    await until(() => site.gateway.output().includes(trouble), 25_000);
    for (let i = 0; i < 5; i++) await site.ask("/keys", "alice");
    await until(async () => requestsOf(await site.usage(), "alice") === 6);
    expect((await site.admin("/v1/usage", "DELETE")).status).toBe(503);
    await locker.stdin.end();
    await locker.exited;
    expect(requestsOf(await site.usage(true), "alice")).toBe(6);
    expect(site.gateway.output().split(trouble)).toHaveLength(2);
  },
);
