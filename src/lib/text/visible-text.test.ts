import { expect, test } from "bun:test";
import { isPlainName, visibleJson, visibleLines, visibleText } from "./visible-text.ts";

test.each<[string, string]>([
  ["\u202eecila", "\\u{202e}ecila"],
  ["ali\u200bce", "ali\\u{200b}ce"],
  ["a\u2066b\u2069", "a\\u{2066}b\\u{2069}"],
  ["one\u2028two\u2029", "one\\u{2028}two\\u{2029}"],
  ["one\u0085two\r\n\t", "one\\u{85}two\\u{d}\\u{a}\\u{9}"],
  ["\u001b[2J\u0000", "\\u{1b}[2J\\u{0}"],
  ["so\u00adft\ufeff\u3164\uffa0\u034f\u2800", "so\\u{ad}ft\\u{feff}\\u{3164}\\u{ffa0}\\u{34f}\\u{2800}"],
  ["a\u{e0041}", "a\\u{e0041}"],
  ["\u2764\ufe0f \u{1f468}\u200d\u{1f469}", "\u2764\\u{fe0f} \u{1f468}\\u{200d}\u{1f469}"],
  ["\ud800 \ue000 \uffff", "\\u{d800} \\u{e000} \\u{ffff}"],
  ["\u0301a", "\\u{301}a"],
  [`a${"\u0301".repeat(7)}b`, `a${"\\u{301}".repeat(7)}b`],
])("%j is shown as %s, and is not a name", (text, shown) => {
  expect([visibleText(text), isPlainName(text)]).toEqual([shown, false]);
  const json = visibleJson([text]);
  expect([JSON.parse(json), visibleText(json.replaceAll(/\p{M}/gu, ""))]).toEqual([
    [text],
    json.replaceAll(/\p{M}/gu, ""),
  ]);
});

test.each(["alice", "Zoë Müller", "علی", "名前", "क्ष", "한글", "a\\u{202e}", "😀", ""])(
  "%j is shown as it is",
  (text) => {
    expect([visibleText(text), isPlainName(text), visibleJson(text)]).toEqual([text, true, JSON.stringify(text)]);
  },
);

test.each([" a", "a ", "a  b", "a\u00a0b", "a\u3000b", "Zoe\u0308", "\u212b"])(
  "%j can be shown, but as a name it looks like another one",
  (text) => {
    expect([visibleText(text), isPlainName(text)]).toEqual([text, false]);
  },
);

test("lines keep their breaks and tabs", () => {
  expect(visibleLines("a\tb\r\n\u0301c\u200b\n")).toBe("a\tb\\u{d}\n\\u{301}c\\u{200b}\n");
  expect(visibleJson({ a: "\n\u2028" }, 2)).toBe('{\n  "a": "\\n\\u2028"\n}');
});
