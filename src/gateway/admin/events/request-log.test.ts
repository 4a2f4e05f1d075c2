import { expect, test } from "bun:test";
import { type WatchedBatch, type WatchedRequest, type WatchFilter } from "../../telemetry/request-watch.ts";
import { RequestLog } from "./request-log.ts";
import { type StreamSource } from "./streamed-rings.ts";

/** The limits as they are documented. */
const MAX_REQUESTS = 1000;
const MAX_WATCHERS = 8;
const MAX_READ_ONLY_WATCHERS = 6;

const ALL: WatchFilter = { text: "", status: "", isPaid: false };
const ERRORS: WatchFilter = { ...ALL, status: "5" };
const READER = { wake() {} };

const request = (path: string, status = 200): WatchedRequest => ({
  time_ms: 1,
  request_id: "r",
  client: "192.0.2.1",
  consumer: "",
  payer: "",
  protocol: "h2",
  method: "GET",
  host: "a.test",
  path,
  query: "",
  route: "/",
  status,
  bytes_received: 0,
  bytes_sent: 0,
  duration_ms: 1,
  user_agent: "",
  loss: "",
});

/** A log, the filters that the gateway has, and what sends requests from it. */
function watched() {
  const at = { filters: [] as readonly WatchFilter[], send: (_batch: WatchedBatch): void => undefined };
  const log = new RequestLog(
    (filters, receive) => Object.assign(at, { filters, send: receive }),
    () => 1_000_000,
  );
  return { log, at };
}

const seen = (source: StreamSource): unknown[] =>
  source.read(0).events.map(({ kind, json }) => [kind, JSON.parse(json).path ?? JSON.parse(json).missed]);

test("the gateway sends requests for the filters of those who watch, until they leave", () => {
  const { log, at } = watched();
  const [all, errors] = [log.matching(ALL), log.matching(ERRORS)];
  expect(at.filters).toEqual([]);
  const ends = [all.subscribe(READER), errors.subscribe(READER)];
  expect(at.filters).toEqual([ALL, ERRORS]);
  ends[0]?.();
  expect(at.filters).toEqual([ERRORS]);
  ends[1]?.();
  expect(at.filters).toEqual([]);
});

test("each watcher gets the requests that match its filter, and learns how many were missed", () => {
  const { log, at } = watched();
  const [all, errors] = [log.matching(ALL), log.matching(ERRORS)];
  all.subscribe(READER);
  at.send({ requests: [request("/a"), request("/b", 503)], missed: 0 });
  const first = [
    ["request", "/a"],
    ["request", "/b"],
  ];
  expect([seen(all), seen(errors)]).toEqual([first, [["request", "/b"]]]);
  expect(all.read(0)).toMatchObject({ lost: 0, next: all.lastId });
  at.send({ requests: [], missed: 7 });
  expect([seen(all), seen(errors)]).toEqual([
    [...first, ["missed", 7]],
    [
      ["request", "/b"],
      ["missed", 7],
    ],
  ]);
  expect([all.lastId, all.now(), all.isClosed]).toEqual([1_000_000_003, 1_000_000, false]);
  log.close();
  expect(all.isClosed).toBe(true);
});

test("the newest thousand requests are kept", () => {
  const { log, at } = watched();
  const all = log.matching(ALL);
  all.subscribe(READER);
  at.send({ requests: Array.from({ length: MAX_REQUESTS + 5 }, (_, n) => request(`/${n}`)), missed: 0 });
  const first = all.read(all.lastId - MAX_REQUESTS - 5);
  expect(first.lost).toBe(5);
  expect(JSON.parse(first.events[0]?.json ?? "{}")).toMatchObject({ kind: "request", path: "/5" });
});

test("eight operators watch at a time, six of them with the read-only key, and a refused one adds no filter", () => {
  const { log, at } = watched();
  const all = log.matching(ALL);
  const subscribe = (isReadOnly: boolean): boolean => all.subscribe({ ...READER, isReadOnly }) !== undefined;
  for (let n = 0; n < MAX_READ_ONLY_WATCHERS; n += 1) expect(subscribe(true)).toBe(true);
  expect(subscribe(true)).toBe(false);
  for (let n = MAX_READ_ONLY_WATCHERS; n < MAX_WATCHERS; n += 1) expect(subscribe(false)).toBe(true);
  expect(log.matching(ERRORS).subscribe(READER)).toBeUndefined();
  expect(at.filters).not.toContain(ERRORS);
});
