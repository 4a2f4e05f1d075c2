/** The routes with tenants, and what becomes of the tenants at a reload. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { loadValue } from "../config/load.ts";
import { createTenants, provideTenants } from "./provide-tenants.ts";
import { TenantRoute } from "./tenant-route.ts";

const TENANT = { socket_dir: "/run/vms" };

let wheel: TimerWheel;
let counted: unknown[];

beforeEach(() => {
  wheel = new TimerWheel(new FakeClock());
  counted = [];
});
afterEach(() => wheel.close());

/** A configuration with these routes, which all have filters. */
function configOf(routes: readonly object[], limits: object = {}) {
  const { config, problems } = loadValue({
    upstreams: [{ name: "u", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: routes.map((route, i) => ({ path_prefix: `/${i}`, ...route })),
    wasm_filters: routes.map((_, i) => ({ match: `/${i}`, module: "/filter.wasm" })),
    ...limits,
  });
  return config ?? expect.unreachable(JSON.stringify(problems));
}

function partsOf(config: ReturnType<typeof configOf>, filters: readonly unknown[]) {
  const counts = {
    add: (...change: readonly unknown[]) => void counted.push(change),
    set: (...change: readonly unknown[]) => void counted.push(change),
  };
  const services = {
    wheel,
    buffers: plentyOfBuffers(),
    telemetry: { counts },
    onError: (error: unknown) => expect.unreachable(String(error)),
  };
  // Tenants use no other part of the telemetry.
  const tenants = createTenants(config, services as unknown as Parameters<typeof createTenants>[1]);
  const loaded = { route: (route: (typeof config.routes)[number]) => filters[config.routes.indexOf(route)] };
  // Routes with tenants use no other parts before the first request.
  return { config, tenants, filters: loaded } as unknown as Parameters<typeof provideTenants>[0];
}

test("a route has tenants if it is configured so and its filters are loaded", () => {
  const config = configOf([
    { tenant: TENANT },
    { upstream: "u" },
    { tenant: TENANT },
    { tenant: TENANT },
    { upstream: "u" },
  ]);
  const filters = { readsCalls: false };
  const provided = provideTenants(partsOf(config, [filters, filters, "closed", undefined, undefined]));
  const found = config.routes.map((route) => provided.get(route));
  expect(found.map((route) => route instanceof TenantRoute)).toEqual([true, false, false, false, false]);
  expect(found.slice(1)).toEqual([undefined, undefined, undefined, undefined]);
});

test("responses of tenants are buffered together while half of the memory for bodies is free", async () => {
  const config = configOf([{ tenant: { ...TENANT, header: "x-tenant" } }]);
  const bodies = new BufferPool({ bufferSize: 1, bufferCount: 100, reserve: 0 });
  const parts = { ...partsOf(config, [{ readsCalls: false }]), bodies };
  const [route] = config.routes;
  const { policy } = (route && provideTenants(parts).get(route)) ?? expect.unreachable();
  const scope = JSON.stringify(["/0", "/run/vms", "x-tenant"]);
  parts.tenants.warm.warm(scope, "a", "/run/vms/a");
  const started: number[] = [];
  for (const bodyLength of [10, 40, 1, 5]) {
    const client = new Consumer();
    client.start = () => void started.push(bodyLength);
    const exchange = new ClientExchange(client, { method: "GET", bodyLength: 0, fields: "x-tenant: a\r\n" });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await policy.request(exchange)).toBe("continue");
    exchange.response.start({ status: 200, reason: "", fields: "", bodyLength });
  }
  // The third response leaves less than half of the memory free.
  expect([started, bodies.used]).toEqual([[5], 51]);
});

test("the tenants of a worker have the limits of the configuration in use, and are counted", () => {
  const before = configOf([{ tenant: TENANT }], { tenant_max_warm: 2, tenant_idle_ttl_ms: 60_000 });
  const parts = partsOf(before, [undefined]);
  const { warm } = parts.tenants;
  for (const key of ["a", "b", "c"]) warm.warm("scope", key, `/run/vms/${key}`);
  expect(warm.list().map(({ key }) => key)).toEqual(["b", "c"]);
  counted.length = 0;
  expect([warm.find("scope", "a"), warm.find("scope", "c")?.path]).toEqual([undefined, "/run/vms/c"]);
  expect(counted).toEqual([
    ["tenantMisses", 1],
    ["tenantHits", 1],
  ]);
  const next = provideTenants({ ...parts, config: configOf([], { tenant_max_warm: 1 }) });
  expect(warm.list()).toHaveLength(2);
  counted.length = 0;
  next.use();
  expect([warm.list().map(({ key }) => key), counted]).toEqual([
    ["c"],
    [
      ["tenantsActive", 1],
      ["tenantEvictions", 1],
    ],
  ]);
});
