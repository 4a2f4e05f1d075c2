import { item, type PageMeasure, steps } from "./page-sources.ts";

function link(rect: readonly number[], url = "https://a.test/", more: object = {}): object {
  return { url, rect, ...more };
}

function field(rect: readonly number[], more: object = {}): object {
  return { fieldType: "Tx", fieldValue: "value", rect, id: "7R", ...more };
}

const TEXT = "see the book of gates now";

/** Measures of links and form fields. */
export const BOX_MEASURES: readonly PageMeasure[] = [
  {
    name: "left edge of a link",
    values: steps(60, 200, 4),
    pages: (x) => [{ items: [item(TEXT, 72, 700)], annotations: [link([x, 696, 300, 712])] }],
  },
  {
    name: "right edge of a link",
    values: steps(60, 200, 4),
    pages: (x) => [{ items: [item(TEXT, 72, 700)], annotations: [link([0, 696, x, 712])] }],
  },
  {
    name: "height of a link",
    values: steps(680, 720, 1),
    pages: (y) => [{ items: [item(TEXT, 72, 700)], annotations: [link([0, y, 300, y + 8])] }],
  },
  {
    name: "link of a text from right to left",
    values: [100, 160],
    pages: (x) => [{ items: [item(TEXT, 72, 700, { dir: "rtl" })], annotations: [link([x, 696, 300, 712])] }],
  },
  {
    name: "address of a link",
    values: [0, 1, 2, 3, 4, 5],
    pages: (at) => [
      {
        items: [item("text", 72, 700)],
        annotations: [
          link(
            [0, 696, 300, 712],
            ["https://a.test/x", "http://a.test", "mailto:a@a.test", "javascript:1", "/x", "file:///x"][at],
            { id: `i${at}` },
          ),
          { url: 7 },
          { id: "n" },
          link([], "https://b.test/", { id: 7 }),
        ],
      },
    ],
  },
  {
    name: "links of a page",
    values: [999, 1000, 1001],
    pages: (count) => [
      {
        items: [item("text", 72, 700)],
        annotations: [...Array.from({ length: count - 1 }, () => link([0, 0, 1, 1])), link([0, 696, 300, 712])],
      },
    ],
  },
  {
    name: "place of a field beside its label",
    values: steps(660, 730, 2),
    pages: (y) => [
      { items: [item("Name:", 72, 700), item("Other:", 72, 640)], annotations: [field([180, y, 300, y + 16])] },
    ],
  },
  {
    name: "height of a field",
    values: steps(0, 60, 2),
    pages: (high) => [{ items: [item("Name:", 72, 700)], annotations: [field([180, 696, 300, 696 + high])] }],
  },
  {
    name: "height of a field with two lines",
    values: steps(4, 60, 4),
    pages: (high) => [
      {
        items: [item("Name:", 72, 700)],
        annotations: [field([180, 696, 300, 696 + high], { fieldValue: "one\r\ntwo\n\n three" })],
      },
    ],
  },
  {
    name: "width of a field",
    values: steps(0, 60, 4),
    pages: (wide) => [{ items: [item("Name:", 72, 700)], annotations: [field([180, 696, 180 + wide, 712])] }],
  },
  {
    name: "size of the label of a field",
    values: steps(6, 30, 2),
    pages: (size) => [
      {
        items: [
          item("Name:", 72, 700, { transform: [size, 0, 0, size, 72, 700] }),
          item("text", 72, 600),
          item("text", 72, 580),
        ],
        annotations: [field([180, 696, 300, 712])],
      },
    ],
  },
  {
    name: "place of a label on the right of a field",
    values: steps(100, 400, 20),
    pages: (x) => [
      {
        items: [item("left", 72, 700), item("right", x, 700, { transform: [12, 0, 0, 12, x, 702] })],
        annotations: [field([180, 696, 300, 712])],
      },
    ],
  },
  {
    name: "place of a text that a page shows in a field",
    values: steps(170, 310, 5),
    pages: (x) => [{ items: [item("va lue", x, 700)], annotations: [field([180, 696, 300, 712])] }],
  },
  {
    name: "height of a text that a page shows in a field",
    values: steps(680, 730, 2),
    pages: (y) => [{ items: [item("value", 200, y)], annotations: [field([180, 696, 300, 712])] }],
  },
  {
    name: "fields of a page without text",
    values: [999, 1000, 1001],
    pages: (count) => [
      {
        items: [],
        annotations: Array.from({ length: count }, (_none, at) =>
          field([0, 0, 9, 9], { fieldValue: at < 998 ? "" : `${at}` }),
        ),
      },
    ],
  },
  {
    name: "letters of fields",
    values: [99_999, 100_000, 100_001],
    pages: (count) => [
      {
        items: [],
        annotations: [
          field([0, 0, 9, 9], { fieldValue: "a".repeat(count - 2) }),
          field([0, 0, 9, 9], { fieldValue: "bcd" }),
        ].map((one) => one),
      },
    ],
  },
  {
    name: "kind of field",
    values: steps(0, 21, 1),
    pages: (at) => {
      const more: object[] = [
        {
          fieldType: "Ch",
          fieldValue: ["a", "b"],
          options: [
            { exportValue: "a", displayValue: "A" },
            { exportValue: "a", displayValue: "C" },
            { exportValue: 7, displayValue: "D" },
            null,
            {},
          ],
        },
        { fieldType: "Ch", fieldValue: "b" },
        { fieldType: "Btn", checkBox: true, fieldValue: "Yes", exportValue: "Yes" },
        { fieldType: "Btn", checkBox: true, fieldValue: "Off", exportValue: "Off" },
        { fieldType: "Btn", checkBox: true, fieldValue: "No", exportValue: "Yes" },
        { fieldType: "Btn", checkBox: true, fieldValue: undefined, exportValue: undefined },
        { fieldType: "Btn", radioButton: true, fieldValue: "a", buttonValue: "a", exportValue: "b" },
        { fieldType: "Btn", radioButton: true, fieldValue: "b", buttonValue: "a", exportValue: "b" },
        { fieldType: "Btn", fieldValue: "push" },
        { fieldType: "Sig", fieldValue: "signed" },
        { fieldType: 7 },
        { fieldType: undefined, subtype: "FreeText", contentsObj: { str: "note" } },
        { hidden: true },
        { password: true },
        { annotationFlags: 2 },
        { annotationFlags: 32 },
        { annotationFlags: 4 },
        { fieldValue: 7 },
        { fieldValue: [] },
        { id: 7 },
        { rect: "none" },
        { rect: [Number.NaN, 0, 9, 9] },
      ];
      return [
        {
          items: [item("Name:", 72, 700)],
          annotations: [{ subtype: "Link", rect: [0, 0, 9, 9] }, field([180, 696, 300, 712], more[at])],
        },
      ];
    },
  },
  {
    name: "free text",
    values: [0, 1],
    pages: (at) => [
      {
        items: [item("Name:", 72, 700)],
        annotations: [
          { subtype: "FreeText", rect: [180, 690, 300, 712], ...(at === 0 ? { contentsObj: { str: "note" } } : {}) },
        ],
      },
    ],
  },
];
