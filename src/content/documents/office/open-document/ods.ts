import { type DocumentContent } from "../../kinds/content.ts";
import { allBelow, childOf, elementsOf, type OpenElement, textOf, type XmlElement } from "../read-xml.ts";
import { Grid, nameOfPlace, sheetBudget } from "../sheets/grid.ts";
import { workbookContent } from "../sheets/workbook.ts";
import { linkAddress } from "../../kinds/tree-content.ts";
import { OpenDocument, type OpenSource } from "./open-document.ts";

/** Columns of a sheet of OpenDocument programs. Cells to the right of them are missing. @bound */
const MAX_COLUMN = 16_384;

/** The table of a chart in a flat file, which repeats cells of the sheets. */
const CHART_TABLE = "local-table";

/** Reads an OpenDocument spreadsheet. Throws a FileError if it is damaged or too large. */
export async function odsContent(source: OpenSource): Promise<DocumentContent> {
  const file = new OpenDocument(source);
  const budget = sheetBudget();
  const sheets: Grid[] = [];
  const hidden: string[] = [];
  let current: { table: XmlElement; grid: Grid; row: number } | undefined;
  const sheetOf = (table: XmlElement | undefined): typeof current => {
    if (table === undefined || current?.table === table) return current;
    const { "table:name": name = "", "table:style-name": style } = table.attributes;
    if (name === CHART_TABLE) return undefined;
    const isHidden = file.styles.property("table", style, "style:table-properties", "table:display") === "false";
    const grid = new Grid(name, isHidden ? { cells: 0, text: 0, repeated: 0 } : budget);
    if (isHidden) hidden.push(name);
    else sheets.push(grid);
    current = { table, grid, row: 0 };
    return current;
  };
  const take = (row: XmlElement, open: readonly OpenElement[]): void => {
    // Rows are in groups and in headers as well.
    const sheet = sheetOf(open.findLast(({ element }) => element.name === "table:table")?.element);
    if (row.name !== "table:table-row" || sheet === undefined) return;
    const { cells, links, comments } = cellsOf(row);
    const count = Math.max(1, Number(row.attributes["table:number-rows-repeated"] ?? "1") || 1);
    if (cells.size > 0 && sheet.grid.isFull) sheet.grid.isPartial = true;
    sheet.grid.addRows(sheet.row, count, cells);
    for (const [column, address] of links) sheet.grid.link(sheet.row, column, address);
    for (const [column, comment] of comments) {
      const author = textOf(childOf(comment, "dc:creator"));
      const text = elementsOf(comment, "text:p").map(textOf).join("\n");
      sheet.grid.comment({ cell: nameOfPlace(sheet.row, column), author, text });
    }
    sheet.row += count;
  };
  const groups = ["table:table", "table:table-row-group", "table:table-header-rows", "table:table-rows"];
  await file.read(new Map(groups.map((name) => [name, take])));
  return workbookContent({ ...(await file.properties()), sheets, hidden });
}

interface Cells {
  readonly cells: Map<number, string>;
  readonly links: Map<number, string>;
  /** By the column of the cell. */
  readonly comments: Map<number, XmlElement>;
}

function cellsOf(row: XmlElement): Cells {
  const found: Cells = { cells: new Map(), links: new Map(), comments: new Map() };
  let column = 0;
  for (const cell of elementsOf(row)) {
    const { attributes } = cell;
    const count = Math.max(1, Number(attributes["table:number-columns-repeated"] ?? "1") || 1);
    const comment = childOf(cell, "office:annotation");
    if (comment !== undefined) found.comments.set(column, comment);
    const text = cell.name === "table:table-cell" ? cellText(cell) : "";
    if (text !== "") {
      for (let at = column; at < Math.min(column + count, MAX_COLUMN); at += 1) found.cells.set(at, text);
      const address = linkAddress(allBelow(cell, "text:a")[0]?.attributes["xlink:href"] ?? "");
      if (address !== undefined) found.links.set(column, address);
    }
    column += count;
  }
  return found;
}

/** The value of a cell. Dates are in the form of ISO 8601, numbers without separators. */
function cellText(cell: XmlElement): string {
  const { attributes } = cell;
  const shown = elementsOf(cell, "text:p").map(textOf).join("\n");
  const type = attributes["office:value-type"];
  if (type === "float") return attributes["office:value"] ?? shown;
  if (type === "boolean") return (attributes["office:boolean-value"] ?? shown).toUpperCase();
  if (type !== "date") return shown;
  return (attributes["office:date-value"] ?? shown).replace("T", " ").replace(/ 00:00:00(?:\.0+)?$/, "");
}
