/** Warm tenants of two workers, listed and evicted through the interface, the command line and the console. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { reply, type Sandbox, startSandbox } from "../../src/gateway/filters/control/testing/sandbox.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { errors } from "../support/browser.ts";
import { ConsoleRig, FULL_KEY, type Operator, READ_KEY } from "../support/console.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { tenantFilter } from "../tenants/testing/tenant-filter.ts";

setDefaultTimeout(patient(60_000));

interface Tenant {
  readonly key: string;
  readonly path: string;
  readonly workers: number;
}

let folder: Folder;
let sandbox: Sandbox;
let machine: Bun.Server<undefined>;
let rig: ConsoleRig;

beforeAll(async () => {
  folder = new Folder();
  const socket = folder.file("machine.sock");
  machine = Bun.serve({ unix: socket, fetch: () => new Response("from the tenant") });
  sandbox = await startSandbox();
  sandbox.response = () => reply(socket);
  const module = folder.file("tenants.wasm");
  writeFileSync(module, tenantFilter("x-tenant"));
  rig = await ConsoleRig.start({
    server: { workers: 2 },
    routes: [{ path_prefix: "/", tenant: { socket_dir: folder.path, header: "x-tenant" } }],
    wasm_filters: [{ match: "/", module, instances: 64 }],
    wasm_control_socket: sandbox.path,
  });
});

beforeEach(() => warmUp("acme"));

afterAll(async () => {
  await rig.stop();
  await machine.stop(true);
  await sandbox.close();
  folder.remove();
});

async function listed(): Promise<Tenant[]> {
  const response = await rig.ask("/v1/tenants");
  expect(response.status).toBe(200);
  return ((await response.json()) as { tenants: Tenant[] }).tenants;
}

async function request(tenant: string): Promise<string> {
  const headers = { "x-tenant": tenant };
  const response = await fetch(`http://127.0.0.1:${rig.gateway.port}/`, { headers, keepalive: false });
  return await response.text();
}

/** Makes the tenant warm in both workers; the kernel distributes the connections at random. */
async function warmUp(key: string): Promise<void> {
  await until(`${key} is warm in both workers`, async () => {
    expect(await request(key)).toBe("from the tenant");
    return (await listed()).some((tenant) => tenant.key === key && tenant.workers === 2) || undefined;
  });
}

test("a tenant that is warm in both workers is listed once, and counted in the status", async () => {
  expect((await listed()).map(({ key, path, workers }) => [key, path, workers])).toEqual([
    ["acme", folder.file("machine.sock"), 2],
  ]);
  const { wasm } = (await (await rig.ask("/v1/status")).json()) as { wasm: Record<string, unknown> };
  expect(wasm).toMatchObject({ tenants_active: 2, park_active: 0, park_capacity: 128, control_ready: true });
});

test("a removed tenant is gone in both workers when the response arrives, and its next request starts it", async () => {
  const before = sandbox.lines.length;
  const dropped = await rig.ask("/v1/tenants?key=acme", { method: "DELETE" });
  expect([dropped.status, await dropped.json()]).toEqual([200, { ok: true, deleted: "acme" }]);
  expect(await listed()).toEqual([]);
  expect((await rig.ask("/v1/tenants?key=acme", { method: "DELETE" })).status).toBe(404);
  await request("acme");
  expect(sandbox.lines.slice(before)).toEqual(["start acme"]);
  const events = (await (await rig.ask("/v1/events?format=json")).json()) as { events: Record<string, unknown>[] };
  expect(events.events.find(({ kind }) => kind === "tenant")).toMatchObject({
    key: "acme",
    outcome: "done",
    by: { kind: "operator", key: "api_key" },
  });
});

test("a worker that dies and its replacement delay neither the list nor an eviction", async () => {
  const [pid = 0] = descendants(rig.gateway.pid, "/process/workers/worker.");
  process.kill(pid, "SIGKILL");
  const lists = await Promise.all(Array.from({ length: 10 }, listed));
  for (const list of lists) expect(list.map(({ key }) => key)).toEqual(["acme"]);
  expect((await rig.ask("/v1/tenants?key=acme", { method: "DELETE" })).status).toBe(200);
  expect(await listed()).toEqual([]);
});

async function run(...args: string[]): Promise<string> {
  const env = { TURNPIKE_ADMIN: rig.url, TURNPIKE_ADMIN_KEY: FULL_KEY };
  const program = new Program(args, { env });
  await program.exit();
  return program.output;
}

test("the commands list tenants and forget one", async () => {
  const [tenants, status] = await Promise.all([run("tenants"), run("status")]);
  expect(tenants).toMatch(/^KEY\tSOCKET\tLAST USED\tWORKERS\nacme\t\S+machine\.sock\t\S+Z\t2\n$/);
  expect(status).toMatch(/filters\s+\d+ instances, 0 of 128 parked, control socket ready\ntenants\s+2 warm\n/);
  expect(await run("tenants", "remove", "acme")).toBe("removed acme\n");
  expect(await run("tenants")).toBe("KEY\tSOCKET\tLAST USED\tWORKERS\n");
});

/** Opens the page of filters and tenants as an operator. */
async function open(key: string): Promise<Operator> {
  const operator = await rig.operator();
  await operator.logIn(key);
  await operator.goTo("filters", "Filters and tenants");
  await operator.row("acme", "machine.sock");
  return operator;
}

test("the console shows the filter's figures, and evicts a tenant after a confirmation", async () => {
  const operator = await open(FULL_KEY);
  await operator.row("tenants.wasm", "in all");
  await operator.press("Evict acme");
  await operator.reads("All workers forget where acme runs.");
  expect(await errors(operator.page)).toEqual([]);
  expect((await listed()).map(({ key }) => key)).toEqual(["acme"]);
  await operator.press("Evict tenant");
  await operator.reads("The tenant acme is evicted.");
  await operator.reads("A tenant is listed from its first request on");
  expect(await listed()).toEqual([]);
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

test("the read-only key lists tenants, and cannot evict them", async () => {
  const operator = await open(READ_KEY);
  expect(await operator.text()).not.toContain("Evict");
  await operator.leave();
});
