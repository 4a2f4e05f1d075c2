import { afterAll, afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { watchTimers } from "../../../../../lib/testing/timers.ts";
import { until } from "../../../../../lib/testing/until.ts";
import { session } from "../api/client.ts";
import { type GatewayEvent, type Overview } from "../api/shapes.ts";
import { type FakeStream, openPage, serveInterface } from "../testing/fake-page.ts";

const gateway = serveInterface();
const { streams, see, undo } = openPage();
const { eventFeed, onEvents } = await import("./event-feed.ts");
const { traffic } = await import("./overview-feed.ts");

let paths: string[] = [];
let bodies: Record<string, unknown> = {};

const event = (id: number, kind = "change", message = `event ${id}`): GatewayEvent =>
  ({ id, time_ms: id, kind, message }) as GatewayEvent; // a test's kind
const messages = (): string[] => eventFeed.value.events.map(({ message }) => message);
const last = (): FakeStream | undefined => streams.at(-1);

const OVERVIEW = {
  time_ms: 1_000_000,
  started_at_ms: 1,
  requests: 100,
  responses: { "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
  request_bytes: 0,
  response_bytes: 0,
  durations: { bounds_ms: [10], counts: [100, 0] },
  routes: [],
  caches: { hits: 0, misses: 0, stale: 0, revalidated: 0, bypassed: 0, entries: 0, bytes: 0 },
  filters: { bounds_ms: [], entries: [] },
} as unknown as Overview; // the feed reads no other member

const overviewAt = (seconds: number, requests: number, more: Partial<Overview> = {}): Overview => ({
  ...OVERVIEW,
  time_ms: OVERVIEW.time_ms + seconds * 1000,
  requests,
  ...more,
});

beforeEach(() => {
  paths = [];
  streams.splice(0);
  bodies = {
    "/v1/events": { events: [event(1), event(2, "log", "a line"), event(3)] },
    "/v1/log": { lines: [{ time_ms: 1, worker: 2, text: "kept" }] },
    "/v1/overview": OVERVIEW,
    "/v1/history": { samples: [] },
  };
  gateway.respond = (request) => {
    const { pathname, search } = new URL(request.url);
    paths.push(pathname + search);
    const body = bodies[pathname];
    return body === undefined ? new Response("", { status: 503 }) : Response.json(body);
  };
  see("visible");
  session.set({ kind: "open", session: { access: "full", csrf_token: "t" } });
});
afterEach(() => {
  session.set({ kind: "none", lost: false });
});
afterAll(() => {
  jest.useRealTimers();
  undo();
  gateway.stop();
});

test("the feed begins with the kept events and lines, and continues after the last event", async () => {
  await until(() => streams.length === 1);
  expect(paths).toContain("/v1/events?format=json");
  expect(last()?.path).toBe("/v1/events?since=3");
  expect([messages(), eventFeed.value.isLive]).toEqual([["event 1", "event 3"], false]);
  expect(eventFeed.value.lines).toEqual([{ time_ms: 1, worker: 2, text: "kept" }]);
  last()?.dispatchEvent(new Event("open"));
  expect(eventFeed.value.isLive).toBe(true);
  let calls = 0;
  const end = onEvents(["reload"], () => (calls += 1));
  last()?.send("change", event(3));
  last()?.send("change", event(4));
  last()?.send("log", { ...event(5, "log", "from a worker"), worker: 7 });
  last()?.send("log", event(6, "log", "from the supervisor"));
  expect(messages()).toHaveLength(2);
  await until(() => messages().length === 3);
  expect(messages()).toEqual(["event 1", "event 3", "event 4"]);
  expect(eventFeed.value.lines.slice(1)).toEqual([
    { time_ms: 5, worker: 7, text: "from a worker" },
    { time_ms: 6, worker: 0, text: "from the supervisor" },
  ]);
  expect(calls).toBe(0);
  last()?.send("reload", event(7, "reload"));
  await until(() => calls === 1);
  end();
  last()?.send("reload", event(8, "reload"));
  await until(() => messages().length === 5);
  expect(calls).toBe(1);
});

test("the newest thousand events and 500 lines are kept", async () => {
  await until(() => streams.length === 1);
  for (let id = 10; id < 1020; id += 1) last()?.send("change", event(id));
  for (let id = 2000; id < 2510; id += 1) last()?.send("log", event(id, "log", `line ${id}`));
  await until(() => messages().includes("event 1019"));
  const { events, lines } = eventFeed.value;
  expect([events.length, events[0]?.id, lines.length, lines.at(-1)?.text]).toEqual([1000, 20, 500, "line 2509"]);
});

test("a hidden page has no stream, and one that is seen again begins again", async () => {
  await until(() => streams.length === 1);
  last()?.dispatchEvent(new Event("open"));
  see("hidden");
  expect([last()?.isClosed, eventFeed.value.isLive]).toEqual([true, false]);
  bodies["/v1/events"] = { events: [] };
  see("visible");
  await until(() => streams.length === 2);
  expect([last()?.path, last()?.isClosed, messages()]).toEqual(["/v1/events", false, []]);
  session.set({ kind: "none", lost: true });
  expect(last()?.isClosed).toBe(true);
});

test("a stream that breaks is closed, and opened again three seconds later", async () => {
  let waits = 0;
  using _ = watchTimers((ms) => {
    if (ms === 3000) waits += 1;
    return ms === 3000 ? 1 : ms;
  });
  await until(() => streams.length === 1);
  last()?.dispatchEvent(new Event("open"));
  last()?.dispatchEvent(new Event("error"));
  expect([last()?.isClosed, eventFeed.value.isLive]).toEqual([true, false]);
  await until(() => streams.length === 2, 20_000);
  expect(waits).toBe(1);
});

test("the traffic is read with its history first, and then from reading to reading", async () => {
  using _ = watchTimers((ms) => (ms > 1000 && ms <= 2000 ? 100 : ms));
  await until(() => traffic.value.now?.time_ms === OVERVIEW.time_ms);
  const history = [-20, -10].map((seconds) => overviewAt(seconds, 100 + seconds));
  bodies["/v1/history"] = { samples: history, minute: overviewAt(-50, 10) };
  bodies["/v1/overview"] = overviewAt(0.5, 50, { started_at_ms: 2 });
  await until(() => traffic.value.now?.started_at_ms === 2, 20_000);
  const { samples, window } = traffic.value;
  expect(samples.map(({ timeMs }) => (timeMs - OVERVIEW.time_ms) / 1000)).toEqual([-10, 0.5]);
  expect(samples[0]).toMatchObject({ requests: 1 });
  expect(window?.seconds).toBe(50.5);
  const before = paths.filter((path) => path === "/v1/history").length;
  bodies["/v1/overview"] = overviewAt(2.5, 60, { started_at_ms: 2 });
  await until(() => traffic.value.now?.requests === 60, 20_000);
  expect(traffic.value.samples.at(-1)).toMatchObject({ timeMs: OVERVIEW.time_ms + 2500, requests: 5 });
  expect(paths.filter((path) => path === "/v1/history")).toHaveLength(before);
  delete bodies["/v1/overview"];
  await until(() => traffic.value.problem !== undefined, 20_000);
  expect([traffic.value.problem?.status, traffic.value.now?.requests]).toEqual([503, 60]);
});

test("the rates of the last minute begin at one of the readings that are kept every five seconds", async () => {
  using _ = watchTimers((ms) => (ms > 1000 && ms <= 2000 ? 100 : ms));
  const seen: (number | undefined)[] = [];
  for (const seconds of [100, 102, 107, 109, 160, 168]) {
    const now = overviewAt(seconds, 100, { started_at_ms: 3 });
    bodies["/v1/overview"] = now;
    await until(() => traffic.value.now?.time_ms === now.time_ms, 20_000);
    seen.push(traffic.value.window?.seconds);
  }
  // The readings at 100, 107, 160 and 168 s are kept, and those at 102 and 109 s are not.
  expect(seen).toEqual([undefined, 2, 7, 9, 60, 8]);
});

test("readings of the traffic begin two seconds apart while the page is visible, and one at a time", async () => {
  let now = 50_000;
  using _ = spyOn(performance, "now").mockImplementation(() => now);
  using timers = watchTimers();
  let asked = 0;
  const gate = { open: Promise.withResolvers<void>() };
  gateway.respond = async ({ url }) => {
    if (!url.endsWith("/v1/overview")) return Response.json(bodies[new URL(url).pathname]);
    asked += 1;
    await gate.open.promise;
    return Response.json(bodies["/v1/overview"]);
  };
  see("hidden");
  see("visible");
  await until(() => asked === 1);
  // The timer of the page that is seen again fires during the first reading.
  see("hidden");
  see("visible");
  await until(() => timers.pending(100) === 0);
  now += 300;
  gate.open.resolve();
  await until(() => timers.pending(1700) === 1);
  expect(asked).toBe(1);
  // A reading that took longer is followed by the next one after a pause.
  gate.open = Promise.withResolvers();
  see("hidden");
  expect(timers.pending(1700)).toBe(0);
  see("visible");
  await until(() => asked === 2);
  now += 1950;
  gate.open.resolve();
  await until(() => timers.pending(100) === 1);
  await until(() => asked === 3);
});
