import { type ChildNode, type Element, isTag } from "domhandler";
import { element } from "../../kinds/tree-content.ts";
import { atPath, childOf, elementsOf, type XmlElement } from "../read-xml.ts";
import { valueOf } from "./styles.ts";

/** Columns that a cell may span. @bound */
const MAX_SPAN = 1_000;

/** A cell of a table with the columns that it covers. */
export interface GridCell {
  readonly content: readonly ChildNode[];
  readonly columns: number;
  /** Whether it continues the cell above. */
  readonly continues: boolean;
  /** Rows that the file states, if it does not mark each continuing cell. */
  readonly rows?: number;
}

const STRUCTURES = new Set(["table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre"]);

/** A table from the cells of its rows. Its first row names the columns, unless the table only arranges its content. */
export function tableOf(rows: readonly (readonly GridCell[])[]): Element {
  const arranges =
    rows.length < 2 || rows.every(({ length }) => length < 2) || rows.some((row) => row.some(isStructured));
  const above = new Map<number, Element>();
  const lines = rows.map((row, index) => {
    const cells: Element[] = [];
    let column = 0;
    for (const { content, columns, continues, rows: high } of row) {
      const start = above.get(column);
      if (continues && start !== undefined) start.attribs["rowspan"] = `${Number(start.attribs["rowspan"] ?? "1") + 1}`;
      else {
        const cell = element(index === 0 && !arranges ? "th" : "td", content, {
          ...(columns > 1 ? { colspan: `${columns}` } : {}),
          ...(high !== undefined && high > 1 ? { rowspan: `${high}` } : {}),
        });
        cells.push(cell);
        above.set(column, cell);
      }
      column += columns;
    }
    return element("tr", cells);
  });
  return element("table", lines);
}

function isStructured({ content }: GridCell): boolean {
  return content.some((node) => isTag(node) && STRUCTURES.has(node.name));
}

/** Columns that a value says, from 1 to the limit. */
export function spanOf(value: string | undefined): number {
  const span = Number(value ?? "1");
  return Number.isInteger(span) && span >= 1 ? Math.min(span, MAX_SPAN) : 1;
}

/** The rows of a table, also those in content controls. */
export function rowsOf(table: XmlElement): XmlElement[] {
  return elementsOf(table).flatMap((child) => {
    if (child.name === "w:tr") return atPath(child, "w:trPr", "w:del") === undefined ? [child] : [];
    return WRAPPERS.has(child.name) ? rowsOf(child) : [];
  });
}

const WRAPPERS = new Set(["w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"]);

/** The cells of a row, also those in content controls, with empty ones before the first. */
export function cellsOf(row: XmlElement, read: (cell: XmlElement) => readonly ChildNode[]): GridCell[] {
  const before = Number(valueOf(atPath(row, "w:trPr", "w:gridBefore")) ?? "0");
  const cells: GridCell[] = before > 0 ? [{ content: [], columns: spanOf(`${before}`), continues: false }] : [];
  const add = (parent: XmlElement): void => {
    for (const child of elementsOf(parent)) {
      if (WRAPPERS.has(child.name)) add(child);
      if (child.name !== "w:tc") continue;
      const properties = childOf(child, "w:tcPr");
      const merge = childOf(properties, "w:vMerge");
      const continues = merge !== undefined && valueOf(merge) !== "restart";
      const columns = spanOf(valueOf(childOf(properties, "w:gridSpan")));
      cells.push({ content: continues ? [] : read(child), columns, continues });
    }
  };
  add(row);
  return cells;
}
