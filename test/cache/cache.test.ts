/** `routes[].cache` through the real gateway: what reaches the origin, and what clients get. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type Gateway } from "../support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { once } from "../support/raw-client.ts";
import { type OriginConnection, type RawOrigin } from "../support/raw-origin.ts";
import { CacheBed, cacheStatus } from "./testing/cache-bed.ts";

let bed: CacheBed;
let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  bed = await CacheBed.start({ max_entry_bytes: 100_000, vary: ["X-A"] });
  ({ origin, gateway } = bed);
});

afterAll(() => bed.stop());

afterEach(() => bed.reset());

test("a fresh stored response serves GET and HEAD, with its age and without a request to the origin", async () => {
  const path = bed.newPath();
  bed.responses('Cache-Control: max-age=60\r\nETag: "a"\r\n');
  const first = await bed.ask(path);
  const second = await bed.ask(path);
  const head = await bed.ask(path, "", "HEAD");
  expect([first, second].map(({ body }) => body)).toEqual(["body 1", "body 1"]);
  expect([statusOf(head), valuesOf(head, "content-length"), head.body]).toEqual([200, ["6"], ""]);
  expect(cacheStatus(first)).toBe("Turnpike; fwd=uri-miss; fwd-status=200; stored");
  expect(cacheStatus(second)).toMatch(/^Turnpike; hit; ttl=\d+$/);
  expect([valuesOf(first, "age"), valuesOf(second, "age").length]).toEqual([[], 1]);
  expect(origin.requests).toHaveLength(1);
});

test("what a client got with its credentials is served to no other client, unless the origin shares it", async () => {
  for (const [control, isShared] of [
    ["max-age=60", false],
    ["max-age=60, public", true],
    ["s-maxage=60", true],
  ] as const) {
    const path = bed.newPath();
    bed.responses(`Cache-Control: ${control}\r\n`);
    await bed.ask(path, "Authorization: Bearer secret\r\n");
    for (const fields of ["Authorization: Bearer other\r\n", ""]) {
      expect([control, fields, (await bed.ask(path, fields)).body === "body 1"]).toEqual([control, fields, isShared]);
    }
  }
});

test("a stored response keeps its status and its reason phrase", async () => {
  const path = bed.newPath();
  bed.responses("Cache-Control: max-age=60\r\n", "404 Not Here");
  await bed.ask(path);
  const again = await bed.ask(path);
  expect([again.startLine, cacheStatus(again)]).toEqual(["HTTP/1.1 404 Not Here", expect.stringContaining("hit")]);
});

test("a HEAD that fails at the origin neither changes nor removes the stored response", async () => {
  const path = bed.newPath();
  bed.responses('Cache-Control: max-age=60\r\nETag: "a"\r\n');
  await bed.ask(path);
  bed.responses('Cache-Control: max-age=1\r\nETag: "b"\r\n', "500 Internal Server Error");
  const head = await bed.ask(path, "Cache-Control: no-cache\r\n", "HEAD");
  expect([statusOf(head), origin.requests.length]).toEqual([500, 2]);
  const again = await bed.ask(path);
  expect([statusOf(again), again.body, origin.requests.length]).toEqual([200, "body 1", 2]);
});

test("a HEAD whose response has another ETag removes the stored response", async () => {
  const path = bed.newPath();
  bed.responses('Cache-Control: max-age=60\r\nETag: "a"\r\n');
  await bed.ask(path);
  bed.responses('Cache-Control: max-age=60\r\nETag: "b"\r\n');
  await bed.ask(path, "Cache-Control: no-cache\r\n", "HEAD");
  expect([(await bed.ask(path)).body, origin.requests.length]).toEqual(["body 2", 3]);
});

test("fifty simultaneous requests cost one request to the origin, and get the body while it arrives", async () => {
  const path = bed.newPath();
  const held = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => {
    connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nfirst");
    held.resolve(connection);
  };
  const all = await Promise.all(Array.from({ length: 50 }, () => bed.opened(path)));
  const connection = await held.promise;
  await Promise.all(all.map((client) => client.sees("first")));
  connection.send("other");
  const bodies = await Promise.all(all.map(async (client) => (await client.response()).body));
  expect(new Set(bodies)).toEqual(new Set(["firstother"]));
  expect(origin.requests).toHaveLength(1);
});

test("a response that may not be stored goes to one client, and the others send their own requests", async () => {
  const path = bed.newPath();
  let count = 0;
  const connections: OriginConnection[] = [];
  origin.response = (_, connection) => void connections.push(connection);
  const all = await Promise.all(Array.from({ length: 5 }, () => bed.opened(path)));
  await origin.until("the first request", () => connections[0]);
  const response = (connection: OriginConnection): void => {
    const body = `own ${++count}`;
    connection.send(`HTTP/1.1 200 OK\r\nCache-Control: private\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  };
  response(connections[0] as OriginConnection); // Awaited above.
  await origin.until("all requests", () => (connections.length === 5 ? true : undefined));
  for (const connection of connections.slice(1)) response(connection);
  const bodies = await Promise.all(all.map(async (client) => (await client.response()).body));
  expect(new Set(bodies).size).toBe(5);
});

test("a client that leaves while others wait does not affect them", async () => {
  const path = bed.newPath();
  const held = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => held.resolve(connection);
  const leader = await bed.opened(path);
  const connection = await held.promise;
  const follower = await bed.opened(path);
  await until("both requests", async () =>
    valueOf((await bed.ask("/metrics")).body, "turnpike_http_requests_in_flight") === 3 ? true : undefined,
  );
  leader.destroy();
  connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nok");
  expect((await follower.response()).body).toBe("ok");
  expect(origin.requests).toHaveLength(1);
});

test("a body larger than an entry may be reaches all readers, and is not stored", async () => {
  const path = bed.newPath();
  const body = "0123456789".repeat(30_000);
  origin.response = (_, connection) =>
    connection.send(
      `HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
  const all = await Promise.all([bed.opened(path), bed.opened(path)]);
  const bodies = await Promise.all(all.map(async (client) => (await client.response()).body));
  expect(bodies.every((one) => one === body)).toBe(true);
  const before = origin.requests.length;
  expect((await bed.ask(path)).body === body).toBe(true);
  expect(origin.requests.length).toBe(before + 1);
});

test("a stale response is revalidated, and updated by a 304 or replaced", async () => {
  const path = bed.newPath();
  bed.responses('Cache-Control: max-age=0\r\nETag: "a"\r\nX-Version: 1\r\n');
  await bed.ask(path);
  origin.response = (_, connection) =>
    connection.send('HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=60\r\nETag: "a"\r\nX-Version: 2\r\n\r\n');
  const freshened = await bed.ask(path);
  expect([statusOf(freshened), freshened.body, valuesOf(freshened, "x-version")]).toEqual([200, "body 1", ["2"]]);
  expect(cacheStatus(freshened)).toBe("Turnpike; fwd=stale; fwd-status=304");
  expect(valuesOf(origin.requests[1] as Message, "if-none-match")).toEqual(['"a"']); // The second request.
  expect(cacheStatus(await bed.ask(path))).toContain("hit");
  expect(origin.requests).toHaveLength(2);
});

test("stale-while-revalidate responds at once, and revalidates in the background", async () => {
  const path = bed.newPath();
  bed.responses("Cache-Control: max-age=0, stale-while-revalidate=60\r\n");
  await bed.ask(path);
  expect((await bed.ask(path)).body).toBe("body 1");
  await origin.until("the request behind the client's back", () => (origin.requests.length === 2 ? true : undefined));
});

test("a response that is stale for longer than stale-while-revalidate allows is revalidated first", async () => {
  const path = bed.newPath();
  bed.responses("Cache-Control: max-age=0, stale-while-revalidate=60\r\nAge: 61\r\n");
  await bed.ask(path);
  expect((await bed.ask(path)).body).toBe("body 2");
});

test("a revalidation in the background ends with the new response in the cache, though no client waits for it", async () => {
  const path = bed.newPath();
  bed.responses("Cache-Control: max-age=0, stale-while-revalidate=60\r\n");
  await bed.ask(path);
  const late = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => late.resolve(connection);
  expect((await bed.ask(path)).body).toBe("body 1");
  (await late.promise).send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 3\r\n\r\nnew");
  await until("the new response", async () => ((await bed.ask(path)).body === "new" ? true : undefined));
  expect(origin.requests).toHaveLength(2);
});

test.each<[string, (connection: OriginConnection) => void]>([
  ["a 503", (connection) => connection.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")],
  ["a reset", (connection) => connection.reset()],
])("stale-if-error serves the stored response in place of %s, and of nothing else", async (_, fail) => {
  const [kept, other] = [bed.newPath(), bed.newPath()];
  bed.responses('Cache-Control: max-age=0, stale-if-error=60\r\nETag: "a"\r\n');
  await bed.ask(kept);
  bed.responses('Cache-Control: max-age=0\r\nETag: "a"\r\n');
  await bed.ask(other);
  origin.response = (_request, connection) => fail(connection);
  const saved = await bed.ask(kept);
  expect([statusOf(saved), saved.body]).toEqual([200, "body 1"]);
  const failed = await bed.ask(other);
  expect(statusOf(failed)).toBeGreaterThanOrEqual(502);
});

test("each waiting client gets the error with its own request id", async () => {
  const path = bed.newPath();
  const held = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => held.resolve(connection);
  const all = await Promise.all([bed.opened(path, "X-Request-Id: one\r\n"), bed.opened(path, "X-Request-Id: two\r\n")]);
  (await held.promise).reset();
  const messages = await Promise.all(all.map((client) => client.response()));
  expect(messages.map((message) => [statusOf(message), JSON.parse(message.body).instance])).toEqual([
    [502, "one"],
    [502, "two"],
  ]);
});

test("conditions and ranges are evaluated with the stored response", async () => {
  const path = bed.newPath();
  bed.responses('Cache-Control: max-age=60\r\nETag: "a"\r\nLast-Modified: Fri, 01 Jan 2021 00:00:00 GMT\r\n');
  await bed.ask(path);
  const rows: [string, number, string][] = [
    ['If-None-Match: W/"a"\r\n', 304, ""],
    ['If-None-Match: "b"\r\n', 200, "body 1"],
    ["If-Modified-Since: Fri, 01 Jan 2021 00:00:00 GMT\r\n", 304, ""],
    ["If-Modified-Since: Thu, 31 Dec 2020 00:00:00 GMT\r\n", 200, "body 1"],
    ["Range: bytes=1-3\r\n", 206, "ody"],
    ["Range: bytes=-1\r\n", 206, "1"],
    ["Range: bytes=9-\r\n", 416, ""],
    ['Range: bytes=1-3\r\nIf-Range: "b"\r\n', 200, "body 1"],
    ['Range: bytes=1-3\r\nIf-Range: "a"\r\n', 206, "ody"],
  ];
  for (const [fields, status, body] of rows) {
    const response = await bed.ask(path, fields);
    expect([fields, statusOf(response), status === 416 ? "" : response.body]).toEqual([fields, status, body]);
  }
  expect(origin.requests).toHaveLength(1);
});

test("directives of a request are obeyed", async () => {
  const path = bed.newPath();
  bed.responses("Cache-Control: max-age=60\r\n");
  expect(statusOf(await bed.ask(path, "Cache-Control: only-if-cached\r\n"))).toBe(504);
  expect((await bed.ask(path, "Cache-Control: no-store\r\n")).body).toBe("body 1");
  expect((await bed.ask(path)).body).toBe("body 2");
  expect((await bed.ask(path, "Cache-Control: no-cache\r\n")).body).toBe("body 3");
  expect((await bed.ask(path, "Cache-Control: max-age=0\r\n")).body).toBe("body 4");
  expect((await bed.ask(path, "Cache-Control: min-fresh=90\r\n")).body).toBe("body 5");
  expect((await bed.ask(path, "Cache-Control: only-if-cached\r\n")).body).toBe("body 5");
});

test("unsafe methods invalidate stored responses, also those that Location names", async () => {
  const [path, other] = [bed.newPath(), bed.newPath()];
  bed.responses("Cache-Control: max-age=60\r\n");
  await bed.ask(path);
  await bed.ask(other);
  origin.response = (_, connection) => connection.send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
  await bed.ask(path, "Content-Length: 0\r\n", "POST");
  expect(cacheStatus(await bed.ask(path))).toContain("hit");
  origin.response = (_, connection) =>
    connection.send(`HTTP/1.1 201 Created\r\nLocation: ${other}\r\nContent-Length: 0\r\n\r\n`);
  await bed.ask(path, "Content-Length: 0\r\n", "POST");
  bed.responses("Cache-Control: max-age=60\r\n");
  for (const one of [path, other]) expect(cacheStatus(await bed.ask(one))).toContain("fwd=uri-miss");
});

test.each([
  ["of the same prefix", { path_prefix: "/", match: { methods: ["POST"] } }],
  ["of the path itself", { path_prefix: "/p1", match: { methods: ["POST"] } }],
  ["with a cache of its own", { path_prefix: "/", match: { methods: ["POST"] }, cache: {} }],
])("an unsafe method on another route %s invalidates the stored responses of its URI", async (_, route) => {
  const own = await CacheBed.start({}, [{ ...route, name: "changes", upstream: "origin" }]);
  try {
    const path = own.newPath();
    own.responses("Cache-Control: max-age=60\r\n");
    await own.ask(path);
    await own.ask(`${path}?other`, "Content-Length: 0\r\n", "POST");
    expect(cacheStatus(await own.ask(path))).toContain("hit");
    await own.ask(path, "Content-Length: 0\r\n", "POST");
    expect(cacheStatus(await own.ask(path))).toContain("fwd=uri-miss");
  } finally {
    await own.stop();
  }
});

test("the key has Accept-Encoding and the named headers, and another host is another response", async () => {
  const path = bed.newPath();
  bed.responses("Cache-Control: max-age=60\r\nVary: Accept-Encoding, X-A\r\n");
  const bodies: string[] = [];
  for (const fields of [
    "",
    "Accept-Encoding: gzip, br\r\n",
    "accept-encoding: GZIP,br\r\n",
    "X-A: 1\r\n",
    "X-A: 2\r\n",
    "X-B: 1\r\n",
  ]) {
    bodies.push((await bed.ask(path, fields)).body);
  }
  expect(bodies).toEqual(["body 1", "body 2", "body 2", "body 3", "body 4", "body 1"]);
  const elsewhere = await once(gateway.port, `GET ${path} HTTP/1.1\r\nHost: b.test\r\n\r\n`);
  expect(elsewhere.body).toBe("body 5");
});

test("metrics report results and sizes of the cache", async () => {
  const path = bed.newPath();
  bed.responses("Cache-Control: max-age=60\r\n");
  const page = async (): Promise<string> => (await bed.ask("/metrics")).body;
  const before = await page();
  await bed.ask(path);
  await bed.ask(path);
  const after = await page();
  const rise = (name: string, labels: Record<string, string> = {}): number =>
    valueOf(after, name, labels) - valueOf(before, name, labels);
  expect([
    rise("turnpike_cache_requests_total", { result: "miss" }),
    rise("turnpike_cache_requests_total", { result: "hit" }),
  ]).toEqual([1, 1]);
  expect([rise("turnpike_cache_entries"), rise("turnpike_cache_bytes") > 500]).toEqual([1, true]);
});
