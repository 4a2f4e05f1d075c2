import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type BodySink, type Exchange, type RequestHead } from "../exchange/exchange.ts";
import { type Plain } from "../exchange/exchange-state.ts";
import { type FilterDecision } from "../filters/runtime/filter.ts";
import { type Decision, type Policy } from "../policy/policy.ts";
import { type ForwardTarget } from "../proxy/target.ts";
import { ColdStarts, MAX_WAITING } from "./cold-starts.ts";
import { type Mapping, WarmTenants } from "./warm-tenants.ts";
import { TenantUpstream } from "./tenant-server.ts";
import { TenantRoute } from "./tenant-route.ts";

const WAIT_MS = 1000;
const ROOM = 65_536;

let folder: string;
const servers: Server[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-tenant-route-"));
  mkdirSync(join(folder, "vms"));
  for (const name of ["vms/a.sock", "vms/b.sock", "outside.sock"]) {
    const server = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(join(folder, name), () => resolve());
    // oxlint-disable-next-line no-await-in-loop -- there are three
    await promise;
    servers.push(server);
  }
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A request that waits for its filter. */
interface Filtered {
  readonly exchange: Exchange;
  /** The filter allows the request, with the socket of this name. */
  readonly allow: (socket?: string) => Promise<void>;
  readonly respond: () => Promise<void>;
}

let clock: FakeClock;
let bodies: BufferPool;
let filtered: Filtered[];
let errors: string[];
let logged: string[];
let warm: WarmTenants;
let queue: ColdStarts<Mapping>;
let route: TenantRoute;
let wheel: TimerWheel;

beforeEach(() => {
  create({});
});
afterEach(() => {
  warm.close();
  wheel.close();
});

interface Options {
  readonly header?: string;
  readonly skips?: boolean;
  readonly readsCalls?: boolean;
  readonly requestHeaders?: Policy;
}

function create({ header = "X-Tenant", skips = true, readsCalls = false, requestHeaders }: Options): void {
  clock = new FakeClock();
  wheel = new TimerWheel(clock);
  bodies = new BufferPool({ bufferSize: 1, bufferCount: 1_000_000, reserve: 0 });
  filtered = [];
  errors = [];
  logged = [];
  const onError = (error: unknown): void => void errors.push(String(error));
  const metrics = { hit() {}, miss() {}, evicted() {}, active() {} };
  const limits = { idleMs: 60_000, most: 10 };
  warm = new WarmTenants({ servers: { wheel, buffers: bodies, onError }, wheel, clock: () => 0, metrics }, limits);
  queue = new ColdStarts<Mapping>();
  route = new TenantRoute(
    { socket_dir: join(folder, "vms"), header, skip_filter_when_warm: skips },
    {
      tenants: { wheel, warm, starts: queue },
      name: "/route",
      scope: "the scope",
      filters: { readsCalls, request: (exchange) => filter(exchange) },
      requestHeaders,
      waitMs: WAIT_MS,
      bodies,
      memory: bodies,
      respondWithError: (_, error) => void errors.push(`${error.code}: ${error.message}`),
      log: (line) => void logged.push(line),
      onError,
    },
  );
}

function filter(exchange: Exchange): Promise<FilterDecision> {
  const { promise, resolve } = Promise.withResolvers<FilterDecision>();
  filtered.push({
    exchange,
    async allow(socket) {
      resolve({ kind: "continue", ...(socket === undefined ? {} : { upstream: join(folder, socket) }) });
      await turn();
    },
    async respond() {
      resolve({ kind: "responded" });
      await turn();
    },
  });
  return promise;
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A request of a tenant, whose body the test sends. */
class Asked extends ClientExchange {
  decision: Decision | undefined;
  sink: BodySink | undefined;
  /** The path of the socket to which the request goes. */
  get goesTo(): string | undefined {
    if (this.decision !== "continue") return this.decision === undefined ? undefined : "responded";
    return route.choose(this).servers[0]?.key.slice(`unix:${folder}/`.length);
  }
  depart(): void {
    this.gone = true;
    this.onGone?.();
  }
}

async function decide(exchange: Asked): Promise<void> {
  exchange.decision = await route.policy.request(exchange);
}

async function ask(head: Partial<Plain<RequestHead>> = {}, key = "a"): Promise<Asked> {
  const fields = key === "" ? "" : `x-tenant: ${key}\r\n`;
  const exchange = new Asked(new Consumer(), { method: "GET", bodyLength: 0, fields, ...head });
  exchange.body = { readTo: (sink) => void (exchange.sink = sink), pause() {}, resume() {} };
  void decide(exchange);
  await turn();
  return exchange;
}

test("the policy decides who reaches a tenant", () => {
  expect(route.policy).toMatchObject({ name: "tenant", guards: true });
});

test("the first request starts its tenant, later ones go there without the filter, and other tenants do not", async () => {
  const first = await ask();
  expect([first.goesTo, filtered.length]).toEqual([undefined, 1]);
  await filtered[0]?.allow("vms/a.sock");
  expect(first.goesTo).toBe("vms/a.sock");
  expect([(await ask()).goesTo, filtered.length]).toEqual(["vms/a.sock", 1]);
  await ask({}, "b");
  expect(filtered.length).toBe(2);
});

test("requests of a tenant that is being started wait, and go where the first one goes", async () => {
  const [first, second, third] = [await ask(), await ask(), await ask()];
  expect(filtered.length).toBe(1);
  await filtered[0]?.allow("vms/a.sock");
  expect([first, second, third].map(({ goesTo }) => goesTo)).toEqual(["vms/a.sock", "vms/a.sock", "vms/a.sock"]);
  expect(filtered.length).toBe(1);
});

test("tenants that are being started at the same time each have their own start and their own socket", async () => {
  const [first, other] = [await ask(), await ask({}, "b")];
  expect(filtered.map(({ exchange }) => exchange)).toEqual([first, other]);
  const waiting = await ask({}, "b");
  await filtered[0]?.allow("vms/a.sock");
  expect([first, other, waiting].map(({ goesTo }) => goesTo)).toEqual(["vms/a.sock", undefined, undefined]);
  await filtered[1]?.allow("vms/b.sock");
  expect([other.goesTo, waiting.goesTo]).toEqual(["vms/b.sock", "vms/b.sock"]);
});

test("if the filter responds to the first request, the next one starts the tenant", async () => {
  const [first, second] = [await ask(), await ask()];
  await filtered[0]?.respond();
  expect([first.goesTo, filtered.length, filtered[1]?.exchange === second]).toEqual(["responded", 2, true]);
  await filtered[1]?.allow("vms/b.sock");
  expect(second.goesTo).toBe("vms/b.sock");
});

test("if the client of the first request leaves, the next one starts the tenant at once, and once", async () => {
  const [first, second, third] = [await ask(), await ask(), await ask()];
  let told = 0;
  const before = third.onGone;
  third.onGone = () => {
    told++;
    before?.();
  };
  first.depart();
  await turn();
  expect(filtered[1]?.exchange).toBe(second);
  await filtered[0]?.allow("vms/a.sock");
  expect([first.goesTo, filtered.length]).toEqual(["responded", 2]);
  third.depart();
  await turn();
  expect([third.goesTo, told]).toEqual(["responded", 1]);
  await filtered[1]?.allow("vms/b.sock");
  expect([second.goesTo, filtered.length, errors]).toEqual(["vms/b.sock", 2, []]);
});

test("a client that knows of one that leaves learns when it leads, and when it waits", async () => {
  const told: string[] = [];
  for (const name of ["leads", "waits"]) {
    const exchange = new Asked(new Consumer(), { method: "GET", bodyLength: 0, fields: "x-tenant: a\r\n" });
    exchange.onGone = () => void told.push(name);
    void route.policy.request(exchange);
    // oxlint-disable-next-line no-await-in-loop -- the first one leads
    await turn();
    exchange.onGone();
  }
  expect(told).toEqual(["leads", "waits"]);
});

test("a client that leaves at the moment when its tenant is warm is not forwarded, and gets no error", async () => {
  await ask();
  const second = await ask();
  queue.started("the scope\0a", warm.warm("the scope", "a", join(folder, "vms/a.sock")));
  second.depart();
  await turn();
  expect([second.goesTo, errors]).toEqual(["responded", []]);
});

test("a request waits no longer than the limit, over all its waits", async () => {
  await ask();
  const second = await ask();
  const third = await ask();
  clock.advance(600);
  await filtered[0]?.respond();
  expect(filtered[1]?.exchange).toBe(second);
  clock.advance(380);
  await turn();
  expect(third.goesTo).toBeUndefined();
  clock.advance(50);
  await turn();
  expect([third.goesTo, errors]).toEqual(["responded", ["tenant-starting: the tenant was not started in time"]]);
});

test("a request that waits twice has the rest of its time for the second wait", async () => {
  await ask();
  const slow = await ask({ method: "POST", bodyLength: 3 });
  clock.advance(600);
  await filtered[0]?.respond();
  await ask();
  slow.sink?.data(Buffer.from("abc"));
  slow.sink?.end("");
  await turn();
  clock.advance(350);
  await turn();
  expect(slow.goesTo).toBeUndefined();
  clock.advance(100);
  await turn();
  expect([slow.goesTo, errors]).toEqual(["responded", ["tenant-starting: the tenant was not started in time"]]);
});

test("a request is refused if too many wait for tenants", async () => {
  const waiting = { warm() {}, lead() {} };
  for (let i = 0; i <= MAX_WAITING; i++) queue.enter("another", waiting);
  const [first, second] = [await ask(), await ask()];
  expect([first.goesTo, second.goesTo, errors]).toEqual([
    undefined,
    "responded",
    ["overloaded: too many requests wait for tenants that are being started"],
  ]);
});

test("a filter that names no socket, or one that cannot be used, causes an error", async () => {
  await ask();
  await filtered[0]?.allow();
  expect(errors).toEqual(["no-upstream: the filter has not named a socket of the tenant"]);
  expect(logged).toEqual([]);
  await ask();
  await filtered[1]?.allow("outside.sock");
  expect(errors[1]).toBe("no-upstream: the socket that the filter has named cannot be used");
  expect(logged).toEqual([
    `Cannot use the tenant socket "${folder}/outside.sock" of route /route: it lies outside the route's socket_dir`,
  ]);
  expect(warm.size).toBe(0);
});

test("a request without a key is started by itself, and its tenant is not stored", async () => {
  using closed = spyOn(TenantUpstream.prototype, "close");
  const [one, two] = [await ask({}, ""), await ask({}, "x".repeat(129))];
  expect(filtered.length).toBe(2);
  await filtered[0]?.allow("vms/a.sock");
  await filtered[1]?.respond();
  expect([one.goesTo, two.goesTo, warm.size]).toEqual(["vms/a.sock", "responded", 0]);
  // Its connection ends with it.
  expect(closed).toHaveBeenCalledTimes(1);
});

test("the host names a tenant if the header is Host", async () => {
  create({ header: "Host" });
  await ask({ authority: "A.example:80" });
  await filtered[0]?.allow("vms/a.sock");
  expect((await ask({ authority: "a.example" })).goesTo).toBe("vms/a.sock");
  expect(warm.list().map(({ key }) => key)).toEqual(["a.example"]);
});

test("filters of warm tenants run if the route says so, and may not park their requests", async () => {
  create({ skips: false });
  await ask();
  await filtered[0]?.allow("vms/a.sock");
  const [allowed, parked, refused] = [await ask(), await ask(), await ask()];
  await filtered[1]?.allow();
  await filtered[2]?.allow("vms/b.sock");
  await filtered[3]?.respond();
  expect([allowed, parked, refused].map(({ goesTo }) => goesTo)).toEqual(["vms/a.sock", "responded", "responded"]);
  expect(errors).toEqual(["filter-failed: the filter has parked a request of a warm tenant"]);
});

test("a client that has left gets no error, whatever its filter says", async () => {
  create({ skips: false });
  await ask();
  await filtered[0]?.allow("vms/a.sock");
  const gone = await ask();
  gone.depart();
  await filtered[1]?.allow("vms/a.sock");
  expect(errors).toEqual([]);
  await ask();
  await filtered[2]?.allow("vms/a.sock");
  expect(errors).toHaveLength(1);
});

test("a request with a body starts its tenant when its body is there, and others do not wait for it", async () => {
  const slow = await ask({ method: "POST", bodyLength: 3 });
  expect(filtered.length).toBe(0);
  const quick = await ask();
  expect(filtered[0]?.exchange).toBe(quick);
  slow.sink?.data(Buffer.from("abc"));
  slow.sink?.end("");
  await turn();
  expect([slow.goesTo, filtered.length]).toEqual([undefined, 1]);
  await filtered[0]?.allow("vms/a.sock");
  expect([quick.goesTo, slow.goesTo]).toEqual(["vms/a.sock", "vms/a.sock"]);
});

test("a request whose body arrives after its tenant was started goes there", async () => {
  const slow = await ask({ method: "POST", bodyLength: -1 });
  await ask();
  await filtered[0]?.allow("vms/a.sock");
  slow.sink?.end("");
  await turn();
  expect([slow.goesTo, filtered.length]).toEqual(["vms/a.sock", 1]);
});

test("a request with a whole body starts its tenant for all who wait", async () => {
  const slow = await ask({ method: "POST", bodyLength: 3 });
  slow.sink?.data(Buffer.from("abc"));
  slow.sink?.end("");
  await turn();
  const other = await ask();
  await filtered[0]?.allow("vms/a.sock");
  expect([slow.goesTo, other.goesTo, filtered.length]).toEqual(["vms/a.sock", "vms/a.sock", 1]);
});

test("a body that cannot be read causes its error, and a client that has left causes none", async () => {
  const broken = await ask({ method: "POST", bodyLength: 3 });
  broken.sink?.abort(new TurnpikeError("request-timeout", "late"));
  await turn();
  expect([broken.goesTo, errors]).toEqual(["responded", ["request-timeout: late"]]);
  const left = await ask({ method: "POST", bodyLength: 3 });
  left.depart();
  left.sink?.abort(new TurnpikeError("bad-request", "reset"));
  await turn();
  expect([left.goesTo, errors.length, filtered.length]).toEqual(["responded", 1, 0]);
});

test("a request with a body that is too long to be parked starts its tenant alone, and stores it", async () => {
  const fields = "x-tenant: a\r\n";
  const room = ROOM - "POST".length - "/".length - fields.length;
  const short = await ask({ method: "POST", bodyLength: room });
  expect([filtered.length, short.sink === undefined]).toEqual([0, false]);
  const long = await ask({ method: "POST", bodyLength: room + 1 });
  expect([filtered.length, long.sink]).toEqual([1, undefined]);
  const other = await ask();
  expect(filtered.length).toBe(2);
  await filtered[0]?.allow("vms/a.sock");
  expect([long.goesTo, (await ask()).goesTo]).toEqual(["vms/a.sock", "vms/a.sock"]);
  await filtered[1]?.respond();
  expect(other.goesTo).toBe("responded");
});

test.each([
  [0, 0],
  [1, 1],
])(
  "a request of unknown length whose head is %d bytes over what can be parked starts %d tenants before its body",
  async (over, starts) => {
    const fields = "x-tenant: a\r\n";
    const path = `/${"p".repeat(ROOM - "POST/".length - fields.length + over)}`;
    const asked = await ask({ method: "POST", bodyLength: -1, path });
    expect([filtered.length, asked.sink === undefined]).toEqual([starts, over > 0]);
  },
);

test("a request of unknown length whose body is too long starts its tenant alone", async () => {
  const long = await ask({ method: "POST", bodyLength: -1 });
  long.sink?.data(new Uint8Array(ROOM));
  await turn();
  const other = await ask();
  expect(filtered.map(({ exchange }) => exchange)).toEqual([long, other]);
});

test.each([
  [{ upgrade: "websocket", bodyLength: -1 }, false, 1],
  [{ method: "POST", isGrpc: true, bodyLength: -1 }, false, 1],
  [{ method: "POST", isGrpc: true, bodyLength: -1 }, true, 2],
] as const)("the filter runs before the body of %j (it reads calls: %p)", async (head, readsCalls, starts) => {
  create({ readsCalls });
  const first = await ask(head);
  await ask();
  expect([filtered.length, first.sink]).toEqual([starts, undefined]);
});

test("each request of a tenant gets one buffer for its response, in front of that of the filters", async () => {
  await ask();
  await filtered[0]?.allow("vms/a.sock");
  const client = new Consumer();
  const exchange = new Asked(client, { method: "GET", bodyLength: 0, fields: "x-tenant: a\r\n" });
  await route.policy.request(exchange);
  expect(exchange.response).not.toBe(client);
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 3 });
  exchange.response.data(Buffer.from("abc"));
  expect(client.length).toBe(0);
  exchange.response.end("");
  expect(client.bytes.toString()).toBe("abc");
});

test("a request without a tenant cannot be forwarded", () => {
  const exchange = new Asked(new Consumer(), { method: "GET", bodyLength: 0 });
  expect(() => route.choose(exchange)).toThrow("Cannot forward: the request has no tenant");
});

/** The route's target, which records the errors that its clients get, and the times that forwarded requests have left. */
function target(maxRetries = 1) {
  const codes: string[] = [];
  const leftMs: number[] = [];
  const record = (_: Exchange, { totalTimeoutMs }: ForwardTarget) => void leftMs.push(totalTimeoutMs);
  // The part of a target that a route changes.
  const plain = {
    retry: { maxRetries },
    totalTimeoutMs: 1000,
    respondWithError: (_: Exchange, { code }: TurnpikeError) => void codes.push(code),
    variants: { choose: () => ({ apply: record }) },
  } as unknown as ForwardTarget;
  return { target: route.target(plain), codes, leftMs };
}

/** A request that was sent to a warm tenant without its filter. */
async function sent(head: Partial<Plain<RequestHead>> = {}): Promise<Asked> {
  if (warm.size === 0) {
    await ask();
    await filtered.at(-1)?.allow("vms/a.sock");
  }
  const exchange = await ask(head);
  expect(exchange.goesTo).toBe("vms/a.sock");
  return exchange;
}

test.each(["upstream-failed", "no-upstream"] as const)(
  "a GET that gets %s has its tenant started again, once",
  async (code) => {
    const { target: to, codes, leftMs } = target();
    const exchange = await sent();
    exchange.head.fields = "x-changed: 1\r\n";
    warm.drop("a");
    const starts = filtered.length;
    to.respondWithError(exchange, new TurnpikeError(code, "gone"));
    await turn();
    expect([codes, filtered.length, exchange.head.fields]).toEqual([[], starts + 1, "x-tenant: a\r\n"]);
    to.respondWithError(exchange, new TurnpikeError(code, "gone"));
    expect(codes).toEqual([code]);
    // The filter has responded: nothing is forwarded.
    await filtered.at(-1)?.respond();
    expect([errors, leftMs]).toEqual([[], []]);
  },
);

test.each<
  readonly [
    string,
    Partial<Plain<RequestHead>>,
    { code?: TurnpikeError["code"]; retries?: number; now?: Partial<Asked> },
  ]
>([
  ["a timeout", {}, { code: "upstream-timeout" }],
  ["a POST", { method: "POST" }, {}],
  ["a request with a body", { bodyLength: 3 }, {}],
  ["a WebSocket", { upgrade: "websocket" }, {}],
  ["a response that has begun", {}, { now: { started: true } }],
  ["a client that has left", {}, { now: { gone: true } }],
  ["a route without retries", {}, { retries: 0 }],
])("%s has no tenant started again", async (_, head, { code = "upstream-failed", retries = 1, now = {} }) => {
  const { target: to, codes } = target(retries);
  const exchange = await sent(head);
  Object.assign(exchange, now);
  const starts = filtered.length;
  to.respondWithError(exchange, new TurnpikeError(code, "gone"));
  await turn();
  expect([codes, filtered.length]).toEqual([[code], starts]);
});

test("a request whose filter has run has no tenant started again", async () => {
  const { target: to, codes } = target();
  const exchange = await ask();
  await filtered[0]?.allow("vms/a.sock");
  to.respondWithError(exchange, new TurnpikeError("upstream-failed", "gone"));
  expect(codes).toEqual(["upstream-failed"]);
  const unknown = new Asked(new Consumer(), { method: "GET", bodyLength: 0 });
  to.respondWithError(unknown, new TurnpikeError("upstream-failed", "gone"));
  expect(codes.length).toBe(2);
});

test("a request whose tenant was started again goes to the new socket, with the fields that the route adds and the rest of its time", async () => {
  const changed: string[] = [];
  const request = ({ head }: Exchange): Decision => {
    changed.push(head.fields);
    return "continue";
  };
  create({ requestHeaders: { name: "headers", guards: false, request } });
  const { target: to, leftMs } = target();
  for (const [beforeMs, expected] of [
    [400, 500],
    [2000, 1],
  ] as const) {
    const exchange = await sent();
    const { response } = exchange;
    clock.advance(beforeMs);
    warm.drop("a");
    to.respondWithError(exchange, new TurnpikeError("upstream-failed", "gone"));
    await turn();
    clock.advance(100);
    await filtered.at(-1)?.allow("vms/b.sock");
    expect([exchange.goesTo, leftMs.splice(0)]).toEqual(["vms/b.sock", [expected]]);
    expect(exchange.response).toBe(response);
    warm.drop("a");
  }
  expect(changed).toEqual(["x-tenant: a\r\n", "x-tenant: a\r\n"]);
});

test("a request whose tenant is started again is not forwarded if its client leaves meanwhile", async () => {
  const { target: to, codes, leftMs } = target();
  const exchange = await sent();
  warm.drop("a");
  to.respondWithError(exchange, new TurnpikeError("upstream-failed", "gone"));
  await turn();
  exchange.depart();
  await filtered.at(-1)?.allow("vms/b.sock");
  expect([leftMs, codes, errors, warm.size]).toEqual([[], [], [], 0]);
});

test("a fault while a tenant is started again is reported, and its client gets an error", async () => {
  create({ requestHeaders: { name: "headers", guards: false, request: () => Promise.reject(new Error("a fault")) } });
  const { target: to, leftMs } = target();
  const exchange = await sent();
  warm.drop("a");
  to.respondWithError(exchange, new TurnpikeError("upstream-failed", "gone"));
  await turn();
  await filtered.at(-1)?.allow("vms/b.sock");
  expect([leftMs, errors]).toEqual([[], ["Error: a fault", "internal: the request could not be handled"]]);
});
