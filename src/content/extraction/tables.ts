import { selectAll, selectOne } from "css-select";
import { type AnyNode, type Document, type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { type FieldValue, type TableShape } from "./tree/extraction.ts";

/** Maximum number of rows of each table that are read. */
const MAX_ROWS = 100;
/** Maximum number of characters of a cell. */
const MAX_CELL = 20_000;

/**
 * Reads tables from a page whose layout is known. The columns are named `table.column` and are as long as the table has
 * rows. A missing cell is an empty string. The selectors must be valid, since they come from this project.
 */
export function readTables(tree: Document, tables: Readonly<Record<string, TableShape>>): Record<string, FieldValue> {
  const fields: Record<string, FieldValue> = {};
  for (const [name, { row, columns }] of Object.entries(tables)) {
    const rows = selectAll<AnyNode, Element>(row, tree).slice(0, MAX_ROWS);
    for (const [column, where] of Object.entries(columns)) {
      fields[`${name}.${column}`] = rows.map((element) => cell(element, where).slice(0, MAX_CELL));
    }
  }
  return fields;
}

function cell(row: Element, where: string): string {
  const [selector = "", attribute] = where.split("@");
  const element = selector === "" ? row : selectOne<AnyNode, Element>(selector, row.children);
  if (element === null || !isTag(element)) return "";
  return attribute === undefined ? textContent(element) : (element.attribs[attribute] ?? "");
}
