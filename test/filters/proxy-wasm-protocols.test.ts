/** A proxy-wasm filter over every protocol, in several workers, beside payments, and over reloads. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { compileProxyWasm } from "../../src/gateway/filters/module/testing/assembly-script.ts";
import { PROBE_FILTER } from "../../src/gateway/filters/proxy-wasm/testing/probe-filter.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { type Protocol, type ProtocolGateway, PROTOCOLS, type Reply, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder, until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { RawOrigin } from "../support/raw-origin.ts";

setDefaultTimeout(patient(60_000));

const UPFRONT = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "upfront" } };

let origin: RawOrigin;
let folder: Folder;
let module: string;
let gateway: ProtocolGateway;

/** `words`: the plugin configuration of the filters. */
function configuration(words: string): { server: object; [key: string]: unknown } {
  const routes: Record<string, object> = {
    "/open": {},
    "/after": { x402: TERMS },
    "/before": { x402: { ...TERMS, settle: "before" } },
  };
  return {
    server: { workers: 2 },
    state_path: folder.path,
    x402: { enabled: true, test_mode: true },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: Object.entries(routes).map(([path_prefix, more]) => ({ path_prefix, upstream: "origin", ...more })),
    wasm_filters: Object.keys(routes).map((match) => ({ match, module, root_id: "probe", config: words })),
    // No request waits that long: ticks continue those that wait.
    wasm_host_call_deadline_ms: patient(10_000),
  };
}

beforeAll(async () => {
  folder = new Folder();
  module = folder.write("probe.wasm", "");
  await Bun.write(module, await compileProxyWasm(PROBE_FILTER));
  origin = await RawOrigin.start();
  gateway = await startProtocols(configuration("first"));
});

beforeEach(() => origin.reset());

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  folder.remove();
});

function ask(protocol: Protocol, path: string, does: string, more: Record<string, string> = {}): Promise<Reply> {
  return gateway.request(protocol, { path, headers: { "x-do": does, ...more } });
}

/**
 * Repeats a request that is not served yet. The payment is free just after the response of the request before (409). A worker waits
 * before it starts a filter again that has trapped more than three times (503).
 */
function askServed(protocol: Protocol, path: string, does: string, payment: Record<string, string>): Promise<Reply> {
  return until("the payment is free, and the filter runs", async () => {
    const reply = await ask(protocol, path, does, payment);
    return reply.status === 409 || (reply.status === 503 && does !== "trap") ? undefined : reply;
  });
}

/** The fields of a request whose filter tells these properties. */
function telling(does: string, paths: object): [string, string][] {
  return [
    ["x-do", does],
    ["x-two", "1"],
    ["x-two", "2"],
    ["x-paths", Object.keys(paths).join(" ")],
  ];
}

/** The header field of a payment. */
function paid(isBefore = false): Record<string, string> {
  const payment = signedPayment(Date.now() / 1000);
  return { "payment-signature": encodeHeader(isBefore ? { ...payment, accepted: UPFRONT } : payment) };
}

describe.each(PROTOCOLS)("over %s", (protocol) => {
  test("a filter reads Envoy's attributes by paths that end with a NUL, as the C++ SDK sends them", async () => {
    const ofRequest = {
      "request.path": "/open?a=1",
      "request.headers.x-two": "1,2",
      "request.protocol": protocol,
      "#request.size": "0",
      "source.address": expect.stringMatching(/^127\.0\.0\.1:[1-9]\d*$/),
      "#source.port": expect.stringMatching(/^[1-9]\d*$/),
      "destination.address": `127.0.0.1:${protocol === "HTTP/3" ? gateway.quicPort : gateway.tlsPort}`,
      "#connection.id": expect.stringMatching(/^[1-9]\d*$/),
      "connection.tls_version": "TLSv1.3",
      "connection.requested_server_name": "localhost",
      route_name: "/open",
      "xds.route_name": "/open",
      "xds.cluster_name": "origin",
      "#xds.listener_direction": "1",
      plugin_name: "probe.wasm",
      "upstream.address": "-",
      "no.such": "-",
    };
    const ofResponse = {
      "upstream.address": `127.0.0.1:${origin.port}`,
      "#upstream.port": String(origin.port),
      "#response.code": "200",
    };
    const request = await gateway.request(protocol, { path: "/open?a=1", headers: telling("attributes", ofRequest) });
    expect(request.text.split("|")).toEqual(Object.values(ofRequest));
    const response = await gateway.request(protocol, { path: "/open", headers: telling("r-attributes", ofResponse) });
    expect(response.header("x-attributes")?.split("|")).toEqual(Object.values(ofResponse));
  });

  test("a filter changes requests and responses, and refuses both", async () => {
    for (const [does, status, body, seen] of [
      ["add r-add", 200, "GET /open", "200 /open"],
      ["park", 200, "GET /open", undefined],
      ["deny", 403, "no", undefined],
      ["r-status", 418, "GET /open", undefined],
      ["r-body", 200, "instead", undefined],
      ["r-deny", 502, "not that", undefined],
      ["r-body-deny", 502, "bad body", undefined],
    ] as const) {
      const reply = await ask(protocol, "/open", does);
      expect([does, reply.status, reply.text, reply.header("x-seen")]).toEqual([does, status, body, seen]);
    }
    expect(origin.requests.map(({ fields }) => fields.some(([name]) => name.toLowerCase() === "x-added"))).toEqual([
      true,
      ...Array.from({ length: 5 }, () => false),
    ]);
  });

  test("a response that the filter refuses or turns into an error is not charged", async () => {
    for (const [does, status, upstreamRequests] of [
      ["deny", 403, 0],
      ["r-deny", 502, 2],
      ["r-body-deny", 502, 2],
      ["r-status", 418, 2],
      ["trap", 500, 0],
    ] as const) {
      origin.reset();
      const payment = paid();
      for (let i = 0; i < 2; i++) {
        const reply = await askServed(protocol, "/after", does, payment);
        // After some failures the filter is not called for a moment: 503.
        const found = does === "trap" && reply.status === 503 ? status : reply.status;
        expect([does, found, reply.header("payment-response")]).toEqual([does, status, undefined]);
      }
      expect(origin.summaries).toHaveLength(upstreamRequests);
      await until("the filter runs, and the payment buys", async () => {
        const reply = await ask(protocol, "/after", "nothing", payment);
        return reply.status === 200 && reply.header("payment-response") !== undefined ? true : undefined;
      });
    }
  });

  test("the kept response of a payment is the filtered one, and the filter does not run again", async () => {
    const payment = paid();
    for (let i = 0; i < 2; i++) {
      const reply = await askServed(protocol, "/after", "r-body", payment);
      expect([reply.status, reply.text, reply.header("payment-response") === undefined]).toEqual([
        200,
        "instead",
        false,
      ]);
    }
    expect(origin.summaries).toEqual(["GET /after"]);
  });

  test("if the filter refuses a settled response, the same payment runs the request again", async () => {
    const payment = paid(true);
    for (let i = 0; i < 2; i++) {
      const reply = await askServed(protocol, "/before", "r-deny", payment);
      expect([reply.status, reply.text, reply.header("payment-response") === undefined]).toEqual([
        502,
        "not that",
        false,
      ]);
    }
    expect(origin.summaries).toEqual(["GET /before", "GET /before"]);
  });
});

test("each worker has its own shared data", async () => {
  // The kernel distributes these connections over both workers.
  const replies = await Promise.all(Array.from({ length: 40 }, () => ask("HTTP/1.1", "/open", "shared")));
  // 1: the key was new. 0: an earlier request of this worker has set it.
  const found = replies.map(({ text }) => text.split("|")[0]);
  expect(found.filter((result) => result === "1")).toHaveLength(2);
  expect(found.filter((result) => result === "0")).toHaveLength(38);
});

test("a reload under load replaces the filter's configuration in every worker, without a failed request", async () => {
  const load = { isDone: false };
  const seen = new Set<string>();
  const drive = async (protocol: Protocol): Promise<void> => {
    while (!load.isDone) {
      const reply = await ask(protocol, "/open", "own-words");
      seen.add(`${reply.status} ${reply.text}`);
    }
  };
  const loads = PROTOCOLS.map(drive);
  await until("the old configuration is used", () => (seen.has("200 +first") ? true : undefined));
  const file = gateway.folder.file("turnpike.json");
  const changed = (await Bun.file(file).text()).replaceAll('"first"', '"second"');
  gateway.folder.write("turnpike.json", JSON.parse(changed));
  gateway.program.kill("SIGHUP");
  await until("the new configuration is used", () => (seen.has("200 +second") ? true : undefined));
  load.isDone = true;
  await Promise.all(loads);
  expect([...seen].toSorted((a, b) => a.localeCompare(b))).toEqual(["200 +first", "200 +second"]);
  for (const protocol of PROTOCOLS) expect((await ask(protocol, "/open", "own-words")).text).toBe("+second");
  const metrics = (await gateway.plain({ path: "/metrics" })).text;
  expect(valueOf(metrics, "turnpike_worker_restarts_total")).toBe(0);
});
