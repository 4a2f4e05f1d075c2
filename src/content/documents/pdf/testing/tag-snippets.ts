import { fieldMark } from "../fields.ts";
import { type PdfPage, type Run, type TreeNode } from "../shapes.ts";
import { pageOf, text } from "./drawings.ts";
import { runAt } from "./made-runs.ts";

/** An element of a structure tree. A text is a reference to the marked content with that name. */
function tag(role: string, ...children: readonly (TreeNode | string)[]): TreeNode {
  return { role, children: children.map((child) => (typeof child === "string" ? content(child) : child)) };
}

function content(id: string): TreeNode {
  return { type: "content", id };
}

function object(id: string): TreeNode {
  return { type: "object", id };
}

interface Tagged {
  readonly tree: TreeNode;
  readonly runs: readonly Run[];
  readonly addresses?: Readonly<Record<string, string>>;
}

function marked(mark: string, runs: readonly Run[]): Run[] {
  return runs.map((run) => ({ ...run, mark }));
}

/** A line for each name, 20 points apart, whose text is the name. */
function lines(names: string): Run[] {
  return names.split("").map((name, at) => runAt(72, 100 + at * 20, name.repeat(8), { mark: name }));
}

/** The name of each text in a table, at columns of 100 points and rows of 20. */
function grid(...rows: readonly string[]): Run[] {
  return rows.flatMap((row, at) =>
    row
      .split("")
      .flatMap((name, column) =>
        name === " " ? [] : [runAt(72 + column * 100, 100 + at * 20, name.repeat(4), { mark: name })],
      ),
  );
}

const td = (...names: readonly (TreeNode | string)[]): TreeNode => tag("TD", ...names);
const tr = (...names: readonly string[]): TreeNode => tag("TR", ...names.map((name) => td(name)));
const deep = (levels: number, inner: TreeNode): TreeNode =>
  levels === 0 ? inner : tag(levels % 2 === 0 ? "Div" : "Sect", deep(levels - 1, inner));
const spans = (levels: number, inner: TreeNode | string): TreeNode =>
  tag("Span", levels === 0 ? inner : spans(levels - 1, inner));
const field = (id: string, y: number, value = "value"): Run => runAt(200, y, value, { mark: fieldMark(id) });

const TREES: readonly Tagged[] = [
  ...[
    "H1",
    "H3",
    "H6",
    "H7",
    "H",
    "Title",
    "P",
    "Sub",
    "Caption",
    "Unknown",
    "BlockQuote",
    "Note",
    "FENote",
    "Index",
  ].map((role) => ({ tree: tag("Document", tag("P", "a"), tag(role, "b"), tag("P", "c")), runs: lines("abc") })),
  { tree: tag("Document", "a", tag("Span", "b"), tag("P", "c"), "d"), runs: lines("abcd") },
  { tree: tag("", "a", tag("P", "b")), runs: lines("ab") },
  { tree: tag("Document", tag("Span", "a", tag("P", "b"))), runs: lines("ab") },
  { tree: tag("Document", tag("P", "a", "a", "b")), runs: lines("ab") },
  { tree: tag("Document", tag("P", "a"), tag("P")), runs: lines("a") },
  { tree: tag("Document", tag("P", "a")), runs: lines("ab") },
  ...[8, 9, 10].map((count) => ({
    tree: tag("Document", tag("P", "a")),
    runs: [...lines("a"), runAt(72, 300, "b".repeat(10 - count))].map((run, at) =>
      at === 0 ? { ...run, text: "a".repeat(count) } : run,
    ),
  })),
  ...[57, 58, 59, 60, 61].map((levels) => ({ tree: tag("Document", deep(levels, tag("P", "a"))), runs: lines("a") })),
  ...[57, 58, 59, 60, 61].map((levels) => ({ tree: tag("Document", tag("P", spans(levels, "a"))), runs: lines("a") })),
  ...[57, 58, 59, 60, 61].map((levels) => ({
    tree: tag("Document", spans(levels, tag("P", "a")), tag("P", "b")),
    runs: lines("ab"),
  })),
  {
    tree: tag("Document", tag("L", tag("LI", tag("Lbl", "a"), tag("LBody", "b")), tag("LI", tag("LBody", "c")))),
    runs: [
      runAt(72, 100, "1.", { mark: "a" }),
      runAt(90, 100, "one", { mark: "b" }),
      runAt(90, 120, "2. two", { mark: "c" }),
    ],
  },
  {
    tree: tag(
      "Document",
      tag("L", tag("LI", tag("Lbl", "a"), "b"), tag("LI", tag("Lbl", "c"), tag("LBody", tag("L", tag("LI", "d"))))),
    ),
    runs: [
      runAt(72, 100, "Fig.", { mark: "a" }),
      runAt(99, 100, "one", { mark: "b" }),
      runAt(72, 120, "-", { mark: "c" }),
      runAt(90, 140, "\u2022 deep", { mark: "d" }),
    ],
  },
  {
    tree: tag(
      "Document",
      tag("L", tag("L", tag("LI", "a")), tag("LI", "b"), tag("L", tag("LI", "c")), tag("P", "d"), tag("LI")),
    ),
    runs: lines("abcd"),
  },
  { tree: tag("Document", tag("TOC", tag("TOCI", "a"), tag("TOC", tag("TOCI", "b")))), runs: lines("ab") },
  { tree: tag("Document", tag("L"), tag("L", tag("LI")), tag("P", "a")), runs: lines("a") },
  { tree: tag("Document", tag("Table", tr("a", "b"), tr("c", "d"))), runs: grid("ab", "cd") },
  {
    tree: tag(
      "Document",
      tag(
        "Table",
        tag("THead", tag("TR", tag("TH", "a"), tag("TH", "b"))),
        tag("TBody", tr("c", "d")),
        tag("Caption", "e"),
      ),
    ),
    runs: [...grid("ab", "cd"), runAt(72, 80, "Tolls", { mark: "e" })],
  },
  { tree: tag("Document", tag("Table", tr("a"), tr("b", "c"), tr("d"))), runs: grid("a ", "bc", " d") },
  {
    tree: tag("Document", tag("Table", tr("a"), tr("b", "c"))),
    runs: [runAt(110, 100, "wide head", { mark: "a" }), ...grid("  ", "bc")],
  },
  {
    tree: tag("Document", tag("Table", tr("a", "x"), tag("TR"), tag("TR", tag("P", "b"))), tag("P", "c")),
    runs: lines("ac"),
  },
  {
    tree: tag("Document", tag("Table", tag("TR", td("a", "b"), td("c")))),
    runs: [...grid("a c"), runAt(72, 112, "more", { mark: "b" })],
  },
  { tree: tag("Document", tag("Table"), tag("P", "a")), runs: lines("a") },
  { tree: tag("Document", { ...tag("Figure"), alt: "  A\n road " }, tag("P", "a")), runs: lines("a") },
  {
    tree: tag("Document", { ...tag("Figure", "b"), alt: "A road" }, { ...tag("Formula"), alt: "" }, tag("P", "a")),
    runs: lines("ab"),
  },
  {
    tree: tag(
      "Document",
      tag("P", "a", tag("Link", object("l"), "b"), "c"),
      tag("Link", "d"),
      tag("Link", object("m"), "e"),
    ),
    runs: lines("abcde"),
    addresses: { l: "https://a.test/" },
  },
  { tree: tag("Document", tag("P", "a")), runs: marked("a", text("Abcd", 72, 100)) },
  {
    tree: tag("Document", tag("P", "a")),
    runs: marked(
      "a",
      ["Ann Smith", "12 Quay", "Cardiff"].map((own, at) => runAt(72, 100 + at * 12, own)),
    ),
  },
  {
    tree: tag("Document", tag("H1", "a")),
    runs: marked(
      "a",
      ["Ann Smith", "12 Quay", "Cardiff"].map((own, at) => runAt(72, 100 + at * 12, own)),
    ),
  },
  ...[1, 2].map((count) => ({
    tree: tag("Document", tag("P", "a"), tag("P", "b")),
    runs: [
      ...marked(
        "a",
        ["one();", "two();"].slice(0, count).map((own, at) => runAt(72, 100 + at * 12, own, { isMono: true })),
      ),
      ...marked("b", text("Abcdefghij", 72, 200)),
    ],
  })),
  {
    tree: tag("Document", tag("P", "a")),
    runs: marked(
      "a",
      ["one();", "two();"].map((own, at) => runAt(72, 100 + at * 12, own, { isMono: true })),
    ),
  },
  ...[5, 6, 7].map((y) => ({
    tree: tag("Document", tag("P", "a")),
    runs: marked("a", [
      runAt(72, 100, "one", { width: 200 }),
      runAt(280, 100 + y, "two", { width: 200 }),
      runAt(72, 130, "three"),
    ]),
  })),
  {
    tree: tag("Document", tag("P", "a", "b", "c", "d", "e", "f")),
    runs: grid("ab", "cd", "ef").map((run, at) => (at % 2 === 0 ? run : { ...run, text: `${at}.50` })),
  },
  { tree: tag("Document", tag("P", "a", "b", "c")), runs: grid("ab", "c ") },
  ...[30, 50, 51, 70].map((y) => ({
    tree: tag("Document", tag("P", "a"), tag("Form", object("pdfjs_internal_id_f")), tag("P", "b")),
    runs: [
      runAt(72, 100, "Name:", { mark: "a" }),
      field("f", 100 + y),
      runAt(72, 100 + 2 * y, "Other:", { mark: "b" }),
    ],
  })),
  {
    tree: tag("Document", tag("P", "a"), tag("Form", object("pdfjs_internal_id_f")), tag("P", "b")),
    runs: [runAt(72, 100, "Name:", { mark: "a" }), field("f", 300), runAt(72, 310, "Other:", { mark: "b" })],
  },
  { tree: tag("Document", tag("P", "a")), runs: [runAt(72, 100, "Name:", { mark: "a" }), field("f", 100)] },
  {
    tree: tag("Document", tag("Form", object("pdfjs_internal_id_f")), tag("P", "a")),
    runs: [field("f", 100), runAt(72, 100, "Name:", { mark: "a" })],
  },
];

/** Pages with structure trees. */
export const TAGGED_PAGES: readonly PdfPage[] = TREES.map(({ tree, runs, addresses = {} }) => ({
  ...pageOf({ runs }),
  tree,
  addresses: new Map(Object.entries(addresses)),
}));

/** Two pages with structure trees, of which the first one ends with an element of each role. */
export const TAGGED_DOCUMENTS: readonly (readonly PdfPage[])[] = ["P", "H1", "H6"].flatMap((role) =>
  ["P", "H1"].map((next) =>
    [role, next].map((own, at) => ({
      ...pageOf({ runs: [runAt(72, 100, at === 0 ? "roads and" : "tolls of the town", { mark: "a" })] }),
      tree: tag("Document", tag(own, "a")),
    })),
  ),
);
