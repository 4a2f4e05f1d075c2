/** Tenants of a gateway with several workers: each worker has its own warm tenants. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { until } from "../../src/lib/testing/until.ts";
import { Clients, PROTOCOLS } from "../policy/protocols.ts";
import { SERVERS } from "./testing/server-machine.ts";
import { tenantFilter } from "./testing/tenant-filter.ts";
import { TenantGateway, type Told } from "./testing/tenant-gateway.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const CLIENTS = 60;
let tenants: TenantGateway;

beforeAll(async () => {
  tenants = await TenantGateway.start({
    kind: SERVERS,
    filters: { "/": tenantFilter("x-tenant") },
    routes: (socketDir) => [{ path_prefix: "/", tenant: { socket_dir: socketDir, header: "x-tenant" } }],
    config: { wasm_control_connections: 4, server: { workers: 2 } },
  });
});
afterAll(async () => await tenants.stop());

/** The machine that responds. Each request has its own connection, and so can reach any worker. */
async function bootOf(tenant: string): Promise<string> {
  return (await tenants.told(tenant, "/", { keepalive: false })).boot;
}

function bootsOf(tenant: string): Promise<string[]> {
  return Promise.all(Array.from({ length: CLIENTS }, () => bootOf(tenant)));
}

test("many clients of a cold tenant start one machine, with at most one command from each worker", async () => {
  expect(new Set(await bootsOf("acme")).size).toBe(1);
  expect(tenants.manager.started).toBe(1);
  expect(tenants.manager.asked.length).toBeLessThanOrEqual(2);
});

test("an operator evicts a tenant in all workers", async () => {
  const boot = await bootOf("acme");
  await until(async () => {
    await bootOf("acme");
    return tenants.manager.asked.length === 2;
  });
  expect((await tenants.admin("DELETE", "/v1/tenants?key=acme")).status).toBe(200);
  expect(await tenants.warm()).toEqual([]);
  expect(new Set(await bootsOf("acme"))).toEqual(new Set([boot]));
});

test("each worker notices a machine that dies, and no client with GET does", async () => {
  const before = await bootOf("acme");
  await tenants.manager.kill("acme");
  const boots = await bootsOf("acme");
  expect(new Set(boots).size).toBe(1);
  expect(boots[0]).not.toBe(before);
});

test(
  "clients for whose commands the sandbox has no room get 503 with Retry-After, with one worker and with four",
  async () => {
    for (const workers of [1, 4]) {
      const crowded = await TenantGateway.start({
        kind: SERVERS,
        filters: { "/": tenantFilter("x-tenant") },
        routes: (socketDir) => [{ path_prefix: "/", tenant: { socket_dir: socketDir, header: "x-tenant" } }],
        config: { wasm_host_call_deadline_ms: 60_000, server: { workers } },
      });
      const { promise, resolve } = Promise.withResolvers<void>();
      crowded.manager.response = (tenant) => promise.then(() => crowded.manager.path(tenant));
      let refused = 0;
      const replies = Array.from({ length: 150 }, async (_, i) => {
        const response = await crowded.ask(`t${i}`, "/", { keepalive: false });
        // All that fit are parked by then.
        if (response.status === 503 && ++refused === 80) resolve();
        return `${response.status} ${response.headers.has("retry-after")}`;
      });
      expect(new Set(await Promise.all(replies))).toEqual(new Set(["200 false", "503 true"]));
      await crowded.stop();
    }
  },
  patient(120_000),
);

/** Printed after a failure, so that the run can be repeated. */
const SEED = Number(process.env["TURNPIKE_TEST_SEED"] ?? Date.now() % 1_000_000);
const STEPS = 150;
const KEYS = ["r1", "r2", "r3"] as const;
const PATHS = ["/", "/", "/late", "/big", "/cut", "/cut-chunked", "/reset", "/garbage"] as const;

test(
  `with any fault, no tenant gets the response of another one, and nothing is left (seed ${SEED})`,
  async () => {
    const random = fractionsOf(SEED);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // Not empty.
    const { gateway, manager } = tenants;
    const clients = new Clients(gateway.tlsPort, gateway.quicPort);
    const wrong: string[] = [];
    let good = 0;
    const running: Promise<unknown>[] = [];
    const check = (tenant: string, status: number, body: Buffer): void => {
      if (status >= 500) return;
      const isOwn = body.length === 1_000_000 || (JSON.parse(body.toString()) as Told).tenant === tenant; // The form of
      // the machines'
      // responses.
      if (status === 200 && isOwn) good++;
      else wrong.push(`${tenant}: ${status} ${body.toString("latin1", 0, 100)}`);
    };
    const ask = async (tenant: string): Promise<void> => {
      const protocol = pick(PROTOCOLS);
      // The HTTP/2 client waits a long time for the end of a response that was reset.
      const path = pick(protocol === "HTTP/2" ? PATHS.filter((one) => one !== "/big") : PATHS);
      const body = random() < 0.5 ? undefined : "b".repeat(Math.floor(random() * 20_000));
      const headers = { "x-tenant": tenant };
      const asked = { path, headers, ...(body === undefined ? {} : { method: "POST", body }) };
      // A response that was cut off is an error here.
      const reply = await gateway.request(protocol, asked).catch(() => undefined);
      if (reply !== undefined) check(tenant, reply.status, reply.body);
    };
    const leave = async (tenant: string): Promise<void> => {
      (await clients.open(pick(PROTOCOLS), pick(PATHS), [["x-tenant", tenant]]))();
    };
    for (let step = 0; step < STEPS; step++) {
      const [chance, tenant] = [random(), pick(KEYS)];
      if (chance < 0.7) running.push(ask(tenant));
      else if (chance < 0.8) running.push(leave(tenant));
      else if (chance < 0.86) running.push(manager.kill(tenant));
      else if (chance < 0.9) running.push(tenants.admin("DELETE", `/v1/tenants?key=${tenant}`));
      // oxlint-disable-next-line no-await-in-loop -- some steps run at the same time, not all
      else await running.at(-1);
    }
    await Promise.all(running);
    await clients.close();
    expect(wrong).toEqual([]);
    expect(good).toBeGreaterThan(STEPS / 10);
    for (const key of KEYS) expect((await tenants.told(key)).tenant).toBe(key);
    await until(async () => {
      const page = await (await fetch(`http://127.0.0.1:${gateway.plainPort}/metrics`)).text();
      return /^turnpike_wasm_park_active 0$/m.test(page) && /^turnpike_wasm_pool_pinned 0$/m.test(page);
    });
  },
  patient(120_000),
);
