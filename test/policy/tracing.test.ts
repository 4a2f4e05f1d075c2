import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { until } from "../../src/lib/testing/until.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";

type Json = Record<string, unknown>;
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Json }[];
  readonly status?: Json;
}

const exports: { headers: Headers; body: string }[] = [];
let responses: (() => Response)[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    exports.push({ headers: request.headers, body: await request.text() });
    return responses.shift()?.() ?? Response.json({});
  },
});
let seen = new Headers();
const origin = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    seen = request.headers;
    return new Response("ok", { status: new URL(request.url).pathname === "/broken" ? 500 : 200 });
  },
});
const dead = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
const deadPort = dead.port;
await dead.stop(true);

function configuration(otel: object): { readonly [key: string]: unknown } {
  const server = { address: "127.0.0.1", port: origin.port };
  return {
    upstreams: [
      { name: "app", servers: [server] },
      {
        name: "shaky",
        servers: [
          { address: "127.0.0.1", port: deadPort },
          { ...server, backup: true },
        ],
      },
    ],
    routes: [
      {
        path_prefix: "/keyed",
        upstream: "app",
        auth: { type: "api_key", query_param: "api_key", keys: [{ name: "ann", key: "s3cret-of-ann" }] },
      },
      { path_prefix: "/shaky", upstream: "shaky", retry: { max_retries: 2 } },
      { path_prefix: "/", upstream: "app" },
    ],
    otel: { enabled: true, collector_url: `http://127.0.0.1:${collector.port}`, max_batch_size: 1, ...otel },
  };
}

let gateway: ProtocolGateway;
beforeAll(async () => {
  gateway = await startProtocols(configuration({ headers: "x-key=k%20v, x-two=2", service_name: "edge" }));
});
afterAll(async () => {
  await gateway.stop();
  await collector.stop(true);
  await origin.stop(true);
});

function spansOf(traceId: string): Span[] {
  return exports
    .map(({ body }) => JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] })
    .flatMap(({ resourceSpans }) => resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)))
    .filter((span) => span.traceId === traceId);
}

/** The spans of the trace, after this number has arrived. */
async function spans(traceId: string, count: number): Promise<Span[]> {
  await until(() => spansOf(traceId).length >= count, 10_000, `${count} spans of ${traceId}`);
  return spansOf(traceId);
}

function attributesOf(span: Span | undefined): Json {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

let traces = 0;
function newTrace(): string {
  return (++traces).toString(16).padStart(32, "a");
}
const PARENT = "b7ad6b7169203331";

test.each([...PROTOCOLS])("the gateway continues a client's trace, over %s", async (protocol) => {
  const traceId = newTrace();
  await gateway.request(protocol, {
    path: "/keyed/a?b=1&api_key=s3cret-of-ann&token=hush",
    headers: {
      traceparent: `00-${traceId}-${PARENT}-01`,
      tracestate: "v=1,w@x=2",
      baggage: "user=ann%20b;secret, k=v",
      "user-agent": 'u"a',
    },
  });
  const [server, auth, upstream] = await spans(traceId, 3).then((all) =>
    [2, 1, 3].map((kind) => all.find((span) => span.kind === kind)),
  );
  expect(server).toMatchObject({ parentSpanId: PARENT, name: "GET /keyed", traceState: "v=1,w@x=2" });
  expect(attributesOf(server)).toMatchObject({
    "http.request.method": "GET",
    "url.scheme": "https",
    "url.path": "/keyed/a",
    "url.query": "b=1&token=REDACTED",
    "server.address": "localhost",
    "client.address": "127.0.0.1",
    "network.protocol.version": protocol.slice(5),
    "user_agent.original": 'u"a',
    "http.response.status_code": "200",
    "http.route": "/keyed",
    "enduser.id": "ann",
  });
  expect(auth).toMatchObject({ name: "auth", parentSpanId: server?.spanId });
  expect(upstream).toMatchObject({ name: "GET", parentSpanId: server?.spanId });
  expect(attributesOf(upstream)).toMatchObject({ "server.address": "127.0.0.1", "server.port": String(origin.port) });
  expect(seen.get("traceparent")).toBe(`00-${traceId}-${upstream?.spanId}-01`);
  expect(seen.get("tracestate")).toBe("v=1,w@x=2");
  expect(seen.get("baggage")).toBe("user=ann%20b;secret, k=v");
  for (const span of [server, auth, upstream]) {
    expect(BigInt(span?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(span?.startTimeUnixNano ?? 1));
    expect(Math.abs(Number(span?.startTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(600_000);
  }
  expect(exports.map(({ body }) => body).join("")).not.toContain("s3cret-of-ann");
});

test.each([
  [
    "two of them",
    [
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-01",
    ],
  ],
  ["one in capitals", ["00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"]],
  ["zeros", ["00-00000000000000000000000000000000-b7ad6b7169203331-01"]],
  ["version ff", ["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]],
  ["version 00 with more", ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"]],
])("an invalid traceparent starts a new trace: %s", async (_, values) => {
  const headers = values.map((value) => ["traceparent", value] as const);
  await gateway.plain({ path: "/n", headers: [...headers, ["tracestate", "v=1"]] });
  const passed = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(seen.get("traceparent") ?? "");
  expect(passed?.[1]).not.toMatch(/^0(?:af7|AF7)65/);
  expect(seen.get("tracestate")).toBeNull();
  const [server] = (await spans(passed?.[1] ?? "", 2)).filter(({ kind }) => kind === 2);
  expect(server).not.toHaveProperty("parentSpanId");
});

test("a later version of traceparent is read as far as its format is known", async () => {
  const traceId = newTrace();
  await gateway.plain({ path: "/n", headers: { traceparent: `cc-${traceId}-${PARENT}-01-what-ever` } });
  expect(seen.get("traceparent")).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
});

test("an unsampled parent is respected and forwarded", async () => {
  const traceId = newTrace();
  const before = exports.length;
  await gateway.plain({ path: "/n", headers: { traceparent: `00-${traceId}-${PARENT}-00`, tracestate: "v=1" } });
  expect(seen.get("traceparent")).toBe(`00-${traceId}-${PARENT}-00`);
  expect(seen.get("tracestate")).toBe("v=1");
  const next = newTrace();
  await gateway.plain({ path: "/n", headers: { traceparent: `00-${next}-${PARENT}-01` } });
  await spans(next, 2);
  expect(exports.length).toBeGreaterThan(before);
  expect(spansOf(traceId)).toEqual([]);
});

test("each try is a span, and only a 5xx of the gateway is an error of the server span", async () => {
  const traceId = newTrace();
  const reply = await gateway.plain({ path: "/shaky", headers: { traceparent: `00-${traceId}-${PARENT}-01` } });
  expect(reply.status).toBe(200);
  const all = await spans(traceId, 3);
  const tries = all.filter(({ kind }) => kind === 3);
  expect(tries.map((span) => attributesOf(span)["server.port"])).toEqual([String(deadPort), String(origin.port)]);
  expect(tries[0]?.status).toEqual({ code: 2 });
  expect(attributesOf(tries[1])["http.request.resend_count"]).toBe("1");
  expect(all.find(({ kind }) => kind === 2)?.status).toBeUndefined();

  const broken = newTrace();
  await gateway.plain({ path: "/broken", headers: { traceparent: `00-${broken}-${PARENT}-01` } });
  const [server] = (await spans(broken, 2)).filter(({ kind }) => kind === 2);
  expect(server?.status).toEqual({ code: 2 });
  expect(attributesOf(server)["error.type"]).toBe("500");
});

test("an export has the configured header fields and names its sender", async () => {
  const traceId = newTrace();
  await gateway.plain({ path: "/n", headers: { traceparent: `00-${traceId}-${PARENT}-01` } });
  await spans(traceId, 2);
  const { headers, body } = exports.at(-1) ?? { headers: new Headers(), body: "" };
  expect(headers.get("x-key")).toBe("k v");
  expect(headers.get("x-two")).toBe("2");
  expect(headers.get("content-type")).toBe("application/json");
  expect(body).toContain('{"key":"service.name","value":{"stringValue":"edge"}}');
});

test("a batch for which the collector has no time is sent again, a refused batch is not, and rejected spans are counted", async () => {
  const other = await startProtocols(configuration({ max_batch_size: 2 }));
  try {
    const [late, refused, rejected] = [newTrace(), newTrace(), newTrace()];
    const ask = (trace: string) => other.plain({ path: "/n", headers: { traceparent: `00-${trace}-${PARENT}-01` } });
    responses = [() => new Response("", { status: 503, headers: { "retry-after": "0" } })];
    await ask(late);
    await spans(late, 4);
    responses = [() => new Response("", { status: 307, headers: { location: `http://127.0.0.1:${origin.port}/` } })];
    await ask(refused);
    await spans(refused, 2);
    responses = [() => Response.json({ partialSuccess: { rejectedSpans: "1", errorMessage: "no" } })];
    await ask(rejected);
    await spans(rejected, 2);
    const page = async (): Promise<string> => (await other.plain({ path: "/metrics" })).text;
    await until(async () => (await page()).includes('turnpike_trace_spans_total{result="rejected"} 1'));
    expect(await page()).toContain('turnpike_trace_spans_total{result="dropped"} 2');
    expect(spansOf(refused).length).toBe(2);
  } finally {
    await other.stop();
  }
});

test("an unreachable collector delays no request and is logged once without its secrets; the remaining spans are sent at the end", async () => {
  const away = await startProtocols(
    configuration({ collector_url: `http://127.0.0.1:${deadPort}`, headers: "x-key=hush-hush" }),
  );
  for (let i = 0; i < 20; i++) expect((await away.plain({ path: "/n" })).status).toBe(200);
  await away.program.sees(/Cannot export traces: [^\n]+/);
  await away.stop();
  expect(away.program.output.match(/Cannot export traces/g)).toHaveLength(1);
  expect(away.program.output).not.toContain("hush-hush");

  const patient = await startProtocols(configuration({ max_batch_size: 1000, flush_interval_s: 60 }));
  const traceId = newTrace();
  await patient.plain({ path: "/n", headers: { traceparent: `00-${traceId}-${PARENT}-01` } });
  expect(spansOf(traceId)).toEqual([]);
  await patient.stop();
  expect(spansOf(traceId).length).toBe(2);
});

test("spans from before a reload of the collector's settings are also sent when the gateway stops", async () => {
  const patient = await startProtocols(configuration({ max_batch_size: 1000, flush_interval_s: 60 }));
  const [early, late] = [newTrace(), newTrace()];
  const ask = (trace: string) => patient.plain({ path: "/n", headers: { traceparent: `00-${trace}-${PARENT}-01` } });
  await ask(early);
  const config: unknown = JSON.parse(readFileSync(patient.folder.file("turnpike.json"), "utf8"));
  const otel = { ...configuration({ max_batch_size: 1000, flush_interval_s: 60, service_name: "other" }) };
  patient.folder.write("turnpike.json", { ...Object(config), otel: otel["otel"] });
  patient.program.kill("SIGHUP");
  await patient.program.sees(/reloaded/);
  await ask(late);
  expect(spansOf(early)).toEqual([]);
  await patient.stop();
  expect([spansOf(early).length, spansOf(late).length]).toEqual([2, 2]);
});

test("at 0 % no request is traced unless its client samples it, and upstreams see that", async () => {
  const none = await startProtocols(configuration({ sample_rate: 0 }));
  try {
    await none.plain({ path: "/n" });
    expect(seen.get("traceparent")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    const traceId = newTrace();
    await none.plain({ path: "/n", headers: { traceparent: `00-${traceId}-${PARENT}-01` } });
    expect(seen.get("traceparent")).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    await spans(traceId, 2);
  } finally {
    await none.stop();
  }
});
