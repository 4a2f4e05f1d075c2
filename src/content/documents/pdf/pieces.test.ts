import { expect, test } from "bun:test";
import { type Line, lineOf, plain } from "./pieces.ts";
import { textsOf } from "./tables.ts";
import { plainOf } from "./shapes.ts";

/** The cells of a row, each with one line. */
function lines(texts: readonly string[]): Line[][] {
  return texts.map((text, at) => {
    const look = { isBold: false, isMono: false, isSpaced: false, href: "", font: "", mark: "", size: 10 };
    return [lineOf([{ ...look, text, x: at * 100, y: 10, width: 40, isRtl: /\p{Script=Hebrew}/u.test(text) }])];
  });
}

test("radicals, which fonts of browsers have in the place of characters, are replaced by these", () => {
  expect(plain("\u589E\u2ED3")).toBe("\u589E\u957F");
  expect(plain("\u2EA0\u2EF2")).toBe("\u6C11\u4E80");
  expect(plain("\u2ED4\u2F8F")).toBe("\u95E8\u884C");
});

test("the first column of a table is the right one if its words are written from right to left", () => {
  const cells = [
    ["\u05D0\u05D5\u05E0\u05D9\u05D5\u05EA", "\u05E9\u05E0\u05D4"],
    ["1190", "2023"],
  ];
  expect(textsOf(cells.map(lines)).map((row) => row.map(plainOf))).toEqual(cells.map((row) => row.toReversed()));
  const latin = [
    ["Ships", "Year of the book"],
    ["1190", "2023"],
  ];
  expect(textsOf(latin.map(lines)).map((row) => row.map(plainOf))).toEqual(latin);
});
