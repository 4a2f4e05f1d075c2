import { expect, test } from "bun:test";
import { paragraphsOf, type TextItem } from "./pdf-text.ts";

/** Items of one column, each a line: its text, how far it is below the one above, and the size of its letters. */
function column(lines: readonly (readonly [text: string, below: number, size?: number])[]): TextItem[] {
  let y = 700;
  return lines.map(([str, below, size = 10]) => {
    y -= below;
    return { str, transform: [size, 0, 0, size, 72, y], width: str.length * 5, height: size, hasEOL: true };
  });
}

test.each<[string, TextItem[], string[]]>([
  [
    "lines close to each other",
    column([
      ["one", 0],
      ["two", 12],
      ["three", 17],
    ]),
    ["one two three"],
  ],
  [
    "a gap",
    column([
      ["one", 0],
      ["two", 30],
    ]),
    ["one", "two"],
  ],
  [
    "letters of another size",
    column([
      ["Title", 0, 20],
      ["one", 15],
      ["two", 12],
    ]),
    ["Title", "one two"],
  ],
  [
    "the next column",
    column([
      ["one", 0],
      ["two", -300],
    ]),
    ["one", "two"],
  ],
  [
    "a word in two parts",
    column([
      ["para-", 0],
      ["graph of A-", 12],
      ["B and 3-", 12],
      ["4", 12],
    ]),
    ["paragraph of A- B and 3- 4"],
  ],
  ["ligatures and radicals", column([["o\uFB03ce \u2F47\u672C", 0]]), ["office 日本"]],
  [
    "nothing",
    column([
      [" ", 0],
      ["", 12],
    ]),
    [],
  ],
])("%s", (_what, items, paragraphs) => {
  expect(paragraphsOf(items)).toEqual(paragraphs);
});

test("items of one line are one line", () => {
  const [first, second] = column([
    ["one ", 0],
    ["two", 0],
  ]);
  if (first === undefined || second === undefined) throw new Error("there are two");
  expect(paragraphsOf([{ ...first, hasEOL: false }, second])).toEqual(["one two"]);
});
