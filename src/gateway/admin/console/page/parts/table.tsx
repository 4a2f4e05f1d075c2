import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Figures stand at the right, below each other. */
  readonly isNumber?: boolean;
  /** By this value its head sorts the rows. */
  readonly sort?: (row: Row) => number | string;
  /** Left away where the table is narrow: the reader finds it elsewhere. */
  readonly isMinor?: boolean;
}

interface TableProps<Row> {
  /** Said to screen readers; the panel's head says it to all others. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty?: ComponentChildren;
  readonly sortedBy?: string;
  /** Columns are as wide as those of other tables of the same kind. */
  readonly isEven?: boolean;
}

/** More rows than this are drawn on demand: a page of 10,000 routes is slow to draw and to read. */
const FIRST_ROWS = 100;

interface Order {
  readonly name: string;
  readonly isDown: boolean;
}

/** A table; on a narrow page each row is a block with its columns' names. The first column heads its row. */
export function Table<Row>({ caption, columns, rows, keyOf, empty, sortedBy, isEven = false }: TableProps<Row>) {
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
  // Blocks are no table to browsers any more, so the parts say what they are.
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
          <button class="button small" type="button" onClick={() => setShown(shown + 5 * FIRST_ROWS)}>
            Show more
          </button>
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
