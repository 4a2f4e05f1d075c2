import { padText, type Span, span, type Style, widthOf } from "./spans.ts";

export interface NarrowColumn<T> {
  readonly title: string;
  readonly cell: (item: T) => string;
  readonly style?: (item: T) => Style;
  readonly right?: boolean;
  /** It is at least so wide, so that figures that change do not move what is beside them. */
  readonly min?: number;
  /** It takes the room that is left. */
  readonly grows?: boolean;
  /** It is cut where there is too little room, down to so many columns of the terminal. */
  readonly cut?: number;
  /** Where that does not do, the column with the greatest number goes first; without one it stays. */
  readonly drop?: number;
}

const GAP = 2;

/** A table as lines, the titles first, in at most `width` columns where that can be. */
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

/** By how much the columns are wider than `width`. */
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

/** The columns narrower by `over` in all, the last that may be cut first. */
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
