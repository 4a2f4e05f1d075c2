import { type Element, isTag, isText } from "domhandler";
import { codeOf, fenced, isGutter } from "./code.ts";
import { escapeLabel } from "./escape.ts";
import { type Marks } from "./marks.ts";
import { fold } from "./media.ts";
import { CELL, HEADER_CELL } from "./run.ts";
import { HAS_HEADER_CELL, HAS_STRUCTURE } from "./survey.ts";
import { type Walker } from "./walker.ts";

/** Maximum number of columns and rows that a cell may span (WHATWG HTML §4.9.11). */
const MAX_COLSPAN = 1000;
const MAX_ROWSPAN = 65_534;
/**
 * Maximum number of characters of a text that is repeated in all columns and rows of its cell. A longer text is written
 * once.
 */
const MAX_REPEATED = 200;

interface TableRow {
  readonly cells: readonly Element[];
  readonly isHead: boolean;
}

type Align = "left" | "center" | "right" | undefined;

const RULES = { none: "---", left: ":--", center: ":-:", right: "--:" } as const;

/** Writes a table. A layout table is written as the content of its cells. */
export function writeTable(walker: Walker, table: Element, marks: Marks): void {
  const { captions, rows } = partsOf(table);
  for (const caption of captions) {
    walker.children(caption, marks);
    walker.flush();
  }
  const code = codeLines(rows);
  if (code !== undefined) return walker.output.block("code", code);
  if (!arranges(walker, table, rows)) return new DataTable(walker, rows, marks).write();
  for (const cell of rows.flatMap(({ cells }) => cells)) {
    walker.children(cell, marks);
    walker.flush();
  }
}

function partsOf(table: Element): { captions: Element[]; rows: TableRow[] } {
  const captions: Element[] = [];
  const rows: TableRow[] = [];
  const last: TableRow[] = [];
  const add = (row: Element, isHead: boolean, to: TableRow[]) => {
    const cells = row.children.filter((child): child is Element => isTag(child) && /^t[dh]$/.test(child.name));
    // Leaves out columns of line numbers beside code.
    const shown = cells.length > 1 ? cells.filter((cell) => !isGutter(cell)) : cells;
    if (shown.length > 0) to.push({ cells: shown, isHead });
  };
  for (const part of table.children.filter(isTag)) {
    if (part.name === "caption") captions.push(part);
    else if (part.name === "tr") add(part, false, rows);
    else if (/^t(?:head|body|foot)$/.test(part.name)) {
      for (const row of part.children.filter(isTag)) {
        if (row.name === "tr") add(row, part.name === "thead", part.name === "tfoot" ? last : rows);
      }
    }
  }
  return { captions, rows: [...rows, ...last] };
}

/** Writes a table whose rows are lines of code as code. Undefined for other tables. */
function codeLines(rows: readonly TableRow[]): string | undefined {
  const isCode = ({ cells: [cell, ...others] }: TableRow) =>
    others.length === 0 &&
    /(?:^|\s)(?:blob-code|react-code-cell|code-line)(?:\s|$|-)/.test(cell?.attribs["class"] ?? "");
  if (rows.length === 0 || !rows.every(isCode)) return undefined;
  return fenced(rows.flatMap(({ cells }) => cells.map((cell) => codeOf(cell).text)).join("\n"), "");
}

/**
 * Whether a table is only for layout: it has no header cells, and it has one column, one row, or blocks in its cells.
 */
function arranges({ facts }: Walker, table: Element, rows: readonly TableRow[]): boolean {
  if (/^(?:presentation|none)$/.test(table.attribs["role"] ?? "")) return true;
  if (((facts.get(table) ?? 0) & HAS_HEADER_CELL) !== 0 || rows.some(({ isHead }) => isHead)) return false;
  if (rows.length <= 1 || rows.every(({ cells }) => cells.length <= 1)) return true;
  return rows.some(({ cells }) => cells.some((cell) => ((facts.get(cell) ?? 0) & HAS_STRUCTURE) !== 0));
}

class DataTable {
  readonly #walker: Walker;
  readonly #rows: readonly TableRow[];
  readonly #marks: Marks;
  /** For each column, the cell above that still spans it. */
  #spans: { text: string; rows: number }[] = [];
  readonly #aligns: Align[] = [];

  constructor(walker: Walker, rows: readonly TableRow[], marks: Marks) {
    this.#walker = walker;
    this.#rows = rows;
    this.#marks = marks;
  }

  write(): void {
    const lines: string[][] = [];
    let header: string[] | undefined;
    for (const [index, row] of this.#rows.entries()) {
      const isTop = lines.length === 0 && header === undefined && isHeader(row);
      const texts = this.#row(row, index, isTop);
      if (texts.every((text) => text === "")) continue;
      if (isTop) header = texts;
      else lines.push(texts);
    }
    if (header === undefined && lines.length === 0) return;
    let columns = header?.length ?? 0;
    for (const line of lines) columns = Math.max(columns, line.length);
    const top = Array.from({ length: columns }, (_none, column) => header?.[column] ?? "");
    const rules = top.map((_text, column) => RULES[this.#aligns[column] ?? "none"]);
    const body = lines.map((line) => this.#padded(line, columns));
    this.#walker.output.block("table", [top, rules, ...body].map((line) => `| ${line.join(" | ")} |`).join("\n"));
  }

  /** The texts of a row, including those of spanning cells. */
  #row({ cells }: TableRow, index: number, isTop: boolean): string[] {
    const texts: string[] = [];
    const spans: { text: string; rows: number }[] = [];
    const above = this.#spans;
    const fill = () => {
      for (let span = above[texts.length]; span !== undefined && span.rows > 0; span = above[texts.length]) {
        if (!this.#spare()) return;
        spans[texts.length] = { text: span.text, rows: span.rows - 1 };
        texts.push(span.text);
      }
    };
    for (const cell of cells) {
      fill();
      const text = this.#text(cell, isTop || cell.name === "th");
      const wide = spanOf(cell.attribs["colspan"], MAX_COLSPAN);
      const high = spanOf(cell.attribs["rowspan"], MAX_ROWSPAN);
      // A cell as wide as its row is a heading for the rows below.
      const repeated = text.length > MAX_REPEATED || (cells.length === 1 && wide > 1) ? "" : text;
      for (let column = 0; column < wide; column += 1) {
        if (column > 0 && !this.#spare()) break;
        if (index < 2) this.#aligns[texts.length] ??= alignOf(cell);
        if (high > 1) spans[texts.length] = { text: repeated, rows: high - 1 };
        texts.push(column === 0 ? text : repeated);
      }
    }
    fill();
    this.#spans = spans;
    return texts;
  }

  #text(cell: Element, isHead: boolean): string {
    const marks = isHead ? this.#marks.without("strong") : this.#marks;
    const text = this.#walker.inline(cell, marks, isHead ? HEADER_CELL : CELL);
    return (text || escapeLabel(fold(cell.attribs["aria-label"]))).replaceAll("|", "\\|");
  }

  #padded(texts: string[], columns: number): string[] {
    while (texts.length < columns && this.#spare()) texts.push("");
    return texts;
  }

  /** Takes one of the cells that the page's tables may still add. False if there are no more. */
  #spare(): boolean {
    this.#walker.spareCells.left -= 1;
    return this.#walker.spareCells.left >= 0;
  }
}

/** Whether a first row names the columns: it is in `thead`, it has header cells, or all its cells are bold. */
function isHeader({ cells, isHead }: TableRow): boolean {
  if (isHead) return true;
  const full = cells.filter(({ children }) => children.some((child) => !isText(child) || child.data.trim() !== ""));
  return full.length > 0 && (full.every(({ name }) => name === "th") || full.every(isBold));
}

function isBold({ children }: Element): boolean {
  return children.every((child) =>
    isText(child) ? child.data.trim() === "" : isTag(child) && /^(?:b|strong)$/.test(child.name),
  );
}

function spanOf(value: string | undefined, max: number): number {
  const span = value === undefined ? 1 : Number.parseInt(value, 10);
  return span >= 1 ? Math.min(span, max) : 1;
}

function alignOf({ attribs }: Element): Align {
  const style = attribs["style"];
  const found =
    (style === undefined || style.length > 2048 ? undefined : /(?:^|;)\s*text-align\s*:\s*(\w+)/i.exec(style)?.[1]) ??
    attribs["align"];
  const align = found?.toLowerCase();
  return align === "left" || align === "center" || align === "right" ? align : undefined;
}
