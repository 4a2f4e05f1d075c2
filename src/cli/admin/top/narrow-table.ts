import { padText, type Span, span, type Style, widthOf } from "./spans.ts";

/** A column of a table that must fit a terminal. `right` aligns it to the right. */
export interface NarrowColumn<T> {
  readonly title: string;
  readonly cell: (item: T) => string;
  readonly style?: (item: T) => Style;
  readonly right?: boolean;
  /** Minimum width, so that changing figures do not move the columns to the right. */
  readonly min?: number;
  /** This column takes the remaining width. */
  readonly grows?: boolean;
  /** The column may be cut to this width if the terminal is too narrow. */
  readonly cut?: number;
  /** If cutting is not enough, the column with the highest number is removed first. Columns without a number stay. */
  readonly drop?: number;
}

const GAP = 2;

/** A table as lines, titles first, with at most `width` columns if possible. */
export function narrowTable<T>(
  columns: readonly NarrowColumn<T>[],
  items: readonly T[],
  { width, isFocused }: { readonly width: number; readonly isFocused: boolean },
): Span[][] {
  const measured = columns.map((column) => ({
    column,
    width: Math.max(column.min ?? 0, widthOf(column.title), ...items.map((item) => widthOf(column.cell(item)))),
  }));
  const shown = grown(fitting(measured, width), width);
  const line = (cellOf: (column: NarrowColumn<T>) => Span): Span[] =>
    shown.map(({ column, width: own }, i) => {
      const { text, style } = cellOf(column);
      return span((i === 0 ? "" : " ".repeat(GAP)) + padText(text, own, column.right), style);
    });
  return [
    line(({ title }) => span(title, isFocused ? "focus" : "title")),
    ...items.map((item) => line(({ cell, style }) => span(cell(item), style?.(item) ?? "plain"))),
  ];
}

interface Measured<T> {
  readonly column: NarrowColumn<T>;
  readonly width: number;
}

function grown<T>(columns: readonly Measured<T>[], width: number): readonly Measured<T>[] {
  const spare = Math.max(-overOf(columns, width), 0);
  return columns.map((column) => (column.column.grows === true ? { ...column, width: column.width + spare } : column));
}

/** The number of terminal columns beyond `width`; negative if the table is narrower. */
function overOf<T>(columns: readonly Measured<T>[], width: number): number {
  return columns.reduce((sum, column) => sum + column.width + GAP, -GAP) - width;
}

function fitting<T>(columns: readonly Measured<T>[], width: number): readonly Measured<T>[] {
  const over = overOf(columns, width);
  if (over <= 0) return columns;
  const spare = ({ column, width: own }: Measured<T>): number => own - Math.max(column.cut ?? own, 1);
  if (columns.reduce((sum, column) => sum + Math.max(spare(column), 0), 0) >= over) return cut(columns, spare, over);
  const [least] = columns.filter(({ column }) => column.drop !== undefined).toSorted((a, b) => dropOf(b) - dropOf(a));
  if (least === undefined) return cut(columns, spare, over);
  return fitting(
    columns.filter((column) => column !== least),
    width,
  );
}

/** Makes columns narrower by `over` in total, beginning with the last one that may be cut. */
function cut<T>(
  columns: readonly Measured<T>[],
  spare: (column: Measured<T>) => number,
  over: number,
): readonly Measured<T>[] {
  let left = over;
  return columns
    .toReversed()
    .map((column) => {
      const less = Math.max(Math.min(spare(column), left), 0);
      left -= less;
      return { ...column, width: column.width - less };
    })
    .toReversed();
}

function dropOf<T>({ column }: Measured<T>): number {
  return column.drop ?? 0;
}
