/** One upstream request for several clients: what they share, and what becomes of it. */
import { describe, expect, test } from "bun:test";
import { type TestClient } from "../testing/test-client.ts";
import { CacheWorld, FAILURE } from "./testing/cache-world.ts";

const FRESH = "Cache-Control: max-age=60\r\n";
const MEBIBYTE = 1_048_576;

function fail(world: CacheWorld): void {
  const own = world.last;
  if (!("fail" in own) || typeof own.fail !== "function") throw new Error("Cannot fail: only a subrequest can");
  own.fail(FAILURE);
}

function bodies(...clients: readonly TestClient[]): string[] {
  return clients.map(({ body }) => body);
}

test("clients at the same time share a request, and get the body while it arrives", () => {
  const world = new CacheWorld();
  const [first, second] = [world.ask(), world.ask()];
  world.begin({ fields: FRESH, length: 6 });
  expect([first.how, second.how]).toEqual([
    "fwd=uri-miss; fwd-status=200; stored",
    "fwd=uri-miss; fwd-status=200; stored; collapsed",
  ]);
  world.send("one");
  const third = world.ask();
  expect(bodies(first, second, third)).toEqual(["one", "one", "one"]);
  second.takes = false;
  world.send("two");
  world.send("!");
  expect(bodies(first, second, third)).toEqual(["onetwo!", "onetwo", "onetwo!"]);
  world.last.response.end("");
  expect([first, second, third].map(({ isEnded }) => isEnded)).toEqual([true, false, true]);
  second.exchange.onDrain?.();
  expect([second.body, second.isEnded]).toEqual(["onetwo!", true]);
  expect(world.results).toEqual(["miss", "miss", "miss"]);
  expect([world.ask().body, world.asked.length]).toEqual(["onetwo!", 1]);
});

test("clients that want other URIs or other variants at the same time get their own responses", () => {
  const world = new CacheWorld();
  const heads = [{}, { path: "/b" }, { query: "?c" }, { fields: "Accept-Encoding: br\r\n" }];
  const clients = heads.map((head) => world.ask(head));
  expect(world.asked).toHaveLength(4);
  for (const [at, own] of world.asked.entries())
    world.reply({ fields: `${FRESH}Vary: accept-encoding\r\n`, body: String(at) }, own);
  expect(bodies(...clients)).toEqual(["0", "1", "2", "3"]);
});

test("interim responses reach all clients", () => {
  const world = new CacheWorld();
  const [first, second] = [world.ask(), world.ask()];
  world.last.response.start({ status: 103, reason: "", fields: "", bodyLength: -1 });
  expect([first.interim, second.interim, first.status]).toEqual([[103], [103], undefined]);
});

test("a client that wants no stored response shares no request", () => {
  const world = new CacheWorld();
  world.ask();
  world.ask("Cache-Control: no-cache\r\n");
  expect(world.asked).toHaveLength(2);
});

test("a response that may not be stored is for the first client alone, and the key's next clients do not wait", () => {
  const world = new CacheWorld();
  const [first, second] = [world.ask(), world.ask()];
  const [own] = world.asked;
  world.begin({ fields: "Cache-Control: private\r\n", length: 4 });
  expect([first.how, first.head?.bodyLength, second.how]).toEqual(["fwd=uri-miss; fwd-status=200", 4, "fwd=miss"]);
  expect(world.asked.slice(1)).toEqual([second.exchange]);
  first.takes = false;
  let drained = 0;
  if (own !== undefined) own.onDrain = () => drained++;
  expect(world.send("mine", own)).toBe(false);
  first.exchange.onDrain?.();
  own?.response.end("X: 1\r\n");
  expect([first.body, first.trailers, drained]).toEqual(["mine", "X: 1\r\n", 1]);
  world.ask();
  world.ask();
  expect(world.asked).toHaveLength(4);
  // A response that is stored makes them share again.
  world.reply({ fields: FRESH, body: "all" });
  expect(world.ask().body).toBe("all");
});

test.each([
  ["is cut off", (world: CacheWorld) => world.last.response.abort(FAILURE)],
  ["becomes too large", (world: CacheWorld) => world.send("0123456789")],
])("a response that %s does not make the next clients of its key wait", (_what, end) => {
  const world = new CacheWorld({ maxEntryBytes: 10 });
  world.ask();
  world.reply({ fields: "Cache-Control: private\r\n", body: "mine" });
  world.ask();
  world.begin({ fields: FRESH, length: -1 });
  world.send("some");
  end(world);
  world.ask();
  world.ask();
  expect(world.asked).toHaveLength(4);
});

test.each([
  ["leaves", (client: TestClient) => client.exchange.cancel(), true, ""],
  [
    "gets an error",
    (_: TestClient, world: CacheWorld) => world.last.response.abort(FAILURE),
    false,
    "aborted: upstream-failed",
  ],
])("the only client of a response %s", (_what, act, isGone, error) => {
  const world = new CacheWorld();
  const client = world.ask();
  world.begin({ fields: "Cache-Control: no-store\r\n", length: 4 });
  act(client, world);
  expect([world.last.gone, client.error]).toEqual([isGone, error]);
});

describe("a body that becomes too large", () => {
  test("is not stored, reaches its readers, and takes no memory of the cache", () => {
    const world = new CacheWorld({ maxEntryBytes: 10 });
    const client = world.ask();
    world.begin({ fields: FRESH, length: -1 });
    world.send("0123456789");
    expect(world.store.bytes).toBe(10);
    world.send("!");
    expect(world.store.bytes).toBe(0);
    world.last.response.end("");
    expect([client.body, client.isEnded, world.store.entries]).toEqual(["0123456789!", true, 0]);
    expect(world.ask().isEnded).toBe(false);
  });

  test.each([
    [10, true],
    [11, false],
  ])("is known by its announced length: %p, stored: %p", (length, isStored) => {
    const world = new CacheWorld({ maxEntryBytes: 10 });
    world.ask();
    world.reply({ fields: FRESH, body: "x".repeat(length) });
    expect(world.store.entries).toBe(isStored ? 1 : 0);
  });

  test("without a reader is given up", () => {
    const world = new CacheWorld({ maxEntryBytes: 10 });
    const client = world.ask();
    world.begin({ fields: FRESH, length: -1 });
    client.exchange.cancel();
    expect(world.last.gone).toBe(false);
    world.send("0123456789!");
    expect([world.last.gone, world.store.bytes]).toEqual([true, 0]);
  });

  test("waits for its slowest reader beyond a lead of one MiB", () => {
    const world = new CacheWorld({ maxEntryBytes: 10 });
    const [fast, slow] = [world.ask(), world.ask()];
    slow.takes = false;
    let drained = 0;
    world.last.onDrain = () => drained++;
    world.begin({ fields: FRESH, length: -1 });
    expect(world.send("x".repeat(11))).toBe(true);
    expect(world.send("y".repeat(MEBIBYTE - 1))).toBe(true);
    expect(world.send("z")).toBe(false);
    expect([fast.body.length, slow.body.length]).toEqual([MEBIBYTE + 11, 11]);
    fast.exchange.onDrain?.();
    expect(drained).toBe(0);
    slow.takes = true;
    slow.exchange.onDrain?.();
    expect([drained, slow.body === fast.body]).toEqual([1, true]);
    slow.exchange.onDrain?.();
    expect(drained).toBe(1);
  });

  test("does not wait for a reader that has left", () => {
    const world = new CacheWorld({ maxEntryBytes: 10 });
    const [fast, slow] = [world.ask(), world.ask()];
    slow.takes = false;
    let drained = 0;
    world.last.onDrain = () => drained++;
    world.begin({ fields: FRESH, length: -1 });
    world.send("x".repeat(11));
    expect(world.send("y".repeat(MEBIBYTE))).toBe(false);
    slow.exchange.cancel();
    expect([drained, world.last.gone, fast.body.length]).toEqual([1, false, MEBIBYTE + 11]);
  });
});

describe("clients that leave", () => {
  test("before the response: the last one stops the request", () => {
    const world = new CacheWorld();
    const [first, second] = [world.ask(), world.ask()];
    first.exchange.cancel();
    expect(world.last.gone).toBe(false);
    second.exchange.cancel();
    expect(world.last.gone).toBe(true);
    world.ask();
    expect(world.asked).toHaveLength(2);
  });

  test("during a response that is stored do not stop it", () => {
    const world = new CacheWorld();
    const [first, second] = [world.ask(), world.ask()];
    world.begin({ fields: FRESH, length: 4 });
    first.exchange.cancel();
    world.send("go");
    expect(bodies(first, second)).toEqual(["", "go"]);
    second.exchange.cancel();
    world.send("od");
    world.last.response.end("");
    expect([world.last.gone, second.body, world.ask().body]).toEqual([false, "go", "good"]);
  });

  test("during a response that is not stored any more stop it with the last one", () => {
    const world = new CacheWorld({ maxEntryBytes: 1 });
    const client = world.ask();
    world.begin({ fields: FRESH, length: -1 });
    world.send("long");
    client.exchange.cancel();
    expect(world.last.gone).toBe(true);
  });
});

describe("an upstream that fails", () => {
  test("before its response gives each client an error, and the next one another try", () => {
    const world = new CacheWorld();
    const clients = [world.ask(), world.ask()];
    fail(world);
    expect(clients.map(({ error }) => error)).toEqual(["upstream-failed", "upstream-failed"]);
    world.ask();
    expect(world.asked).toHaveLength(2);
  });

  test("by an abort without a response, too", () => {
    const world = new CacheWorld();
    const client = world.ask();
    world.last.response.abort(FAILURE);
    expect(client.error).toBe("upstream-failed");
  });

  test("during its response cuts it off, and nothing is stored", () => {
    const world = new CacheWorld();
    const clients = [world.ask(), world.ask()];
    world.begin({ fields: FRESH, length: 10 });
    world.send("part");
    expect(world.store.bytes).toBe(4);
    world.last.response.abort(FAILURE);
    expect(clients.map(({ error, body }) => [error, body])).toEqual([
      ["aborted: upstream-failed", "part"],
      ["aborted: upstream-failed", "part"],
    ]);
    expect([world.store.bytes, world.store.entries]).toEqual([0, 0]);
    // Nothing follows an end.
    world.last.response.abort(FAILURE);
    world.last.response.end("");
    expect([world.store.bytes, world.store.entries, clients[0]?.isEnded]).toEqual([0, 0, false]);
  });

  test.each([
    ["max-age=1, stale-if-error=60", "stored", ""],
    ["max-age=1", "", "upstream-failed"],
  ])("with a stale response of %s", (control, body, error) => {
    const world = new CacheWorld();
    world.put(control, { fields: 'ETag: "a"\r\n' });
    world.pass(2);
    const client = world.ask();
    fail(world);
    expect([client.body, client.error, world.store.entries]).toEqual([body, error, 1]);
  });
});

test.each([
  ["an error", fail],
  ["an abort", (world: CacheWorld) => world.last.response.abort(FAILURE)],
])("%s behind a complete response does not reach a client that still reads it", (_, act) => {
  const world = new CacheWorld();
  const [first, slow] = [world.ask(), world.ask()];
  world.begin({ fields: FRESH, length: 6 });
  slow.takes = false;
  world.send("one");
  world.send("two");
  world.last.response.end("");
  act(world);
  slow.takes = true;
  slow.exchange.onDrain?.();
  expect([bodies(first, slow), slow.error, slow.isEnded]).toEqual([["onetwo", "onetwo"], "", true]);
  expect([world.ask().body, world.asked.length]).toEqual(["onetwo", 1]);
});

test("a client whose copy is current gets nothing of the body, also if it can take more later", () => {
  const world = new CacheWorld();
  const current = world.ask('If-None-Match: "a"\r\n');
  const other = world.ask();
  world.begin({ fields: `${FRESH}ETag: "a"\r\n`, length: 4 });
  world.send("body");
  current.exchange.onDrain?.();
  world.last.response.end("");
  current.exchange.onDrain?.();
  expect([current.status, current.body, other.body, other.isEnded]).toEqual([304, "", "body", true]);
});

test("a response with trailers is not stored, and its trailers reach the clients", () => {
  const world = new CacheWorld();
  const client = world.ask();
  world.begin({ fields: FRESH, length: -1 });
  world.send("good");
  world.last.response.end("X-Sum: 1\r\n");
  expect([client.body, client.trailers, world.store.entries, world.store.bytes]).toEqual([
    "good",
    "X-Sum: 1\r\n",
    0,
    0,
  ]);
});

test("a revalidation that no client waits for ends when its response may not be stored, and drops the stale one", () => {
  const world = new CacheWorld();
  world.put("max-age=1, stale-while-revalidate=60");
  world.pass(2);
  expect(world.ask().body).toBe("stored");
  world.begin({ fields: "Cache-Control: no-store\r\n", length: 4 });
  expect([world.last.gone, world.store.entries]).toEqual([true, 0]);
  expect(world.send("more")).toBe(true);
});

test("a server's error of a revalidation that no client waits for keeps the stale response", () => {
  const world = new CacheWorld();
  world.put("max-age=1, stale-while-revalidate=60");
  world.pass(2);
  world.ask();
  world.begin({ status: 500, length: 4 });
  expect(world.store.entries).toBe(1);
});

test("a cache without room for a body stores nothing of it", () => {
  const world = new CacheWorld({}, { maxBytes: 1000 });
  const client = world.ask();
  world.begin({ fields: FRESH, length: 1500 });
  world.send("x".repeat(900));
  world.send("y".repeat(600));
  world.last.response.end("");
  expect([client.body.length, world.store.entries, world.store.bytes]).toEqual([1500, 0, 0]);
});

test("the bytes of a chunk may change after they were taken", () => {
  const world = new CacheWorld();
  world.ask();
  world.begin({ fields: FRESH, length: 4 });
  const chunk = Buffer.from("--good--");
  world.last.response.data(chunk, 2, 6);
  chunk.fill(0);
  world.last.response.end("");
  expect(world.ask().body).toBe("good");
});
