/** Tables as programs write them into a PDF: texts at positions, and lines or boxes around them. */
import { type Cell, placesOf, type PlacedCell, type Table } from "./model.ts";

/** Widths of the letters from space to tilde in Helvetica, in thousandths of the size of the letters. */
const WIDTHS = (
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 " +
  "584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 " +
  "611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 " +
  "722 500 500 500 334 260 334 584"
)
  .split(" ")
  .map(Number);

export function widthOf(text: string, size: number, isBold = false): number {
  let sum = 0;
  for (const letter of text) sum += WIDTHS[letter.charCodeAt(0) - 32] ?? 556;
  return (sum * size * (isBold ? 1.07 : 1)) / 1000;
}

/** Lines of text that are at most this wide. */
export function wrapped(text: string, width: number, size: number, isBold = false): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter((part) => part !== "")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(`${line} ${word}`, size, isBold) <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The lines that are drawn: around all cells, some of them, or none. */
export type Rules = "all" | "boxes" | "thin" | "rows" | "columns" | "book" | "zebra" | "frame" | "none";

export interface Look {
  readonly rules: Rules;
  readonly size: number;
  /** Space at the left and right of a cell's text, and above and below it. */
  readonly padding: number;
  readonly room: number;
  /** Maximum width of a column's text. */
  readonly most: number;
  readonly isMiddle?: boolean;
  /** Each word is written by itself. */
  readonly isByWord?: boolean;
}

/** A table at a position of a page, with the height that it takes. */
export interface Drawn {
  readonly stream: string;
  readonly height: number;
  readonly width: number;
}

export function textAt(text: string, [x, y]: readonly [number, number], size: number, font = "F1"): string {
  return `BT /${font} ${size} Tf 1 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)} Tm (${text.replaceAll(/[()\\]/g, "\\$&")}) Tj ET`;
}

interface Box {
  readonly cell: PlacedCell;
  readonly lines: readonly string[];
}

interface Measures {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

export function drawTable(table: Table, look: Look, left: number, top: number): Drawn {
  const cells = placesOf(table);
  const { size, padding, most } = look;
  const columns = Math.max(...cells.map(({ column, across }) => column + across));
  const widths = Array.from({ length: columns }, (_none, column) => {
    const own = cells.filter((cell) => cell.column === column && cell.across === 1);
    return (
      Math.max(10, ...own.map(({ text, isBold }) => widestOf(wrapped(text, most, size, isBold), size, isBold))) +
      padding * 2
    );
  });
  const xs = sums(left, widths);
  const boxes = cells.map((cell) => {
    const room = (xs[cell.column + cell.across] ?? 0) - (xs[cell.column] ?? 0) - padding * 2 + 0.1;
    return { cell, lines: wrapped(cell.text, room, size, cell.isBold) };
  });
  const heights = table.rows.map((_row, at) => {
    const own = boxes.filter(({ cell }) => cell.row === at && cell.down === 1);
    return Math.max(1, ...own.map(({ lines }) => lines.length)) * size * 1.2 + look.room * 2;
  });
  const ys = sums(0, heights).map((y) => top - y);
  const measures = { xs, ys };
  const stream = [...rulesOf(boxes, table, look, measures), ...boxes.flatMap((box) => textsOf(box, look, measures))];
  return { stream: stream.join("\n"), height: top - (ys.at(-1) ?? 0), width: (xs.at(-1) ?? 0) - left };
}

function widestOf(lines: readonly string[], size: number, isBold: boolean): number {
  return Math.max(0, ...lines.map((line) => widthOf(line, size, isBold)));
}

function sums(from: number, values: readonly number[]): number[] {
  const found = [from];
  for (const value of values) found.push((found.at(-1) ?? 0) + value);
  return found;
}

function textsOf({ cell, lines }: Box, look: Look, { xs, ys }: Measures): string[] {
  const { size, padding, room } = look;
  const [left = 0, right = 0] = [xs[cell.column], xs[cell.column + cell.across]];
  const [top = 0, bottom = 0] = [ys[cell.row], ys[cell.row + cell.down]];
  const spare = look.isMiddle === true ? (top - bottom - room * 2 - lines.length * size * 1.2) / 2 : 0;
  const font = cell.isBold ? "F2" : "F1";
  return lines.flatMap((line, at) => {
    const y = top - room - spare - size * (0.95 + at * 1.2);
    const x = placeOf(cell, left + padding, right - padding - widthOf(line, size, cell.isBold));
    if (look.isByWord !== true) return [textAt(line, [x, y], size, font)];
    let place = x;
    return line.split(" ").map((word) => {
      const text = textAt(word, [place, y], size, font);
      place += widthOf(`${word} `, size, cell.isBold);
      return text;
    });
  });
}

function placeOf({ align }: Cell, first: number, last: number): number {
  return align === "left" ? first : align === "right" ? last : (first + last) / 2;
}

function rulesOf(boxes: readonly Box[], { heads, rows }: Table, { rules }: Look, { xs, ys }: Measures): string[] {
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
  const across = (y: number) => `${left} ${y} m ${right} ${y} l S`;
  switch (rules) {
    case "all":
    case "boxes":
    case "thin":
      return boxes.flatMap(({ cell }) => {
        const [x = 0, to = 0] = [xs[cell.column], xs[cell.column + cell.across]];
        const [y = 0, low = 0] = [ys[cell.row], ys[cell.row + cell.down]];
        if (rules === "boxes") return [`${x} ${low} ${to - x} ${y - low} re S`];
        if (rules === "all")
          return [`${x} ${y} m ${to} ${y} l ${to} ${low} l S ${x} ${y} m ${x} ${low} l ${to} ${low} l S`];
        return [
          `${x} ${y} ${to - x} 0.5 re f ${x} ${low} 0.5 ${y - low} re f ${x} ${low} ${to - x} 0.5 re f ${to} ${low} 0.5 ${y - low} re f`,
        ];
      });
    case "rows":
      return ys.map(across);
    case "columns":
      return [...xs.map((x) => `${x} ${top} m ${x} ${bottom} l S`), ...[top, ys[heads] ?? 0, bottom].map(across)];
    case "book":
      return [top, ys[heads] ?? 0, bottom].map(across);
    case "zebra":
      return rows.flatMap((_row, at) => {
        const [y = 0, low = 0] = [ys[at], ys[at + 1]];
        return at % 2 === 0 ? [`0.9 g ${left} ${low} ${right - left} ${y - low} re f 0 g`] : [];
      });
    case "frame":
      return [`${left} ${bottom} ${right - left} ${top - bottom} re S`, across(ys[heads] ?? 0)];
    case "none":
      return [];
    default:
      throw new Error(`Cannot draw the rules '${String(rules satisfies never)}'`);
  }
}
