/** What a terminal would obey, and what turns text around or hides in it. */
const CONTROL = /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text of whatever origin as one line that a terminal only shows. */
export function printable(text: string): string {
  return text.replace(CONTROL, "").toWellFormed();
}

export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => string;
  /** The same for a terminal, where it would be too wide. */
  readonly short?: (item: T) => string;
  readonly right?: boolean;
}

/** Rows for people, aligned, and shortened where a column says so. */
export function alignedTable<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  const rows = [
    columns.map(({ title }) => title),
    ...items.map((item) => columns.map(({ cell, short }) => printable((short ?? cell)(item)))),
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

/** Rows for programs: whole values divided by tabs, the titles first. */
export function tabTable<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  const rows = [
    columns.map(({ title }) => title),
    ...items.map((item) => columns.map(({ cell }) => printable(cell(item)))),
  ];
  return rows.map((row) => `${row.join("\t")}\n`).join("");
}

/** Names and values below each other. */
export function detailList(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd()).join("\n") + "\n";
}
