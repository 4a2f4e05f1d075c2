import { expect, test } from "bun:test";
import { withoutFurniture } from "./furniture.ts";
import { type PdfPage, type Run } from "./shapes.ts";

type Row = readonly [y: number, text: string, size?: number];

function rows(...texts: readonly string[]): Row[][] {
  return texts.map((text) => [[40, text]]);
}

function numbers(...texts: readonly string[]): Row[][] {
  return texts.map((text) => [[760, text]]);
}

/** Lines in the distance of those of a text, of which the first one is on each page. */
function begun(page: number, lines: number): Row[] {
  return Array.from(
    { length: lines },
    (_none, at): Row => [40 + at * 12, at === 0 ? "Tolls" : `${"abcdef"[at]} ${"xyz"[page]}`],
  );
}

/** The texts that are left of each page of 600 × 800 points, without its body. */
function left(pages: readonly (readonly Row[])[]): string[][] {
  const made = pages.map((page): PdfPage => {
    const runs = [...page, [400, "The body of a page"] as const, [412, "has two lines."] as const].map(
      ([y, text, size = 10]) =>
        ({ text, x: 72, y, width: text.length * 5, size, isBold: false, isMono: false, href: "" }) as Run,
    );
    return { width: 600, height: 800, runs } as unknown as PdfPage; // The rest is not read.
  });
  return withoutFurniture(made).map(({ runs }) => runs.filter(({ y }) => y < 400 || y > 412).map(({ text }) => text));
}

test.each<[what: string, pages: readonly (readonly Row[])[]]>([
  ["the same on two pages", rows("Tolls", "Tolls")],
  ["in large letters, the same on two pages", [[[40, "Tolls", 16]], [[40, "Tolls", 16]]]],
  ["a page number in large letters", [[[40, "1", 16]], [[40, "2", 16]]]],
  ["numbers in Roman digits", numbers("ix", "x", "xi")],
  ["larger numbers in Roman digits", numbers("xxxix", "xl", "xli", "xlii")],
  ["numbers of hundreds in Roman digits", numbers("c", "ci", "cii")],
  ["a number after the name of a chapter", rows("Tolls 7", "Tolls 8")],
  ["a number before the names of chapters", rows("7 Tolls", "8 Roads")],
  [
    "at the ends of the margins",
    [
      [
        [111, "Tolls"],
        [689, "Roads"],
      ],
      [
        [111, "Tolls"],
        [689, "Roads"],
      ],
    ],
  ],
])("rows are dropped that are %s", (_what, pages) => {
  expect(left(pages)).toEqual(pages.map(() => []));
});

test.each<[what: string, pages: readonly (readonly Row[])[]]>([
  ["on one page", rows("Tolls")],
  ["on two of four pages", [...rows("Tolls", "Tolls"), [], []]],
  ["numbers that do not count the pages", numbers("i", "v", "x")],
  ["the same number", numbers("7", "7", "7")],
  ["headings with numbers in large letters", [[[40, "Tolls 1", 16]], [[40, "Tolls 2", 16]]]],
  ["at different places", [[[40, "Tolls"]], [[60, "Tolls"]]]],
  [
    "within the margins",
    [
      [
        [113, "Tolls"],
        [687, "Roads"],
      ],
      [
        [113, "Tolls"],
        [687, "Roads"],
      ],
    ],
  ],
  ["the beginning of a text", [0, 1].map((page): Row[] => [...begun(page, 4), [200, "d"]])],
])("rows are kept that are %s", (_what, pages) => {
  expect(left(pages)).toEqual(pages.map((page) => page.map(([, text]) => text)));
});

test("rows are dropped on three of four pages, on two of three, and of at most three before a gap", () => {
  expect(left([...rows("Tolls", "Tolls", "Tolls"), []])).toEqual([[], [], [], []]);
  expect(left([...rows("Tolls", "Tolls"), []])).toEqual([[], [], []]);
  const [one, other] = [0, 1].map((page): Row[] => [...begun(page, 3), [200, "d"]]);
  expect(left([one ?? [], other ?? []])).toEqual([
    ["b x", "c x", "d"],
    ["b y", "c y", "d"],
  ]);
});
