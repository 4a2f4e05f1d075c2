import { visibleText } from "../../lib/text/visible-text.ts";

/** A column of a printed table. `right` aligns its cells to the right. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => string;
  /** A shorter value for a terminal, if the full one would be too wide. */
  readonly short?: (item: T) => string;
  readonly right?: boolean;
}

/** Rows for a terminal: aligned, with the short values of columns that have them. */
export function alignedTable<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  const rows = [
    columns.map(({ title }) => title),
    ...items.map((item) => columns.map(({ cell, short }) => visibleText((short ?? cell)(item)))),
  ];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, i) => (columns[i]?.right === true ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Rows for programs: full values separated by tabs, after a line of titles. */
export function tabTable<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  const rows = [
    columns.map(({ title }) => title),
    ...items.map((item) => columns.map(({ cell }) => visibleText(cell(item)))),
  ];
  return rows.map((row) => `${row.join("\t")}\n`).join("");
}

/** A list with one name and value on each line. */
export function detailList(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${visibleText(value)}`.trimEnd()).join("\n") + "\n";
}
