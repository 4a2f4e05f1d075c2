/** The cost of the codec: one proxied request through both HTTP/1 connections, with sockets that cost nothing. */
import { parseArgs } from "node:util";
import { routeParts } from "./http1/route-parts.ts";
import { KEY, PARTS } from "./policy-cases.ts";
import { median } from "./support/report.ts";
import { BufferPool } from "../src/lib/memory/buffer-pool.ts";
import { beginEvent, endEvent } from "../src/lib/time/event-clock.ts";
import { TimerWheel } from "../src/lib/time/timer-wheel.ts";
import { respondWithError } from "../src/gateway/exchange/local-response.ts";
import { ClientConnection } from "../src/gateway/http1/client-connection.ts";
import { Http1ServerConnection } from "../src/gateway/http1/server-connection.ts";
import { Observer } from "../src/gateway/pipeline/observer.ts";
import { type Policy } from "../src/gateway/policy/policy.ts";
import { type Pipeline, serve } from "../src/gateway/pipeline/pipeline.ts";
import { RouteTable } from "../src/gateway/routing/table.ts";
import { onlySlot, Telemetry } from "../src/gateway/telemetry/telemetry.ts";
import { type UpstreamServer } from "../src/gateway/upstream/server.ts";
import { type Upstream } from "../src/gateway/upstream/upstream.ts";
import { type Wire } from "../src/gateway/wire/wire.ts";

const REQUEST = "GET /small HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
const BROWSER_REQUEST =
  "GET /articles/2026/11/a-title-of-some-length?utm_source=feed HTTP/1.1\r\nHost: www.example.com\r\n" +
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36\r\n" +
  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
  "Accept-Language: en-US,en;q=0.9\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive\r\n" +
  "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\nReferer: https://www.example.com/\r\n\r\n";
/** Requests of many clients, as those of `bench -- proxy`, mixed64. */
const MIXED_REQUESTS = Array.from({ length: 997 }, (_, n) => {
  const agents = [
    "curl/8.5.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "python-requests/2.32.3",
    "Go-http-client/1.1",
  ];
  const cookie =
    n % 3 === 0 ? `Cookie: session=${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}\r\n` : "";
  return `GET /small?page=${n} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: ${agents[n % 5] ?? ""}\r\nAccept: */*\r\n${cookie}\r\n`;
});
const RESPONSE_HEAD =
  "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Fri, 20 Nov 2026 21:37:44 GMT\r\n" +
  "Content-Type: application/json\r\nContent-Length: 76\r\nConnection: keep-alive\r\n\r\n";
const RESPONSE = RESPONSE_HEAD + "x".repeat(76);

function nullWire(): Wire {
  return {
    write: (_data, _offset, length) => length,
    pause() {},
    resume() {},
    shutdown() {},
    close() {},
    terminate() {},
    remoteAddress: "127.0.0.1",
    data: { onData() {}, onDrain() {}, onEnd() {}, onClose() {} },
  };
}

interface RouteParts {
  readonly policies: readonly Policy[];
  readonly observer: Observer;
}

/**
 * A server connection, and the upstream connection for its requests. `isCounted`: usage is counted by route, consumer
 * and upstream.
 */
function build(isCounted: boolean, parts?: RouteParts): { client: Http1ServerConnection; origin: ClientConnection } {
  const wheel = new TimerWheel();
  const buffers = new BufferPool({ bufferSize: 65_536, bufferCount: 4096, reserve: 2 });
  let idle: ClientConnection | undefined;
  const origin = new ClientConnection({
    wheel,
    buffers,
    released(connection) {
      idle = connection;
    },
    closed() {},
  });
  origin.attach(nullWire());
  idle = origin;
  const pool = { endpoint: { address: "127.0.0.1", port: 1 }, take: () => idle, shareOf: () => undefined };
  const telemetry = new Telemetry(onlySlot());
  const metrics = isCounted ? telemetry.serverMetrics(0, "origin") : { requested() {}, responded() {}, carried() {} };
  const server = {
    pool,
    metrics,
    key: "127.0.0.1:1",
    began: (isRetry: boolean) => metrics.requested(isRetry),
    ended() {},
    responded: (status: number) => metrics.responded(status),
    served() {},
    failed() {},
  };
  // The pool itself needs real sockets; `bench -- proxy` measures it.
  const upstream = {
    name: "origin",
    scheme: "http",
    credential: "",
    pick: () => server as unknown as UpstreamServer,
  } as unknown as Upstream;
  const target = {
    wheel,
    upstream,
    split: undefined,
    variants: undefined,
    mirror: undefined,
    gather: undefined,
    responses: undefined,
    rewrite: undefined,
    connectTimeoutMs: 5000,
    sendTimeoutMs: 30_000,
    readTimeoutMs: 60_000,
    totalTimeoutMs: 120_000,
    maxBodyBytes: 33_554_432,
    maxResponseBytes: 1e9,
    retry: {
      maxRetries: 1,
      connectAnyMethod: false,
      anyMethod: false,
      statuses: new Set([502, 503, 504]),
      tryTimeoutMs: Number.POSITIVE_INFINITY,
      backoffMs: 0,
      maxBackoffMs: 0,
      random: Math.random,
    },
    tellsClient: true,
    host: undefined,
    extraFields: "",
    extraNames: [],
    serviceName: "turnpike",
    respondWithError,
  };
  const counters = isCounted ? { traffic: telemetry.traffic.route("/"), usage: telemetry.usage.route("/") } : undefined;
  const observer = parts?.observer ?? new Observer({ metrics: telemetry.http, route: counters });
  const pipeline: Pipeline = {
    routes: RouteTable.of([
      {
        pathPrefix: "/",
        host: undefined,
        isGuarded: false,
        policies: parts?.policies ?? [],
        target,
        handler: undefined,
        observer,
      },
    ]),
    limitsBodies: false,
    isAllowedHost: undefined,
    observer,
    state: { ready: () => true, metrics: () => ({ text: "", contentType: "" }), challenge: () => undefined },
    catalogue: undefined,
    buffers,
    clientAddress: undefined,
    unrouted: [],
    staticFiles: undefined,
    respondWithError,
    onError: (error) => {
      throw error;
    },
  };
  const settings = {
    maxHeaderBytes: 32_768,
    maxHeaderCount: 128,
    maxBodyBytes: 1e9,
    idleMs: 60_000,
    headerMs: 10_000,
    bodyMs: 30_000,
    writeMs: 30_000,
    http2: { maxStreams: 100, maxHeaderListSize: 8192, initialWindowSize: 65_535, maxFrameSize: 16_384 },
  };
  const client = new Http1ServerConnection(nullWire(), {
    settings: () => settings,
    wheel,
    buffers,
    draining: () => false,
    scheme: "http",
    handle: (exchange) => serve(pipeline, exchange),
    refused() {},
    closed() {},
  });
  return { client, origin };
}

/** Requests between which the event loop runs, so that the log is written. */
const TURN = 256;

/** Sends the requests in turn, `count` in all. */
async function run(
  requests: readonly string[],
  count: number,
  isCounted: boolean,
  parts?: RouteParts,
): Promise<number> {
  const { client, origin } = build(isCounted, parts);
  const requestBytes = requests.map((request) => Buffer.from(request, "latin1"));
  const responseBytes = Buffer.from(RESPONSE, "latin1");
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    beginEvent();
    client.onData(Buffer.from(requestBytes[i % requestBytes.length] ?? ""));
    endEvent();
    beginEvent();
    origin.onData(Buffer.from(responseBytes));
    endEvent();
    if (i % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / count;
}

interface Case {
  readonly name: string;
  readonly requests: readonly string[];
  readonly isCounted: boolean;
  readonly parts?: RouteParts;
}

async function cases(): Promise<Case[]> {
  const small = [REQUEST];
  const all: Case[] = [
    { name: "small", requests: small, isCounted: false },
    { name: "small, usage counted", requests: small, isCounted: true },
    { name: "browser", requests: [BROWSER_REQUEST], isCounted: false },
    { name: "differ", requests: MIXED_REQUESTS, isCounted: false },
  ];
  const requests = MIXED_REQUESTS.map((request) => request.replace("\r\n\r\n", `\r\nX-API-Key: ${KEY}\r\n\r\n`));
  const names = PARTS.map(({ name }) => name);
  for (const some of [[], ...names.map((name) => [name]), names]) {
    const name = some.length > 1 ? "all policies" : (some[0] ?? "with a key, usage counted");
    all.push({ name: `differ, ${name}`, requests, isCounted: true, parts: await routeParts(some) });
  }
  return all;
}

/** `npm run bench -- http1`: ns of CPU for a request, the median and each round. */
export async function http1(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log("usage: npm run bench -- http1 [--count N] [--rounds N] [--only TEXT]");
    return 0;
  }
  const options = {
    count: { type: "string", default: "200000" },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const chosen = (await cases()).filter(({ name }) => name.includes(values.only));
  for (const { requests, isCounted, parts } of chosen) await run(requests, 50_000, isCounted, parts);
  const rounds: number[][] = [];
  // In turns, so that all see the same machine.
  for (let round = 0; round < Number(values.rounds); round++) {
    const times: number[] = [];
    for (const { requests, isCounted, parts } of chosen)
      times.push(await run(requests, Number(values.count), isCounted, parts));
    rounds.push(times);
  }
  for (const [i, { name }] of chosen.entries()) {
    const times = rounds.map((round) => round[i] ?? 0);
    console.log(`${name.padEnd(36)} ${median(times).toFixed(0).padStart(6)}   ${told(times)}`);
  }
  return 0;
}

function told(rounds: readonly number[]): string {
  return rounds.map((ns) => ns.toFixed(0)).join("  ");
}
