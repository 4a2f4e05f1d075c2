import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../../../../lib/testing/until.ts";
import { watchTimers } from "../../../../../lib/testing/timers.ts";
import { session } from "../api/client.ts";
import { drawHook } from "../testing/draw-hook.ts";
import { openPage, serveInterface } from "../testing/fake-page.ts";

const gateway = serveInterface();
const { see, undo } = openPage();
const { eventFeed } = await import("./event-feed.ts");
const { useResource } = await import("./resource.ts");
const { useStore } = await import("../api/store.ts");

/** A time that no other timer uses. */
const EVERY_MS = 12_345;
const OPEN = { kind: "open", session: { access: "full", csrf_token: "t" } } as const;

let reads = 0;
let respond: (path: string) => Response | Promise<Response> = () => Response.json(reads);

function announce(id: number, kind: string): void {
  const event = { id, time_ms: id, kind, message: "" } as (typeof eventFeed.value.events)[number]; // a test's kind
  eventFeed.set({ ...eventFeed.value, events: [...eventFeed.value.events, event] });
}

beforeEach(() => {
  reads = 0;
  respond = () => Response.json(reads, { headers: { etag: `"${reads}"` } });
  gateway.respond = async (request) => {
    const { pathname } = new URL(request.url);
    // The feed of events reads at the same time.
    if (!pathname.startsWith("/v1/data")) return new Response("", { status: 503 });
    reads += 1;
    return await respond(pathname);
  };
  session.set(OPEN);
  see("visible");
});
afterEach(() => session.set({ kind: "none", lost: false }));
afterAll(() => {
  undo();
  gateway.stop();
});

test("a view has the data of its path with its tag, and reads it again when it reloads", async () => {
  using view = drawHook(() => useResource<number>("/v1/data"));
  expect(view.value).toMatchObject({ data: undefined, etag: undefined, problem: undefined });
  await until(() => view.value.data === 1);
  expect(view.value).toMatchObject({ etag: '"1"', problem: undefined });
  view.value.reload();
  await until(() => view.value.data === 2);
  expect(view.value.etag).toBe('"2"');
});

test("the last data stays while reads fail, and a problem goes with the next data", async () => {
  using view = drawHook(() => useResource<number>("/v1/data"));
  await until(() => view.value.data === 1);
  respond = () => Response.json({ detail: "Not now." }, { status: 503 });
  view.value.reload();
  await until(() => view.value.problem !== undefined);
  expect(view.value).toMatchObject({ data: 1, etag: '"1"', problem: { status: 503, message: "Not now." } });
  respond = () => Response.json({ detail: "Not yet." }, { status: 503 });
  view.value.reload();
  await until(() => view.value.problem?.message === "Not yet.");
  respond = () => Response.json(7);
  view.value.reload();
  await until(() => view.value.data === 7);
  expect(view.value.problem).toBeUndefined();
});

test("a view sends one request at a time, and none without a session", async () => {
  session.set({ kind: "none", lost: false });
  const gate = Promise.withResolvers<void>();
  respond = () => gate.promise.then(() => Response.json("late"));
  using view = drawHook(() => useResource<string>("/v1/data"));
  view.value.reload();
  expect(reads).toBe(0);
  session.set(OPEN);
  await until(() => reads === 1);
  view.value.reload();
  see("hidden");
  see("visible");
  gate.resolve();
  await until(() => view.value.data === "late");
  expect(reads).toBe(1);
});

test("a view that is read regularly is read while the page is visible", async () => {
  const fast = { now: true };
  using timers = watchTimers((ms) => (ms === EVERY_MS && fast.now ? 0 : ms));
  const view = drawHook(() => useResource<number>("/v1/data", { everyMs: EVERY_MS }));
  await until(() => (view.value.data ?? 0) > 2);
  fast.now = false;
  await until(() => timers.pending(EVERY_MS) === 1);
  const before = reads;
  // A read in between replaces the timer.
  view.value.reload();
  await until(() => view.value.data === before + 1 && timers.pending(EVERY_MS) === 1);
  see("hidden");
  view.value.reload();
  await until(() => view.value.data === before + 2);
  expect(timers.pending(EVERY_MS)).toBe(0);
  see("visible");
  await until(() => view.value.data === before + 3 && timers.pending(EVERY_MS) === 1);
  view[Symbol.dispose]();
  expect(timers.pending(EVERY_MS)).toBe(0);
});

test("a view without a time is read once, and again when the page is seen again", async () => {
  using timers = watchTimers();
  using view = drawHook(() => useResource<number>("/v1/data"));
  await until(() => view.value.data === 1);
  expect(timers.pending(0)).toBe(0);
  see("hidden");
  expect(reads).toBe(1);
  see("visible");
  await until(() => view.value.data === 2);
});

test("an event of a kind that a view follows has it read again, until the view ends", async () => {
  const view = drawHook(() => useResource<number>("/v1/data", { on: ["reload"] }));
  await until(() => view.value.data === 1);
  announce(1, "change");
  announce(2, "reload");
  await until(() => view.value.data === 2);
  view[Symbol.dispose]();
  announce(3, "reload");
  see("hidden");
  see("visible");
  session.set({ ...OPEN });
  expect(reads).toBe(2);
});

test("another path has its own data, and the response to an earlier one comes too late", async () => {
  const gate = Promise.withResolvers<void>();
  respond = (path) => (path === "/v1/data/a" ? gate.promise.then(() => Response.json("a")) : Response.json("b"));
  const shown = { path: "/v1/data/a" };
  using view = drawHook(() => useResource<string>(shown.path));
  await until(() => reads === 1);
  shown.path = "/v1/data/b";
  view.draw();
  await until(() => view.value.data === "b");
  gate.resolve();
  await Bun.sleep(0);
  expect(view.value).toMatchObject({ data: "b", problem: undefined });
});

test("a view is drawn again when a store that it uses changes, until it ends", async () => {
  let drawings = 0;
  const view = drawHook(() => {
    drawings += 1;
    return useStore(session);
  });
  expect(view.value).toEqual(OPEN);
  session.set({ kind: "unknown" });
  await until(() => view.value.kind === "unknown");
  view[Symbol.dispose]();
  const before = drawings;
  session.set(OPEN);
  await Bun.sleep(0);
  expect(drawings).toBe(before);
});
