/** Responses of the admin interface with names that do not break and figures that are long, for tests of the console's layout. */
import { type HTTPRequest, type Page } from "puppeteer-core";
import { type OverviewSnapshot } from "../../../src/gateway/admin/shapes/overview.ts";
import { type Status } from "../../../src/gateway/admin/shapes/status.ts";
import { type WatchedRequest } from "../../../src/gateway/telemetry/request-watch.ts";

export const RECENTLY = Date.now() - 3_600_000;
const WORD = "a-name-without-any-place-to-break-0123456789-".repeat(3);
const TOKEN = { network: "eip155:8453", asset: `0x${"a1".repeat(20)}`, amount: "98765432109876543", decimals: 6 };
export const UNKNOWN_TOKEN = { network: "eip155:84532", asset: `0x${"b2".repeat(20)}`, amount: "9".repeat(30) };
const COUNTS = {
  requests: 1_234_567_890,
  request_bytes: 9e15,
  response_bytes: 9e15,
  client_errors: 1_234_567,
  server_errors: 1_234_567,
  last_seen_ms: RECENTLY,
};
export const SOLD = { ...COUNTS, payments: 1_234_567, amounts: [{ ...TOKEN, symbol: "USDC" }, UNKNOWN_TOKEN] };
export const TODAY = new Date().toISOString().slice(0, 10);
export const PAYMENT = {
  route: `/${WORD}`,
  state: "settled",
  delivered: false,
  payer: TOKEN.asset,
  transaction: TOKEN.asset,
};

export const RUNNING_JOB = `running-${WORD}`;

function longJob(state: string): object {
  const cost = { due: TOKEN.amount, paid: TOKEN.amount, quote: TOKEN.amount, ...TOKEN, symbol: "USDC" };
  return {
    id: `${state}-${WORD}`,
    operation: "crawl",
    start: `https://${WORD}.example/${WORD}`,
    starts: 100,
    payer: TOKEN.asset,
    state,
    ...(state === "running" ? {} : { reason: "limit" }),
    limit: 10_000,
    delivered: 9_999,
    failed: 1_234_567,
    waiting: 1_234_567,
    not_delivered: { "robots-forbidden": 1_234_567, "query-combinations": 1_234_567, [WORD]: 1, calendar: 2, depth: 3 },
    cost,
    created_at: new Date(RECENTLY).toISOString(),
  };
}

const CREDIT = {
  id: TOKEN.asset,
  owner: TOKEN.asset,
  unit: "money",
  name: WORD,
  network: UNKNOWN_TOKEN.network,
  asset: UNKNOWN_TOKEN.asset,
  routes: [`/${WORD}`],
  balance: UNKNOWN_TOKEN.amount,
  state: "active",
  created_ms: RECENTLY,
  expires_ms: RECENTLY,
  revoked_ms: 0,
};

/** Responses of the admin interface with names that do not break, and figures that are long. */
export const LONG: Readonly<Record<string, unknown>> = {
  "/v1/routes": {
    routes: [
      {
        path_prefix: `/${WORD}`,
        host: `${WORD.slice(0, 60)}.example.com`,
        name: WORD,
        upstream: WORD,
        auth: "api_key",
      },
      {
        path_prefix: "/articles/archive",
        auth: "jwt",
        wasm_filter: true,
        wasm_required: true,
        x402: { price: "$12,345.678901", network: "eip155:8453" },
        rate_limit: {},
        traffic_split: [
          { upstream: WORD, weight: 9 },
          { redirect: { scheme: "https", host: `${WORD}.example`, path: `/${WORD}` }, weight: 1 },
        ],
      },
    ],
  },
  "/v1/upstreams": {
    upstreams: [WORD, "articles"].map((name) => ({
      name,
      load_balancer: "least_connections",
      protocol: "http2",
      servers: ["2001:db8:1234:5678:9abc:def0:1234:5678", `${WORD}.example`].map((address) => ({
        server: `${address}:8080`,
        address,
        port: 8080,
        source: "configured",
        health: "unhealthy",
        in_rotation: false,
        drained: false,
        reason: `the connection to ${WORD} was refused 12 times`,
        failures: 1_234_567,
        requests_in_flight: 1_234_567,
        connections: 1_234_567,
        last_failure_ms: RECENTLY,
      })),
    })),
  },
  "/v1/usage": {
    since_ms: RECENTLY,
    full: [],
    consumers: [
      { name: WORD, ...SOLD },
      { name: "", anonymous: true, ...SOLD },
    ],
    routes: [{ route: `${WORD}.example/${WORD}`, ...SOLD }],
    upstreams: [{ upstream: WORD, ...COUNTS }],
  },
  "/v1/payments": {
    available: true,
    days: [
      { day: TODAY, route: `/${WORD}`, payments: 1_234_567, ...TOKEN, symbol: "USDC" },
      { day: TODAY, route: "/articles", payments: 3, ...UNKNOWN_TOKEN },
    ],
    open: 1_234_567,
    unknown: 1_234_567,
    deferred: 1_234_567,
    owed: 1_234_567,
    oldest_open_ms: RECENTLY,
    recent: [
      { ...PAYMENT, id: "1", time_ms: RECENTLY, ...TOKEN, symbol: "USDC" },
      { ...PAYMENT, id: "2", time_ms: RECENTLY, ...UNKNOWN_TOKEN },
    ],
  },
  "/v1/payments/search": {
    payments: [
      { ...PAYMENT, id: TOKEN.asset, time_ms: RECENTLY, ...TOKEN, symbol: "USDC" },
      { ...PAYMENT, id: "2", time_ms: RECENTLY, ...UNKNOWN_TOKEN },
    ],
    next: "more",
    searched_to_ms: RECENTLY,
  },
  "/v1/payments/payers": {
    since_ms: RECENTLY,
    payers: [{ payer: TOKEN.asset, payments: 1_234_567, ...UNKNOWN_TOKEN }],
  },
  "/v1/payments/0x1": {
    payments: ["failed", "settled"].map((state) => ({
      ...PAYMENT,
      ...UNKNOWN_TOKEN,
      id: "0x1",
      state,
      time_ms: RECENTLY,
      updated_ms: RECENTLY,
      valid_before_s: 9e12,
      transaction: `0x${"ab".repeat(32)}`,
      explorer: "https://explorer.example",
      scheme: "exact",
      contract: UNKNOWN_TOKEN.asset,
      consumer: WORD,
      pay_to: TOKEN.asset,
      reason: WORD,
      attempts: 1_234_567,
      cuts: 1_234_567,
      repeats: 1_234_567,
    })),
  },
  "/v1/funnel": {
    days: [],
    reason: WORD,
    hour: [
      {
        time_ms: RECENTLY,
        entries: ["sdk", "", "browser"].map((client) => ({
          route: `/${WORD}`,
          client,
          stages: { free: 1_234_567, unpaid: 1_234_567_890, challenged: 1_234_567_890, signed: 12, again: 3 },
          losses: { unfunded: 1_234_567, network: 2 },
        })),
      },
    ],
  },
  "/v1/keys": { routes: [{ path_prefix: `/${WORD}`, host: WORD, name: WORD, keys: [{ number: 1, owner: WORD }] }] },
  "/v1/credits": { credits: [CREDIT], more: true },
  "/v1/credits/0x1": {
    credit: CREDIT,
    grants: [{ kind: "bought", amount: CREDIT.balance, payment: TOKEN.asset, time_ms: RECENTLY }],
    charges: [
      { id: "1", route: `/${WORD}`, state: "settled", amount: CREDIT.balance, delivered: true, time_ms: RECENTLY },
    ],
  },
  "/v1/tenants": {
    tenants: [{ key: WORD, path: `/run/${WORD}.sock`, last_used_ms: RECENTLY, workers: 4 }],
  },
  "/v1/jobs": { available: true, jobs: ["running", "completed", "cancelled", "failed"].map(longJob) },
  "/v1/content": {
    available: true,
    health: {
      status: "ok",
      version: "0.1.0",
      browser: { name: "Chrome Headless Shell", version: "149.0.7827.22", sandboxed: true },
      search: [
        { name: WORD, state: "open" },
        { name: "second", state: "closed", last_failure: "timeout" },
      ],
      figures: {
        started_at_ms: RECENTLY,
        engines: {
          static: { places: 64, under_way: 64, waiting: 1_234_567 },
          browser: { places: 4, under_way: 4, waiting: 12 },
        },
        extraction: { places: 4, under_way: 1, waiting: 0 },
        browsers: { running: 2, started: 1_234_567, lost: 1_234_567 },
        operations: { extract: { calls: 1_234_567, failures: { upstream_timeout: 1_234_567, [WORD]: 3 } } },
      },
    },
  },
};

const REQUEST: WatchedRequest = {
  time_ms: RECENTLY,
  request_id: WORD,
  client: "2001:db8:1234:5678:9abc:def0:1234:5678",
  consumer: WORD,
  payer: TOKEN.asset,
  protocol: "h2",
  method: "PROPPATCH",
  host: `${WORD}.example`,
  path: `/${WORD}`,
  query: `?${WORD}`,
  route: `/${WORD}`,
  status: 200,
  bytes_received: 9e15,
  bytes_sent: 9e15,
  duration_ms: 1_234_567.891,
  loss: "",
  user_agent: WORD,
};

/** A stream of `text/event-stream` that ends, after which the console shows that it is not connected. */
function streamOf(rows: readonly unknown[]): string {
  return rows.map((row) => `event: request\ndata: ${JSON.stringify(row)}\n\n`).join("");
}

const REQUESTS = streamOf([
  ...[101, 200, 304, 404, 499, 503].map((status) => ({ ...REQUEST, status })),
  { ...REQUEST, consumer: "", payer: "", query: "", route: "", user_agent: "", path: "/", host: "a", client: "::1" },
]);

/** Texts that views show when they have the rows of their streams, which have ended. */
export const LONG_TEXTS: Readonly<Record<string, readonly string[]>> = {
  overview: ["1 of 2", "Worker 16", "22.4 M /s"],
  requests: [REQUEST.method, "connecting"],
  payments: ["keys low"],
  filters: ["broke the ABI"],
  jobs: ["cancelled", "9,999 of 10,000"],
  content: ["its last request failed: timeout"],
  activity: ["not connected", WORD],
  "activity?show=log": ["worker 16"],
};

const EVENTS = ["done", "failed", "refused", undefined].map((outcome, at) => ({
  id: at + 1,
  time_ms: RECENTLY,
  kind: at % 2 === 0 ? "server_health" : "certificate",
  by: { kind: "read-only operator", key: "read_api_key", address: REQUEST.client },
  message: `${WORD} ${WORD}`,
  ...(outcome === undefined ? { kind: "lost" } : { outcome }),
}));

const FAILED = ["fuel", "trap", "misuse", "deadline", "control", "start", "busy"];

/** The overview with busy routes and servers out of rotation, from a real one. */
function longOverview(real: OverviewSnapshot): OverviewSnapshot {
  const durations = { counts: real.durations.counts.map(() => COUNTS.client_errors) };
  const routes = [`${WORD}.example/${WORD}`, ""].map((route) => ({ route, ...COUNTS, durations }));
  const worker = { row: 16, pid: 4_194_304, started_at_ms: RECENTLY };
  const outcomes = ["allow", "reject", "park", ...FAILED].map((outcome) => ({
    phase: "request",
    outcome,
    count: COUNTS.client_errors,
  }));
  const counted = { invocations: outcomes, fuel: 9e15, seconds: 9e9, durations };
  const entries = ["endless.wasm", `${WORD}.wasm`].map((filter) => ({ filter, route: "/endless", ...counted }));
  return {
    ...real,
    filters: { ...real.filters, entries: [...entries, { ...counted, filter: "", route: "" }] },
    started_at_ms: RECENTLY - 9e10,
    requests: COUNTS.requests,
    responses: { ...real.responses, "2xx": COUNTS.requests, "4xx": COUNTS.client_errors, "5xx": COUNTS.server_errors },
    request_bytes: COUNTS.request_bytes,
    response_bytes: COUNTS.response_bytes,
    routes,
    workers: [{ ...worker, requests_in_flight: 1_234_567, connections: 1_234_567 }],
    upstreams: [0, 1].map((healthy) => ({
      name: `${healthy}${WORD}`,
      servers: [true, healthy === 1].map((isIn) => ({
        server: "unix:/run/a",
        source: "configured",
        weight: 1,
        backup: false,
        health: "unhealthy",
        in_rotation: isIn,
        drained: false,
        reason: isIn ? "" : WORD,
        failures: 0,
        requests_in_flight: 0,
        connections: 0,
      })),
    })),
    worker_restarts: 1_234_567,
  };
}

/** The bodies of `LONG`, and those that a real gateway's responses are the base of. `ask` reads one of these. */
export async function longBodies(ask: (path: string) => Promise<Response>): Promise<Record<string, unknown>> {
  // The real gateway keeps to the description of its interface.
  const real = (await (await ask("/v1/overview")).json()) as OverviewSnapshot;
  const status = (await (await ask("/v1/status")).json()) as Status;
  const members = [WORD, "far"].map((name, i) => ({ name, breakers_open: i }));
  const gas = [0, 12].map((low) => ({ network: "eip155:84532", balance: 0.000_123_456_789, low_keys: low }));
  const zeros = { requests: 0, client_errors: 0, server_errors: 0, request_bytes: 0, response_bytes: 0 };
  const now = longOverview(real);
  const minute = {
    ...now,
    ...zeros,
    time_ms: now.time_ms - 55_000,
    responses: real.responses,
    filters: { ...real.filters, entries: [] },
    routes: now.routes.map(({ route }) => ({ route, ...zeros })),
  };
  return {
    ...LONG,
    "/v1/overview": now,
    "/v1/history": { samples: [], minute },
    "/v1/status": { ...status, facilitators: { members, breakers_open: 1_234_567, gas } },
    "/v1/events": { events: EVENTS },
    "/v1/log": { lines: [0, 16].map((worker) => ({ time_ms: RECENTLY, worker, text: `${WORD} ${WORD}` })) },
    "/v1/requests": REQUESTS,
  };
}

/** Responds to requests for these paths with the bodies; a string is a stream of events. */
export async function respondWith(page: Page, bodies: Readonly<Record<string, unknown>>): Promise<void> {
  await page.setRequestInterception(true);
  page.on("request", (request) => void respond(request, bodies[new URL(request.url()).pathname]));
}

async function respond(request: HTTPRequest, body: unknown): Promise<void> {
  if (body === undefined) await request.continue();
  else if (typeof body === "string") await request.respond({ contentType: "text/event-stream", body });
  else await request.respond({ contentType: "application/json", body: JSON.stringify(body) });
}
