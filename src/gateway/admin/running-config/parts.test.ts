import { describe, expect, test } from "bun:test";
import { outcomesOf } from "../figures/filter-outcomes.ts";
import { EventRing } from "../events/event-ring.ts";
import { diagnosticsIn, parsePath, pointerOf } from "./diagnostic-pointer.ts";
import { mergePatch } from "./merge-patch.ts";
import { type AtStart, atStartOf, restartKeys } from "./restart-keys.ts";
import { TurnQueue } from "./turn-queue.ts";

describe("the place of a diagnostic", () => {
  test.each<[string, (string | number)[]]>([
    ["routes[2].upstream", ["routes", 2, "upstream"]],
    ["", []],
    ['a["b.c"].d-e', ["a", "b.c", "d-e"]],
    ["a[10][0]", ["a", 10, 0]],
  ])("%j is read as %j", (path, parts) => {
    expect(parsePath(path)).toEqual(parts);
  });

  test("is a pointer into the value that the client sent", () => {
    expect(pointerOf("routes[2].auth.keys[0]", ["routes", 2])).toBe("/auth/keys/0");
    expect(pointerOf("routes[2]", ["routes", 2])).toBe("");
    expect(pointerOf("routes[1].auth", ["routes", 2])).toBeUndefined();
    expect(pointerOf("upstreams[2]", ["routes", 2])).toBeUndefined();
    const inside = { path: "routes[2].auth", message: "a" };
    const outside = { path: "server", message: "b" };
    expect(diagnosticsIn([inside, outside], ["routes", 2])).toEqual([{ ...inside, pointer: "/auth" }, outside]);
  });
});

test.each([
  [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  [{ a: [1] }, { a: [2, 3] }, { a: [2, 3] }],
  [{ a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  [1, { a: 1 }, { a: 1 }],
  [{ a: 1 }, 5, 5],
  [{ a: 1 }, null, null],
])("%j with the merge patch %j is %j", (target, patch, merged) => {
  const before = JSON.stringify(target);
  expect(mergePatch(target, patch)).toEqual(merged);
  expect(JSON.stringify(target)).toBe(before);
});

test("a changed key that only a restart applies is named", () => {
  const running = { server: { workers: 1, log: "a" }, state_path: "x", content: { search: [1], qr: 2 }, postgres: {} };
  /** Only these sections are compared. */
  const keys = (change: object): string[] =>
    restartKeys(running as unknown as AtStart, { ...running, ...change } as unknown as AtStart);
  expect(keys({})).toEqual([]);
  expect(keys({ server: { workers: 1, log: "b" } })).toEqual([]);
  expect(keys({ server: { workers: 2, log: "a" } })).toEqual(["server.workers"]);
  expect(keys({ state_path: "y", content: { search: [2], qr: 2 } })).toEqual(["state_path", "content.search"]);
  const whole = { ...running, routes: [] } as unknown as Parameters<typeof atStartOf>[0];
  expect(atStartOf(whole)).toEqual(running as unknown as AtStart);
});

test("tasks run one after another, and are refused if too many wait", async () => {
  const queue = new TurnQueue(2);
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const task = (name: string) => async () => {
    await gate.promise;
    done.push(name);
    return name;
  };
  const first = queue.run(task("a"));
  const second = queue.run(() => Promise.reject(new Error("b")));
  expect(queue.run(task("c"))).toBeUndefined();
  const always = queue.run(task("d"), true);
  gate.resolve();
  expect(await first).toBe("a");
  expect(second).rejects.toThrow("b");
  expect(await always).toBe("d");
  expect(await queue.run(task("e"))).toBe("e");
  expect(done).toEqual(["a", "d", "e"]);
});

test("a ring keeps the newest events", () => {
  const ring = new EventRing(3);
  expect(ring.after(0)).toEqual([]);
  for (let id = 1; id <= 8; id += 1) {
    ring.add({ id, kind: "log", json: "" });
    const kept = [id - 2, id - 1, id].filter((one) => one > 0);
    expect(ring.after(0).map((event) => event.id)).toEqual(kept);
    expect(ring.after(id - 1).map((event) => event.id)).toEqual([id]);
    expect(ring.after(id)).toEqual([]);
  }
});

test("the outcomes of a filter are added up over its phases", () => {
  const invocations = ["allow", "reject", "fuel", "reject", "park", "trap", "unchanged", "gone", "modify"].map(
    (outcome, n) => ({ outcome, count: 2 ** n }),
  );
  expect(outcomesOf({ invocations })).toEqual({
    all: 511,
    rejected: 10,
    parked: 16,
    failures: [
      ["fuel", 4],
      ["trap", 32],
    ],
  });
  expect(outcomesOf({ invocations: [] })).toEqual({ all: 0, rejected: 0, parked: 0, failures: [] });
});
