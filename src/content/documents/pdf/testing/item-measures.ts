import { item, type PageMeasure, steps, turned, UPRIGHT } from "./page-sources.ts";

const ACCENTS = "`´ˆ^˜¯˘˙¨˚˝ˇ¸˛'\"";
const BOLD =
  "Helvetica-Bold Arial-Black Heavy DemiBold CMBX10 X+CMBX10 ACMBX10 SFSSBX10 ECBX1000 LMBX10 Foo-Medi Foo-MediX NimbusRomNo9L-Medi Regular";
const MONO =
  "Mono Courier Consolas Typewriter Cousine Menlo CMTT10 X+CMTT10 ACMTT10 SFTT10 ECTT1000 LMTT10 Teletype Inconsolata Regular";

/** Measures of text items, fonts and marked content. */
export const ITEM_MEASURES: readonly PageMeasure[] = [
  {
    name: "angle of a text beside three upright ones",
    values: steps(-180, 180, 3),
    pages: (angle) => [{ items: [item("upright text", 72, 700), item("turned", 0, 0, { transform: turned(angle) })] }],
  },
  {
    name: "angle of all text",
    values: steps(-180, 180, 15),
    pages: (angle) => [{ items: [item("turned text", 0, 0, { transform: turned(angle) })] }],
  },
  {
    name: "turn of the page",
    values: [0, 1, 2, 3],
    pages: (turn) => [
      {
        items: [item("text", 72, 700), item("other", 72, 680)],
        viewport:
          ([UPRIGHT, [0, 1, 1, 0, 0, 0], [-1, 0, 0, 1, 600, 0], [0, -1, -1, 0, 600, 800]] as const)[turn] ?? UPRIGHT,
      },
    ],
  },
  {
    name: "vertical letters",
    values: [0, 1],
    pages: (at) => [
      {
        items: [item("縦書", 300, 700, { width: 0, height: 20, fontName: at === 0 ? "v" : "f" })],
        vertical: ["v"],
      },
    ],
  },
  {
    name: "size",
    values: steps(0, 1, 0.1),
    pages: (size) => [{ items: [item("text", 72, 700, { transform: [size, 0, 0, size, 72, 700] })] }],
  },
  {
    name: "place of a letter after an accent",
    values: steps(60, 100, 1),
    pages: (x) => [{ items: [item("caf´", 72, 700), item("e au", x, 700)] }],
  },
  {
    name: "height of a letter after an accent",
    values: steps(690, 710, 1),
    pages: (y) => [{ items: [item("´", 72, 700), item("e au", 73, y)] }],
  },
  {
    name: "accent",
    values: steps(0, ACCENTS.length - 1, 1),
    pages: (at) =>
      ["a", "ı", "ȷ", "x"].map((letter) => ({
        items: [item(`b ${ACCENTS.charAt(at)}`, 72, 700), item(`${letter}b`, 82, 700)],
      })),
  },
  {
    name: "accent on turned letters",
    values: [0, 1],
    pages: (at) => [
      {
        items: [
          item("´", 0, 0, { transform: at === 0 ? turned(90) : [10, 0, 0, 10, 100, 500] }),
          item("e", 0, 0, { transform: [...turned(90).slice(0, 4), 100, 500] }),
        ],
      },
    ],
  },
  {
    name: "spaces",
    values: [0, 1, 2, 3, 4, 5],
    pages: (at) => [
      {
        items: [
          item("a", 72, 700),
          ...([[], [item(" ", 77, 700)], [item("", 77, 700)], [item("b ", 77, 700)]][at] ?? []),
          item(at === 4 ? " c" : "c", 90, 700),
          item("d", 100, 700),
        ],
      },
    ],
  },
  {
    name: "marked content",
    values: [0, 1, 2, 3, 4],
    pages: (at) => {
      const begin =
        [
          { type: "beginMarkedContentProps", id: "m", tag: "P" },
          { type: "beginMarkedContent", tag: "Artifact" },
          { type: "beginMarkedContent", tag: "Span" },
          { id: "", tag: "P" },
          { id: 7 },
        ][at] ?? {};
      const end = { type: "endMarkedContent" };
      return [
        {
          items: [
            item("a", 72, 700),
            begin,
            item("b", 82, 700),
            { id: "n" },
            item("c", 92, 700),
            end,
            item("d", 102, 700),
            end,
            item("e", 112, 700),
            end,
            item("f", 122, 700),
          ],
        },
      ];
    },
  },
  {
    name: "bold font",
    values: steps(0, 13, 1),
    pages: (at) => [{ items: [item(BOLD.split(" ")[at] ?? "", 72, 700)], fonts: { f: { name: BOLD.split(" ")[at] } } }],
  },
  {
    name: "monospaced font",
    values: steps(0, 14, 1),
    pages: (at) => [{ items: [item(MONO.split(" ")[at] ?? "", 72, 700)], fonts: { f: { name: MONO.split(" ")[at] } } }],
  },
  {
    name: "kind of font",
    values: [0, 1, 2],
    pages: (at) => [
      {
        items: [item("o\u001Bce and o\u001Cce", 72, 700), item("right", 72, 680, { dir: "rtl" })],
        fonts: { f: [{ isType3Font: true }, { isType3Font: false, name: 7 }, { isType3Font: 1 }][at] ?? {} },
      },
    ],
  },
  {
    name: "gap in two lines of a later page",
    values: steps(0, 20, 1),
    pages: (gap) => [
      { items: [item("a", 72, 700)] },
      { items: [700, 680].flatMap((y) => [item("ab", 72, y), item("cd", 82 + gap, y)]) },
    ],
  },
  {
    name: "lines with gaps of a later page",
    values: [0, 1, 2, 3],
    pages: (count) => [
      { items: [item("a", 72, 700)] },
      { items: [700, 680, 660].flatMap((y, at) => [item("ab", 72, y), item("cd", at < count ? 200 : 83, y)]) },
    ],
  },
  {
    name: "indent of two lines of a later page",
    values: steps(0, 100, 5),
    pages: (indent) => [
      { items: [item("a", 72, 700)] },
      { items: [item("ab", 72, 700), item("cd", 72 + indent, 680), item("ef", 72 + indent, 660)] },
    ],
  },
  {
    name: "difference of the baselines of a line with gaps",
    values: steps(0, 2, 0.25),
    pages: (y) => [
      { items: [item("a", 72, 700)] },
      { items: [700, 680].flatMap((base) => [item("ab", 72, base), item("cd", 300, base - y)]) },
    ],
  },
  {
    name: "pages with drawings",
    values: [0, 1, 2, 3],
    drawingMs: 751,
    pages: (count) =>
      Array.from({ length: count + 1 }, (_none, at) => ({ items: [item("a", 72, 700, { fontName: `f${at}` })] })),
  },
  {
    name: "later pages with tags",
    values: [0, 1],
    isTagged: true,
    pages: (at) => [
      { items: [item("a", 72, 700)] },
      { items: [700, 680].flatMap((y) => [item("ab", 72, y, { fontName: at === 0 ? "f" : "g" }), item("cd", 300, y)]) },
    ],
  },
];
