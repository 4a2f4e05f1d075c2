import { expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { EventLog } from "./event-log.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_EVENTS = 1000;
const MAX_LINES = 500;
const MAX_READ_ONLY = 24;
const MAX_READERS = 32;

function filled(events: number): EventLog {
  const log = new EventLog(() => 1_000_000);
  for (let i = 0; i < events; i++) log.add({ kind: "reload", message: `event ${i}` });
  return log;
}

test("an event has an id, its time, its kind, and who did it with what outcome", () => {
  const log = filled(0);
  const by = { kind: "operator", key: "api_key", address: "192.0.2.1" } as const;
  log.add({ kind: "change", message: "route added", by, outcome: "done", details: { prefix: "/a", id: 7 } });
  expect(log.since(0)).toEqual([
    {
      id: 1_000_000_001,
      time_ms: 1_000_000,
      kind: "change",
      message: "route added",
      by,
      outcome: "done",
      prefix: "/a",
    },
  ]);
});

test("events and log lines are in one order, and many lines push no event out", () => {
  const log = filled(0);
  log.add({ kind: "drain", message: "first" });
  for (let i = 0; i < 5000; i++) log.addLine(`line ${i}`, 2);
  log.add({ kind: "drain", message: "last" });
  const kept = log.since(0);
  expect(kept).toHaveLength(MAX_LINES + 2);
  expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).toSorted((a, b) => a - b));
  expect([kept[0]?.message, kept.at(-1)?.message]).toEqual(["first", "last"]);
  expect(log.lines()).toHaveLength(MAX_LINES);
  expect(log.lines().at(-1)).toEqual({ time_ms: 1_000_000, worker: 2, text: "line 4999" });
});

test("the newest thousand are kept, and a reader learns how many it has missed", () => {
  const log = filled(MAX_EVENTS + 300);
  const first = log.lastId - MAX_EVENTS - 300;
  expect(log.since(0)).toHaveLength(MAX_EVENTS);
  let { events, lost, next } = log.read(first + 100);
  expect(lost).toBe(200);
  let count = events.length;
  while (next < log.lastId) {
    ({ events, lost, next } = log.read(next));
    expect(lost).toBe(0);
    count += events.length;
  }
  expect(count).toBe(MAX_EVENTS);
  expect(log.read(log.lastId)).toEqual({ events: [], lost: 0, next: log.lastId });
});

test("a reader with an id of another process gets all kept events", () => {
  const log = filled(3);
  const first = log.lastId - 2;
  for (const id of [0, 5, first - 2, log.lastId + 1, Number.MAX_SAFE_INTEGER])
    expect(log.read(id)).toMatchObject({ events: [{ id: first }, {}, {}], lost: 0, next: log.lastId });
});

test("a long message is cut off, and details that are too long are left out", () => {
  const log = filled(0);
  log.add({ kind: "reload", message: "m".repeat(50_000), details: { problems: "p".repeat(50_000) } });
  const [event] = log.since(0);
  expect(String(event?.message)).toHaveLength(2001);
  expect(event).toMatchObject({ details_left_out: true });
  expect(event).not.toHaveProperty("problems");
});

test("32 readers are accepted and no more, until one leaves", () => {
  const log = filled(0);
  const reader = { wake() {} };
  const leave = Array.from({ length: MAX_READERS }, () => log.subscribe({ ...reader }));
  expect(leave.every((end) => end !== undefined)).toBeTrue();
  expect(log.subscribe({ ...reader })).toBeUndefined();
  leave[3]?.();
  expect(log.subscribe({ ...reader })).toBeDefined();
});

test("readers with the read-only key leave places for operators", () => {
  const log = filled(0);
  const subscribe = (isReadOnly: boolean) => log.subscribe({ wake() {}, isReadOnly });
  const leave = Array.from({ length: MAX_READ_ONLY }, () => subscribe(true));
  expect(leave.every((end) => end !== undefined)).toBeTrue();
  expect(subscribe(true)).toBeUndefined();
  for (let i = MAX_READ_ONLY; i < MAX_READERS; i++) expect(subscribe(false)).toBeDefined();
  expect(subscribe(false)).toBeUndefined();
});

test("too many events that no operator caused are left out and counted, but never an operator's change", async () => {
  const log = filled(0);
  for (let i = 0; i < 500; i++) {
    log.add({ kind: "session", message: `wrong key ${i}` });
    log.add({ kind: "change", message: `change ${i}` });
  }
  const kinds = log.since(0).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "change")).toHaveLength(500);
  expect(kinds.filter((kind) => kind === "session").length).toBeLessThan(230);
  await until(() => log.lines().some(({ text }) => /^\d{3} further events \(session\) were left out/.test(text)));
});
