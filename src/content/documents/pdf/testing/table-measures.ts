import { cells, line, measure, type Measure, PRICES, text, WORDS } from "./drawings.ts";
import { across, down, runAt } from "./made-runs.ts";

/** Measures of lists, code and contents lists. */
export const LIST_MEASURES: readonly Measure[] = [
  measure("place of the second item of a list", [40, 130, 2], (x) => [
    runAt(72, 100, "- one"),
    runAt(x, 112, "- two"),
    runAt(72, 124, "- three"),
  ]),
  measure("place of a line below an item", [60, 140, 2], (x) => [
    runAt(72, 100, "1. one"),
    runAt(x, 124, "more"),
    runAt(72, 148, "2. two"),
  ]),
  measure("gap between a label and its item", [2, 60, 2], (gap) => [
    runAt(72, 100, "-"),
    runAt(77 + gap, 100, "one"),
    runAt(72, 112, "-"),
    runAt(77 + gap, 112, "two"),
  ]),
  measure("number of the second item", [0, 5, 1], (number) => [
    runAt(72, 100, "1. one"),
    line("b", 72, 112),
    runAt(72, 124, `${number}. two`),
    line("c.", 72, 136),
  ]),
  measure("size of numbered lines", [9, 14, 0.25], (size) => [
    ...text("Abcd", 72, 60),
    runAt(72, 120, "1. one", { size }),
    ...text("Efgh", 72, 140),
    runAt(72, 200, "2. two", { size }),
    ...text("Ijkl", 72, 220),
  ]),
  measure("distance between lines of code", [8, 40, 1], (gap) => [
    ...text("Abcdefgh", 72, 60),
    ...["if (a) {", "b();", "}"].map((own, at) => runAt(72 + (at % 2) * 10, 180 + at * gap, own, { isMono: true })),
  ]),
  measure("distance of the last line of code", [8, 40, 1], (gap) => [
    ...text("Abcdefgh", 72, 60),
    ...["a();", "b();", "c();"].map((own, at) =>
      runAt(72, 180 + at * 12 + (at === 2 ? gap - 12 : 0), own, { isMono: true }),
    ),
  ]),
  measure("indent of a line of code", [0, 40, 1], (indent) => [
    ...text("Abcdefgh", 72, 60),
    ...["a()", "b()"].map((own, at) => runAt(72 + at * indent, 180 + at * 12, own, { isMono: true })),
  ]),
  measure("lines of code", [0, 6, 1], (count) => [
    ...text("Abcd", 72, 60),
    ..."abcdef"
      .slice(0, count)
      .split("")
      .map((own, at) => runAt(72, 180 + at * 12, `${own}()`, { isMono: true })),
  ]),
  measure("distance between the entries of a contents list", [8, 60, 2], (gap) => [
    ...cells([72, 300], 100, gap, [
      ["1.1 Roads", "3"],
      ["1.2 Tolls", "5"],
      ["1.3 Gates", "5"],
    ]),
    ...text("Abcd", 72, 300),
  ]),
  measure("right edge of a page number of a contents list", [280, 330, 2], (x) => [
    ...cells([72, 300], 100, 14, [
      ["1.1 Roads", "3"],
      ["1.2 Tolls", "5"],
    ]),
    ...cells([72, x], 128, 14, [["1.3 Gates", "7"]]),
    ...text("Abcd", 72, 200),
  ]),
  measure("page number of the third entry of a contents list", [1, 9, 1], (page) => [
    ...cells([72, 300], 100, 14, [
      ["1.1 Roads", "3"],
      ["1.2 Tolls", "5"],
      ["1.3 Gates", `${page}`],
    ]),
    ...text("Abcd", 72, 200),
  ]),
  measure("place of the title of an entry of a contents list", [80, 280, 20], (x) => [
    ...cells([72, x, 300], 100, 14, [
      ["1.1", "Roads", "3"],
      ["1.2", "Tolls", "5"],
      ["1.3", "Gates", "7"],
    ]),
    ...text("Abcd", 72, 200),
  ]),
  measure("number of entries of a contents list", [0, 5, 1], (count) => [
    ...cells(
      [72, 300],
      100,
      14,
      ["Roads", "Tolls", "Gates", "Ferries", "Locks"]
        .slice(0, count)
        .map((own, at) => [`2.${at + 1} ${own}`, `${at * 2 + 3}`]),
    ),
    ...text("Abcd", 72, 200),
  ]),
  measure("number of entries with numbers in a contents list", [0, 5, 1], (count) => [
    ...cells(
      [72, 300],
      100,
      14,
      ["Roads", "Tolls", "Gates", "Ferries", "Locks"].map((own, at) => [
        at < count ? `2.${at + 1} ${own}` : own,
        `${at * 2 + 3}`,
      ]),
    ),
    ...text("Abcd", 72, 200),
  ]),
];

/** Measures of tables. */
export const TABLE_MEASURES: readonly Measure[] = [
  measure("gap between two columns of prices", [2, 60, 1], (gap) => cells([72, 97 + gap], 100, 14, PRICES)),
  measure("gap between columns of words", [2, 40, 1], (gap) => cells([72, 102 + gap, 137 + gap * 2], 100, 14, WORDS)),
  measure("distance between rows of prices", [8, 40, 1], (gap) => cells([72, 150], 100, gap, PRICES)),
  measure("distance between rows of words", [8, 40, 1], (gap) => cells([72, 150, 250], 100, gap, WORDS)),
  measure("distance of the last row of a table", [8, 40, 1], (gap) => [
    ...cells([72, 150], 100, 14, PRICES),
    ...cells([72, 150], 128 + gap, 14, [["C3", "5"]]),
  ]),
  measure("rows of words", [1, 4, 1], (count) => cells([72, 150, 250], 100, 14, WORDS.slice(0, count))),
  measure("rows of words with a bold head", [1, 4, 1], (count) =>
    cells([72, 150, 250], 100, 14, WORDS.slice(0, count)).map((run, at) => ({ ...run, isBold: at < 3 })),
  ),
  measure("rows of prices", [1, 3, 1], (count) => cells([72, 150], 100, 14, PRICES.slice(0, count))),
  measure("rows without a price", [0, 6, 1], (count) =>
    cells(
      [72, 150],
      100,
      14,
      "ABCDEF".split("").map((own, at) => [`${own}${own.toLowerCase()}`, at < count ? "free" : "3.50"]),
    ),
  ),
  measure("rows without a second cell", [0, 6, 1], (count) =>
    cells(
      [72, 150],
      100,
      14,
      "ABCDEF".split("").map((own, at) => [`${own}${own.toLowerCase()}`, at % 2 === 0 && at / 2 < count ? "" : "3.50"]),
    ),
  ),
  measure("place of a text between two columns", [60, 180, 4], (x) => [
    ...cells([72, 150], 100, 14, PRICES),
    ...cells([x], 142, 14, [["Xx"]]),
    ...cells([72, 150], 156, 14, [
      ["C3", "5"],
      ["D4", "6"],
    ]),
  ]),
  measure("width of a text across columns", [10, 200, 5], (width) => [
    ...cells([72, 150, 250], 100, 14, WORDS.slice(0, 3)),
    line("z", 72, 142, width),
    ...cells([72, 150, 250], 156, 14, WORDS.slice(2)),
  ]),
  measure("distance of a further line of a cell", [6, 24, 0.5], (gap) =>
    [0, 1, 2].flatMap((row) => [
      ...cells([72, 150, 250], 100 + row * 40, 14, WORDS.slice(row, row + 1)),
      ...cells([72, 150], 100 + row * 40 + gap, 14, [["", "more"]]),
    ]),
  ),
  measure("distance of a further line of the first cell", [6, 24, 0.5], (gap) =>
    [0, 1, 2].flatMap((row) => [
      ...cells([72, 150, 250], 100 + row * 40, 14, WORDS.slice(row, row + 1)),
      ...cells([72], 100 + row * 40 + gap, 14, [["more"]]),
    ]),
  ),
  measure("distance between rows with further lines of cells", [20, 60, 1], (gap) =>
    [0, 1, 2].flatMap((row) => [
      ...cells([72, 150, 250], 100 + row * gap, 14, WORDS.slice(row, row + 1)),
      ...cells([72, 150], 112 + row * gap, 14, [["more", "words"]]),
    ]),
  ),
  measure("height of the second cells of a row", [-10, 10, 0.5], (y) =>
    [0, 1, 2].flatMap((row) => [
      ...cells([72], 100 + row * 30, 14, [["Long"], ["cell"]]),
      ...cells([150, 250], 106 + y + row * 30, 14, [[`${row}.50`, "x"]]),
    ]),
  ),
  measure("length of lines drawn between rows", [0, 250, 10], (width) => ({
    runs: cells([72, 150, 250], 100, 14, WORDS.slice(0, 2)),
    rules: [across(103, 72, 72 + width)],
  })),
  measure("height of a line drawn between rows", [90, 120, 1], (y) => ({
    runs: cells([72, 150, 250], 100, 14, WORDS.slice(0, 2)),
    rules: [across(y, 72, 280)],
  })),
  measure("gap in the lines of a grid", [0, 10, 0.5], (gap) => ({
    runs: cells([72, 150], 100, 20, [
      ["Xx yy", "Zz"],
      ["Aa", "Bb"],
    ]),
    rules: [...[86, 106, 126].map((y) => across(y, 68 + gap, 220)), ...[68, 146, 220].map((x) => down(x, 86, 126))],
  })),
  measure("place of the line between two columns of a grid", [70, 180, 5], (x) => ({
    runs: [
      runAt(72, 100, "some words and others"),
      ...cells([72, 180], 120, 20, [
        ["Aa", "Bb"],
        ["Cc", "Dd"],
      ]),
    ],
    rules: [
      ...[86, 106, 126, 146].map((y) => across(y, 68, 220)),
      ...[68, x, 220].map((place) => down(place, 86, 146)),
    ],
  })),
  measure("height of a text in a grid", [80, 160, 2], (y) => ({
    runs: [
      ...cells([72, 150], 100, 20, [
        ["Aa", "Bb"],
        ["Cc", "Dd"],
      ]),
      runAt(90, y, "ee"),
    ],
    rules: [...[86, 106, 126].map((place) => across(place, 68, 220)), ...[68, 146, 220].map((x) => down(x, 86, 126))],
  })),
];
