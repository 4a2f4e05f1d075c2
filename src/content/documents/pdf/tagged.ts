import { codeOf, findBreaks, lookOf, readRegion, type Setting, withoutStart } from "./blocks.ts";
import { columnsOf, placesIn, type Span } from "./columns.ts";
import { fieldMark, isFieldMark } from "./fields.ts";
import { labelOf } from "./labels.ts";
import { joined, type Line, lineOf, paragraphOf } from "./pieces.ts";
import { joinedWords, rowsOf, segmentsOf } from "./segments.ts";
import {
  type Block,
  type ListItem,
  type PageBlocks,
  paragraphWith,
  type PdfPage,
  type Piece,
  pieceOf,
  plainOf,
  type Run,
  type TreeNode,
} from "./shapes.ts";
import { textsOf } from "./tables.ts";

/** Maximum number of levels of a PDF's structure tree that are read. */
const MAX_DEPTH = 60;
/** The minimum share of a page's letters that its tags must cover. With less, the tags do not describe the page. */
const MIN_COVERED = 0.9;

/** Elements that begin a block (ISO 32000-1 §14.8.4). */
const BLOCKS = new Set(
  (
    "Document DocumentFragment Part Art Sect Div Aside BlockQuote Caption TOC TOCI Index P H H1 H2 H3 H4 H5 H6 Title Sub " +
    "L LI LBody Table TR TH TD THead TBody TFoot Figure Form Formula Note FENote"
  ).split(" "),
);

/** Maximum distance of a form field from the text before or after it in the tree, in heights of its letters. */
const MAX_FIELD_DISTANCE = 5;

/**
 * The blocks of a page from its structure tree. Undefined if the tree leaves out much of the page or a form field, or has
 * a form field at another place than the page.
 */
export function taggedBlocks({ tree, runs, addresses }: PdfPage, setting: Setting): PageBlocks | undefined {
  if (tree === undefined) return undefined;
  const byMark = new Map<string, Run[]>();
  for (const run of runs) {
    byMark.getOrInsert(run.mark, []).push(run);
  }
  const reader = new TreeReader(byMark, addresses, setting);
  reader.container(tree, reader.page.blocks, 0);
  if ([...byMark.keys()].some(isFieldMark) || reader.hasStrayField()) return undefined;
  const letters = runs.reduce((sum, { text }) => sum + text.length, 0);
  return reader.letters >= letters * MIN_COVERED ? reader.page : undefined;
}

class TreeReader {
  readonly page: PageBlocks = { blocks: [], notes: [] };
  /** Letters that the tags covered so far. */
  letters = 0;
  /** The first run of each mark, in the order of the tree. */
  readonly #order: Run[] = [];
  readonly #runs: Map<string, Run[]>;
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #setting: Setting;
  /** The right edge of the page's text. */
  readonly #right: number;

  constructor(runs: Map<string, Run[]>, addresses: ReadonlyMap<string, string>, setting: Setting) {
    this.#runs = runs;
    this.#right = [...runs.values()].flat().reduce((most, { x, width }) => Math.max(most, x + width), 0);
    this.#addresses = addresses;
    this.#setting = setting;
  }

  /** Whether a form field is far from the texts before and after it in the tree. */
  hasStrayField(): boolean {
    const after = strayFields(this.#order.toReversed());
    return strayFields(this.#order).some((field) => after.includes(field));
  }

  /** Reads children: blocks as blocks, and text between them as paragraphs. */
  container(node: TreeNode, blocks: Block[], depth: number): void {
    if (depth > MAX_DEPTH) return;
    let inline: TreeNode[] = [];
    const flush = () => {
      if (inline.length > 0) this.#text({ children: inline }, blocks, 0);
      inline = [];
    };
    for (const child of node.children ?? []) {
      if (isBlock(child, depth)) {
        flush();
        this.#block(child, blocks, depth + 1);
      } else inline.push(child);
    }
    flush();
  }

  #block(node: TreeNode, blocks: Block[], depth: number): void {
    const role = node.role ?? "";
    const level = /^H([1-6])$/.exec(role)?.[1];
    if (level !== undefined) return this.#text(node, blocks, Number(level));
    switch (role) {
      case "Title":
        return this.#text(node, blocks, 1);
      case "H":
        return this.#text(node, blocks, 2);
      case "L":
      case "TOC":
        return this.#list(node, blocks, depth);
      case "Table":
        return this.#table(node, blocks, depth);
      case "BlockQuote": {
        const inner: Block[] = [];
        this.container(node, inner, depth);
        if (inner.length > 0) blocks.push({ kind: "quote", blocks: inner });
        return;
      }
      case "Note":
      case "FENote":
        return this.container(node, this.page.notes, depth);
      case "Figure":
      case "Formula":
        return this.#figure(node, blocks, depth);
      default:
        return this.container(node, blocks, depth);
    }
  }

  /** A paragraph or a heading. Lines in a monospaced font are code. */
  #text(node: TreeNode, blocks: Block[], level: number): void {
    const lines = this.#lines(node);
    if (lines.length === 0) return;
    const laidOut = level === 0 ? this.#tablesIn(lines) : [];
    if (laidOut.some(({ kind }) => kind === "table")) return void blocks.push(...laidOut);
    const isCode =
      level === 0 && lines.length > 1 && lines.every(({ isMono }) => isMono) && !this.#setting.isTypewritten;
    if (isCode) blocks.push({ kind: "code", text: codeOf(lines) });
    else {
      const breaks = new Set<Line>();
      if (level === 0) findBreaks(lines, breaks, 0, this.#right);
      const pieces = paragraphOf(lines, this.#setting.compounds, breaks);
      blocks.push({ kind: "text", pieces, look: lookOf(lines), level });
    }
  }

  /** The blocks of lines by their layout if texts stand beside one another. Chromium has no tags for tables without a head. */
  #tablesIn(lines: readonly Line[]): Block[] {
    const segments = joinedWords(segmentsOf(lines.flatMap(({ runs }) => runs)));
    if (rowsOf(segments).filter((row) => row.segments.length > 1).length < 2) return [];
    const page: PageBlocks = { blocks: [], notes: [] };
    readRegion(segments, { setting: this.#setting, noteTop: Number.POSITIVE_INFINITY, rules: [] }, page);
    return page.blocks;
  }

  #figure(node: TreeNode, blocks: Block[], depth: number): void {
    const before = blocks.length;
    this.container(node, blocks, depth);
    const alt = node.alt?.replace(/\s+/g, " ").trim() ?? "";
    if (blocks.length > before || alt === "") return;
    blocks.push(paragraphWith(alt, this.#setting.bodySize));
  }

  #list(node: TreeNode, blocks: Block[], depth: number): void {
    const items: ListItem[] = [];
    for (const child of node.children ?? []) {
      if (child.role === "LI" || child.role === "TOCI") items.push(this.#item(child, depth + 1));
      else if (child.role === "L" || child.role === "TOC") {
        // A list directly in a list belongs to the item before it.
        const last = items.at(-1) ?? { number: undefined, blocks: [] };
        if (items.length === 0) items.push(last);
        this.#list(child, last.blocks, depth + 1);
      } else this.container({ children: [child] }, blocks, depth + 1);
    }
    const filled = items.filter((item) => item.blocks.length > 0);
    if (filled.length > 0) blocks.push({ kind: "list", items: filled });
  }

  #item(node: TreeNode, depth: number): ListItem {
    const blocks: Block[] = [];
    const children = node.children ?? [];
    const labels = children.filter(({ role }) => role === "Lbl");
    const label = plainOf(this.#pieces({ children: labels }));
    this.container({ children: children.filter(({ role }) => role !== "Lbl") }, blocks, depth);
    const known = labelOf(`${label} x`);
    const [first] = blocks;
    if (first?.kind !== "text") return { number: known?.number, blocks };
    // Some programs write the label into the item's text.
    const written = label === "" ? labelOf(plainOf(first.pieces)) : undefined;
    if (written !== undefined) first.pieces = withoutStart(first.pieces, written.length);
    else if (label !== "" && (known?.length ?? 0) === 0) first.pieces = joined([pieceOf(label)], first.pieces);
    return { number: known?.number ?? written?.number, blocks };
  }

  #table(node: TreeNode, blocks: Block[], depth: number): void {
    const rows: Line[][][] = [];
    let caption: readonly Piece[] = [];
    const read = (part: TreeNode, at: number): void => {
      for (const child of part.children ?? []) {
        if (child.role === "TR") {
          const cells = (child.children ?? []).filter(({ role }) => role === "TH" || role === "TD");
          rows.push(cells.map((cell) => this.#lines(cell)));
        } else if (child.role === "Caption") caption = this.#pieces(child);
        else if (at < MAX_DEPTH) read(child, at + 1);
      }
    };
    read(node, depth);
    const filled = rows.map((row) => row.filter((cell) => cell.length > 0)).filter((row) => row.length > 0);
    if (filled.length > 0) blocks.push({ kind: "table", caption, rows: inColumns(filled) });
  }

  #pieces(node: TreeNode): Piece[] {
    return paragraphOf(this.#lines(node), this.#setting.compounds);
  }

  /** The lines of all text in a node, in the order of the tree. */
  #lines(node: TreeNode): Line[] {
    const lines: Run[][] = [];
    let last: Run | undefined;
    for (const run of this.#runsOf(node, "", 0)) {
      const size = Math.max(run.size, last?.size ?? 0);
      const isNew = last === undefined || Math.abs(run.y - last.y) > size * 0.6;
      if (isNew) lines.push([run]);
      else lines.at(-1)?.push(run);
      last = run;
    }
    return lines.map(lineOf);
  }

  /** The runs of a node, without duplicates. Runs in a link have its address. */
  #runsOf(node: TreeNode, href: string, depth: number): Run[] {
    if (depth > MAX_DEPTH) return [];
    const children = node.children ?? [];
    const object = children.find(({ type, id }) => type === "object" && id !== undefined && this.#addresses.has(id));
    const address = object === undefined ? href : (this.#addresses.get(object.id ?? "") ?? href);
    return children.flatMap((child) => {
      if (child.type === undefined) return this.#runsOf(child, address, depth + 1);
      const id = child.id ?? "";
      const mark = child.type === "content" ? id : fieldMark(id.replace(/^pdfjs_internal_id_/, ""));
      const runs = this.#runs.get(mark) ?? [];
      this.#runs.delete(mark);
      this.#order.push(...runs.slice(0, 1));
      this.letters += runs.reduce((sum, { text }) => sum + text.length, 0);
      return address === "" ? runs : runs.map((run) => ({ ...run, href: address }));
    });
  }
}

/** The form fields that are far from the last text before them. */
function strayFields(order: readonly Run[]): Run[] {
  let y = Number.POSITIVE_INFINITY;
  return order.filter((run) => {
    if (isFieldMark(run.mark)) return Math.abs(y - run.y) > run.size * MAX_FIELD_DISTANCE;
    y = run.y;
    return false;
  });
}

/** The texts of cells in the columns in which they stand: pdf.js names neither empty cells nor the columns of a wide cell. */
function inColumns(rows: readonly (readonly (readonly Line[])[])[]): (readonly Piece[])[][] {
  const spans = rows.map((row) => row.map(spanOf));
  const columns = columnsOf(spans);
  const full = spans.findIndex(({ length }) => length === columns.length);
  return textsOf(
    rows.map((row, at) => {
      const cells: Line[][] = columns.map(() => []);
      const places = placesIn(columns, spans[at] ?? [], at < full);
      row.forEach((lines, cell) => cells[places[cell] ?? 0]?.push(...lines));
      return cells;
    }),
  );
}

function spanOf(lines: readonly Line[]): Span {
  return { x: Math.min(...lines.map(({ x }) => x)), right: Math.max(...lines.map(({ right }) => right)) };
}

/** Whether an element is a block, or an unnamed element that contains a block. */
function isBlock({ role = "", children = [] }: TreeNode, depth: number): boolean {
  if (role === "") return false;
  return BLOCKS.has(role) || (depth < MAX_DEPTH && children.some((child) => isBlock(child, depth + 1)));
}
