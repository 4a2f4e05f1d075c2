/** Requests that operators watch, in gateways with one and several workers. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { type WatchedRequest } from "../../src/gateway/telemetry/request-watch.ts";
import { readEvents } from "../../src/cli/admin/server-events.ts";
import { Admin, KEY, READ_KEY } from "../support/admin.ts";
import { descendants, until } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";

setDefaultTimeout(patient(60_000));

let origin: RawOrigin;
let admin: Admin;
const leaving: AbortController[] = [];

beforeEach(async () => {
  origin = await RawOrigin.start();
  origin.response = ({ startLine }, connection) =>
    connection.send(`HTTP/1.1 ${startLine.includes("fail") ? "500 No" : "200 OK"}\r\nContent-Length: 2\r\n\r\nok`);
});
afterEach(async () => {
  for (const abort of leaving.splice(0)) abort.abort();
  await admin.stop();
  await origin.stop();
});

async function serve(workers: number): Promise<void> {
  admin = await Admin.start({
    workers,
    config: {
      upstreams: [{ name: "app", servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 100_000 }] }],
      routes: [
        { path_prefix: "/", upstream: "app" },
        { path_prefix: "/keys", upstream: "app", auth: { type: "api_key", keys: [{ key: "k-1", name: "acme" }] } },
      ],
      access_log: { enabled: false },
    },
  });
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<void> {
  await (await fetch(`http://127.0.0.1:${admin.port}${path}`, { headers })).text();
}

interface Watching {
  readonly requests: WatchedRequest[];
  readonly events: string[];
}

/** Watches, as soon as all workers know of it. */
async function watch(query = "", key = KEY): Promise<Watching> {
  const abort = new AbortController();
  leaving.push(abort);
  const response = await fetch(`${admin.url}/v1/requests${query}`, {
    headers: { "x-api-key": key },
    signal: abort.signal,
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const watching: Watching = { requests: [], events: [] };
  void (async () => {
    for await (const { data } of readEvents(response.body ?? new ReadableStream())) {
      const event = JSON.parse(data) as WatchedRequest & { kind: string };
      watching.events.push(event.kind);
      if (event.kind === "request") watching.requests.push(event);
    }
  })().catch(() => {});
  return watching;
}

for (const workers of [1, 2]) {
  test(`requests are shown as they end, only those that match, with ${workers} workers`, async () => {
    await serve(workers);
    await ask("/before");
    const all = await watch();
    const failed = await watch("?status=5", READ_KEY);
    const named = await watch("?text=AcMe");
    // Workers learn of the streams a moment later.
    await until("all workers send", async () => {
      for (let i = 0; i < 4; i++) await ask("/warm", { connection: "close" });
      return all.requests.length >= 4 * workers ? true : undefined;
    });
    for (let i = 0; i < 10; i++) {
      await ask(`/a?token=secret-${i}&page=${i}`, { connection: "close", "user-agent": `agent/${i}` });
      await ask("/fail", { connection: "close" });
      await ask("/keys", { "x-api-key": "k-1", connection: "close" });
    }
    await until("all are shown", () =>
      all.requests.filter(({ path }) => path !== "/warm").length === 30 ? true : undefined,
    );
    await until("failed are shown", () => (failed.requests.length === 10 ? true : undefined));
    await until("named are shown", () => (named.requests.length === 10 ? true : undefined));
    expect(all.requests.find(({ user_agent: agent }) => agent === "agent/3")).toMatchObject({
      method: "GET",
      path: "/a",
      query: "?token=REDACTED&page=3",
      status: 200,
      route: "/",
      client: "127.0.0.1",
      bytes_sent: 2,
      protocol: "HTTP/1.1",
    });
    expect(JSON.stringify(all.requests)).not.toContain("secret-");
    expect(JSON.stringify(all.requests)).not.toContain("k-1");
    expect(new Set(failed.requests.map(({ status }) => status))).toEqual(new Set([500]));
    expect(new Set(named.requests.map(({ consumer }) => consumer))).toEqual(new Set(["acme"]));
  });
}

test("a worker that replaces another shows its requests too", async () => {
  await serve(1 + 1);
  const all = await watch();
  for (const pid of descendants(admin.program.pid, "/process/workers/worker.")) process.kill(pid, "SIGKILL");
  await until("requests of new workers are shown", async () => {
    await ask("/again", { connection: "close" }).catch(() => {});
    return all.requests.some(({ path }) => path === "/again") ? true : undefined;
  });
});

test("a flood is counted, and does not fill the memory", async () => {
  await serve(1);
  const all = await watch();
  await until("the worker sends", async () => {
    await ask("/warm");
    return all.requests.length > 0 ? true : undefined;
  });
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      for (let i = 0; i < 50; i++) await ask("/flood");
    }),
  );
  await until("the others are counted", () => (all.events.includes("missed") ? true : undefined));
});

test("too many watchers are refused, and wrong filters too", async () => {
  await serve(1);
  for (let i = 0; i < 6; i++) await watch("", READ_KEY);
  expect((await admin.call("GET", "/v1/requests", { key: READ_KEY })).status).toBe(503);
  for (let i = 0; i < 2; i++) await watch();
  expect((await admin.call("GET", "/v1/requests")).status).toBe(503);
  leaving.shift()?.abort();
  await until("a place is free", () => watch("", READ_KEY).catch(() => undefined));
  for (const query of ["?status=9", "?status=200", `?text=${"x".repeat(201)}`])
    expect((await admin.call("GET", `/v1/requests${query}`)).body.code).toBe("bad_request");
});
