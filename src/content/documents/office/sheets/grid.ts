import { type Chart } from "../graphics.ts";
import { cut } from "../../../../lib/text/cut-text.ts";

/** Columns of a sheet that have values, its rows, and the cells of all sheets. The rest is missing. @operator */
const MAX_COLUMNS = 256;
const MAX_ROWS = 100_000;
const MAX_CELLS = 1_000_000;
/** Characters of the texts of all sheets, and of one cell. The rest is missing. @operator */
const MAX_TEXT = 10_000_000;
const MAX_CELL_TEXT = 32_767;
/** Cells of all sheets that the file only repeats. Further ones are missing. */
const MAX_REPEATED = 100_000;

/** Cells and characters that the sheets of one file may still hold. */
export interface SheetBudget {
  cells: number;
  text: number;
  repeated: number;
}

/** The bounds of one file. */
export function sheetBudget(): SheetBudget {
  return { cells: MAX_CELLS, text: MAX_TEXT, repeated: MAX_REPEATED };
}

interface GridRow {
  readonly index: number;
  readonly cells: Map<number, string>;
}

/** A comment of a reader on a cell, such as "B7". */
export interface SheetComment {
  readonly cell: string;
  readonly author: string;
  readonly text: string;
}

/** A sheet of a workbook: the cells that have a value, by their places, with its charts and comments. */
export class Grid {
  readonly name: string;
  readonly charts: Chart[] = [];
  readonly comments: SheetComment[] = [];
  isPartial = false;
  readonly #budget: SheetBudget;
  readonly #rows: GridRow[] = [];
  readonly #columns = new Set<number>();
  /** Addresses by row and column. */
  readonly #links = new Map<string, string>();

  constructor(name: string, budget: SheetBudget) {
    this.name = name.trim() === "" ? "Sheet" : name;
    this.#budget = budget;
  }

  get isFull(): boolean {
    return this.#rows.length >= MAX_ROWS || this.#budget.cells <= 0 || this.#budget.text <= 0;
  }

  /** Adds a row with the values of its columns. Rows come in order. */
  addRow(index: number, cells: ReadonlyMap<number, string>): void {
    const kept = new Map<number, string>();
    for (const [column, value] of cells) {
      if (this.isFull || (!this.#columns.has(column) && this.#columns.size >= MAX_COLUMNS)) {
        this.isPartial = true;
        continue;
      }
      const text = value.length > MAX_CELL_TEXT ? cut(value, MAX_CELL_TEXT) : value;
      kept.set(column, text);
      this.#columns.add(column);
      this.#budget.cells -= 1;
      this.#budget.text -= text.length;
    }
    if (kept.size > 0) this.#rows.push({ index, cells: kept });
  }

  /** Adds a row that the file repeats. */
  addRows(index: number, count: number, cells: ReadonlyMap<number, string>): void {
    if (cells.size === 0) return;
    this.addRow(index, cells);
    for (let added = 1; added < count; added += 1) {
      if (this.isFull || this.#budget.repeated <= 0) {
        this.isPartial = true;
        return;
      }
      this.#budget.repeated -= cells.size;
      this.addRow(index + added, cells);
    }
  }

  link(row: number, column: number, address: string): void {
    this.#links.set(`${row} ${column}`, address);
  }

  chart(chart: Chart): void {
    const length = chart.title.length + chart.rows.flat().join(" ").length;
    if (this.#spend(length)) this.charts.push(chart);
  }

  comment(comment: SheetComment): void {
    const text = comment.text.trim();
    if (text !== "" && this.#spend(text.length + comment.author.length)) this.comments.push({ ...comment, text });
  }

  #spend(characters: number): boolean {
    const isLeft = this.#budget.text > 0 && this.#budget.cells > 0;
    this.#budget.text -= characters;
    this.#budget.cells -= 1;
    this.isPartial ||= !isLeft;
    return isLeft;
  }

  /** The rows without empty ones, and without the columns that are empty in all of them. */
  table(): GridTable {
    const columns = [...this.#columns].toSorted((one, other) => one - other);
    const most = Math.max(1, Math.floor((2 * MAX_CELLS) / Math.max(1, columns.length)));
    if (this.#rows.length > most) this.isPartial = true;
    const shown = this.#rows.slice(0, most);
    const links = this.#links;
    return {
      rows: shown.map(({ cells }) => columns.map((column) => cells.get(column) ?? "")),
      hrefAt: (row, column) => (links.size === 0 ? undefined : links.get(`${shown[row]?.index} ${columns[column]}`)),
    };
  }
}

/** The rows of a sheet, and the address of a cell by its place among them. */
export interface GridTable {
  readonly rows: readonly (readonly string[])[];
  readonly hrefAt: (row: number, column: number) => string | undefined;
}

/** The name of the cell in this row and column, from 0 on. */
export function nameOfPlace(row: number, column: number): string {
  let letters = "";
  for (let left = column; left >= 0; left = Math.floor(left / 26) - 1)
    letters = String.fromCharCode(65 + (left % 26)) + letters;
  return `${letters}${row + 1}`;
}

/** The row and column of a name such as "AB12", from 0 on. Undefined if it is not one of a sheet. */
export function placeOf(name: string): { row: number; column: number } | undefined {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(name);
  if (match === null) return undefined;
  let column = 0;
  for (const letter of match[1] ?? "") column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(match[2]) - 1, column: column - 1 };
}
