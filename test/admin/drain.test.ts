/** Draining and undraining of servers under load, without a lost request. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect as connectHttp2 } from "node:http2";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin } from "../support/admin.ts";
import { descendants, until } from "../support/program.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { statusOf } from "../support/message.ts";

const TIME_MS = patient(60_000);
const CLIENTS = 6;

interface Named {
  readonly name: string;
  readonly origin: RawOrigin;
  /** The time at which its client began each request that it received. */
  readonly begun: number[];
  probes: number;
  /** This number of its requests gets 503. */
  failing: number;
}

let origins: Named[];
let admin: Admin | undefined;

beforeEach(() => {
  origins = [];
});

afterEach(async () => {
  await admin?.stop();
  admin = undefined;
  for (const { origin } of origins) await origin.stop();
});

async function startOrigin(name: string): Promise<Named> {
  const origin = await RawOrigin.start();
  const named: Named = { name, origin, begun: [], probes: 0, failing: 0 };
  origin.response = ({ startLine }, connection) => {
    const [, time] = /\?t=([\d.]+)/.exec(startLine) ?? [];
    if (time === undefined) named.probes++;
    else named.begun.push(Number(time));
    const status = named.failing > 0 && Math.random() < named.failing ? "503 Busy" : "200 OK";
    const body = `${name} ${"x".repeat(500)}`;
    setTimeout(
      () => connection.send(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      Math.random() * 20,
    );
  };
  origins.push(named);
  return named;
}

function keyOf({ origin }: Named): string {
  return `127.0.0.1:${origin.port}`;
}

async function serve(upstream: object, workers: number, servers: object[] = []): Promise<Admin> {
  const named = origins.map(({ origin }) => ({ address: "127.0.0.1", port: origin.port, max_fails: 1_000_000 }));
  admin = await Admin.start({
    workers,
    config: {
      upstreams: [{ name: "app", servers: [...named, ...servers], ...upstream }],
      routes: [{ path_prefix: "/", upstream: "app", retry: { max_retries: 5 } }],
      access_log: { enabled: false },
    },
  });
  return admin;
}

async function drain(server: string, isDrained: boolean, upstream = "app"): Promise<number> {
  const what = isDrained ? "drain" : "undrain";
  const path = `/v1/upstreams/${upstream}/servers/${encodeURIComponent(server)}/${what}`;
  const response = await (admin as Admin).call("POST", path);
  if (response.status === 200) expect(response.body).toMatchObject({ ok: true, drained: isDrained });
  return response.status;
}

async function listed(server: string): Promise<Record<string, unknown>> {
  const { body } = await (admin as Admin).call("GET", "/v1/upstreams");
  const found = body.upstreams[0].servers.find((one: { server: string }) => one.server === server);
  return found;
}

/** Clients that send requests without a pause until they are stopped; every response other than 200 is kept. */
class Load {
  readonly odd: string[] = [];
  responded = 0;
  #stopping = false;
  readonly #running: Promise<void>[];

  constructor(port: number) {
    this.#running = Array.from({ length: CLIENTS }, (_, i) =>
      i % 2 === 0 ? this.#overHttp1(port) : this.#overHttp2(port),
    );
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #overHttp1(port: number): Promise<void> {
    while (!this.#stopping) {
      const client = await RawClient.open(port);
      for (let i = 0; i < 20 && !this.#stopping; i++) {
        client.send(`GET /x?t=${performance.now()} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
        const response = await client.response().catch((error: unknown) => ({ startLine: `lost: ${String(error)}` }));
        this.#count(response.startLine.includes(" 200 "), response.startLine);
      }
      client.destroy();
    }
  }

  async #overHttp2(port: number): Promise<void> {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on("error", (error) => this.odd.push(String(error)));
    while (!this.#stopping) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const stream = session.request({ ":path": `/x?t=${performance.now()}` });
      let status = 0;
      stream.on("response", (fields) => (status = fields[":status"] ?? 0));
      stream.on("error", (error) => this.odd.push(String(error)));
      stream.on("close", () => resolve(status));
      stream.resume();
      const got = await promise;
      this.#count(got === 200, `HTTP/2 ${got}`);
    }
    session.close();
  }

  #count(isGood: boolean, what: string): void {
    this.responded++;
    if (!isGood) this.odd.push(what);
  }
}

/** Waits until `more` further requests have a response. */
async function goOn(load: Load, more = 60): Promise<void> {
  const from = load.responded;
  await until("the load goes on", () => (load.responded >= from + more || load.odd.length > 0 ? true : undefined));
}

const KINDS: readonly (readonly [what: string, workers: number, upstream: object, failing: number])[] = [
  ["in turns, in one process", 1, { load_balancer: "round_robin" }, 0],
  ["by least connections, with two workers", 2, { load_balancer: "least_conn" }, 0],
  ["by client address, with two workers", 2, { load_balancer: "ip_hash" }, 0],
  ["with servers that fail and tries that follow, with two workers", 2, { load_balancer: "random" }, 0.05],
];

for (const [what, workers, upstream, failing] of KINDS) {
  test(
    `no request is lost while servers are drained and restored: ${what}`,
    async () => {
      const all = [await startOrigin("a"), await startOrigin("b"), await startOrigin("c")];
      const { port } = await serve(upstream, workers);
      const load = new Load(port);
      await goOn(load);
      for (const named of all) named.failing = failing;
      for (const drained of all) {
        expect(await drain(keyOf(drained), true)).toBe(200);
        const since = performance.now();
        await goOn(load);
        const others = all.filter((one) => one !== drained);
        expect(drained.begun.filter((time) => time > since)).toEqual([]);
        expect(others.some(({ begun }) => begun.some((time) => time > since))).toBeTrue();
        expect(await listed(keyOf(drained))).toMatchObject({ drained: true, in_rotation: false });
        expect(await drain(keyOf(drained), false)).toBe(200);
        const back = performance.now();
        // With hashing by client address, it can be without clients.
        if (what.includes("address")) continue;
        await until("it gets requests again", () => (drained.begun.some((time) => time > back) ? true : undefined));
      }
      await load.stop();
      expect(load.odd).toEqual([]);
    },
    TIME_MS,
  );
}

for (const workers of [1, 2]) {
  test(
    `requests in flight at a drained server end there, and its probes continue, with ${workers} workers`,
    async () => {
      const [a, b] = [await startOrigin("a"), await startOrigin("b")];
      const { port } = await serve({ health_check: { interval_ms: 50 } }, workers);
      const held: (() => void)[] = [];
      a.origin.response = ({ startLine }, connection) => {
        if (!startLine.includes("?t=")) {
          a.probes++;
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
          return;
        }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
        held.push(() => connection.send("cd"));
      };
      const ask = (): Promise<string> =>
        once(port, "GET /x?t=1 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n").then(({ body }) => body);
      const asked = Array.from({ length: 20 }, ask);
      await until("some are under way at it", () => (held.length > 0 ? true : undefined));
      await until("all have been sent", () => (held.length + b.begun.length === 20 ? true : undefined));
      expect(await listed(keyOf(a))).toMatchObject({
        requests_in_flight: held.length,
        drained: false,
        in_rotation: true,
      });
      expect(await drain(keyOf(a), true)).toBe(200);
      expect(await listed(keyOf(a))).toMatchObject({ requests_in_flight: held.length, drained: true });
      const { probes } = a;
      await until("it is probed on", () => (a.probes > probes + 1 ? true : undefined));
      for (const end of held) end();
      const bodies = await Promise.all(asked);
      expect(bodies.filter((body) => body === "abcd").length).toBe(held.length);
      expect(await listed(keyOf(a))).toMatchObject({ requests_in_flight: 0, health: "healthy" });
    },
    TIME_MS,
  );
}

test(
  "a drained server stays drained after reloads, changes and killed workers, but not after its removal; if all servers are drained, requests get 502",
  async () => {
    const a = await startOrigin("a");
    const { port, program } = await serve({}, 2);
    const status = async (): Promise<number> =>
      statusOf(await once(port, "GET /x?t=1 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"));
    expect(await status()).toBe(200);
    expect(await drain(keyOf(a), true)).toBe(200);
    expect(await status()).toBe(502);
    expect((await (admin as Admin).call("POST", "/v1/reload")).status).toBe(200);
    expect(await status()).toBe(502);
    const [victim] = descendants(program.pid, "/process/workers/worker.");
    if (victim === undefined) throw new Error("no process to kill");
    process.kill(victim, "SIGKILL");
    await until("another worker serves", () => {
      const pids = descendants(program.pid, "/process/workers/worker.");
      return pids.length === 2 && !pids.includes(victim) ? true : undefined;
    });
    for (let i = 0; i < 20; i++) expect(await status()).toBe(502);
    const { body } = await (admin as Admin).call("GET", "/v1/config");
    expect(JSON.stringify(body)).not.toContain("drained");
    const servers = [{ address: "127.0.0.1", port: a.origin.port }];
    const change = (list: object[]): Promise<{ status: number }> =>
      (admin as Admin).call("PATCH", "/v1/upstreams/app", { body: { servers: list } });
    expect((await change([{ address: "127.0.0.1", port: 1 }])).status).toBe(200);
    expect((await change(servers)).status).toBe(200);
    expect(await status()).toBe(200);
  },
  TIME_MS,
);

test(
  "backups take over for a drained primary, and give it back",
  async () => {
    const a = await startOrigin("a");
    const b = await startOrigin("b");
    origins = [a];
    const { port } = await serve({}, 1, [{ address: "127.0.0.1", port: b.origin.port, backup: true }]);
    origins = [a, b];
    const name = async (): Promise<string> =>
      (await once(port, "GET /x?t=1 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")).body.slice(0, 1);
    expect(await name()).toBe("a");
    await drain(keyOf(a), true);
    expect(await name()).toBe("b");
    await drain(keyOf(b), true);
    expect(await name()).not.toMatch(/^[ab]$/);
    await drain(keyOf(a), false);
    expect(await name()).toBe("a");
  },
  TIME_MS,
);

test("unknown servers and upstreams are 404, and the event of a drain names the operator", async () => {
  const a = await startOrigin("a");
  await serve({}, 1);
  expect([await drain("127.0.0.1:1", true), await drain(keyOf(a), true, "other")]).toEqual([404, 404]);
  expect([await drain(keyOf(a), true), await drain(keyOf(a), false)]).toEqual([200, 200]);
  const { body } = await (admin as Admin).call("GET", "/v1/events?format=json");
  const drains = body.events.filter(({ kind }: { kind: string }) => kind === "drain");
  expect(drains).toMatchObject([
    {
      by: { kind: "operator", key: "api_key", address: "127.0.0.1" },
      drained: true,
      server: keyOf(a),
      upstream: "app",
    },
    { drained: false, outcome: "done" },
  ]);
});
