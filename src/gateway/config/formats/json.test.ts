import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseJson } from "./json.ts";

const ERRORS: readonly (readonly [text: string, error: string])[] = [
  ["", "line 1, column 1: expected a value, found the end of the text"],
  ['{\n  "a": 1,\n}', 'line 3, column 1: expected a key in double quotes, found "}"'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected "," or "}", found "\\""'],
  ["{'a': 1}", 'line 1, column 2: expected a key in double quotes, found "\'"'],
  ['{"a" 1}', 'line 1, column 6: expected ":", found "1"'],
  ["[1 2]", 'line 1, column 4: expected "," or "]", found "2"'],
  ["[1, // one\n 2]", 'line 1, column 5: expected a value, found "/"'],
  ['{"a": tru}', 'line 1, column 7: expected a value, found "t"'],
  ["[01]", 'line 1, column 2: expected a value, found "0"'],
  ["[.5]", 'line 1, column 2: expected a value, found "."'],
  ["{} {}", 'line 1, column 4: expected the end of the text, found "{"'],
  ['{"a": "b', "line 1, column 7: a string is not closed"],
  ['{"a": "b\n"}', "line 1, column 9: a string holds a control character or line end"],
  ['{"a": "\\x41"}', "line 1, column 8: a string holds an unknown escape"],
  ['["\\ud83d\\ude00", "\\\\ud800", "\\ud800"]', "line 1, column 30: a string holds half of a surrogate pair"],
  ['["\\ud800\\u0041"]', "line 1, column 3: a string holds half of a surrogate pair"],
  ['["\\uDE00\\uD83D"]', "line 1, column 3: a string holds half of a surrogate pair"],
  ['{\r\n  "auth": 1,\r\n  "\\u0061uth": 2}', 'line 3, column 3: the key "auth" appears twice'],
  ["[".repeat(65), "line 1, column 65: expected at most 64 levels"],
  ["[1, 1e400]", "line 1, column 5: a number is beyond what a double holds"],
];

for (const [text, error] of ERRORS) {
  test(`${JSON.stringify(text.slice(0, 40))} is refused with line and column`, () => {
    expect(parseJson(text)).toEqual({ ok: false, error });
  });
}

test("a byte order mark is skipped", () => {
  expect(parseJson('\uFEFF{"a": [1e3, -0.5, "\\u00e9\\n", null]}')).toEqual({
    ok: true,
    value: { a: [1000, -0.5, "é\n", null] },
  });
});

test("valid JSON is read in the same way as by JSON.parse", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
  );
});

test("invalid JSON is refused without an exception", () => {
  const piece = fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "a", "1", "-", ".", "e", "true", " ", "\n");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const parsed = parseJson(text);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const isTwice = !parsed.ok && parsed.error.endsWith("appears twice");
      expect(parsed.ok || isTwice).toBe(isJson);
    }),
    { numRuns: 2000 },
  );
});
