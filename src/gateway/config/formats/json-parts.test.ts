import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { atOnce } from "../../../lib/slices.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { parseJson } from "./json.ts";
import { parseParts } from "./json-parts.ts";

setDefaultTimeout(patient(30_000));

const item = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({ path_prefix: fc.string(), upstream: fc.string({ unit: "binary" }) }),
);
const document = fc.dictionary(
  fc.oneof(fc.constantFrom("routes", "__proto__", "1"), fc.string()),
  fc.oneof(item, fc.array(item)),
);
const text = fc
  .tuple(document, fc.nat(3))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent).replaceAll(",", indent === 1 ? " , " : ","));

function inParts(written: string): unknown {
  return atOnce(parseParts(written, 16));
}

test("a valid text of an object gives the value of JSON.parse, whatever its lists hold", () => {
  fc.assert(fc.property(text, (written) => expect(inParts(written)).toEqual(JSON.parse(written))));
});

test("a text with one character more or less, or a part of it twice, gives the value of the whole text or none", () => {
  const change = fc.tuple(
    fc.nat(),
    fc.nat(40),
    fc.constantFrom("", ",", "]", "[", "}", "{", ":", '"', "\\", "1", "twice"),
  );
  fc.assert(
    fc.property(text, change, (written, [place, length, added]) => {
      const at = place % written.length;
      const part = written.slice(at, at + length);
      const changed =
        written.slice(0, at) + (added === "twice" ? part + part : added) + written.slice(at + (length % 3));
      const value = inParts(changed);
      const whole = parseJson(changed);
      if (value !== undefined) expect(whole).toEqual({ ok: true, value });
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["a comma at the end of a list", '{"routes": [1, 2, 3, 4, 5, 6, 7, 8, 9,]}'],
  ["a key twice", '{"routes": [{"a": 1, "a": 2}]}'],
  ["a list twice", '{"routes": [], "routes": [1, 2, 3, 4, 5, 6, 7, 8, 9]}'],
  ["too many levels", `{"routes": ${"[".repeat(70)}${"]".repeat(70)}}`],
  ["a number beyond a double", '{"routes": [1e999]}'],
  ["a number beyond a double in a list that is cut", '{"routes": [1, 2, 3, 4, 5, 6, 7, 8, 9, {"a": -1e999}]}'],
  ["half of a surrogate pair", '{"routes": ["\\uD800"]}'],
  ["no object", "[1, 2]"],
  ["a long part", `{"routes": ["${"x".repeat(300_000)}"]}`],
])("a text with %s is left to the other parser", (_, written) => {
  expect(inParts(written)).toBeUndefined();
});
