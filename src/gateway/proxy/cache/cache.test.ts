/** The cache serves or forwards a request, by the directives of both sides. */
import { describe, expect, test } from "bun:test";
import { type RequestHead } from "../../exchange/exchange.ts";
import { CacheWorld } from "./testing/cache-world.ts";

/** A world with a response that was stored some seconds ago. */
function stored(control: string, age: number, fields = 'ETag: "a"\r\n'): CacheWorld {
  const world = new CacheWorld();
  world.put(control, { fields });
  world.pass(age);
  return world;
}

test("a stored response serves GET and HEAD with its age, and takes the memory of its body once", () => {
  const world = new CacheWorld();
  const first = world.ask();
  world.reply({ fields: "Cache-Control: max-age=60\r\nAge: 3\r\n", body: "goods" });
  world.pass(5.9);
  const second = world.ask();
  const head = world.ask({ method: "HEAD" });
  expect([first, second, head].map(({ body, status, isEnded }) => [body, status, isEnded])).toEqual([
    ["goods", 200, true],
    ["goods", 200, true],
    ["", 200, true],
  ]);
  expect([first, second, head].map(({ how }) => how)).toEqual([
    "fwd=uri-miss; fwd-status=200; stored",
    "hit; ttl=52",
    "hit; ttl=52",
  ]);
  expect([second.field("age"), head.head?.bodyLength]).toEqual(["8", 5]);
  expect(world.results).toEqual(["miss", "hit", "hit"]);
  expect([world.store.entries, world.store.bytes]).toEqual([1, world.store.find("http://a.test/", "")?.bytes ?? -1]);
});

describe("a request with its directives and a response of a minute, after some seconds", () => {
  test.each<[string, number, "hit" | "miss" | "revalidated" | "bypass" | "error", string]>([
    ["", 59.9, "hit", "hit; ttl=1"],
    ["", 60, "revalidated", "fwd=stale"],
    ["max-age=10", 10, "hit", "hit; ttl=50"],
    ["max-age=10", 10.1, "revalidated", "fwd=request"],
    ["max-age=0", 0, "revalidated", "fwd=request"],
    ["min-fresh=50", 10, "hit", "hit; ttl=50"],
    ["min-fresh=50", 10.1, "revalidated", "fwd=request"],
    ["no-cache", 0, "revalidated", "fwd=request"],
    ["no-cache", 60, "revalidated", "fwd=stale"],
    ["no-store", 0, "bypass", "fwd=stale"],
    ["only-if-cached", 59, "hit", "hit; ttl=1"],
    ["only-if-cached", 60, "error", ""],
    ["max-stale", 1000, "hit", "hit; ttl=-940"],
    ["max-stale=10", 70, "hit", "hit; ttl=-10"],
    ["max-stale=10", 70.1, "revalidated", "fwd=stale"],
  ])("%s, %p s: %s, %s", (control, age, result, how) => {
    const world = stored("max-age=60", age);
    const client = world.ask(control === "" ? "" : `Cache-Control: ${control}\r\n`);
    if (result === "error") {
      expect([client.error, world.asked.length]).toEqual(["not-cached", 0]);
      return;
    }
    if (result !== "hit") world.reply({ fields: "Cache-Control: max-age=60\r\n", body: "new" });
    // `no-store` is obeyed for the response too.
    const line = result === "revalidated" ? `${how}; fwd-status=200; stored` : result === "bypass" ? "fwd=bypass" : how;
    expect([client.body, client.how]).toEqual([result === "hit" ? "stored" : "new", line]);
    const counted = result === "hit" && age > 60 ? "stale" : result;
    expect(world.results).toEqual([counted]);
    expect(world.ask("Cache-Control: max-stale\r\n").body).toBe(result === "revalidated" ? "new" : "stored");
  });

  test.each([-86_400_000, 86_400_000])("a system clock that is set by %p ms changes no age", (setBy) => {
    const world = stored("max-age=60", 59);
    world.setBy = setBy;
    expect(world.ask().field("age")).toBe("59");
    world.now += 1000;
    world.ask();
    world.reply({ fields: "Cache-Control: max-age=60\r\n", body: "new" });
    expect([world.ask().body, world.results]).toEqual(["new", ["hit", "revalidated", "hit"]]);
  });

  test("no-cache without a stored response is sent on at its own request", () => {
    const world = new CacheWorld();
    const client = world.ask("Cache-Control: no-cache\r\n");
    world.reply({ fields: "Cache-Control: max-age=60\r\n", body: "new" });
    expect([client.how, world.results]).toEqual(["fwd=request; fwd-status=200; stored", ["miss"]]);
  });
});

describe("a stale response", () => {
  test.each([
    ["max-age=60, must-revalidate", false],
    ["max-age=60, proxy-revalidate", false],
    ["s-maxage=60", false],
    ["max-age=60", true],
  ])("of %s is served to a client that takes it: %p", (control, isServed) => {
    const world = stored(control, 61);
    expect(world.ask("Cache-Control: max-stale\r\n").isEnded).toBe(isServed);
  });

  test("is served while one request revalidates it, as long as that is allowed", () => {
    const world = stored("max-age=60, stale-while-revalidate=10", 70);
    for (const client of [world.ask(), world.ask(), world.ask()]) {
      expect([client.body, client.how, client.field("age")]).toEqual(["stored", "hit; ttl=-10", "70"]);
    }
    expect([world.asked.length, world.results]).toEqual([1, ["stale", "stale", "stale"]]);
    world.reply({ fields: "Cache-Control: max-age=60\r\n", body: "new" });
    expect([world.ask().body, world.asked.length]).toEqual(["new", 1]);
    const late = stored("max-age=60, stale-while-revalidate=10", 70.1);
    expect([late.ask().isEnded, late.results]).toEqual([false, ["revalidated"]]);
    const own = stored("max-age=60, stale-while-revalidate=10", 65);
    expect([own.ask("Cache-Control: max-age=90\r\n").isEnded, own.results]).toEqual([false, ["revalidated"]]);
  });

  test.each([
    ['ETag: "a"\r\n', 'If-None-Match: "a"\r\n'],
    ["Last-Modified: Mon, 15 Jun 2026 11:00:00 GMT\r\n", "If-Modified-Since: Mon, 15 Jun 2026 11:00:00 GMT\r\n"],
    ["", ""],
  ])("with the fields %j is revalidated with %j", (fields, conditions) => {
    const world = stored("max-age=1", 2, fields);
    world.ask();
    expect(world.last.head.fields).toBe(conditions);
  });

  test("is revalidated by its validators, without the client's own conditions and as a GET", () => {
    const world = stored("max-age=1", 2, 'ETag: "a"\r\nLast-Modified: Mon, 15 Jun 2026 11:00:00 GMT\r\n');
    const own = 'If-None-Match: "b"\r\nIf-Modified-Since: x\r\nIf-Range: "b"\r\nRange: bytes=0-1\r\n';
    const client = world.ask(`${own}X-Other: 1\r\n`);
    expect(world.last.head.fields).toBe(
      'X-Other: 1\r\nIf-None-Match: "a"\r\nIf-Modified-Since: Mon, 15 Jun 2026 11:00:00 GMT\r\n',
    );
    expect(world.last.head.method).toBe("GET");
    world.reply({ status: 304, fields: "Cache-Control: max-age=9\r\nX-New: 1\r\n", length: -1 });
    // The client's range is of the stored response.
    expect([client.status, client.how, client.field("x-new")]).toEqual([200, "fwd=stale; fwd-status=304", "1"]);
    expect([world.ask().how, world.asked.length]).toEqual(["hit; ttl=9", 1]);
  });

  test.each([
    [500, 70, true],
    [503, 70, true],
    [503, 70.1, false],
    [499, 70, false],
  ])("is served in place of %p after %p s, if that is allowed: %p", (status, age, isServed) => {
    const world = stored("max-age=60, stale-if-error=10", age);
    const client = world.ask();
    world.reply({ status, body: "bad" });
    expect([client.status, client.body]).toEqual(isServed ? [200, "stored"] : [status, "bad"]);
    if (isServed) expect(client.how).toBe("hit; fwd=stale; detail=stale-if-error");
    // An error of the server says nothing about the stored response.
    expect(world.store.entries).toBe(status === 499 ? 0 : 1);
  });
});

describe("requests that no stored response serves", () => {
  test.each<[Partial<RequestHead>, string]>([
    [{ method: "POST" }, "fwd=method"],
    [{ bodyLength: 3 }, "fwd=bypass"],
    [{ bodyLength: -1, method: "HEAD" }, "fwd=bypass"],
    [{ upgrade: "websocket" }, "fwd=bypass"],
    [{ fields: 'If-Match: "a"\r\n' }, "fwd=bypass"],
    [{ fields: "If-Unmodified-Since: Mon, 15 Jun 2026 11:00:00 GMT\r\n" }, "fwd=bypass"],
    [{ path: "/other", method: "HEAD" }, "fwd=uri-miss"],
    [{ path: "/other", fields: "Range: bytes=0-1\r\n" }, "fwd=uri-miss"],
    [{ fields: "Accept-Encoding: gzip\r\nRange: bytes=0-1\r\n" }, "fwd=vary-miss"],
  ])("%j is sent on by itself: %s", (head, how) => {
    const isHit = head.fields?.startsWith("If-") === true;
    const world = stored("max-age=60", 0);
    if (isHit) world.pass(60);
    const client = world.ask(head);
    expect(world.asked).toEqual([client.exchange]);
    expect([client.how, world.results]).toEqual([how, ["bypass"]]);
  });

  test("another variant is a miss of the variant", () => {
    const world = stored("max-age=60", 0);
    const client = world.ask("Accept-Encoding: br\r\n");
    world.reply({ fields: "Cache-Control: max-age=60\r\nVary: accept-encoding\r\n", body: "br" });
    expect([client.how, world.store.entries]).toEqual(["fwd=vary-miss; fwd-status=200; stored", 2]);
  });

  test.each([
    ["POST", 200, false],
    ["DELETE", 302, false],
    ["POST", 400, true],
    ["OPTIONS", 200, true],
  ])("a %s with %p keeps the stored response: %p", (method, status, isKept) => {
    const world = stored("max-age=60", 0);
    const client = world.ask({ method });
    world.last.response.start({ status: 103, reason: "", fields: "", bodyLength: -1 });
    expect(world.store.entries).toBe(1);
    world.reply({ status, body: "done" });
    expect([client.body, world.store.entries]).toEqual(["done", isKept ? 1 : 0]);
  });

  test("a POST invalidates what its response names, on its own origin only", () => {
    const world = new CacheWorld();
    const paths = ["/", "/one", "/two", "/three"];
    for (const path of paths) {
      world.ask({ path });
      world.reply({ fields: "Cache-Control: max-age=60\r\n" });
    }
    world.ask({ method: "POST" });
    const fields =
      "Location: one\r\nContent-Location: http://a.test/two\r\nLocation: http://b.test/three\r\nLocation: http://[\r\n";
    world.reply({ status: 201, fields });
    expect(paths.map((path) => world.store.has(`http://a.test${path}`))).toEqual([false, false, false, true]);
  });
});

test("a response that was requested before a POST is neither stored nor shared after it", () => {
  const world = new CacheWorld();
  const cacheable = { fields: "Cache-Control: max-age=60\r\n" };
  const early = world.ask();
  const atEarly = world.last;
  world.begin({ ...cacheable, length: 3 });
  world.ask("Range: bytes=0-0\r\n");
  const atPart = world.last;
  world.ask({ method: "POST" });
  world.reply({ body: "done" });
  const late = world.ask();
  world.send("old", atEarly);
  atEarly.response.end("");
  const part = { status: 206, fields: `${cacheable.fields}Content-Range: bytes 0-0/3\r\n`, body: "o" };
  world.reply(part, atPart);
  expect([early.body, late.isEnded, world.store.entries]).toEqual(["old", false, 0]);
  world.reply({ ...cacheable, body: "new" });
  expect([late.body, world.ask().body, world.store.bytes > 0]).toEqual(["new", "new", true]);
});

describe("the response to a HEAD", () => {
  test.each([
    [200, 'ETag: "a"\r\n', -1, "updated"],
    [200, "", 6, "updated"],
    [200, "", 7, "removed"],
    [200, 'ETag: "b"\r\n', -1, "removed"],
    [200, "Last-Modified: Mon, 15 Jun 2026 11:00:00 GMT\r\n", -1, "removed"],
    [404, "", 7, "kept"],
  ] as const)("%p with %j and a length of %p: the stored response is %s", (status, fields, length, result) => {
    const world = stored("max-age=60", 61);
    const client = world.ask({ method: "HEAD" });
    expect(client.how).toBe("fwd=stale");
    world.reply({ status, fields: `${fields}Cache-Control: max-age=100\r\n`, length });
    expect(world.store.entries).toBe(result === "removed" ? 0 : 1);
    expect(world.ask().isEnded).toBe(result === "updated");
  });
});

describe("a stored response and the client's conditions", () => {
  const cases: [string, number, string, string | undefined][] = [
    ["", 200, "stored", undefined],
    ['If-None-Match: "a"\r\n', 304, "", undefined],
    ["Range: bytes=1-2\r\n", 206, "to", "bytes 1-2/6"],
    ["Range: bytes=-1\r\n", 206, "d", "bytes 5-5/6"],
    ["Range: bytes=0-0,2-2\r\n", 200, "stored", undefined],
    ["Range: items=1\r\n", 200, "stored", undefined],
    ['Range: bytes=1-2\r\nIf-Range: "b"\r\n', 200, "stored", undefined],
    ['Range: bytes=1-2\r\nIf-Range: "a"\r\n', 206, "to", "bytes 1-2/6"],
  ];
  test.each(cases)("%j gets %p", (fields, status, body, range) => {
    const client = stored("max-age=60", 0).ask(fields);
    expect([client.status, client.body, client.field("content-range"), client.isEnded]).toEqual([
      status,
      body,
      range,
      true,
    ]);
    expect(client.head?.bodyLength).toBe(status === 304 ? -1 : body.length);
  });

  test("a range beyond the end is refused with the length", () => {
    const client = stored("max-age=60", 0).ask("Range: bytes=6-\r\n");
    expect([client.error, client.errorFields]).toEqual(["range-not-satisfiable", "Content-Range: bytes */6\r\n"]);
  });

  test("a HEAD has no range, and another status has neither conditions nor ranges", () => {
    const head = stored("max-age=60", 0).ask({ method: "HEAD", fields: "Range: bytes=1-2\r\n" });
    expect([head.status, head.head?.bodyLength, head.body]).toEqual([200, 6, ""]);
    const world = new CacheWorld();
    world.put("max-age=60", { status: 404, fields: 'ETag: "a"\r\n' });
    expect(world.ask('If-None-Match: "a"\r\nRange: bytes=1-2\r\n').status).toBe(404);
    const empty = new CacheWorld();
    empty.put("max-age=60", { status: 204, body: "" });
    expect([empty.ask().status, empty.ask().pieces, empty.ask().isEnded]).toEqual([204, [], true]);
  });

  test("a client whose condition a new response meets gets no body, and the response is stored", () => {
    const world = new CacheWorld();
    const [same, other] = [world.ask('If-None-Match: "a"\r\n'), world.ask()];
    world.reply({ fields: 'Cache-Control: max-age=60\r\nETag: "a"\r\nContent-Type: text/plain\r\n', body: "new" });
    expect([same.status, same.body, same.isEnded, same.field("content-type")]).toEqual([304, "", true, undefined]);
    expect([other.body, world.ask().body]).toEqual(["new", "new"]);
  });
});

test("a large stored body is sent in pieces, as fast as the client takes them", () => {
  const world = new CacheWorld();
  const body = "x".repeat(65_536 * 2 + 1);
  world.put("max-age=60", { body });
  const client = world.ask();
  expect([client.pieces, client.isEnded]).toEqual([[65_536, 65_536, 1], true]);
  const slow = world.ask({ method: "HEAD" });
  slow.exchange.head.method = "GET";
  slow.takes = false;
  world.cache.serve(slow.exchange);
  expect(slow.pieces).toEqual([65_536]);
  slow.exchange.onDrain?.();
  expect(slow.pieces).toEqual([65_536, 65_536]);
  slow.takes = true;
  slow.exchange.onDrain?.();
  expect([slow.pieces.length, slow.isEnded, slow.body === body]).toEqual([3, true, true]);
  const left = world.ask({ method: "HEAD" });
  left.exchange.head.method = "GET";
  left.takes = false;
  world.cache.serve(left.exchange);
  left.exchange.cancel();
  left.exchange.onDrain?.();
  expect([left.pieces.length, left.body.length]).toEqual([1, 65_536]);
  const part = world.ask("Range: bytes=1-65536\r\n");
  expect(part.pieces).toEqual([65_536]);
});

test("1024 keys are remembered whose response was not stored: requests for an older one wait for each other again", () => {
  const world = new CacheWorld();
  const answerOnce = (path: string): void => {
    world.ask({ path });
    world.reply({ fields: "Cache-Control: no-store\r\n" });
  };
  for (let at = 0; at <= 1024; at++) answerOnce(`/${at}`);
  const askedTwice = (path: string): number => {
    const before = world.asked.length;
    for (let i = 0; i < 2; i++) world.ask({ path });
    return world.asked.length - before;
  };
  expect(["/0", "/1", "/1024"].map(askedTwice)).toEqual([1, 2, 2]);
});
