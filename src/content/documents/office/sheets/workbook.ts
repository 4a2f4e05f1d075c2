import { type About, type DocumentContent, escapeHtml, escapeLinkText, type Link } from "../../kinds/content.ts";
import { tableLines } from "../../kinds/table-lines.ts";
import { type Grid } from "./grid.ts";

/** The content of a workbook: a table for each sheet. */
export interface Workbook {
  readonly title: string;
  readonly about?: About;
  readonly sheets: readonly Grid[];
  /** Names of sheets that the workbook hides. */
  readonly hidden: readonly string[];
}

type Cell = ReturnType<Grid["rows"]>[number][number];

/** A workbook as tables. The first row of a table is its header. */
export function workbookContent({ title, about, sheets, hidden }: Workbook): DocumentContent {
  const tables = sheets.map((sheet) => ({ name: sheet.name, rows: sheet.rows(), sheet }));
  const partial = tables.filter(({ sheet }) => sheet.isPartial).map(({ name }) => name);
  const notes = [
    ...(hidden.length === 0 ? [] : [`Hidden sheets are left out: ${hidden.join(", ")}.`]),
    ...(partial.length === 0
      ? []
      : [`Rows or columns are missing, because the sheets are too large: ${partial.join(", ")}.`]),
  ];
  const shown = tables.filter(({ rows }) => rows.length > 0);
  return {
    title,
    isPartial: partial.length > 0,
    ...(about === undefined ? {} : { about }),
    markdown: () =>
      [...shown.flatMap(({ name, rows }) => [`## ${escapeLinkText(name)}`, markdownTable(rows)]), ...notes].join(
        "\n\n",
      ),
    text: () => [...shown.map(({ name, rows }) => [name, ...rows.map(textLine)].join("\n")), ...notes].join("\n\n"),
    html: () =>
      [
        ...(title === "" ? [] : [`<title>${escapeHtml(title)}</title>`]),
        ...shown.map(
          ({ name, rows }) => `<h2>${escapeHtml(name)}</h2>\n<table>\n${rows.map(htmlRow).join("\n")}\n</table>`,
        ),
        ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
      ].join("\n"),
    links: () => linksOf(shown.flatMap(({ rows }) => rows)),
  };
}

function markdownTable(rows: readonly (readonly Cell[])[]): string {
  return tableLines(
    rows.map((row) => row.map((cell) => cell.text)),
    (row, column) => rows[row]?.[column]?.href,
  );
}

function textLine(row: readonly Cell[]): string {
  return row
    .map(({ text }) => text.replace(/[\t\r\n]+/g, " "))
    .join("\t")
    .trimEnd();
}

function htmlRow(row: readonly Cell[], index: number): string {
  const name = index === 0 ? "th" : "td";
  const cells = row.map(({ text, href }) => {
    const shown = escapeHtml(text);
    return `<${name}>${href === undefined ? shown : `<a href="${escapeHtml(href)}">${shown}</a>`}</${name}>`;
  });
  return `<tr>${cells.join("")}</tr>`;
}

function linksOf(rows: readonly (readonly Cell[])[]): Link[] {
  const found = new Map<string, string>();
  for (const row of rows) {
    for (const { text, href } of row) if (href !== undefined && !found.has(href)) found.set(href, text);
  }
  return [...found].map(([url, text]) => ({ url, text }));
}
