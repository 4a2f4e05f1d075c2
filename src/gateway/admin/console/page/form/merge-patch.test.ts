import { expect, test } from "bun:test";
import fc from "fast-check";
import { type JsonObject } from "../api/shapes.ts";
import { isSame } from "../../../../../lib/is-same.ts";
import { mergePatch as applyMergePatch } from "../../../running-config/merge-patch.ts";
import { mergePatch } from "./merge-patch.ts";

test("a patch has only the changes", () => {
  const from = { a: 1, b: { c: 2, d: 3 }, e: [1], f: "gone" };
  const to = { a: 1, b: { c: 2, d: 4 }, e: [1, 2], g: true };
  expect(mergePatch(from, to)).toEqual({ b: { d: 4 }, e: [1, 2], f: null, g: true });
  expect(mergePatch(from, from)).toEqual({});
});

test("changes are applied to a newer value of another user", () => {
  const base = { upstream: "a", cache: { ttl_s: 60 }, mirror: "m" };
  const mine = { upstream: "b", cache: { ttl_s: 60 }, mirror: "m" };
  const theirs = { upstream: "a", cache: { ttl_s: 5 } };
  expect(applyMergePatch(theirs, mergePatch(base, mine))).toEqual({ upstream: "b", cache: { ttl_s: 5 } });
});

/** Without null: it has no meaning in the configuration, and a merge patch cannot set it. */
const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean());
const { object } = fc.letrec((tie) => ({
  value: fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), tie("object")),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("value")),
}));

test("the patch between any two values turns one into the other", () => {
  fc.assert(
    fc.property(object, object, (from, to) => {
      const made = applyMergePatch(from, mergePatch(from as JsonObject, to as JsonObject));
      expect(isSame(made, to as JsonObject)).toBe(true);
    }),
  );
});
