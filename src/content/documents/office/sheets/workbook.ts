import { escapeLinkText } from "../../../extraction/links.ts";
import { type About, type DocumentContent, escapeHtml, type Link } from "../../kinds/content.ts";
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

interface Section {
  readonly level: 2 | 3;
  readonly name: string;
  readonly table: GridTable;
}

/** A workbook as tables. The first row of a table is its header. */
export function workbookContent({ title, about, sheets, hidden }: Workbook): DocumentContent {
  const sections = sheets.flatMap(sectionsOf);
  const partial = sheets.filter(({ isPartial }) => isPartial).map(({ name }) => name);
  const notes = [
    ...(hidden.length === 0 ? [] : [`Hidden sheets are left out: ${hidden.join(", ")}.`]),
    ...(partial.length === 0
      ? []
      : [`Rows or columns are missing, because the sheets are too large: ${partial.join(", ")}.`]),
  ];
  return {
    title,
    isPartial: partial.length > 0,
    ...(about === undefined ? {} : { about }),
    isEmpty: () => sections.length === 0 && notes.length === 0,
    markdown: () =>
      [
        ...sections.flatMap(({ level, name, table }) => [
          `${"#".repeat(level)} ${escapeLinkText(name)}`,
          ...(table.rows.length === 0 ? [] : [tableLines(table.rows, table.hrefAt)]),
        ]),
        ...notes,
      ].join("\n\n"),
    text: () =>
      [...sections.map(({ name, table }) => [name, ...table.rows.map(textLine)].join("\n")), ...notes].join("\n\n"),
    html: () =>
      [
        ...(title === "" ? [] : [`<title>${escapeHtml(title)}</title>`]),
        ...sections.map(
          ({ level, name, table }) =>
            `<h${level}>${escapeHtml(name)}</h${level}>${table.rows.length === 0 ? "" : `\n<table>\n${htmlRows(table)}\n</table>`}`,
        ),
        ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
      ].join("\n"),
    links: () => linksOf(sections.map(({ table }) => table)),
  };
}

/** The cells of a sheet, its charts and its comments. None if it has nothing. */
function sectionsOf(sheet: Grid): Section[] {
  const table = sheet.table();
  const comments = sheet.comments.map(({ cell, author, text }) => [cell, author, text]);
  const others = [
    ...sheet.charts.map(({ title, rows }) => belowSheet(title === "" ? "Chart" : `Chart: ${title}`, rows)),
    ...(comments.length === 0 ? [] : [belowSheet("Comments", [["Cell", "Author", "Comment"], ...comments])]),
  ];
  return table.rows.length + others.length === 0 ? [] : [{ level: 2, name: sheet.name, table }, ...others];
}

function belowSheet(name: string, rows: GridTable["rows"]): Section {
  return { level: 3, name, table: { rows, hrefAt: () => undefined } };
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
