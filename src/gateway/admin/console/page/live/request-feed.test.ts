import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { watchTimers } from "../../../../../lib/testing/timers.ts";
import { until } from "../../../../../lib/testing/until.ts";
import { session } from "../api/client.ts";
import { drawHook } from "../testing/draw-hook.ts";
import { type FakeStream, openPage, serveInterface } from "../testing/fake-page.ts";

const gateway = serveInterface();
const { streams, see, undo } = openPage();
const { useRequests } = await import("./request-feed.ts");

const PATH = "/v1/requests?route=a";
const OPEN = { kind: "open", session: { access: "full", csrf_token: "t" } } as const;
const RETRY_MS = 3_000;

/** The streams of requests; those of events have another path. */
const opened = (): FakeStream[] => streams.filter(({ path }) => path.startsWith("/v1/requests"));
const last = (): FakeStream | undefined => opened().at(-1);

beforeEach(() => {
  // The feed of events may be in the same page.
  gateway.respond = () => Response.json({ events: [], lines: [] });
  streams.splice(0);
  see("visible");
  session.set(OPEN);
});
afterEach(() => session.set({ kind: "none", lost: false }));
afterAll(() => {
  undo();
  gateway.stop();
});

test("requests are shown from the newest on, and the newest two hundred stay", async () => {
  using view = drawHook(() => useRequests(PATH));
  expect(opened().map(({ path }) => path)).toEqual([PATH]);
  expect(view.value).toMatchObject({ requests: [], missed: 0, isLive: false });
  last()?.dispatchEvent(new Event("open"));
  await until(() => view.value.isLive);
  for (let id = 1; id <= 3; id += 1) last()?.send("request", { id });
  await until(() => view.value.requests.length > 0);
  expect(view.value.requests.map(({ id }) => id)).toEqual([3, 2, 1]);
  last()?.send("request", { id: 4 });
  await until(() => view.value.requests.length === 4);
  for (let id = 5; id <= 300; id += 1) last()?.send("request", { id });
  await until(() => view.value.requests[0]?.id === 300);
  expect([view.value.requests.length, view.value.requests.at(-1)?.id]).toEqual([200, 101]);
  view.value.clear();
  await until(() => view.value.requests.length === 0);
  expect(view.value.isLive).toBe(true);
});

test("requests that no filter saw, and those that the page was too slow for, are counted together", async () => {
  using view = drawHook(() => useRequests(PATH));
  last()?.send("missed", { missed: 2 });
  last()?.send("lost", { lost: 3 });
  last()?.send("lost", {});
  await until(() => view.value.missed === 5);
  view.value.clear();
  await until(() => view.value.missed === 0);
});

test("another filter begins with no requests; without one the last ones stay, and the stream ends", async () => {
  const shown: { path: string | undefined } = { path: PATH };
  using view = drawHook(() => useRequests(shown.path));
  last()?.dispatchEvent(new Event("open"));
  last()?.send("request", { id: 1 });
  await until(() => view.value.requests.length === 1 && view.value.isLive);
  shown.path = undefined;
  view.draw();
  expect(last()?.isClosed).toBe(true);
  await until(() => !view.value.isLive);
  expect(view.value.requests).toHaveLength(1);
  shown.path = PATH;
  view.draw();
  await until(() => opened().length === 2);
  expect(view.value.requests).toHaveLength(1);
  last()?.send("request", { id: 2 });
  shown.path = `${PATH}&method=GET`;
  view.draw();
  await until(() => view.value.requests.length === 0);
  expect(opened().map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
  // Requests of the earlier filter that were not shown yet are not shown either.
  last()?.send("request", { id: 3 });
  await until(() => view.value.requests.length > 0);
  expect(view.value.requests.map(({ id }) => id)).toEqual([3]);
});

test("a stream that breaks is opened again later, while the page is visible and has a session", async () => {
  const slow = { now: true };
  using timers = watchTimers((ms) => (ms === RETRY_MS && !slow.now ? 0 : ms));
  const view = drawHook(() => useRequests(PATH));
  last()?.dispatchEvent(new Event("open"));
  await until(() => view.value.isLive);
  last()?.dispatchEvent(new Event("error"));
  expect(last()?.isClosed).toBe(true);
  await until(() => !view.value.isLive);
  expect([opened().length, timers.pending(RETRY_MS)]).toEqual([1, 1]);
  // A stream that begins in between takes the place of the next try.
  see("hidden");
  see("visible");
  expect([opened().length, timers.pending(RETRY_MS)]).toEqual([2, 0]);
  slow.now = false;
  last()?.dispatchEvent(new Event("error"));
  await until(() => opened().length === 3);
  session.set({ kind: "none", lost: true });
  expect([opened().length, last()?.isClosed]).toEqual([3, true]);
  session.set(OPEN);
  expect(opened()).toHaveLength(4);
  slow.now = true;
  last()?.dispatchEvent(new Event("error"));
  expect(timers.pending(RETRY_MS)).toBe(1);
  view[Symbol.dispose]();
  expect(timers.pending(RETRY_MS)).toBe(0);
  see("hidden");
  see("visible");
  expect(opened()).toHaveLength(4);
});

test("a view that ends with requests that it has not shown leaves no timer", async () => {
  using timers = watchTimers();
  const view = drawHook(() => useRequests(PATH));
  last()?.send("request", { id: 1 });
  expect(timers.pending(250)).toBe(1);
  view[Symbol.dispose]();
  expect([timers.pending(250), last()?.isClosed]).toEqual([0, true]);
});
