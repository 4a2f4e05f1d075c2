/** Tenant routes with machines of both kinds. The filter is that of docs/tenants.md. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { compileAssemblyScript } from "../../src/gateway/filters/module/testing/assembly-script.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { MICRO_VMS } from "./testing/micro-vm.ts";
import { PROCESSES } from "./testing/process-machine.ts";
import { TenantGateway } from "./testing/tenant-gateway.ts";

/** Emulated machines are slow on a busy host. */
const LONG_MS = patient(60_000);
const CLIENTS = 50;

/** The example of docs/tenants.md. */
async function exampleFilter(): Promise<Uint8Array> {
  const page = await Bun.file(join(import.meta.dir, "../../docs/tenants.md")).text();
  const source = /```ts\n(.*?)```/s.exec(page)?.[1] ?? "";
  return await compileAssemblyScript(source, ["--runtime", "stub"]);
}

describe.each([PROCESSES, MICRO_VMS])("tenants that are $name", (kind) => {
  if (kind.missing !== undefined) {
    test.skip(`are not tested: ${kind.missing}`, () => {});
    return;
  }
  let tenants: TenantGateway;

  beforeAll(async () => {
    tenants = await TenantGateway.start({
      kind,
      filters: { "/": await exampleFilter() },
      routes: (socketDir) => [{ path_prefix: "/", tenant: { socket_dir: socketDir, header: "x-tenant" } }],
      config: { wasm_host_call_deadline_ms: LONG_MS, wasm_control_connections: 4 },
    });
  }, LONG_MS);
  afterAll(async () => await tenants.stop(), LONG_MS);

  test(
    "50 clients at once of two cold tenants start one machine each, and no client gets the other's responses",
    async () => {
      const { manager } = tenants;
      const keys = Array.from({ length: CLIENTS }, (_, i) => (i % 2 === 0 ? "acme" : "beta"));
      const told = await Promise.all(keys.map((key, i) => tenants.told(key, `/${i}`)));
      expect(told.map(({ tenant }) => tenant)).toEqual(keys);
      expect(told.map(({ url }) => url)).toEqual(keys.map((_, i) => `/${i}`));
      expect(new Set(told.map(({ boot }) => boot)).size).toBe(2);
      // A machine that is too busy to accept a connection is asked for again.
      expect([manager.started, [...new Set(manager.asked)].toSorted()]).toEqual([2, ["acme", "beta"]]);
    },
    LONG_MS,
  );

  test(
    "requests of warm tenants go straight to the machine, with their bodies and the client's Host",
    async () => {
      const body = "x".repeat(200_000);
      const before = tenants.manager.asked.length;
      const told = await tenants.told("acme", "/p", { method: "POST", body, headers: { host: "shop.example" } });
      expect(told).toMatchObject({ tenant: "acme", body: body.length, host: "shop.example" });
      expect(tenants.manager.asked.length).toBe(before);
      expect((await tenants.warm()).toSorted()).toEqual(["acme", "beta"]);
    },
    LONG_MS,
  );

  test(
    "two tenants never get each other's responses while one is slow",
    async () => {
      const keys = Array.from({ length: CLIENTS }, (_, i) => (i % 2 === 0 ? "acme" : "beta"));
      const told = await Promise.all(
        keys.map((key, i) => tenants.told(key, key === "acme" && i % 10 === 0 ? "/late" : "/")),
      );
      expect(told.map(({ tenant }) => tenant)).toEqual(keys);
    },
    LONG_MS,
  );

  test(
    "a machine that is killed in the middle of a response gives its clients 502, and the next request starts another one",
    async () => {
      const { manager } = tenants;
      const before = await tenants.told("acme");
      const broken = tenants.ask("acme", "/stalls", { method: "POST", body: "once" });
      // Its head and a part of its body have arrived, or are on their way.
      await tenants.told("acme");
      await manager.kill("acme");
      expect((await broken).status).toBe(502);
      const after = await tenants.told("acme");
      expect([after.tenant, after.boot === before.boot, manager.started]).toEqual(["acme", false, 3]);
      expect((await tenants.told("beta")).tenant).toBe("beta");
    },
    LONG_MS,
  );

  test("a machine that cannot be started gives its client 502", async () => {
    tenants.manager.response = () => Promise.reject(new Error("no memory"));
    const response = await tenants.ask("gamma");
    tenants.manager.response = () => undefined;
    expect(response.status).toBe(502);
  });

  test(
    "an idle tenant is evicted, its machine keeps running, and the next request starts it again",
    async () => {
      const { manager } = tenants;
      const { boot } = await tenants.told("beta");
      const asked = manager.asked.length;
      await tenants.reload({ tenant_idle_ttl_ms: 1 });
      expect(await tenants.warm()).toEqual([]);
      await tenants.reload({ tenant_idle_ttl_ms: 600_000 });
      expect((await tenants.told("beta")).boot).toBe(boot);
      expect([manager.asked.length, manager.started]).toEqual([asked + 1, 3]);
    },
    LONG_MS,
  );
});
