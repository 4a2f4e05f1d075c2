/** Parts of responses: what is stored of them, which ranges they serve, and when two make one. */
import { describe, expect, test } from "bun:test";
import { type TestClient } from "../testing/test-client.ts";
import { CacheWorld, FAILURE } from "./testing/cache-world.ts";

const ALL = "0123456789abcdefghij";

/** Asks for a range, and lets the upstream respond with it. Ends are inclusive. */
function fetchPart(world: CacheWorld, from: number, to: number, fields = 'ETag: "a"\r\n'): TestClient {
  const client = world.ask(`Range: bytes=${from}-${to}\r\n`);
  world.begin({ status: 206, fields: headOf(from, to, fields), length: to + 1 - from });
  world.send(ALL.slice(from, to + 1));
  world.last.response.end("");
  return client;
}

function headOf(from: number, to: number, fields = 'ETag: "a"\r\n', size = ALL.length): string {
  return `Cache-Control: max-age=60\r\n${fields}Content-Range: bytes ${from}-${to}/${size}\r\n`;
}

/** The body of a range that the cache has itself; undefined if it asks the upstream. */
function held(world: CacheWorld, from: number, to: number): string | undefined {
  const before = world.asked.length;
  const client = world.ask(`Range: bytes=${from}-${to}\r\n`);
  if (world.asked.length > before) return undefined;
  expect([client.status, client.field("content-range")]).toEqual([206, `bytes ${from}-${to}/20`]);
  return client.body;
}

test("a part serves the ranges within it, with its age, and no others", () => {
  const world = new CacheWorld();
  const first = fetchPart(world, 5, 9);
  expect([first.status, first.body, first.isEnded]).toEqual([206, "56789", true]);
  world.pass(10);
  expect([held(world, 5, 9), held(world, 6, 7), held(world, 4, 9), held(world, 5, 10)]).toEqual([
    "56789",
    "67",
    undefined,
    undefined,
  ]);
  expect(world.results).toEqual(["bypass", "hit", "hit", "bypass", "bypass"]);
  const client = world.ask("Range: bytes=5-5\r\n");
  expect([client.field("age"), client.how]).toEqual(["10", "hit; ttl=50"]);
  // A whole response is another one.
  expect([world.ask().isEnded, world.ask({ method: "HEAD", fields: "Range: bytes=5-5\r\n" }).isEnded]).toEqual([
    false,
    false,
  ]);
});

test.each([
  ["Cache-Control: no-cache\r\n", 0],
  ["Cache-Control: no-store\r\n", 0],
  ["Cache-Control: max-age=5\r\n", 6],
  ["", 60],
])("a part does not serve a request with %j after %p s", (fields, age) => {
  const world = new CacheWorld();
  fetchPart(world, 5, 9);
  world.pass(age);
  expect(world.ask(`${fields}Range: bytes=5-9\r\n`).isEnded).toBe(false);
});

test("a client that has the response gets no part of it", () => {
  const world = new CacheWorld();
  fetchPart(world, 5, 9);
  const client = world.ask('If-None-Match: "a"\r\nRange: bytes=5-9\r\n');
  expect([client.status, client.body, client.isEnded]).toEqual([304, "", true]);
});

describe("two parts", () => {
  test.each<[string, [number, number], [number, number], [number, number]]>([
    ["that follow each other", [5, 9], [10, 12], [5, 12]],
    ["in reverse order", [10, 12], [5, 9], [5, 12]],
    ["that overlap", [5, 9], [8, 12], [5, 12]],
    ["of which one has the other", [5, 12], [7, 8], [5, 12]],
  ])("%s make one", (_what, [a, b], [c, d], [from, to]) => {
    const world = new CacheWorld();
    fetchPart(world, a, b);
    // The cache would serve what it has.
    world.ask(`Cache-Control: no-cache\r\nRange: bytes=${c}-${d}\r\n`);
    world.reply({ status: 206, fields: headOf(c, d), body: ALL.slice(c, d + 1) });
    expect([held(world, from, to), world.store.entries]).toEqual([ALL.slice(from, to + 1), 1]);
  });

  test.each<[string, string, string, [number, number]]>([
    ["with a gap", 'ETag: "a"\r\n', 'ETag: "a"\r\n', [11, 12]],
    ["of other versions", 'ETag: "a"\r\n', 'ETag: "b"\r\n', [10, 12]],
    ["with weak tags", 'ETag: W/"a"\r\n', 'ETag: W/"a"\r\n', [10, 12]],
    ["without tags", "", "", [10, 12]],
  ])("%s do not: the newer one is kept", (_what, one, other, [from, to]) => {
    const world = new CacheWorld();
    fetchPart(world, 5, 9, one);
    fetchPart(world, from, to, other);
    expect([held(world, from, to), held(world, 5, 9), world.store.entries]).toEqual([
      ALL.slice(from, to + 1),
      undefined,
      1,
    ]);
  });

  test("of responses with other lengths do not", () => {
    const world = new CacheWorld();
    fetchPart(world, 5, 9);
    world.ask("Range: bytes=10-12\r\n");
    world.reply({ status: 206, fields: headOf(10, 12, 'ETag: "a"\r\n', 99), body: "abc" });
    expect(held(world, 5, 9)).toBeUndefined();
  });

  test.each([
    [8, true],
    [7, false],
  ])("of more than an entry may have do not: at most %p, joined: %p", (maxEntryBytes, isJoined) => {
    const world = new CacheWorld({ maxEntryBytes });
    fetchPart(world, 5, 9);
    fetchPart(world, 10, 12);
    expect(held(world, 5, 12)).toBe(isJoined ? ALL.slice(5, 13) : undefined);
  });

  test("that are all of the response are stored as a whole one", () => {
    const world = new CacheWorld();
    fetchPart(world, 0, 9);
    expect(world.ask().isEnded).toBe(false);
    fetchPart(world, 10, 19);
    const client = world.ask();
    expect([client.status, client.body, client.field("content-range"), world.store.entries]).toEqual([
      200,
      ALL,
      undefined,
      1,
    ]);
  });
});

describe("a part is not stored", () => {
  test.each<[string, string, number]>([
    ["of another status", headOf(5, 9), 200],
    ["without a range", 'Cache-Control: max-age=60\r\nETag: "a"\r\n', 206],
    ["of a response of unknown length", "Cache-Control: max-age=60\r\nContent-Range: bytes 5-9/*\r\n", 206],
    ["with two ranges", `${headOf(5, 9)}Content-Range: bytes 5-9/20\r\n`, 206],
    ["of a range in reverse", headOf(9, 5), 206],
    ["beyond the end", headOf(5, 9, "", 9), 206],
    ["of another length than its range", headOf(5, 8), 206],
    ["that may not be stored", headOf(5, 9).replace("max-age=60", "private"), 206],
    ["that would be of no use", headOf(5, 9, "").replace("max-age=60", "max-age=0"), 206],
  ])("%s", (_what, fields, status) => {
    const world = new CacheWorld();
    const client = world.ask("Range: bytes=5-9\r\n");
    world.reply({ status, fields, body: "56789" });
    expect([client.status, client.body]).toEqual([status, "56789"]);
    expect([world.store.entries, world.store.bytes, held(world, 5, 9)]).toEqual([0, 0, undefined]);
  });

  test("of one byte of a range is, and up to the last byte of the response", () => {
    const world = new CacheWorld();
    fetchPart(world, 19, 19);
    expect(held(world, 19, 19)).toBe("j");
  });

  test.each<[string, (world: CacheWorld, client: TestClient) => void]>([
    ["that is cut off", (world) => world.last.response.abort(FAILURE)],
    ["whose client leaves", (_world, client) => client.exchange.onFinish?.(client.exchange)],
    ["that ends too early", (world) => world.last.response.end("")],
    [
      "that is longer than its range",
      (world) => {
        world.send("89!");
        world.last.response.end("");
      },
    ],
    [
      "with trailers",
      (world) => {
        world.send("89");
        world.last.response.end("X: 1\r\n");
      },
    ],
  ])("%s, and its memory is free again", (_what, act) => {
    const world = new CacheWorld();
    const client = world.ask("Range: bytes=5-9\r\n");
    world.begin({ status: 206, fields: headOf(5, 9), length: -1 });
    world.send("567");
    expect([world.store.bytes, client.body]).toEqual([5, "567"]);
    act(world, client);
    expect([world.store.entries, world.store.bytes]).toEqual([0, 0]);
  });

  test("larger than an entry may be", () => {
    const world = new CacheWorld({ maxEntryBytes: 4 });
    fetchPart(world, 5, 9);
    expect(world.store.entries).toBe(0);
    fetchPart(world, 5, 8);
    expect(world.store.entries).toBe(1);
  });
});
