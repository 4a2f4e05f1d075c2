import { isMemoryError } from "../kinds/file-error.ts";
import { within } from "../../../lib/time/within.ts";
import { type SourcePage } from "./read-page.ts";
import { type Block, paragraphWith, type PdfPage } from "./shapes.ts";

/** Limits of the pages of one document. Pages after a limit are missing from the result. */
export interface ReadLimits {
  readonly pages: number;
  /** Milliseconds for reading pages. */
  readonly ms: number;
  /** Characters and runs of text. */
  readonly text: number;
  readonly runs: number;
  /** A clock in milliseconds. */
  readonly now: () => number;
}

/** The pages of a document that were read, and the numbers of those that are missing. */
export interface ReadPages {
  readonly pages: readonly PdfPage[];
  readonly numbers: readonly number[];
  readonly total: number;
  /** Pages that cannot be read, up to `MAX_NAMED`. */
  readonly damaged: readonly number[];
  /** The first page that was not read because of a limit. Above `total` if all pages were read. */
  readonly next: number;
}

/** Maximum number of damaged or unreadable pages that are named. */
const MAX_NAMED = 20;
/** Size of the letters of the note about missing pages. The note is not in the document. */
const NOTE_SIZE = 10;

/** The part of pdf.js's document type that is used here. */
export interface Source {
  readonly numPages: number;
  getPage(number: number): Promise<SourcePage>;
}

/**
 * Reads the pages one after the other, as far as the limits allow. A page that cannot be read is left out. `read` may
 * take as long as the page makes it.
 */
export async function readPages(
  document: Source,
  read: (page: SourcePage) => Promise<PdfPage>,
  limits: ReadLimits,
): Promise<ReadPages> {
  const end = limits.now() + limits.ms;
  const pages: PdfPage[] = [];
  const [numbers, damaged]: [number[], number[]] = [[], []];
  const total = document.numPages;
  let [text, runs, next] = [0, 0, 1];
  for (; next <= Math.min(total, limits.pages); next += 1) {
    const left = end - limits.now();
    // At least one page is read, however little time there is.
    if (left <= 0 && next > 1) break;
    const reading = pageOf(document, next, read);
    const page = next === 1 ? await reading : await within(left, reading);
    if (page === undefined) break;
    if (page === "damaged") {
      if (damaged.length < MAX_NAMED) damaged.push(next);
      continue;
    }
    text += page.runs.reduce((sum, run) => sum + run.text.length, 0);
    runs += page.runs.length + page.aside.length;
    if (text > limits.text || runs > limits.runs) break;
    pages.push(page);
    numbers.push(next);
  }
  return { pages, numbers, total, damaged, next };
}

async function pageOf(
  document: Source,
  number: number,
  read: (page: SourcePage) => Promise<PdfPage>,
): Promise<PdfPage | "damaged"> {
  try {
    const source = await document.getPage(number);
    const page = await read(source);
    source.cleanup();
    return page;
  } catch (error) {
    if (isMemoryError(error)) throw error;
    return "damaged";
  }
}

/**
 * A paragraph about missing text, if the first `used` pages were used: damaged pages, pages after a limit, and text of
 * the pages with the indexes `lost`, whose characters are not known. Undefined if all text was read.
 */
export function missingNote(
  { total, damaged, numbers, next: unread }: ReadPages,
  used: number,
  lost: readonly number[],
): Block | undefined {
  const next = numbers[used] ?? unread;
  const parts = damaged
    .filter((page) => page < next)
    .map((page) => `Page ${page} of this document is missing: it is damaged.`);
  for (const at of lost.filter((page) => page < used).slice(0, MAX_NAMED))
    parts.push(`Text of page ${numbers[at]} is missing: its font does not say which characters it has.`);
  if (next <= total)
    parts.push(`Pages ${next} to ${total} of this document are missing: it is too long to be read whole.`);
  if (parts.length === 0) return undefined;
  return paragraphWith(parts.join(" "), NOTE_SIZE);
}
