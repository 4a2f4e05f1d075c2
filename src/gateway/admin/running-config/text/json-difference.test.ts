import { expect, test } from "bun:test";
import fc from "fast-check";
import { parsePath, pointerOf } from "../diagnostic-pointer.ts";
import { atOnce } from "../../../../lib/slices.ts";
import { isSame } from "../../../../lib/is-same.ts";
import { differenceSteps } from "./json-difference.ts";
import { type PatchOperation } from "../../shapes/common.ts";
import { TurnQueue } from "../turn-queue.ts";

function difference(before: unknown, after: unknown): PatchOperation[] {
  return atOnce(differenceSteps(before, after, (value) => value));
}

/** Applies a patch (RFC 6902), with the operations that this module makes. */
function patched(value: unknown, patch: readonly PatchOperation[]): unknown {
  const whole: { "": unknown } = { "": structuredClone(value) };
  for (const operation of patch) {
    const parts = operation.path.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = parts.pop() ?? "";
    const holder: unknown = parts.reduce((at: unknown, part) => Reflect.get(Object(at), part), whole);
    if (Array.isArray(holder)) {
      const count = operation.op === "add" ? 0 : 1;
      holder.splice(Number(last), count, ...(operation.op === "remove" ? [] : [operation.value]));
    } else if (operation.op === "remove") {
      Reflect.deleteProperty(Object(holder), last);
    } else {
      Reflect.set(Object(holder), last, operation.value);
    }
  }
  return whole[""];
}

test("the difference of any two values turns one into the other", () => {
  const named = fc.record({ name: fc.constantFrom("a", "b", "c", "d"), value: fc.nat(3) });
  const list = fc.uniqueArray(named, { selector: ({ name }) => name });
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), list, fc.array(fc.nat(3)));
  const document = fc.dictionary(fc.constantFrom("x", "a/b", "m~n", "0"), value);
  fc.assert(
    fc.property(document, document, (before, after) => {
      const next: unknown = JSON.parse(JSON.stringify(after));
      const patch = difference(JSON.parse(JSON.stringify(before)), next);
      expect(isSame(patched(JSON.parse(JSON.stringify(before)), patch), next)).toBe(true);
      expect(patch.length === 0).toBe(isSame(JSON.parse(JSON.stringify(before)), next));
    }),
    { numRuns: 500 },
  );
});

const route = (prefix: string, more: object = {}): object => ({ path_prefix: prefix, upstream: "a", ...more });

test.each([
  ["nothing", [route("/a")], [route("/a")], []],
  [
    "one that comes first",
    [route("/a"), route("/b")],
    [route("/c"), route("/a"), route("/b")],
    [{ op: "add", path: "/routes/0", value: route("/c") }],
  ],
  [
    "one that goes",
    [route("/a"), route("/b"), route("/c")],
    [route("/b"), route("/c")],
    [{ op: "remove", path: "/routes/0" }],
  ],
  [
    "a value in one of several",
    [route("/a"), route("/b")],
    [route("/a"), route("/b", { mirror: "c" })],
    [{ op: "add", path: "/routes/1/mirror", value: "c" }],
  ],
  [
    "one that moves",
    [route("/a"), route("/b"), route("/c")],
    [route("/b"), route("/c"), route("/a")],
    [
      { op: "remove", path: "/routes/0" },
      { op: "add", path: "/routes/2", value: route("/a") },
    ],
  ],
] as const)("%s is told by itself", (_, before, after, expected) => {
  expect(difference({ routes: before }, { routes: after })).toEqual([...expected]);
});

test("the path of a diagnostic leads to its place in the sent value", () => {
  expect(parsePath('routes[3].auth.keys[0]["a.b"].x-y')).toEqual(["routes", 3, "auth", "keys", 0, "a.b", "x-y"]);
  expect(pointerOf("routes[3].auth.type", ["routes", 3])).toBe("/auth/type");
  expect(pointerOf("routes[3]", ["routes", 3])).toBe("");
  expect(pointerOf('routes[3]["a/b"]', ["routes", 3])).toBe("/a~1b");
  expect(pointerOf("routes[2].upstream", ["routes", 3])).toBeUndefined();
  expect(pointerOf("", ["routes", 3])).toBeUndefined();
});

test("tasks run one after another, and one too many is refused", async () => {
  const queue = new TurnQueue(2);
  const first = Promise.withResolvers<void>();
  const done: string[] = [];
  const turns = [
    queue.run(async () => {
      await first.promise;
      done.push("first");
      throw new Error("it failed");
    }),
    queue.run(async () => void done.push("second")),
  ];
  expect(queue.run(async () => void done.push("third"))).toBeUndefined();
  const signal = queue.run(async () => void done.push("signal"), true);
  first.resolve();
  expect(
    (await Promise.allSettled(turns.map((turn) => turn ?? Promise.reject(new Error("it was turned away"))))).map(
      ({ status }) => status,
    ),
  ).toEqual(["rejected", "fulfilled"]);
  await signal;
  expect(done).toEqual(["first", "second", "signal"]);
  await queue.run(async () => void done.push("later"));
  expect(done.at(-1)).toBe("later");
});

test("long documents are compared in steps, between which requests are served", () => {
  const [before, after] = [1, 2].map((at) => ({
    routes: Array.from({ length: 500 }, (_, name) => ({ name: String(name), at })),
  }));
  let steps = 0;
  for (const _ of differenceSteps(before, after, (value) => value)) steps += 1;
  // The document, the list and its order, and each item with its changed member.
  expect(steps).toBe(3 + 2 * 500);
});
