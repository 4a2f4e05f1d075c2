import { describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Json } from "../../../../lib/json-schema/json.ts";
import { BodyValue } from "./body-values.ts";

function plain<T>(result: T | TurnpikeError): T | string | undefined {
  return result instanceof TurnpikeError ? result.errors?.[0]?.message : result;
}

const TWICE = "send this name once, in this spelling";
const NUMBER = "expected a number or an array";
const MANY = Array.from({ length: 65 }, () => "a");

describe("a value of the body fits a rule", () => {
  test.each<[string, Json | undefined, object, boolean | string]>([
    ["/a", { a: "x" }, { value: "x" }, true],
    ["/a", { a: "y" }, { value: "x" }, false],
    ["/a", { a: 1 }, { value: 1 }, true],
    ["/a", { a: "1" }, { value: 1 }, "expected a number"],
    ["/a", { a: true }, { value: "true" }, "expected a string"],
    ["/a", { a: 0 }, { value: false }, "expected a boolean"],
    ["/a", { a: null }, { value: "x" }, false],
    ["/a", { a: { b: 1 } }, { value: "x" }, false],
    ["/a", { a: ["x"] }, { value: "x" }, false],
    ["/a", {}, { value: "x" }, false],
    ["/a", undefined, { value: "x" }, false],
    ["/a", { a: null }, {}, true],
    ["/a", { a: 5 }, { min: 5 }, true],
    ["/a", { a: 4 }, { min: 5 }, false],
    ["/a", { a: 5 }, { max: 5 }, true],
    ["/a", { a: 6 }, { max: 5 }, false],
    ["/a", { a: 5 }, { min: 4, max: 6 }, true],
    ["/a", { a: [1, 2] }, { min: 2 }, true],
    ["/a", { a: [1, 2] }, { min: 3 }, false],
    ["/a", { a: "many" }, { min: 0 }, false],
    ["/a", { a: true }, { min: 0 }, false],
    ["/a", { a: " 5 " }, { min: 0 }, NUMBER],
    ["/a", { a: "-1e3" }, { min: 0 }, NUMBER],
    ["/a", { a: {} }, { min: 0 }, NUMBER],
    ["/a", { a: 5 }, { value: 5, min: 6 }, false],
    ["/a/b", { a: { b: 1 } }, { value: 1 }, true],
    ["/a/1", { a: [0, 1] }, { value: 1 }, true],
    ["/a/01", { a: [0, 1] }, { value: 1 }, false],
    ["/a/2", { a: [0, 1] }, { value: 1 }, false],
    ["/a/b", { a: 1 }, { value: 1 }, false],
    ["/a~1b", { "a/b": 1 }, { value: 1 }, true],
    ["", 5, { min: 5 }, true],
    ["/a", { a: 1, A: 2 }, { value: 1 }, TWICE],
    ["/a", { A: 2 }, { value: 1 }, TWICE],
    ["/a", { ab: 2, b: 1 }, { value: 1 }, false],
  ])("at %j of %j, %j: %p", (pointer, body, rule, expected) => {
    expect(plain(new BodyValue(pointer).fulfils(body, rule))).toBe(expected);
  });
});

describe("the units of a body", () => {
  test.each<[Json | undefined, number | string]>([
    [{ n: 3 }, 3],
    [{ n: 0 }, 0],
    [{ n: [1, 2] }, 2],
    [{}, 0],
    [{ n: null }, 0],
    [{ n: "many" }, 0],
    [undefined, 0],
    [{ n: -1 }, "expected a number that is not negative"],
    [{ n: "3" }, NUMBER],
    [{ n: {} }, NUMBER],
    [{ n: 1, N: 2 }, TWICE],
  ])("%j are %p", (body, expected) => {
    expect(plain(new BodyValue("/n").count(body))).toBe(expected);
  });

  test("that are not clear are refused with their place", () => {
    const error = new BodyValue("/a/b").count({ a: { b: "3" } });
    expect(error).toMatchObject({ code: "invalid-parameters", errors: [{ path: "a.b", pointer: "/a/b" }] });
  });
});

describe("the names of the items of a body", () => {
  const MOST = "expected an array of at most 64 items";
  const NAMES = "expected names, or objects with a name as type";
  test.each<[Json | undefined, readonly string[] | string | undefined]>([
    [{ n: ["a", { type: "b" }] }, ["a", "b"]],
    [{ n: [] }, []],
    [{ n: MANY.slice(1) }, MANY.slice(1)],
    [{ n: MANY }, MOST],
    [{ n: "a" }, MOST],
    [{ n: [1] }, NAMES],
    [{ n: [{ type: 1 }] }, NAMES],
    [{ N: [] }, TWICE],
    [{}, undefined],
    [undefined, undefined],
  ])("%j are %p", (body, expected) => {
    expect(plain(new BodyValue("/n").names(body))).toEqual(expected);
  });
});
