import { codeContent, type DocumentContent } from "./kinds/content.ts";
import { tableLines } from "./kinds/table-lines.ts";

/** Maximum number of columns of a table. A file with more columns is shown unchanged. */
const MAX_COLUMNS = 256;
/** Maximum number of cells that are added to short rows, in all. A file that needs more is shown unchanged. */
const MAX_FILLED = 1_000_000;

/** Comma-separated values: unchanged as text, and as a table in Markdown. */
export function csvContent(text: string, separator: string | undefined): DocumentContent {
  const plain = codeContent(text, "csv");
  const rows = tableOf(text, separator ?? separatorOf(text));
  if (rows === undefined) return plain;
  return { ...plain, markdown: () => tableLines(rows) };
}

/** The most frequent separator in the first line. */
function separatorOf(text: string): string {
  const line = text.slice(0, 10_000).split(/\r?\n/, 1)[0] ?? "";
  const count = (separator: string) => line.split(separator).length;
  return [",", ";", "\t", "|"].reduce((best, other) => (count(other) > count(best) ? other : best));
}

/** The rows, all of the same width. Undefined if they are not a table. */
function tableOf(text: string, separator: string): string[][] | undefined {
  const rows = parseRows(text, separator);
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  if (rows.length === 0 || width < 2 || width > MAX_COLUMNS) return undefined;
  const filled = rows.reduce((sum, row) => sum + width - row.length, 0);
  if (filled > MAX_FILLED) return undefined;
  for (const row of rows) while (row.length < width) row.push("");
  return rows;
}

/** Parses RFC 4180. It tolerates other line ends, and quotes that are not closed. */
function parseRows(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quoted(text, at) : bare(text, at, separator);
    row.push(cell.value);
    at = cell.end;
    if (text[at] === separator) {
      at += 1;
      // After a separator at the end of the text, there is one more empty cell.
      if (at < text.length) continue;
      row.push("");
    }
    while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at += 1;
    at += text.startsWith("\r\n", at) ? 2 : 1;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function bare(text: string, start: number, separator: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { value: text.slice(start, end), end };
}

function quoted(text: string, start: number): Cell {
  const parts: string[] = [];
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return { value: parts.join("") + text.slice(at), end: text.length };
    parts.push(text.slice(at, quote));
    if (text[quote + 1] !== '"') return { value: parts.join(""), end: quote + 1 };
    parts.push('"');
    at = quote + 2;
  }
}
