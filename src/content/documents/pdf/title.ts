import { HEADING_FACTOR } from "./blocks.ts";
import { segmentsOf } from "./segments.ts";
import { oneLine } from "./write.ts";
import { type Block, type PdfPage, plainOf, type Run } from "./shapes.ts";

/** Maximum number of letters of a line of a PDF that is used as its title. Longer lines are not. */
const MAX_TITLE = 160;

type Text = Extract<Block, { kind: "text" }>;

/** The first page of a document that has text: its blocks, its runs and the size of the document's letters. */
interface FirstPage {
  readonly blocks: readonly Block[];
  readonly page: PdfPage | undefined;
  /** The first page with its headers. */
  readonly whole: PdfPage | undefined;
  readonly bodySize: number;
}

/**
 * The title that a document's text shows: a heading or large letters on the first page, otherwise the first heading, or
 * a first line that stands alone. Empty if there is no such text.
 */
export function shownTitle({ blocks, page, whole, bodySize }: FirstPage, all: readonly Block[]): string {
  const manual = manualName(whole?.runs ?? []);
  if (manual !== "") return manual;
  const heading = bestHeading(blocks);
  if (heading?.level === 1) return oneLine(plainOf(heading.pieces));
  const large = largest(page?.runs ?? [], bodySize);
  if (large !== undefined && large.size > (heading?.look.size ?? 0) * 1.02) return large.text;
  if (heading !== undefined) return oneLine(plainOf(heading.pieces));
  const later = all.find((block) => block.kind === "text" && block.level === 1);
  return later?.kind === "text" ? oneLine(plainOf(later.pieces)) : firstLine(blocks);
}

/** The name of a manual page: the first line has it at both ends, as in "LS(1)  User Commands  LS(1)". */
function manualName(runs: readonly Run[]): string {
  const top = runs.reduce((least, { y }) => Math.min(least, y), Number.POSITIVE_INFINITY);
  const line = runs.filter(({ y, size }) => y < top + size / 4).toSorted((a, b) => a.x - b.x);
  const text = line.map((run) => run.text).join(" ");
  return /^(\S{1,60}\(\d\w{0,4}\))(?=\s).*\s\1$/.exec(text)?.[1] ?? "";
}

function bestHeading(blocks: readonly Block[]): Text | undefined {
  let best: Text | undefined;
  for (const block of blocks) {
    if (block.kind === "text" && block.level > 0 && block.level < (best?.level ?? Number.POSITIVE_INFINITY))
      best = block;
  }
  return best;
}

/** The first line of a page in its largest letters, if they are larger than those of the text. */
function largest(runs: readonly Run[], bodySize: number): { text: string; size: number } | undefined {
  const most = runs.reduce((size, run) => (isWords(run.text) ? Math.max(size, run.size) : size), 0);
  if (most <= bodySize * HEADING_FACTOR) return undefined;
  const segment = segmentsOf(runs.filter(({ size }) => size > most * 0.98))[0];
  const text = segment?.line?.text.trim() ?? "";
  return isWords(text) && text.length <= MAX_TITLE ? { text, size: most } : undefined;
}

function firstLine([first]: readonly Block[]): string {
  if (first?.kind !== "text" || first.look.lines !== 1) return "";
  const text = plainOf(first.pieces).trim();
  return isWords(text) && text.length <= MAX_TITLE && !/[.,;:!?]$/.test(text) ? text : "";
}

function isWords(text: string): boolean {
  return /\p{L}{2}|\p{Lo}/u.test(text);
}
