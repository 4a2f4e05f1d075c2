import { cells, line, measure, type Measure, pageOf, PRICES, text, WORDS } from "./drawings.ts";
import { runAt } from "./made-runs.ts";
import { type Run, type PdfPage } from "../shapes.ts";

/** Measures of columns and of texts beside one another. */
export const COLUMN_MEASURES: readonly Measure[] = [
  measure("gutter between two columns", [0, 40, 0.5], (gap) => [
    ...text("Abcdef", 72, 100),
    ...text("Ghijkl", 272 + gap, 100),
  ]),
  measure("lines of two columns", [1, 8, 1], (lines) => [
    ...text("Abcdefgh".slice(0, lines), 72, 100),
    ...text("Ijklmnop".slice(0, lines), 300, 100),
  ]),
  measure("lines of the second column", [1, 8, 1], (lines) => [
    ...text("Abcdefgh", 72, 100),
    ...text("Ijklmnop".slice(0, lines), 300, 100),
  ]),
  measure("width of two columns", [20, 200, 5], (width) => [
    ...text("Abcdef", 72, 100, width),
    ...text("Ghijkl", 300, 100, width),
  ]),
  measure("width of the second column", [20, 200, 5], (width) => [
    ...text("Abcdef", 72, 100),
    ...text("Ghijkl", 300, 100, width),
  ]),
  measure("height of the second of two columns", [0, 100, 2], (y) => [
    ...text("Abcdef", 72, 100),
    ...text("Ghijkl", 300, 100 + y),
  ]),
  measure("height of the second of two columns with short lines", [0, 24, 1], (y) => [
    ...text("Abcdef", 72, 100, 40),
    ...text("Ghijkl", 300, 100 + y, 40),
  ]),
  measure("lines of a column with short lines beside one with long lines", [1, 8, 1], (lines) => [
    ...text("Abcdefgh", 72, 100),
    ...text("Ijklmnop".slice(0, lines), 300, 105, 40),
  ]),
  measure("gutter before a column with short lines", [4, 40, 1], (gap) => [
    ...text("Abcdefgh", 72, 100),
    ...text("Ijklm", 272 + gap, 105, 40),
  ]),
  measure("number of short lines in a column", [0, 8, 1], (count) => [
    ...text("Abcdefgh", 72, 100),
    ..."Ijklmnop".split("").map((letter, at) => line(letter, 300, 100 + at * 12, at < count ? 40 : 200)),
  ]),
  measure("place of the gutter on a page", [80, 500, 10], (x) => [
    ...text("Abcdef", 72, 100, x - 82),
    ...text("Ghijkl", x, 100, 540 - x),
  ]),
  measure("right edge of a title above two columns", [100, 500, 10], (right) => [
    line("Z", 72, 60, { width: right - 72, size: 16 }),
    ...text("Abcdef", 72, 100),
    ...text("Ghijkl", 300, 100),
  ]),
  measure("lines across two columns between their lines", [0, 5, 1], (count) => [
    ..."Abcdef".split("").map((letter, at) => line(letter, 72, 100 + at * 12, at < count ? 428 : 200)),
    ...text("Ghijkl", 300, 100).slice(count),
    ...text("Mnopqr", 72, 180),
    ...text("Stuvwx", 300, 180),
  ]),
  measure("distance between the rows of two texts with several lines", [8, 40, 1], (gap) =>
    [0, 1, 2, 3, 4, 5].flatMap((row) => [
      ...text("AbCdEfGhIjKl".slice(row * 2, row * 2 + 2), 72, 100 + row * (12 + gap)),
      ...text("MnOpQrStUvWx".slice(row * 2, row * 2 + 2), 300, 100 + row * (12 + gap)),
    ]),
  ),
  measure("height of the second cells of rows", [0, 12, 0.5], (y) =>
    [0, 1, 2, 3, 4, 5].flatMap((row) => [
      ...text("AbCdEfGhIjKl".slice(row * 2, row * 2 + 2), 72, 100 + row * 40),
      ...text("MnOpQrStUvWx".slice(row * 2, row * 2 + 2), 300, 100 + row * 40 + y),
    ]),
  ),
  measure("number of rows of two texts with several lines", [1, 6, 1], (count) =>
    [0, 1, 2, 3, 4, 5]
      .slice(0, count)
      .flatMap((row) => [
        ...text("AbCdEfGhIjKl".slice(row * 2, row * 2 + 2), 72, 100 + row * 40, { width: 200, isBold: row === 0 }),
        ...text("MnOpQrStUvWx".slice(row * 2, row * 2 + 2), 300, 100 + row * 40, { width: 200, isBold: row === 0 }),
      ]),
  ),
  measure("gap between a heading and an address beside it", [2, 80, 2], (gap) => [
    line("A", 72, 100, { width: 60, size: 16 }),
    ...["B", "C", "D"].map((letter, at) => line(letter, 132 + gap, 100 + at * 12, 60)),
    ...text("Efgh", 72, 200, 400),
  ]),
  measure("distance between the lines of an address beside a heading", [8, 40, 1], (gap) => [
    line("A", 72, 100, { width: 60, size: 16 }),
    ...["B", "C", "D"].map((letter, at) => line(letter, 300, 100 + at * gap, 60)),
    ...text("Efgh", 72, 300, 400),
  ]),
  measure("lines of two addresses beside one another", [1, 5, 1], (count) => [
    ..."ABCDE"
      .slice(0, count)
      .split("")
      .map((letter, at) => line(letter, 72, 100 + at * 12, 60)),
    ..."FGHIJ".split("").map((letter, at) => line(letter, 300, 100 + at * 12, 60)),
    ...text("Klmn", 72, 200, 400),
  ]),
];

/** The text of three pages, with this at the top and the bottom of each. */
function three(runsOf: (page: number) => readonly Run[]): PdfPage[] {
  return ["Abcd", "Efgh", "Ijkl"].map((letters, at) => pageOf({ runs: [...runsOf(at), ...text(letters, 72, 300)] }));
}

/** Measures of several pages. */
export const PAGE_MEASURES: readonly Measure[] = [
  measure("height of a header on each page", [20, 140, 4], (y) => three(() => [runAt(72, y, "Tolls")])),
  measure("height of a footer on each page", [660, 790, 5], (y) => three((page) => [runAt(72, y, `${page + 4}`)])),
  measure("distance between a header and a text", [8, 40, 1], (gap) =>
    three((page) => [runAt(72, 40, "Tolls"), ...text(["Mnop", "Qrst", "Uvwx"][page] ?? "", 72, 40 + gap)]),
  ),
  measure("difference of the heights of headers", [0, 12, 1], (y) =>
    three((page) => [runAt(72, 40 + page * y, "Tolls")]),
  ),
  measure("lines of a header", [1, 5, 1], (count) =>
    three(() => ["One", "Two", "Red", "Ten", "Six"].slice(0, count).map((own, at) => runAt(72, 30 + at * 12, own))),
  ),
  measure("size of a header with a number", [9, 14, 0.25], (size) =>
    three((page) => [runAt(72, 40, `Part ${page + 1}`, { size })]),
  ),
  measure("size of the second part of a paragraph over two pages", [8, 12, 0.2], (size) => [
    pageOf({ runs: ["A", "b", "c"].map((letter, at) => line(letter, 72, 300 + at * 12)) }),
    pageOf({ runs: text("def", 72, 300, { width: 200, size }) }),
  ]),
  measure("columns of a table on the next page", [1, 3, 1], (count) => [
    pageOf({ runs: cells([72, 150], 300, 14, PRICES) }),
    pageOf({
      runs: cells(
        [72, 150, 250],
        300,
        14,
        WORDS.map((row) => [...row.slice(0, count - 1), "7"]),
      ),
    }),
  ]),
  measure("kind of the list on the next page", [0, 3, 1], (kind) => [
    pageOf({
      runs: ["one", "two"].map((own, at) => runAt(72, 300 + at * 12, `${kind < 2 ? "-" : `${at + 1}.`} ${own}`)),
    }),
    pageOf({
      runs: ["red", "ten"].map((own, at) => runAt(72, 300 + at * 12, `${kind % 2 === 0 ? "-" : `${at + 3}.`} ${own}`)),
    }),
  ]),
  measure("size of a line in large letters", [9, 16, 0.25], (size) => [
    pageOf({ runs: [runAt(72, 100, "Tolls", { size }), ...text("abcd", 72, 130), ...text("efgh", 72, 200)] }),
    pageOf({ runs: text("ijkl", 72, 130) }),
  ]),
  measure("height of the second part of a line in large letters", [0, 12, 0.5], (y) => [
    pageOf({
      runs: [
        runAt(72, 60, "LS(1)"),
        runAt(200, 60 + y, "Commands"),
        runAt(300, 60 + y, "LS(1)"),
        ...text("Abcd", 72, 130),
      ],
    }),
  ]),
];
