/** Hostile filters in a real gateway, over every protocol: nothing hangs, and other routes lose no requests. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { until } from "../../src/lib/testing/until.ts";
import { descendants, Folder } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { type Protocol, type ProtocolGateway, PROTOCOLS, type Reply, startProtocols } from "../policy/protocols.ts";
import { FILLS_AND_TRAPS, HOSTILE_OWN, HOSTILE_PROXY, PAUSED, REFUSED, TRAPS_LATE } from "./testing/hostile-modules.ts";

setDefaultTimeout(patient(30_000));

/** Less than the default, because there are many filters. */
const FUEL = 1_000_000;

const folder = new Folder();
let origin: Bun.Server<undefined>;
let gateway: ProtocolGateway;

interface Filtered {
  readonly name: string;
  readonly path: string;
  readonly module: string;
}

function written(kind: string, modules: Readonly<Record<string, Uint8Array>>): Filtered[] {
  return Object.entries(modules).map(([name, bytes], i) => {
    const module = folder.file(`${kind}-${i}.wasm`);
    writeFileSync(module, bytes);
    return { name, path: `/${kind}/${i}`, module };
  });
}

const hostile = [...written("own", HOSTILE_OWN), ...written("proxy", HOSTILE_PROXY)];
const late = written("late", TRAPS_LATE);
const filling = written("filling", FILLS_AND_TRAPS);
const refused = written("refused", REFUSED);

beforeAll(async () => {
  origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: async (request) => new Response(await request.text()) });
  const filtered = [...hostile, ...late, ...filling, ...refused];
  gateway = await startProtocols({
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [
      { path_prefix: "/free", upstream: "origin" },
      ...filtered.map(({ path }) => ({ path_prefix: path, upstream: "origin" })),
    ],
    wasm_filters: filtered.map(({ path, module }) => ({ match: path, module, instances: 1, fuel: FUEL })),
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  folder.remove();
});

/** Sends requests on the route without filters until `done`; returns their number. */
async function trafficUntil(done: Promise<unknown>, protocol: Protocol): Promise<number> {
  const work = { isOver: false };
  void done.catch(() => {}).then(() => (work.isOver = true));
  let count = 0;
  while (!work.isOver) {
    const body = `request ${count++}`;
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that each is as late as the worker
    const reply = await gateway.request(protocol, { method: "POST", path: "/free", body });
    expect([reply.status, reply.text]).toEqual([200, body]);
  }
  return count;
}

function ask(protocol: Protocol, { path }: Filtered): Promise<Reply> {
  return gateway.request(protocol, { path });
}

test.each(PROTOCOLS)(
  "hostile filters fail closed over %s, and a route beside them loses no request",
  async (protocol) => {
    const asked = Promise.all(hostile.map(async (filter) => [filter.name, await ask(protocol, filter)] as const));
    const count = await trafficUntil(asked, protocol);
    expect(count).toBeGreaterThan(0);
    for (const [name, reply] of await asked) {
      // A filter that has used up the time for failures is not started again for a while.
      expect({ name, isFailed: reply.status === 500 || reply.status === 503 }).toEqual({ name, isFailed: true });
      expect(reply.text).not.toMatch(/fuel|trap|wasm/i);
    }
  },
);

test.each(PROTOCOLS)("filters that do not load cause 503 over %s", async (protocol) => {
  const replies = await Promise.all(refused.map(async (filter) => [filter.name, (await ask(protocol, filter)).status]));
  expect(replies).toEqual(refused.map(({ name }) => [name, 503]));
});

test("the reason of each failure is in the log", async () => {
  for (const filter of hostile)
    await gateway.program.sees(new RegExp(`${filter.path.split("/").join("-").slice(1)}\\.wasm`));
});

/** Resident bytes of the gateway's processes. */
function residentBytes(): number {
  const pids = [gateway.program.pid, ...descendants(gateway.program.pid, "")];
  return pids.reduce((sum, pid) => {
    const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return sum + Number(kib) * 1024;
  }, 0);
}

test.each(PROTOCOLS)("a trap fails the requests that wait in the same instance over %s", async (protocol) => {
  for (const filter of late) {
    const replies = Promise.all(Array.from({ length: PAUSED + 1 }, () => ask(protocol, filter)));
    expect((await replies).map(({ status }) => status)).toEqual(Array(PAUSED + 1).fill(500));
  }
});

test("the memory of failed instances is freed", async () => {
  const before = residentBytes();
  let failures = 0;
  const fail = async (): Promise<boolean> => {
    for (const filter of filling) if ((await ask("HTTP/1.1", filter)).status === 500) failures++;
    return failures >= 8;
  };
  await until(fail, 30_000, "8 instances that have failed");
  // 8 instances had 248 MiB.
  await until(() => residentBytes() < before + 128 * 1024 * 1024, 20_000, "the memory of failed instances");
});

test("the worker has survived all failures", async () => {
  expect(gateway.program.running).toBe(true);
  expect(gateway.program.output).not.toMatch(/worker .*(?:ended|died|exited|restart)/i);
  expect((await gateway.plain({ path: "/free" })).status).toBe(200);
});
