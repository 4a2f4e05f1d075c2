/** Nothing of a request may appear in the response, the upstream request or the log line of another one, of any client. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mulberry32 } from "../../lib/testing/mulberry32.ts";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { type Gateway, startGateway } from "../../../test/support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../../../test/support/message.ts";
import { RawClient } from "../../../test/support/raw-client.ts";
import { type OriginConnection, RawOrigin } from "../../../test/support/raw-origin.ts";

setDefaultTimeout(patient(30_000));

const CLIENTS = 6;
const STEPS = 25;
const KEYS = { ann: "key-of-ann-0123456789", bob: "key-of-bob-0123456789" };
const ONLY_GUARDED = "x-only-guarded";
const ONLY_NAMED = "x-only-named";

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startGateway({
    access_log: { enabled: true, format: "json" },
    otel: { enabled: true, sample_rate: 20, collector_url: `http://127.0.0.1:${origin.port}`, service_name: "test" },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 1_000_000 }] }],
    routes: [
      { path_prefix: "/", upstream: "origin", retry: { max_retries: 0 } },
      { path_prefix: "/own", fixed_response: { status: 200, body: "own" } },
      {
        path_prefix: "/named",
        upstream: "origin",
        headers: { response: { set: [{ name: ONLY_NAMED, value: "yes" }] } },
      },
      {
        path_prefix: "/guarded",
        upstream: "origin",
        auth: { type: "api_key", keys: Object.entries(KEYS).map(([name, key]) => ({ key, name })) },
        rate_limit: { requests_per_second: 10_000_000, burst_size: 10_000_000, key: "consumer" },
        headers: { response: { set: [{ name: ONLY_GUARDED, value: "yes" }] } },
        security_headers: { enabled: true },
      },
    ],
  });
  origin.response = respond;
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

function respond({ startLine, fields, body }: Message, connection: OriginConnection): void {
  const [method = "", path = ""] = startLine.split(" ");
  if (path.includes("cut")) {
    connection.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    return;
  }
  if (path.includes("held")) return;
  const seen = `${method} ${path} ${valuesOf({ fields }, "x-consumer-name").join()} ${body}`;
  connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${seen.length}\r\n\r\n${method === "HEAD" ? "" : seen}`);
}

/** A request, and what its response must be. */
interface Asked {
  readonly method: string;
  readonly path: string;
  /** Undefined: the gateway makes one. */
  readonly id: string | undefined;
  readonly consumer: keyof typeof KEYS | "wrong" | "";
  readonly body: string;
  /** The connection closes after the response. */
  readonly isLast?: boolean;
}

function textOf({ method, path, id, consumer, body, isLast }: Asked): string {
  const key = consumer === "" ? "" : `X-API-Key: ${consumer === "wrong" ? "wrong" : KEYS[consumer]}\r\n`;
  const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
  const own = id === undefined ? "" : `X-Request-Id: ${id}\r\n`;
  const close = isLast === true ? "Connection: close\r\n" : "";
  return `${method} ${path} HTTP/1.1\r\nHost: a.test\r\n${key}${own}${length}${close}\r\n${body}`;
}

/** The log line that each request must have, by its id. */
const expected = new Map<string, unknown>();

function check(asked: Asked, response: Message): void {
  const { method, path, consumer, body } = asked;
  const isGuarded = path.startsWith("/guarded");
  const isRefused = isGuarded && consumer === "wrong";
  expect(statusOf(response)).toBe(isRefused ? 401 : 200);
  const [id = "", ...more] = valuesOf(response, "x-request-id");
  expect(more).toEqual([]);
  if (asked.id === undefined) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  else expect(id).toBe(asked.id);
  expect(expected.has(id)).toBe(false);
  expected.set(id, {
    method,
    path,
    consumer: isGuarded && !isRefused ? consumer : undefined,
    status: statusOf(response),
    sent: response.body.length,
    received: body.length,
  });
  expect(valuesOf(response, ONLY_NAMED)).toEqual(path.startsWith("/named") ? ["yes"] : []);
  expect(valuesOf(response, ONLY_GUARDED)).toEqual(isGuarded ? ["yes"] : []);
  expect(valuesOf(response, "x-frame-options")).toEqual(isGuarded ? ["SAMEORIGIN"] : []);
  expect(valuesOf(response, "ratelimit").length).toBe(isGuarded && !isRefused ? 1 : 0);
  if (isRefused) expect(JSON.parse(response.body)).toMatchObject({ instance: id });
  else if (path === "/own") expect(response.body).toBe("own");
  else if (path === "/.healthz" || method === "HEAD") expect(response.body).toBe("");
  else expect(response.body).toBe(`${method} ${path} ${isGuarded ? consumer : ""} ${body}`);
}

test("a random mix of requests of several clients gets the responses of each", async () => {
  const random = mulberry32(11);
  let count = 0;
  const next = (): Asked => {
    const n = count++;
    const id = random() % 3 === 0 ? `chosen-${n}` : undefined;
    const consumer = (["ann", "bob", "wrong"] as const)[random() % 3] ?? "ann";
    const none = { method: "GET", id, consumer: "", body: "" } as const;
    switch (random() % 9) {
      case 0:
      case 1:
        return { ...none, path: `/plain/${n}` };
      case 2:
      case 3:
        return { ...none, path: `/guarded/${n}`, consumer };
      case 4:
        return { ...none, path: "/own" };
      case 5:
        return { ...none, path: `/plain/${n}`, method: "POST", body: `body of ${n}` };
      case 7:
        return { ...none, path: `/named/${n}` };
      case 6:
        return { ...none, path: `/plain/${n}`, method: "HEAD" };
      default:
        return { ...none, path: "/.healthz" };
    }
  };
  const visit = async (): Promise<void> => {
    let client = await RawClient.open(gateway.port);
    for (let step = 0; step < STEPS; step++) {
      const kind = random() % 10;
      if (kind === 0) {
        // Its client leaves while it waits for a response.
        const path = `/held/${count++}`;
        client.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
        await origin.until(path, () => origin.requests.find(({ startLine }) => startLine.includes(path)));
        client.destroy();
        client = await RawClient.open(gateway.port);
        continue;
      }
      if (kind === 1) {
        client.send(`GET /cut/${count++} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
        await client.closed();
        client = await RawClient.open(gateway.port);
        continue;
      }
      if (kind === 4) {
        const last = { ...next(), isLast: true };
        client.send(textOf(last));
        check(last, await client.finalResponse(last.method));
        await client.closed();
        client = await RawClient.open(gateway.port);
        continue;
      }
      const requests = Array.from({ length: kind < 4 ? 4 : 1 }, next);
      client.send(requests.map(textOf).join(""));
      for (const request of requests) check(request, await client.finalResponse(request.method));
      expect(client.rest()).toBe("");
    }
    client.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, visit));
  await checkLog();
});

/** The lines of requests that had a whole response. */
function logged(): Record<string, unknown>[] {
  return gateway
    .output()
    .split("\n")
    .filter((line) => line.startsWith('{"time"') && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Record<string, unknown>) // the line of a request
    .filter(({ path }) => !/^\/(?:held|cut)\//.test(String(path)));
}

/** Each request has one line in the log, with its own values. */
async function checkLog(): Promise<void> {
  await until(() => logged().length === expected.size);
  for (const line of logged()) {
    const { method, path, consumer, status, bytes_sent: sent, bytes_received: received } = line;
    const values: unknown = { method, path, consumer, status, sent, received };
    expect(values).toEqual(expected.get(String(line["request_id"])));
  }
}
