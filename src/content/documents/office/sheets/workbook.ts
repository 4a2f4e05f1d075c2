import { type About, type DocumentContent, escapeHtml, escapeLinkText, type Link } from "../../kinds/content.ts";
import { tableLines } from "../../kinds/table-lines.ts";
import { type Grid, type GridTable } from "./grid.ts";

/** The content of a workbook: a table for each sheet. */
export interface Workbook {
  readonly title: string;
  readonly about?: About;
  readonly sheets: readonly Grid[];
  /** Names of sheets that the workbook hides. */
  readonly hidden: readonly string[];
}

/** A workbook as tables. The first row of a table is its header. */
export function workbookContent({ title, about, sheets, hidden }: Workbook): DocumentContent {
  const tables = sheets.map((sheet) => ({ name: sheet.name, table: sheet.table(), sheet }));
  const partial = tables.filter(({ sheet }) => sheet.isPartial).map(({ name }) => name);
  const notes = [
    ...(hidden.length === 0 ? [] : [`Hidden sheets are left out: ${hidden.join(", ")}.`]),
    ...(partial.length === 0
      ? []
      : [`Rows or columns are missing, because the sheets are too large: ${partial.join(", ")}.`]),
  ];
  const shown = tables.filter(({ table }) => table.rows.length > 0);
  return {
    title,
    isPartial: partial.length > 0,
    ...(about === undefined ? {} : { about }),
    isEmpty: () => shown.length === 0 && notes.length === 0,
    markdown: () =>
      [
        ...shown.flatMap(({ name, table }) => [`## ${escapeLinkText(name)}`, tableLines(table.rows, table.hrefAt)]),
        ...notes,
      ].join("\n\n"),
    text: () =>
      [...shown.map(({ name, table }) => [name, ...table.rows.map(textLine)].join("\n")), ...notes].join("\n\n"),
    html: () =>
      [
        ...(title === "" ? [] : [`<title>${escapeHtml(title)}</title>`]),
        ...shown.map(({ name, table }) => `<h2>${escapeHtml(name)}</h2>\n<table>\n${htmlRows(table)}\n</table>`),
        ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
      ].join("\n"),
    links: () => linksOf(shown.map(({ table }) => table)),
  };
}

function textLine(row: readonly string[]): string {
  return row
    .map((text) => text.replace(/[\t\r\n]+/g, " "))
    .join("\t")
    .trimEnd();
}

function htmlRows({ rows, hrefAt }: GridTable): string {
  const lines = rows.map((row, index) => {
    const name = index === 0 ? "th" : "td";
    const cells = row.map((text, column) => {
      const shown = escapeHtml(text);
      const href = hrefAt(index, column);
      return `<${name}>${href === undefined ? shown : `<a href="${escapeHtml(href)}">${shown}</a>`}</${name}>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  return lines.join("\n");
}

function linksOf(tables: readonly GridTable[]): Link[] {
  const found = new Map<string, string>();
  for (const { rows, hrefAt } of tables) {
    for (const [index, row] of rows.entries()) {
      for (const [column, text] of row.entries()) {
        const href = hrefAt(index, column);
        if (href !== undefined && !found.has(href)) found.set(href, text);
      }
    }
  }
  return [...found].map(([url, text]) => ({ url, text }));
}
