import { type PdfPage, type Rule, type Run } from "../shapes.ts";
import { runAt } from "./made-runs.ts";

/** The text of a page, and the lines that it draws. */
interface Drawing {
  readonly runs: readonly Run[];
  readonly rules?: readonly Rule[];
}

/** Pages on which one measure grows. */
export interface Measure {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly pages: (value: number) => readonly PdfPage[];
}

const WIDTH = 600;

/** A page of 600 × 800 points. */
export function pageOf({ runs, rules = [] }: Drawing): PdfPage {
  const rest = { aside: [], letters: new Map(), tree: undefined, addresses: new Map() };
  return { width: WIDTH, height: 800, runs, rules, ...rest };
}

/** A measure of one page with these texts and lines, or of several pages. */
export function measure(
  name: string,
  [from, to, step]: readonly [from: number, to: number, step: number],
  drawing: (value: number) => readonly Run[] | Drawing | readonly PdfPage[],
): Measure {
  const pages = (value: number): readonly PdfPage[] => {
    const drawn = drawing(value);
    if ("runs" in drawn) return [pageOf(drawn)];
    return drawn.every((part) => "runs" in part) ? drawn : [pageOf({ runs: drawn })];
  };
  return { name, from, to, step, pages };
}

/** Words of one letter that fill this width. A capital letter begins with one, and a mark at its end is kept. */
function filled(letter: string, width: number): string {
  const [first = "", mark = ""] = letter;
  const count = Math.max(1, Math.round(width / 5) - mark.length);
  const letters = first.toLowerCase().repeat(count).split("");
  const words = letters.map((own, at) => (at % 6 === 5 && at < count - 1 ? " " : own)).join("");
  return first + words.slice(1) + mark;
}

/** The width of a line, 200 points unless it is given, and the look of its letters. */
type Look = number | Partial<Run>;

function lookOf(look: Look): Partial<Run> & { width: number } {
  return typeof look === "number" ? { width: look } : { width: 200, ...look };
}

/** A run of words of one letter. */
export function line(letter: string, x: number, y: number, look: Look = 200): Run {
  const own = lookOf(look);
  return runAt(x, y, filled(letter, own.width), own);
}

/** Lines of one width, a letter each, 12 points apart. The last one ends with a stop, and half of the way. */
export function text(letters: string, x: number, y: number, look: Look = 200): Run[] {
  const own = lookOf(look);
  return letters.split("").map((letter, at) => {
    const isLast = at === letters.length - 1;
    const width = isLast ? own.width / 2 : own.width;
    return line(isLast ? `${letter}.` : letter, x, y + at * 12, { ...own, width });
  });
}

/** Rows of cells at these places. */
export function cells(
  places: readonly number[],
  y: number,
  leading: number,
  rows: readonly (readonly string[])[],
): Run[] {
  return rows.flatMap((row, at) =>
    row.flatMap((own, column) => (own === "" ? [] : [runAt(places[column] ?? 0, y + at * leading, own)])),
  );
}

export const PRICES = [
  ["Road", "Toll"],
  ["A1", "3.50"],
  ["B2", "4"],
];
export const WORDS = [
  ["Road", "Keeper", "Year"],
  ["Amber", "Jones", "late"],
  ["Birch", "Smith", "early"],
  ["Cedar", "Brown", "never"],
];

/** The pages as they are in a script that is written from right to left. */
export function mirrored(pages: readonly PdfPage[]): PdfPage[] {
  return pages.map((page) => ({
    ...page,
    runs: page.runs.map((run) => ({
      ...run,
      x: WIDTH - run.x - run.width,
      isRtl: /[a-z]/i.test(run.text),
      text: run.text.replace(/[a-z]/gi, (letter) =>
        String.fromCharCode(0x5d0 + ((letter.toLowerCase().charCodeAt(0) - 97) % 22)),
      ),
    })),
    rules: page.rules.map((rule) =>
      rule.isAcross ? { ...rule, from: WIDTH - rule.to, to: WIDTH - rule.from } : { ...rule, at: WIDTH - rule.at },
    ),
  }));
}
