import { hasLeader } from "./labels.ts";
import { lineOf } from "./pieces.ts";
import { lineOfRow, type TextRow } from "./segments.ts";

/** The minimum number of entries of a contents list. */
const MIN_ENTRIES = 3;
/** The minimum share of entries of a contents list that have a leader, or begin with a number such as 2.1. */
const MIN_NUMBERED = 0.5;
/** The maximum distance between entries, in heights of the letters. */
const ENTRY_GAP = 4;

const PAGE = /^(?:\d{1,4}|[ivxlc]{1,7})$/;
const NUMBERED = /^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.\d{1,2}|[IVX]{1,5}\.?)\s+\p{L}/u;

/**
 * Gives the entries of contents lists leaders, which are dots before the page number. Entries of chapters often have
 * none, and some lists have no leaders at all.
 */
export function withLeaders(rows: readonly TextRow[]): TextRow[] {
  const written: TextRow[] = [];
  while (written.length < rows.length) {
    const at = written.length;
    const entries = entriesFrom(rows, at);
    const isList = entries.length >= MIN_ENTRIES && isContents(entries);
    const length = Math.max(1, entries.length);
    written.push(...(isList ? entries.map(withLeader) : rows.slice(at, at + length)));
  }
  return written;
}

/** The rows from an index on that end with page numbers, in order and at the same right edge. */
function entriesFrom(rows: readonly TextRow[], at: number): TextRow[] {
  const entries: TextRow[] = [];
  let page = 0;
  for (let next = at; next < rows.length; next += 1) {
    const row = rows[next];
    if (row === undefined) break;
    const above = entries.at(-1);
    const [last, edge] = [row.segments.at(-1), above?.segments.at(-1)?.right];
    const text = last?.line?.text.trim() ?? "";
    const isEntry = row.segments.length > 1 && PAGE.test(text) && /\p{L}{2}/u.test(lineOfRow(row).text);
    const isNear = above === undefined || row.y - above.y < row.size * ENTRY_GAP;
    const isAligned = edge === undefined || Math.abs(edge - (last?.right ?? 0)) < row.size;
    const number = /^\d/.test(text) ? Number(text) : page;
    if (!isEntry || !isNear || !isAligned || number < page) break;
    page = number;
    entries.push(row);
  }
  return entries;
}

function isContents(entries: readonly TextRow[]): boolean {
  const texts = entries.map((row) => lineOfRow(row).text);
  const leaded = texts.filter(hasLeader).length;
  const numbered = texts.filter((text) => NUMBERED.test(text));
  const isDeep = numbered.some((text) => /^\d{1,2}\.\d/.test(text)) && numbered.length >= texts.length * MIN_NUMBERED;
  return leaded > 0 || isDeep;
}

function withLeader(row: TextRow): TextRow {
  const line = lineOfRow(row);
  const [first, last] = [row.segments[0], row.segments.at(-1)];
  if (hasLeader(line.text) || first === undefined || last?.line === undefined) return row;
  const before = row.segments.slice(0, -1).flatMap((segment) => segment.line?.runs ?? []);
  const [run] = last.line.runs;
  if (run === undefined) return row;
  const end = row.segments.at(-2)?.right ?? first.right;
  const dots = {
    ...run,
    text: ". . . .",
    x: end + row.size * 0.3,
    width: Math.max(1, last.x - end - row.size * 0.6),
    isSpaced: true,
  };
  const whole = lineOf([...before, dots, ...last.line.runs]);
  return { ...row, segments: [{ ...first, right: last.right, line: whole }] };
}
