/** The figures of whole gateways: sums over all workers, restarts of workers, and sales. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { Admin } from "../support/admin.ts";
import { descendants, until } from "../support/program.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";

const TIME_MS = patient(60_000);

let origin: RawOrigin;
let admin: Admin;

beforeEach(async () => {
  origin = await RawOrigin.start();
  origin.response = ({ startLine }, connection) => {
    const status = startLine.includes("fail") ? "500 No" : "200 OK";
    connection.send(`HTTP/1.1 ${status}\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nhello`);
  };
});

afterEach(async () => {
  await admin.stop();
  await origin.stop();
});

async function serve(workers: number, more: Record<string, unknown> = {}): Promise<void> {
  admin = await Admin.start({
    workers,
    config: {
      upstreams: [{ name: "app", servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 100_000 }] }],
      routes: [
        { path_prefix: "/a", upstream: "app" },
        { path_prefix: "/cached", upstream: "app", cache: { ttl_s: 60 } },
        { path_prefix: "/", upstream: "app", retry: { max_retries: 0 } },
      ],
      access_log: { enabled: false },
      ...more,
    },
  });
}

function ask(path: string): Promise<string> {
  return once(admin.port, `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`).then(
    ({ startLine }) => startLine,
  );
}

// Tests access responses freely; the schemas of the description check their form.
// oxlint-disable-next-line typescript/no-explicit-any
async function overview(): Promise<any> {
  return (await admin.call("GET", "/v1/overview")).body;
}

for (const workers of [1, 2]) {
  test(
    `the overview counts each request once, by class, route and time, with ${workers} workers`,
    async () => {
      await serve(workers);
      for (let i = 0; i < 30; i++) await ask("/a/x");
      for (let i = 0; i < 10; i++) await ask("/fail");
      for (let i = 0; i < 8; i++) await ask("/cached");
      const open = await RawClient.open(admin.port);
      const figures = await until("all is counted", async () => {
        const now = await overview();
        return now.requests === 48 && now.connections_open === 1 ? now : undefined;
      });
      open.destroy();
      expect(figures.responses).toEqual({ "1xx": 0, "2xx": 38, "3xx": 0, "4xx": 0, "5xx": 10 });
      expect(figures.response_bytes).toBe(48 * 5);
      expect(figures.durations.counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(48);
      const routes = Object.fromEntries(figures.routes.map((route: { route: string }) => [route.route, route]));
      expect(routes["/a"]).toMatchObject({ requests: 30, client_errors: 0, server_errors: 0, response_bytes: 150 });
      expect(routes["/"]).toMatchObject({ requests: 10, server_errors: 10 });
      expect(routes["/a"].durations.counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(30);
      const { hits, misses, routes: cached } = figures.caches;
      expect([hits + misses, cached.length, cached[0].route]).toEqual([8, 1, "/cached"]);
      // Each worker has its own cache.
      expect(misses).toBeLessThanOrEqual(workers);
      expect(figures.workers).toHaveLength(workers);
      expect(figures.upstreams).toMatchObject([{ name: "app", servers: [{ in_rotation: true, drained: false }] }]);
    },
    TIME_MS,
  );
}

test(
  "the counts of a killed worker stay, its requests in flight are cleared, and a new worker replaces it",
  async () => {
    await serve(2);
    for (let i = 0; i < 40; i++) await ask("/a/x");
    const before = await until("all is counted", async () => {
      const now = await overview();
      return now.requests === 40 ? now : undefined;
    });
    const [victim] = descendants(admin.program.pid, "/process/workers/worker.");
    if (victim === undefined) throw new Error("no process to kill");
    process.kill(victim, "SIGKILL");
    const after = await until("another worker counts", async () => {
      const now = await overview();
      const pids = now.workers.map(({ pid }: { pid: number }) => pid);
      return now.worker_restarts === 1 && pids.length === 2 && !pids.includes(victim) ? now : undefined;
    });
    expect([after.requests, after.responses["2xx"]]).toEqual([before.requests, 40]);
    expect(after.requests_in_flight).toBe(0);
    expect(after.started_at_ms).toBe(before.started_at_ms);
  },
  TIME_MS,
);

for (const workers of [1, 2]) {
  test(
    `payments are shown by day and payment, without a signature, with ${workers} workers`,
    async () => {
      await serve(workers, {
        x402: { enabled: true, test_mode: true },
        routes: [
          {
            path_prefix: "/paid",
            upstream: "app",
            x402: TERMS,
          },
        ],
      });
      const empty = await admin.call("GET", "/v1/payments");
      expect(empty.body).toMatchObject({ available: true, days: [], open: 0, owed: 0 });
      const signatures: string[] = [];
      for (let i = 0; i < 3; i++) {
        const payment = signedPayment(Date.now() / 1000);
        signatures.push(JSON.stringify(payment.payload));
        const response = await fetch(`http://127.0.0.1:${admin.port}/paid/x`, {
          headers: { "payment-signature": encodeHeader(payment) },
        });
        expect(response.status).toBe(200);
        await response.text();
      }
      const summary = await until("all are told", async () => {
        const { body } = await admin.call("GET", "/v1/payments");
        return body.available === true &&
          body.days[0]?.payments === 3 &&
          body.recent.every((one: { delivered: boolean }) => one.delivered)
          ? body
          : undefined;
      });
      const day = new Date().toISOString().slice(0, 10);
      expect(summary.days).toMatchObject([
        { day, route: "/paid", payments: 3, amount: String(3n * BigInt(REQUIREMENTS.amount)) },
      ]);
      expect(summary.recent).toHaveLength(3);
      expect([summary.open, summary.unknown, summary.owed]).toEqual([0, 0, 0]);
      for (const signature of signatures) {
        const [, hex = "?"] = /"signature":"(0x[0-9a-f]+)"/i.exec(signature) ?? [];
        expect(JSON.stringify(summary)).not.toContain(hex);
      }
      const payments = await until("no open payment", async () => {
        const { payments: counted } = await overview();
        return counted.open === 0 ? counted : undefined;
      });
      expect(payments).toMatchObject({ settled: 3, delivered: 3 });
    },
    TIME_MS,
  );
}

test("a gateway without priced routes and without a content service reports that", async () => {
  await serve(2);
  expect((await admin.call("GET", "/v1/payments")).body).toMatchObject({ available: false });
  expect((await admin.call("GET", "/v1/content")).body).toMatchObject({ available: false });
});
