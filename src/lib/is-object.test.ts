import { expect, test } from "bun:test";
import { isObject } from "./is-object.ts";

test("only objects are objects", () => {
  const values = [{}, { a: 1 }, Object.create(null), null, undefined, [], [{}], "", "{}", 0, true];
  expect(values.map(isObject)).toEqual([true, true, true, false, false, false, false, false, false, false, false]);
});
