import { expect, spyOn, test } from "bun:test";
import { NewestMap } from "../../../lib/memory/newest-map.ts";
import { normalisedEncodings, variantOf } from "./cache-key.ts";

test.each([
  ["Accept-Language", "en, de", "de, en"],
  ["Accept-Language", "en, de", " eN ,\tDe"],
  ["Accept-Language", "en;q=0.5, de", "de;q=1.0, en; q=0.5"],
  ["Accept", "text/html, */*;q=0.1", "*/*;q=0.1,text/HTML"],
  ["Foo", "1,2", " 1, 2 "],
  ["Foo", "1\t,2", "1,2"],
])("%s: %p and %p are one variant", (name, one, other) => {
  const lower = name.toLowerCase();
  expect(variantOf(`${name}: ${one}\r\n`, "", [lower])).toBe(variantOf(`${name}: ${other}\r\n`, "", [lower]));
});

test.each([
  ["Accept-Language", "en;q=0.5, de", "en, de;q=0.5"],
  ["Accept", 'a/b;c="1,2",d/e', 'a/b;c="1,d/e",2"'],
  ["Foo", "1 2", "12"],
  ["Foo", "a", "A"],
  ["Foo", '"1, 2"', '"1,2"'],
  ["Cookie", "a=1, b", "a=1,b"],
  ["Authorization", "x a, b", "x a,b"],
])("%s: %p and %p are two variants", (name, one, other) => {
  const lower = name.toLowerCase();
  expect(variantOf(`${name}: ${one}\r\n`, "", [lower])).not.toBe(variantOf(`${name}: ${other}\r\n`, "", [lower]));
});

test("a long run of white space in a field takes no time that grows with its square", () => {
  const run = "\t ".repeat(500_000);
  expect(variantOf(`Foo: a${run}b${run},${run}c\r\n`, "", ["foo"])).toBe(`\na${run}b,c`);
});

test.each(["", "undefined"])("an absent field differs from one with the value %p", (value) => {
  expect(variantOf("", "", ["foo"])).not.toBe(variantOf(`Foo: ${value}\r\n`, "", ["foo"]));
});

test("the order of encodings makes no difference", () => {
  for (const value of ["gzip, br", "br, gzip", "BR,gzip;q=1", "gzip, br"])
    expect(normalisedEncodings(value)).toBe("br,gzip");
  expect(normalisedEncodings("gzip")).toBe("gzip");
  expect(normalisedEncodings("")).toBe("");
});

test("a value of at most 128 characters is normalised once, and a longer one takes no memory", () => {
  using kept = spyOn(NewestMap.prototype, "set");
  for (const tail of ["x".repeat(125), "x".repeat(126)]) {
    for (let n = 0; n < 2; n++) expect(normalisedEncodings(`b,${tail},`)).toBe(`b,${tail}`);
  }
  expect(kept.mock.calls).toEqual([[`b,${"x".repeat(125)},`, `b,${"x".repeat(125)}`]]);
});
