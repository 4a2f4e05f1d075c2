import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../format/numbers.ts";
import { type Latency } from "../../../figures/latency.ts";
import { useMayChange } from "./access.ts";
import { latencyText } from "./bits.tsx";
import { Button } from "./button.tsx";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean;
  /** A click on the column's header sorts the rows by this value. */
  readonly sort?: (row: Row) => number | string;
  /** Hidden if the table is narrow, because the value is also shown elsewhere. */
  readonly isMinor?: boolean;
}

/** A column of numbers, by which the rows can be sorted. */
export function numberColumn<Row>(
  name: string,
  valueOf: (row: Row) => number,
  shown: (value: number, row: Row) => ComponentChildren = count,
): Column<Row> {
  return { name, isNumber: true, sort: valueOf, cell: (row) => shown(valueOf(row), row) };
}

export function latencyColumn<Row>(name: string, latencyOf: (row: Row) => Latency | undefined): Column<Row> {
  return { name, isNumber: true, sort: (row) => latencyOf(row)?.ms ?? 0, cell: (row) => latencyText(latencyOf(row)) };
}

interface TableProps<Row> {
  /** For screen readers. Other users read the panel's header. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** The buttons of a row, in the last column. Only users who may change something see it. */
  readonly actions?: (row: Row) => ComponentChildren;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty?: ComponentChildren;
  readonly sortedBy?: string;
  /** Columns have the same widths as in other tables of this kind. */
  readonly isEven?: boolean;
}

/** Rows that are drawn at first: a page with 10,000 is slow and hard to read. A button shows more. */
const FIRST_ROWS = 100;

interface Order {
  readonly name: string;
  readonly isDown: boolean;
}

/** A table. On a narrow page, each row is a block with column names. The first column is the row's header. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, actions, rows, keyOf, empty, sortedBy, isEven = false } = props;
  const mayChange = useMayChange();
  const buttons = actions === undefined || !mayChange ? [] : [{ name: "Actions", cell: actions }];
  const columns: readonly Column<Row>[] = [...props.columns, ...buttons];
  const [order, setOrder] = useState<Order | undefined>(
    sortedBy === undefined ? undefined : { name: sortedBy, isDown: true },
  );
  const [shown, setShown] = useState(FIRST_ROWS);
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const sorted = sortRows(rows, columns, order);
  const toggle = ({ name, isNumber }: Column<Row>): void => {
    const isFirst = order?.name !== name;
    setOrder({ name, isDown: isFirst ? isNumber === true : !order.isDown });
  };
  // Browsers do not treat blocks as a table, so the parts have ARIA roles.
  return (
    <div class="table-place">
      <table class={isEven ? "table even" : "table"} role="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <HeadCell key={column.name} column={column} order={order} onSort={() => toggle(column)} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sorted.slice(0, shown).map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column, at) => (
                <Cell key={column.name} column={column} isHead={at === 0}>
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length <= shown ? null : (
        <p class="table-more">
          <span class="soft num">
            {shown} of {sorted.length}
          </span>
          <Button label="Show more" kind="small" onClick={() => setShown(shown + 5 * FIRST_ROWS)} />
        </p>
      )}
    </div>
  );
}

function HeadCell<Row>({
  column,
  order,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly order: Order | undefined;
  readonly onSort: () => void;
}) {
  const { name, isNumber, sort, isMinor } = column;
  const isSorted = order?.name === name;
  const kind = `${isNumber === true ? "number" : ""} ${isMinor === true ? "minor" : ""}`;
  return (
    <th
      scope="col"
      role="columnheader"
      class={kind}
      aria-sort={isSorted ? (order.isDown ? "descending" : "ascending") : undefined}
    >
      {sort === undefined ? (
        <span class={name === "Actions" ? "visually-hidden" : undefined}>{name}</span>
      ) : (
        <button type="button" class="sort" onClick={onSort}>
          {name}
          <span class="sort-mark" aria-hidden="true">
            {isSorted ? (order.isDown ? "↓" : "↑") : ""}
          </span>
        </button>
      )}
    </th>
  );
}

function Cell<Row>({
  column: { name, isNumber, isMinor },
  isHead,
  children,
}: {
  readonly column: Column<Row>;
  readonly isHead: boolean;
  readonly children: ComponentChildren;
}) {
  const kind = `${isNumber === true ? "number num" : ""} ${isMinor === true ? "minor" : ""}`;
  if (isHead) {
    return (
      <th scope="row" role="rowheader" class={kind}>
        {children}
      </th>
    );
  }
  return (
    <td role="cell" class={`${kind} ${name === "Actions" ? "cell-actions" : ""}`} data-label={name}>
      {children}
    </td>
  );
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | undefined,
): readonly Row[] {
  const by = columns.find(({ name }) => name === order?.name)?.sort;
  if (by === undefined || order === undefined) return rows;
  const sorted = rows.toSorted((a, b) => {
    const left = by(a);
    const right = by(b);
    if (typeof left === "number" && typeof right === "number") return left - right;
    return String(left).localeCompare(String(right), "en");
  });
  return order.isDown ? sorted.toReversed() : sorted;
}
