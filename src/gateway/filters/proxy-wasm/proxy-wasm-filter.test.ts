import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Gateway, startGateway } from "../../../../test/support/gateway.ts";
import { until } from "../../../lib/testing/until.ts";
import { compileProxyWasm } from "../module/testing/assembly-script.ts";
import { PROBE_FILTER } from "./testing/probe-filter.ts";
import { patient } from "../../../lib/testing/patience.ts";

/** Routes that have their own instance, which a test can break. */
const FAILING = ["/f1/", "/f2/", "/f3/"];

/** The most bytes of a request's body on the routes. */
const MAX_BODY = 300_000;

let folder = "";
let gateway: Gateway;
let upstream: Bun.Server<undefined>;
/** The number of requests that the upstream received, by path. */
const asked = new Map<string, number>();

/** Responds with the request that it received. */
async function serve(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
  if (pathname === "/slow") await Bun.sleep(100);
  if (pathname === "/pieces") return new Response(pieces(), { headers: { "x-up": "1" } });
  if (pathname === "/called") return new Response(`called with ${await request.text()}`, { status: 203 });
  if (pathname === "/unmodified") return new Response(null, { status: 304, headers: { "content-length": "10" } });
  if (pathname === "/empty") return new Response(null, { status: 204 });
  const headers = Object.fromEntries(request.headers);
  return Response.json({ method: request.method, target: pathname + search, headers, body: await request.text() });
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 20; i++) {
    yield Buffer.alloc(10_000, 97 + i);
    await Bun.sleep(1);
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-proxy-wasm-"));
  const module = join(folder, "probe.wasm");
  await Bun.write(module, await compileProxyWasm(PROBE_FILTER));
  upstream = Bun.serve({ port: 0, fetch: serve });
  const filter = { module, root_id: "probe", config: { told: "configuration" }, vm_config: "vm" };
  gateway = await startGateway({
    upstreams: [{ name: "up", servers: [{ address: "127.0.0.1", port: upstream.port }] }],
    routes: ["/", "/strict/", "/refused/", "/trapped/", ...FAILING].map((path_prefix) => ({
      path_prefix,
      upstream: "up",
    })),
    wasm_filters: [
      { ...filter, match: "/" },
      { ...filter, match: "/strict/", response_fail_closed: true, config: "still" },
      ...FAILING.map((match) => ({ ...filter, match })),
      { ...filter, match: "/refused/", config: "refuse" },
      { ...filter, match: "/trapped/", config: "trap" },
    ],
    wasm_host_call_deadline_ms: patient(1000),
    limits: { max_body_bytes: MAX_BODY },
  });
}, patient(60_000));

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
  await rm(folder, { recursive: true });
});

interface Echo {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function send(does: string, path = "/a?b=c", init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string> | undefined), "x-do": does };
  return fetch(`http://127.0.0.1:${gateway.port}${path}`, { ...init, headers });
}

/** Returns the request that the upstream received. */
async function echo(does: string, init: RequestInit = {}, path?: string): Promise<Echo> {
  const response = await send(does, path, init);
  expect([does, response.status]).toEqual([does, 200]);
  // The upstream of this test writes it.
  return (await response.json()) as Echo;
}

async function told(does: string, path?: string): Promise<string> {
  const response = await send(does, path);
  return `${response.status} ${await response.text()}`;
}

// --- requests ---

test("a filter adds, replaces and removes fields of a request", async () => {
  const { headers } = await echo("add replace", { headers: { authorization: "Bearer x" } });
  expect(headers["x-added"]).toBe("1");
  expect(headers["user-agent"]).toBe("probe");
  expect(headers["accept"]).toBeUndefined();
  expect(headers["authorization"]).toBeUndefined();
  expect((await echo("add-twice")).headers["x-added"]).toBe("1, 2");
});

test("a filter changes method, path and authority; the path is normalised like a client's", async () => {
  const { method, target, headers } = await echo("target", { method: "POST" });
  expect([method, target, headers["host"]]).toEqual(["PUT", "/else?q=1", "other.test"]);
});

test("an invalid change fails its own request only", async () => {
  const parked = send("park");
  for (const does of ["bad-path", "to-head", "bad-field", "deny-bad"]) expect((await send(does)).status).toBe(500);
  expect((await parked).status).toBe(200);
});

test("a filter cannot change the framing", async () => {
  const { headers } = await echo("framing", { method: "POST", body: "abc" });
  expect([headers["content-length"], headers["connection"]]).toEqual(["3", undefined]);
});

test("a filter lists fields with pseudo-header fields first, and lower-case names", async () => {
  const text = await told("list", "/l?x");
  expect(text).toStartWith("200 ");
  const [count, ...pairs] = text.slice(4).split("|");
  const [announced, given] = (count ?? "").split("=");
  expect(announced).toBe(given);
  const fields = new Map(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=", 1)), pair.slice(pair.indexOf("=", 1) + 1)]),
  );
  expect(fields.get(":path")).toBe("/l?x");
  expect(fields.get(":method")).toBe("GET");
  expect(fields.get(":authority")).toBe(`127.0.0.1:${gateway.port}`);
  expect(fields.get("x-do")).toBe("list");
  expect(fields.get("x-forwarded-proto")).toBe("http");
});

test("fields that are set to their listed values keep their original bytes", async () => {
  const { headers } = await echo("pairs", { headers: { "x-latin": "caf\u00e9", "x-two": "a, b" } });
  expect(headers["x-latin"]).toBe("caf\u00e9");
  expect(headers["x-two"]).toBe("a, b");
  expect((await told("list")).includes("|x-do=list")).toBe(true);
});

test("a local response ends the request, whatever the callback returns", async () => {
  const response = await send("deny", "/denied");
  expect([response.status, response.headers.get("x-deny"), await response.text()]).toEqual([403, "1", "no"]);
  expect(response.headers.get("content-type")).toBe("text/plain");
  expect(asked.has("/denied")).toBe(false);
});

test("if a filter closes the stream, the connection is cut", async () => {
  expect(await send("close", "/closed").catch(() => "cut off")).toBe("cut off");
  expect(asked.has("/closed")).toBe(false);
});

test("a paused request continues when the filter asks for it, also in the callback that pauses", async () => {
  const parked = await Promise.all(Array.from({ length: 20 }, () => send("park")));
  expect(parked.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await send("go-on-at-once")).status).toBe(200);
});

test("a request that its filter never continues fails at the deadline", async () => {
  expect((await send("hang", "/hung")).status).toBe(500);
  expect((await send("r-hang")).status).toBe(500);
  expect(asked.has("/hung")).toBe(false);
});

/** Log lines of the filter. */
function said(): number {
  return gateway.output().split("said by the probe").length;
}

test("a stream ends when the client leaves, or when the client has received its response", async () => {
  const before = Number((await told("ends-told")).slice(4));
  const controller = new AbortController();
  const logged = said();
  const parked = send("say hang ends", "/left", { signal: controller.signal }).catch(() => "left");
  await until(() => said() > logged);
  controller.abort();
  expect(await parked).toBe("left");
  await until(async () => (await told("ends-told")) === `200 ${before + 1}`);
  await (await send("ends", "/a")).text();
  await until(async () => (await told("ends-told")) === `200 ${before + 2}`);
});

// --- bodies of requests ---

test("a body streams through a filter that does not pause, and keeps its length", async () => {
  const body = "x".repeat(200_000);
  const found = await echo("nothing", { method: "POST", body });
  expect(found.body).toBe(body);
  expect(found.headers["content-length"]).toBe("200000");
});

test("a held body is shown completely, changed, and sent with its new length", async () => {
  const found = await echo("body-whole", { method: "POST", body: "abc".repeat(10_000) });
  expect(found.body).toBe(`${"ABC".repeat(10_000)}!`);
  expect(found.headers["content-length"]).toBe("30001");
  const chunked = await echo("body-edges", { method: "POST", body: new Response(pieces()).body });
  expect(chunked.body.length).toBe(200_002);
  expect([chunked.body[0], chunked.body.at(-1)]).toEqual(["<", ">"]);
});

test("a body that the filter refuses does not reach the upstream", async () => {
  const response = await send("body-deny", "/body-denied", { method: "POST", body: "bad" });
  expect([response.status, await response.text()]).toEqual([403, "bad body"]);
  expect(asked.has("/body-denied")).toBe(false);
});

test("a body that the filter pauses at its end continues later", async () => {
  expect((await echo("body-park", { method: "POST", body: "later" })).body).toBe("later");
});

test("a body beyond the route's bound is refused with 413", async () => {
  const body = "x".repeat(MAX_BODY + 1);
  expect((await send("body-hold", "/a", { method: "POST", body })).status).toBe(413);
});

// --- responses ---

test("a filter reads the request's fields during the response, and adds a field to the response", async () => {
  const response = await send("r-add", "/r?x");
  expect(response.headers.get("x-seen")).toBe("200 /r?x");
  expect(response.headers.get("content-length")).not.toBeNull();
});

test("a filter changes a response's status, and drops its length", async () => {
  const response = await send("r-status r-length");
  expect(response.status).toBe(418);
  expect((await response.text()).length).toBe(Number(response.headers.get("content-length")));
  expect((await send("r-code")).headers.get("x-code")).toBe("200");
});

test("a response without a body stays without one, also if its new status allows a body", async () => {
  const response = await send("r-status", "/unmodified");
  expect([response.status, await response.text(), response.headers.get("content-length")]).toEqual([418, "", "0"]);
});

test("a response's body is replaced, with its new length", async () => {
  const response = await send("r-body", "/pieces");
  expect([response.headers.get("content-length"), await response.text()]).toEqual(["7", "instead"]);
  const short = await send("r-body-longer");
  expect((await short.text()).startsWith("+{")).toBe(true);
});

test("a filter replaces the upstream's response, after its headers or its body", async () => {
  for (const does of ["r-deny", "r-body-deny"]) {
    const response = await send(does, "/pieces");
    expect([does, response.status]).toEqual([does, 502]);
  }
});

test("responses without bodies pass", async () => {
  expect((await send("r-add", "/empty")).status).toBe(204);
  const head = await send("r-add r-body", "/a", { method: "HEAD" });
  expect([head.status, head.headers.get("x-seen")]).toEqual([200, "200 /a"]);
});

test("a long response streams through the filter", async () => {
  expect((await (await send("nothing", "/pieces")).text()).length).toBe(200_000);
});

// --- failures ---

test("an invocation that fails closes its request, and the next one has a new instance", async () => {
  for (const does of ["trap", "abort", "loop"]) {
    expect([does, (await send(does, "/f1/failed")).status]).toEqual([does, 500]);
    expect((await send("nothing", "/f1/a")).status).toBe(200);
  }
  expect((await send("body-trap", "/f2/failed", { method: "POST", body: "x" })).status).toBe(500);
  expect(asked.has("/f1/failed") || asked.has("/f2/failed")).toBe(false);
  expect(gateway.output()).toContain("ran out of fuel in proxy_on_request_headers");
});

test("a filter that fails repeatedly is restarted after longer and longer pauses", async () => {
  const statuses: number[] = [];
  // On a busy machine the first pauses can be over by the next request.
  while (statuses.at(-1) !== 503) statuses.push((await send("trap", "/f3/a")).status);
  expect(statuses.slice(0, 4)).toEqual([500, 500, 500, 500]);
  await until(async () => (await send("nothing", "/f3/a")).status === 200);
});

test("requests that wait in a broken instance fail", async () => {
  const parked = Promise.all(Array.from({ length: 5 }, () => send("hang", "/f2/a")));
  expect((await send("trap", "/f2/a")).status).toBe(500);
  for (const { status } of await parked) expect(status).toBe(500);
});

test("after a failure during the response, it passes unchanged, or the client gets 503 if the route fails closed", async () => {
  for (const does of ["r-trap", "r-body-trap"]) {
    expect([does, (await send(does, "/f2/a")).status]).toEqual([does, 200]);
    expect([does, (await send(does, "/strict/a")).status]).toEqual([does, 503]);
  }
});

test("a filter that refuses its configuration closes its route", async () => {
  expect((await send("nothing", "/refused/a")).status).toBe(503);
  expect((await send("nothing", "/trapped/a")).status).toBe(503);
  expect(gateway.output()).toContain("returns false from proxy_on_configure");
  expect(gateway.output()).toContain("in proxy_on_configure");
});

// --- host functions ---

test("a filter reads its configurations: an object as JSON", async () => {
  expect(await told("own-words")).toBe('200 vm+{"told":"configuration"}');
});

test("a filter reads properties, including those that it has set", async () => {
  const host = `127.0.0.1:${gateway.port}`;
  const found = (await told("properties", "/p?q=1")).replace(/(127\.0\.0\.1):\d+\|value/, "$1:PORT|value");
  expect(found).toBe(`200 /p?q=1|GET|${host}|properties|probe.wasm|probe|127.0.0.1:PORT|value||q=1|0`);
});

test("functions that the gateway does not have are unimplemented, and foreign functions are not found", async () => {
  expect(await told("unknown")).toBe("200 12,0");
});

test("shared data is set by its version", async () => {
  expect(await told("shared")).toBe("200 1|0|one|8|0|three");
});

test("a message in a shared queue reaches the filter that has registered the queue", async () => {
  expect(await told("enqueue")).toBe("200 0,1");
  await until(async () => (await told("dequeued")) === "200 a message");
});

test("metrics keep their values, and the metrics page shows them with a prefix", async () => {
  const first = Number((await told("metrics")).slice(4));
  expect(Number((await told("metrics")).slice(4))).toBe(first + 2);
  const page = await (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text();
  expect(page).toContain(`turnpike_wasm_custom_probe_total{filter="probe.wasm"} ${first + 2}\n`);
  expect(page).toContain(`turnpike_wasm_custom_probe_total_gauge{filter="probe.wasm"} 3\n`);
  expect(page).toContain("# TYPE turnpike_wasm_custom_probe_level gauge");
  expect(page).toContain('turnpike_wasm_custom_probe_level{filter="probe.wasm"} 7\n');
  expect(page).toContain('turnpike_wasm_custom_probe_sizes_bucket{filter="probe.wasm",le="50"} 2\n');
  // The histogram has this name already.
  expect(page).toContain('turnpike_wasm_custom_probe_sizes_count{filter="probe.wasm"} 2\n');
  expect(page).toContain('turnpike_wasm_custom_probe_sizes_count_gauge{filter="probe.wasm"} 4\n');
});

test("the clock is the system's", async () => {
  const seconds = Number((await told("time")).slice(4)) / 1e9;
  expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60);
});

test("a filter's log lines contain its name", async () => {
  await told("say");
  await until(() => /probe\.wasm.*said by the probe/.test(gateway.output()));
});

// --- calls ---

test("a filter calls an upstream during the request and during the response", async () => {
  const { headers } = await echo("call");
  expect(headers["x-called"]).toMatch(/^\d+ 203 called with asked$/);
  expect((await send("r-call")).headers.get("x-called")).toBe("203");
});

test("a call that times out has no fields and no body, and a call to an unknown upstream is refused", async () => {
  expect((await echo("call-late")).headers["x-called"]).toBe("0");
  expect(await told("call-none")).toBe("200 not called: 2");
});
