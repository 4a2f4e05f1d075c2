/** The position of filters in the chain of the real gateway, over every protocol. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, type Reply, startProtocols } from "../policy/protocols.ts";
import { bearer, SECRET, token } from "../policy/testing/tokens.ts";
import { serverAt } from "../support/gateway.ts";
import { valuesOf } from "../support/message.ts";
import { Folder, until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { TELLTALE, writeFilter, writeSdkFilter } from "./testing/modules.ts";
import { SWITCHBOARD } from "./testing/switchboard.ts";

setDefaultTimeout(patient(40_000));

/** Adds a question mark instead of an exclamation mark to the body. */
const SECOND = SWITCHBOARD.replace("0x21", "0x3f");
const API_KEY = { type: "api_key", query_param: "ticket", keys: [{ key: "s3cret", name: "ann" }] };
const JWT = { type: "jwt", secret: SECRET };

let origin: RawOrigin;
/** The service of forward_auth, and an upstream that fails. */
let service: RawOrigin;
let folder: Folder;
let switchboard: string;
let second: string;
let telltale: string;

beforeAll(async () => {
  [origin, service] = await Promise.all([RawOrigin.start(), RawOrigin.start()]);
  folder = new Folder();
  switchboard = await writeFilter(folder, "switchboard.wasm", SWITCHBOARD);
  second = await writeFilter(folder, "second.wasm", SECOND);
  telltale = await writeSdkFilter(folder, "telltale.wasm", TELLTALE);
  folder.write("broken.wasm", "no module");
});

afterAll(async () => {
  await Promise.all([origin.stop(), service.stop()]);
  folder.remove();
});

beforeEach(() => {
  origin.reset();
  service.reset();
  service.response = (_, connection) =>
    connection.send("HTTP/1.1 200 OK\r\nX-User: ann\r\nAuthorization: inner\r\nContent-Length: 0\r\n\r\n");
});

function configuration(workers: number, state: string): { server: object; [key: string]: unknown } {
  const asking = {
    type: "forward_auth",
    url: `http://127.0.0.1:${service.port}/`,
    headers_forward: ["Cookie"],
    headers_upstream: ["X-User", "Authorization"],
  };
  const routes: Record<string, object> = {
    "/open": {},
    "/two": {},
    "/broken": {},
    "/key": { auth: API_KEY },
    "/jwt": { auth: JWT },
    "/asked": { auth: asking },
    "/chained": { auth: { type: "chain", methods: [JWT, { type: "chain", methods: [API_KEY] }] } },
    "/told": { auth: { type: "chain", methods: [JWT, API_KEY] } },
    "/cached": { cache: { ttl_s: 60 } },
    "/limited": { rate_limit: { requests_per_second: 1, burst_size: 3 } },
    "/packed": { compression: { min_bytes: 10 } },
    "/shaky": { upstream: "shaky" },
    "/after": { x402: TERMS },
    "/before": { x402: { ...TERMS, settle: "before" } },
  };
  const filtered = Object.keys(routes).filter((path) => !["/two", "/broken", "/told"].includes(path));
  return {
    server: { workers },
    state_path: state,
    x402: { enabled: true, test_mode: true },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "shaky", servers: [{ ...serverAt(service.port), max_fails: 1000 }, serverAt(origin.port)] },
    ],
    routes: [
      ...Object.entries(routes).map(([path_prefix, more]) => ({ path_prefix, upstream: "origin", ...more })),
      { path_prefix: "/", upstream: "origin" },
    ],
    wasm_filters: [
      ...filtered.map((match) => ({ match, module: switchboard, instances: 4 })),
      { match: "/two", module: switchboard },
      { match: "/two", module: second },
      { match: "/told", module: switchboard },
      { match: "/told", module: telltale, root_id: "telltale" },
      { match: "/broken", module: folder.file("broken.wasm") },
      { match: "/nowhere", module: switchboard },
    ],
  };
}

const UPFRONT = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "upfront" } };

/** The header field of a payment. */
function paid(isBefore: boolean): [name: string, value: string] {
  const payment = signedPayment(Date.now() / 1000);
  return ["payment-signature", encodeHeader(isBefore ? { ...payment, accepted: UPFRONT } : payment)];
}

describe.each([1, 2])("with %d worker(s)", (workers) => {
  let gateway: ProtocolGateway;
  let state: Folder;

  beforeAll(async () => {
    state = new Folder();
    gateway = await startProtocols(configuration(workers, state.path));
  });

  afterAll(async () => {
    await gateway.stop();
    state.remove();
  });

  /** Makes the switchboard do something. */
  function ask(
    protocol: Protocol | "plain",
    path: string,
    what = "",
    more: Record<string, string> = {},
  ): Promise<Reply> {
    const headers = { ...(what === "" ? {} : { "x-do": what }), ...more };
    return protocol === "plain" ? gateway.plain({ path, headers }) : gateway.request(protocol, { path, headers });
  }

  async function scraped(name: string, labels: Record<string, string> = {}): Promise<number> {
    return valueOf((await gateway.plain({ path: "/metrics" })).text, name, labels);
  }

  describe.each([...PROTOCOLS, "plain"] as const)("over %s", (protocol) => {
    test("a filter allows, rejects and modifies, and changes the response", async () => {
      const rows: [string, string, number, string, string | undefined][] = [
        ["/other", "r", 200, "GET /other", undefined],
        ["/open", "", 200, "GET /open", undefined],
        ["/open", "r", 401, "x-do", undefined],
        ["/open", "m", 200, "GET /open", "x-do"],
        ["/open", "e", 200, "GET /open!", undefined],
        ["/open", "h", 200, "GET /open", "x-do"],
        ["/two", "e", 200, "GET /two?!", undefined],
        ["/two", "r", 401, "x-do", undefined],
      ];
      for (const [path, what, status, body, ran] of rows) {
        const reply = await ask(protocol, path, what);
        expect([path, what, reply.status, reply.text, reply.header("x-ran")]).toEqual([path, what, status, body, ran]);
      }
      expect(origin.summaries).toHaveLength(6);
    });

    test("a failing filter fails closed without a reason for the client, and works for the next request", async () => {
      for (const what of ["t", "u", "p", "o"]) {
        const reply = await ask(protocol, "/open", what);
        expect([what, reply.status, reply.json]).toMatchObject([
          what,
          500,
          { detail: "a filter of this route failed" },
        ]);
        expect((await ask(protocol, "/open")).status).toBe(200);
      }
      const kept = await ask(protocol, "/open", "T");
      expect([kept.status, kept.text]).toEqual([200, "GET /open"]);
      expect(origin.summaries).toHaveLength(5);
    });

    test("requests to a route whose filter cannot be loaded are refused", async () => {
      const reply = await ask(protocol, "/broken/x");
      expect([reply.status, reply.header("retry-after")]).toEqual([503, "1"]);
      expect(reply.json).toMatchObject({ type: "urn:turnpike:error:filter-unavailable" });
      expect(origin.summaries).toEqual([]);
    });

    test("a filter never sees credentials or payments", async () => {
      const sound = bearer(token({ sub: "ann" }));
      const key = { "x-api-key": "s3cret" };
      const rows: [path: string, name: string, fields: Record<string, string>, seen: string | undefined][] = [
        ["/open", "authorization", sound, sound["authorization"]],
        ["/open", "proxy-authorization", { "proxy-authorization": "Basic eA==" }, undefined],
        ["/open", "payment-signature", { "payment-signature": "x" }, undefined],
        ["/open", "x-payment", { "x-payment": "x" }, undefined],
        ["/key", "x-api-key", key, undefined],
        ["/key", "X-API-KEY", key, undefined],
        ["/key", "x-consumer-name", key, "ann"],
        ["/jwt", "authorization", sound, undefined],
        ["/jwt", "x-api-key", { ...sound, ...key }, "s3cret"],
        ["/asked", "cookie", { cookie: "session=1" }, undefined],
        ["/asked", "authorization", {}, undefined],
        ["/asked", "x-user", {}, "ann"],
        ["/chained", "authorization", sound, undefined],
        ["/chained", "x-api-key", { ...sound, ...key }, undefined],
        ["/chained?ticket=s3cret&a=1", "", sound, "/chained?a=1"],
        ["/key?%74icket=s3cret&a=1", "", {}, "/key?a=1"],
      ];
      for (const [path, name, fields, seen] of rows) {
        const more = name === "" ? {} : { "x-see": name };
        const reply = await ask(protocol, path, "s", { ...more, ...fields });
        expect([path, name, reply.status, reply.text]).toEqual([
          path,
          name,
          seen === undefined ? 204 : 200,
          seen ?? "",
        ]);
      }
    });

    test("nor does a proxy-wasm filter, which runs after a filter of Turnpike's ABI", async () => {
      const credentials = {
        ...bearer(token({ sub: "ann" })),
        "x-api-key": "s3cret",
        "proxy-authorization": "Basic eA==",
      };
      const payment = { "payment-signature": "paid", "x-payment": "paid" };
      const reply = await ask(protocol, "/told?a=1&ticket=s3cret", "m", {
        ...credentials,
        ...payment,
        "x-own": "seen",
      });
      expect([reply.status, reply.header("x-ran")]).toEqual([200, "x-do"]);
      for (const line of [":path: /told?a=1", "x-own: seen", "x-consumer-name: ann", "x-do: m"]) {
        expect(reply.text.toLowerCase().split("\n")).toContain(line);
      }
      expect(reply.text).not.toMatch(/authorization|api-key|payment|s3cret|paid|Bearer/i);
      expect((await ask(protocol, "/told?ticket=s3cret", "r")).status).toBe(401);
    });

    test("no filter runs for a request that authentication, a limit or the price has refused", async () => {
      const before = await scraped("turnpike_filter_invocations_total");
      for (const [path, status] of [
        ["/key", 401],
        ["/jwt", 401],
        ["/chained", 401],
        ["/after", 402],
        ["/before", 402],
      ] as const) {
        expect([path, (await ask(protocol, path, "s")).status]).toEqual([path, status]);
      }
      service.response = (_, connection) => connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      expect((await ask(protocol, "/asked", "s")).status).toBe(403);
      expect(await scraped("turnpike_filter_invocations_total")).toBe(before);
    });

    test("a filter runs once for a paid request, and not again for a kept response", async () => {
      for (const path of ["/after", "/before"]) {
        origin.reset();
        const [name, value] = paid(path === "/before");
        const first = await ask(protocol, path, "e", { [name]: value });
        expect([path, first.status, first.text]).toEqual([path, 200, `GET ${path}!`]);
        expect(first.header("payment-response")).toBeDefined();
        const again = await ask(protocol, path, "e", { [name]: value });
        // With `settle: "before"` the response is not kept after its delivery.
        if (path === "/after") expect([again.status, again.text]).toEqual([200, `GET ${path}!`]);
        else expect(again.status).toBe(409);
        expect(origin.summaries).toEqual([`GET ${path}`]);
        const seen = await ask(protocol, path, "s", { "x-see": name, [name]: paid(path === "/before")[1] });
        expect([path, seen.status]).toEqual([path, 204]);
      }
    });

    test("a filter that rejects or fails releases the payment, which can then be used again", async () => {
      const [name, value] = paid(false);
      for (const [what, status] of [
        ["r", 401],
        ["t", 500],
        ["", 200],
      ] as const) {
        const reply = await ask(protocol, "/after", what, { [name]: value });
        expect([what, reply.status, reply.header("payment-response") === undefined]).toEqual([
          what,
          status,
          status !== 200,
        ]);
      }
      expect(origin.summaries).toEqual(["GET /after"]);
    });

    test("the cache stores the upstream's response, and each response is filtered once", async () => {
      const path = `/cached/${protocol}`;
      for (const [what, body] of [
        ["e", `GET ${path}!`],
        ["e", `GET ${path}!`],
        ["", `GET ${path}`],
        ["r", "x-do"],
        ["h", `GET ${path}`],
      ] as const) {
        const reply = await ask(protocol, path, what);
        expect([what, reply.text]).toEqual([what, body]);
      }
      // Each worker has its own cache.
      expect(origin.summaries.length).toBeLessThanOrEqual(workers);
    });

    test("compression applies to the filter's response, and the filter sees uncompressed data", async () => {
      const reply = await ask(protocol, "/packed/a/path/of/some/length", "e", { "accept-encoding": "gzip" });
      expect([reply.header("content-encoding"), gunzipSync(reply.body).toString()]).toEqual([
        "gzip",
        "GET /packed/a/path/of/some/length!",
      ]);
    });

    test("a failed try is retried after the filter, which has run once", async () => {
      service.response = (_, connection) => connection.reset();
      const before = await scraped("turnpike_filter_invocations_total", { route: "/shaky", phase: "request" });
      for (let i = 0; i < 4; i++) expect((await ask(protocol, "/shaky", "e")).text).toBe("GET /shaky!");
      const after = await scraped("turnpike_filter_invocations_total", { route: "/shaky", phase: "request" });
      expect(after - before).toBe(4);
      expect(service.requests.length).toBeGreaterThan(0);
    });

    test("other spellings of a filtered path, and other methods by a field, are refused", async () => {
      for (const path of ["/OPEN", "/%256fpen", "/free/..%252Fopen", "/index.php/open"]) {
        expect([path, (await ask(protocol, path, "r")).status]).toEqual([path, 400]);
      }
      expect((await ask(protocol, "/open", "", { "x-http-method-override": "DELETE" })).status).toBe(400);
      expect(origin.summaries).toEqual([]);
    });
  });

  test("endless loops and traps cost no request of another route, no worker and no memory", async () => {
    const started = await scraped("turnpike_worker_start_time_seconds");
    const bad = Array.from({ length: 24 }, (_, i) => ask(PROTOCOLS[i % 3] ?? "HTTP/2", "/open", "ltL"[i % 3]));
    const good = Array.from({ length: 120 }, (_, i) => ask(PROTOCOLS[i % 3] ?? "HTTP/2", "/other"));
    const statuses = await Promise.all(good.map(async (reply) => (await reply).status));
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const ended = (await Promise.all(bad)).map(({ status }) => status);
    // Filters that fail too often are not called for a moment: 503.
    expect(ended.filter((status) => ![200, 500, 503].includes(status))).toEqual([]);
    expect(ended).toContain(500);
    await until("all instances are free", async () => {
      const pinned = await scraped("turnpike_wasm_pool_pinned");
      return pinned === 0 ? true : undefined;
    });
    await until("the filter runs again", async () => ((await ask("plain", "/open")).status === 200 ? true : undefined));
    expect(await scraped("turnpike_worker_start_time_seconds")).toBe(started);
    expect(await scraped("turnpike_worker_restarts_total")).toBe(0);
  });

  test("a rate limit counts before the filter, which does not run for refused requests", async () => {
    const replies = [];
    for (let i = 0; i < 12; i++) replies.push(await ask("plain", "/limited", "r"));
    const statuses = replies.map(({ status }) => status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    const limited = statuses.filter((status) => status === 429).length;
    expect(await scraped("turnpike_filter_invocations_total", { route: "/limited" })).toBe(12 - limited);
  });

  test("the log and the metrics report the outcomes", async () => {
    const { output } = gateway.program;
    expect(output.match(/ wasm_filters\[\d+\]\.match: no route has the path_prefix "\/nowhere"/gm)).toHaveLength(1);
    const unloaded =
      / wasm_filters\[\d+\]\.module: Cannot load the filter "\S+broken\.wasm": .*; the route "\/broken" gets 503$/gm;
    expect(output.match(unloaded)).toHaveLength(1);
    expect(output).toContain('filter "switchboard.wasm" of the route "/open": on_request ran out of fuel\n');
    expect(output).not.toContain("internal error");
    expect(await scraped("turnpike_wasm_routes_closed")).toBe(workers);
    const labels = { filter: "switchboard.wasm", route: "/open", phase: "request" };
    expect(await scraped("turnpike_filter_invocations_total", { ...labels, outcome: "trap" })).toBeGreaterThan(0);
    expect(await scraped("turnpike_filter_fuel_total", labels)).toBeGreaterThan(5_000_000);
  });
});

test("forwarded fields that a filter does not change are as the client sent them", async () => {
  const state = new Folder();
  const gateway = await startProtocols(configuration(1, state.path));
  try {
    origin.reset();
    const body = "b".repeat(200_000);
    for (const protocol of PROTOCOLS) {
      const reply = await gateway.request(protocol, { method: "POST", path: "/open", body, headers: { "x-own": "1" } });
      expect([protocol, reply.status, reply.text.length]).toEqual([protocol, 200, "POST /open ".length + body.length]);
    }
    expect(origin.requests.map((request) => valuesOf(request, "x-own"))).toEqual([["1"], ["1"], ["1"]]);
  } finally {
    await gateway.stop();
    state.remove();
  }
});
