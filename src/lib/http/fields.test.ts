import { expect, test } from "bun:test";
import { eachField, fieldLine, fieldValue, fieldValues, hasAnyLine, withoutFields } from "./fields.ts";

const FIELDS = "Accept: a\r\nX-One:  1 \r\naccept: b\r\nX-Accept: no\r\n";

test("a field is found in any capitalisation, with its lines joined", () => {
  expect(fieldValue(FIELDS, "accept")).toBe("a, b");
  expect(fieldValues(FIELDS, "x-one")).toEqual(["1"]);
  expect(fieldValue(FIELDS, "one")).toBeUndefined();
  expect(fieldValue("", "accept")).toBeUndefined();
});

test("removal takes every line of the named fields and no other", () => {
  expect(withoutFields(FIELDS, ["accept"])).toBe("X-One:  1 \r\nX-Accept: no\r\n");
  expect(withoutFields(FIELDS, ["x-accept", "x-one"])).toBe("Accept: a\r\naccept: b\r\n");
  expect(withoutFields(FIELDS, ["absent"])).toBe(FIELDS);
});

test("written lines are read back unchanged", () => {
  expect([...eachField(fieldLine("A", "b: c") + FIELDS)]).toEqual([
    ["A", "b: c"],
    ["Accept", "a"],
    ["X-One", "1"],
    ["accept", "b"],
    ["X-Accept", "no"],
  ]);
});

test("a search finds lines of its names alone", () => {
  const names = ["x-one", "x.b"];
  expect(hasAnyLine("X-Accept: x-one\r\nxab: 1\r\n", names)).toBe(false);
  expect(hasAnyLine("X-Accept: x-one\r\nX.b: 1\r\n", names)).toBe(true);
  expect(hasAnyLine(FIELDS, names)).toBe(true);
  expect(hasAnyLine("", names)).toBe(false);
});
