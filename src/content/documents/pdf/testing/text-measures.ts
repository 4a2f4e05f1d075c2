import { line, measure, type Measure, pageOf, text } from "./drawings.ts";
import { runAt } from "./made-runs.ts";

/** Measures of words, lines and paragraphs. */
export const TEXT_MEASURES: readonly Measure[] = [
  measure("gap between two words", [0, 12, 0.25], (gap) => [runAt(72, 100, "one"), runAt(87 + gap, 100, "two")]),
  measure("gap between two words, with a space in the file", [-12, 12, 0.5], (gap) => [
    runAt(72, 100, "one"),
    runAt(87 + gap, 100, "two", { isSpaced: true }),
  ]),
  measure("gap between two ideographs", [0, 12, 0.5], (gap) => [
    runAt(72, 100, "長", { width: 10 }),
    runAt(82 + gap, 100, "門", { width: 10 }),
  ]),
  measure("distance between the baselines of two words", [0, 24, 0.5], (y) => [
    runAt(72, 100, "one"),
    runAt(90, 100 + y, "two"),
  ]),
  measure("height of small letters beside a word", [-10, 8, 0.25], (y) => [
    runAt(72, 100, "word"),
    runAt(92, 100 + y, "2", { size: 6, width: 3 }),
    runAt(96, 100, "next"),
  ]),
  measure("size of raised letters", [4, 10, 0.2], (size) => [
    runAt(72, 100, "word"),
    runAt(92, 97, "2", { size, width: 3 }),
    runAt(96, 100, "next"),
  ]),
  measure("distance between two lines of a text", [4, 30, 0.5], (gap) =>
    ["ab", "cd"].flatMap((letters, at) => text(`${letters}e`.slice(0, 3 - at), 72, 100 + at * (24 + gap))),
  ),
  measure("distance between lines in the middle of a sentence", [6, 30, 0.5], (gap) => [
    line("A", 72, 100),
    line("b", 72, 112),
    line("c", 72, 124),
    line("d", 72, 124 + gap),
    line("e.", 72, 136 + gap),
  ]),
  measure("distance between all lines of a text", [8, 40, 1], (gap) =>
    ["A", "b", "c", "D", "e", "f."].map((letter, at) => line(letter, 72, 100 + at * gap)),
  ),
  measure("indent of a line in the middle of a text", [-60, 80, 2], (indent) => [
    line("A", 72, 100),
    line("b", 72, 112),
    line("C", 72 + indent, 124, 200 - indent),
    line("d", 72, 136),
    line("e.", 72, 148),
  ]),
  measure("indent of all lines after the first", [-60, 80, 2], (indent) => [
    line("A", 72, 100, 150),
    ...text("bcd", 72 + indent, 112, 200 - indent),
  ]),
  measure("indent of all lines after a short one", [-20, 80, 2], (indent) => [
    line("A", 72, 100, 40),
    ...text("Bcd", 72 + indent, 112, 200 - indent),
  ]),
  measure("width of a line that ends with a stop", [100, 200, 2], (width) => [
    line("A", 72, 100),
    line("b.", 72, 112, width),
    line("C", 72, 124),
    line("d.", 72, 136),
  ]),
  measure("width of a line in a sentence", [40, 200, 5], (width) => [
    line("A", 72, 100),
    line("b", 72, 112, width),
    line("c", 72, 124),
    line("d.", 72, 136),
  ]),
  measure("width of the lines of an address", [20, 300, 5], (width) => [
    ...["A", "B", "C"].map((letter, at) => line(letter, 72, 100 + at * 12, width)),
    ...text("Defg", 72, 200, 400),
  ]),
  measure("width of the text below an address", [20, 300, 5], (width) => [
    ...["A", "B", "C"].map((letter, at) => line(letter, 72, 100 + at * 12, 60 + at * 5)),
    ...text("Defg", 72, 200, width),
  ]),
  measure("width of the lines of a verse", [50, 400, 10], (width) => [
    ...["A", "b", "C", "d"].map((letter, at) => line(letter, 72, 100 + at * 12, width - (at % 2) * 20)),
    ...text("Efgh", 72, 200, 400),
  ]),
  measure("size of a note at the foot of a page", [7, 11, 0.1], (size) => [
    ...text("Abcd", 72, 100),
    runAt(72, 700, "1 Note", { size }),
    ...text("e", 72, 740),
  ]),
  measure("height of a note", [350, 450, 5], (y) => [
    ...text("Abcd", 72, 100),
    runAt(72, y, "1 Note", { size: 7 }),
    runAt(72, y + 100, "2 Other", { size: 7 }),
  ]),
  measure("gap before an amount beside its label", [2, 60, 2], (gap) => [
    ...text("Abcd", 72, 100),
    ...["Net", "Tax"].flatMap((own, at) => [
      runAt(72, 200 + at * 12, own),
      runAt(87 + gap, 200 + at * 12, `${at + 1}.50`),
    ]),
  ]),
  measure("size of a note between the parts of a paragraph", [7, 11, 0.1], (size) => [
    pageOf({ runs: [...text("Abc", 72, 100).slice(0, 2), runAt(72, 700, "1 Note", { size })] }),
    pageOf({ runs: text("defg", 72, 100) }),
  ]),
  measure("height of a note between the parts of a paragraph", [350, 450, 5], (y) => [
    pageOf({ runs: [...text("Abc", 72, 100).slice(0, 2), runAt(72, y, "1 Note", { size: 7 })] }),
    pageOf({ runs: text("defg", 72, 100) }),
  ]),
];

/** Measures of headings. */
export const HEADING_MEASURES: readonly Measure[] = [
  ...[false, true].map((isBold) =>
    measure(`size of a ${isBold ? "bold " : ""}line between two texts`, [8, 16, 0.1], (size) => [
      ...text("Abcd", 72, 100),
      line("E", 72, 170, { width: 60, size, isBold }),
      ...text("Fghi", 72, 200),
    ]),
  ),
  measure("size of a sentence between two texts", [10, 18, 0.25], (size) => [
    ...text("Abcd", 72, 100),
    line("E.", 72, 170, { width: 60, size }),
    ...text("Fghi", 72, 200),
  ]),
  measure("size of a second heading", [11, 24, 0.25], (size) => [
    line("A", 72, 60, { width: 60, size: 20 }),
    ...text("Bcde", 72, 100),
    line("F", 72, 170, { width: 60, size }),
    ...text("Ghij", 72, 200),
  ]),
  measure("letters of a large heading", [20, 1_200, 20], (width) => [
    line("A", 72, 60, { width: width, size: 16 }),
    ...text("Bcde", 72, 100),
  ]),
  measure("letters of a bold heading", [20, 700, 10], (width) => [
    line("A", 72, 60, { width: width, isBold: true }),
    ...text("Bcde", 72, 100, 500),
  ]),
  measure("lines of a large heading", [1, 7, 1], (lines) => [
    ...text("ABCDEFG".slice(0, lines), 72, 40, { width: 100, size: 16 }).map((run, at) => ({
      ...run,
      y: 40 + at * 20,
    })),
    ...text("Hijk", 72, 240),
  ]),
  measure("number of bold lines among ten texts", [1, 9, 1], (count) =>
    "ABCDEFGHIJ".split("").flatMap((letter, at) => line(letter, 72, 60 + at * 30, { width: 60, isBold: at < count })),
  ),
  measure("distance of a line in capitals above a text", [8, 40, 1], (gap) =>
    [0, 1].flatMap((at) => [
      ...text(at === 0 ? "Abcd" : "Efgh", 72, 60 + at * 120),
      runAt(72, 120 + at * 130, at === 0 ? "ROADS" : "TOLLS"),
      ...text(at === 0 ? "Ijkl" : "Mnop", 72, 120 + at * 130 + gap),
    ]),
  ),
  measure("distance of a line in capitals below a text", [8, 40, 1], (gap) =>
    [0, 1].flatMap((at) => [
      ...text(at === 0 ? "Abcd" : "Efgh", 72, 60 + at * 140),
      runAt(72, 96 + at * 140 + gap, at === 0 ? "ROADS" : "TOLLS"),
      ...text(at === 0 ? "Ijkl" : "Mnop", 72, 110 + at * 140 + gap),
    ]),
  ),
  measure("letters of the text below a line below a title", [240, 260, 1], (letters) => [
    line("A", 72, 40, { width: 100, size: 20, isBold: true }),
    line("B", 72, 70, { width: 100, size: 16, isBold: true }),
    line("c", 72, 100, letters * 5),
    line("D", 72, 130, { width: 60, size: 14, isBold: true }),
    ...text("Efgh", 72, 150),
    line("I", 72, 220, { width: 60, size: 14, isBold: true }),
    ...text("Jklm", 72, 240),
  ]),
  measure("size of the text below a title", [8, 22, 0.5], (size) => [
    line("A", 72, 40, { width: 100, size: 20, isBold: true }),
    line("B", 72, 70, { width: 100, size, isBold: true }),
    line("c", 72, 100, 60),
    line("D", 72, 130, { width: 60, size: 14, isBold: true }),
    ...text("Efgh", 72, 150),
    line("I", 72, 220, { width: 60, size: 14, isBold: true }),
    ...text("Jklm", 72, 240),
  ]),
];
