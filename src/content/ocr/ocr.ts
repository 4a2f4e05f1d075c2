import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TurnpikeError } from "../../lib/errors.ts";
import { sniff } from "../documents/sniff.ts";
import { element, treeContent } from "../documents/kinds/tree-content.ts";
import {
  type ExtractionJob,
  type ExtractionOutcome,
  type ScanFacts,
  type OcrWord,
} from "../extraction/tree/extraction.ts";
import { contentOutcome } from "../extractor/outcome-of.ts";
import { type Deadline } from "../page/deadline.ts";
import { FairSemaphore } from "../page/fair-semaphore.ts";
import { type PageSource } from "../page/page.ts";
import { pictureSize } from "./picture-size.ts";
import { runProgram } from "./run-program.ts";

/** The words of a page by paragraphs and their lines. */
type OcrPage = readonly (readonly (readonly OcrWord[])[])[];

/** The level of rows of words in Tesseract's TSV. */
const WORD_LEVEL = 5;

/** Reads Tesseract's TSV: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
export function wordsOf(tsv: string): OcrPage {
  const paragraphs: OcrWord[][][] = [];
  let paragraphKey = "";
  let lineKey = "";
  for (const row of tsv.split("\n").slice(1)) {
    const cells = row.split("\t");
    const [level, , block, paragraph, line, , left, top, width, height, confidence] = cells.map(Number);
    const text = cells.slice(11).join(" ").trim();
    if (level !== WORD_LEVEL || text === "") continue;
    const ofParagraph = `${block} ${paragraph}`;
    const ofLine = `${ofParagraph} ${line}`;
    if (ofParagraph !== paragraphKey) paragraphs.push([]);
    if (ofLine !== lineKey) paragraphs.at(-1)?.push([]);
    [paragraphKey, lineKey] = [ofParagraph, ofLine];
    const box = { left: left ?? 0, top: top ?? 0, width: width ?? 0, height: height ?? 0 };
    paragraphs
      .at(-1)
      ?.at(-1)
      ?.push({ text, confidence: Math.max(0, (confidence ?? 0) / 100), ...box });
  }
  return paragraphs;
}

/** The text of a paragraph. A word that a hyphen divides at the end of a line is whole. */
export function textOfLines(lines: OcrPage[number]): string {
  return lines
    .map((line) => line.map(({ text }) => text).join(" "))
    .join("\n")
    .replace(/(\p{Ll})[-\u2010]\n(?=\p{Ll})/gu, "$1")
    .replaceAll("\n", " ");
}

export interface OcrOptions {
  /** Names of languages of Tesseract, such as `eng`. */
  readonly languages: readonly string[];
  /** Pages of a document that are read, milliseconds for all of them, and pixels of a picture. */
  readonly maxPages: number;
  readonly timeoutMs: number;
  readonly maxPixels: number;
  /** Documents that are read at the same time. */
  readonly concurrency: number;
}

/** Documents that wait for OCR, and milliseconds for which they do. Further ones are refused. @operator */
const MAX_QUEUED = 64;
const MAX_QUEUE_MS = 30_000;
/** Pixels of the longer side of a page of a PDF document as it is drawn: 200 for each inch of A4. @bound */
const PAGE_SIDE = 2_339;
/** Words of a document whose boxes are returned. @operator */
const MAX_WORDS = 50_000;

/** The programs of the system that OCR needs. */
const PROGRAMS = { tesseract: "tesseract", pdftoppm: "pdftoppm" } as const;

/** Reads the text of pictures, and of PDF documents whose pages are pictures, by the programs of the system. */
export class Ocr {
  readonly #options: OcrOptions;
  readonly #places: FairSemaphore;
  readonly #now: () => number;

  private constructor(options: OcrOptions, now: () => number) {
    this.#options = options;
    this.#places = new FairSemaphore(options.concurrency, MAX_QUEUED, MAX_QUEUE_MS);
    this.#now = now;
  }

  /** Checks that the programs and languages are there. Fails with a message that says what to install. */
  static async start(options: OcrOptions, now: () => number): Promise<Ocr> {
    for (const name of Object.values(PROGRAMS)) {
      if (Bun.which(name) === null)
        throw new Error(
          `Cannot use content.files.ocr: the program '${name}' is not installed; install tesseract-ocr and poppler-utils`,
        );
    }
    const list = await runProgram({ program: PROGRAMS.tesseract, args: ["--list-langs"], timeoutMs: MAX_QUEUE_MS });
    const known = new Set(list?.toString("utf8").split(/\s+/));
    const missing = options.languages.find((language) => !known.has(language));
    if (missing !== undefined)
      throw new Error(
        `Cannot use content.files.ocr: Tesseract has no language '${missing}'; install tesseract-ocr-${missing}`,
      );
    return new Ocr(options, now);
  }

  /** Whether OCR may find the text that was not found: of a PDF without readable text, or of a picture. */
  canRead({ body }: PageSource, outcome: ExtractionOutcome): boolean {
    if (outcome.outcome !== "not-content" || typeof body === "string") return false;
    if (outcome.reason === "empty") return sniff(body) === "pdf";
    return outcome.reason === "unsupported-type" && pictureSize(body) !== undefined;
  }

  /** Does the job with the text that OCR finds. `nothing` is its outcome without words. Fails with a TurnpikeError. */
  async read(
    { source, task }: ExtractionJob,
    nothing: ExtractionOutcome,
    { deadline, signal }: Reading,
  ): Promise<ExtractionOutcome> {
    const { body } = source;
    if (typeof body === "string") return nothing;
    const size = sniff(body) === "pdf" ? undefined : pictureSize(body);
    const pixels = (size?.width ?? 0) * (size?.height ?? 0);
    if (pixels > this.#options.maxPixels)
      throw new TurnpikeError(
        "page-failed",
        `Cannot read the page: the picture has more than ${this.#options.maxPixels} pixels`,
      );
    deadline.wait();
    const leave = await deadline.race(this.#places.take(signal, deadline)).finally(() => deadline.go());
    const stop = new AbortController();
    deadline.stopped.catch(() => stop.abort());
    try {
      deadline.extend(this.#options.timeoutMs);
      const until = this.#now() + this.#options.timeoutMs;
      const found = await deadline.race(
        size === undefined ? this.#pdf(body, until, stop.signal) : this.#picture(body, until, stop.signal),
      );
      return outcomeOf(found, { source, task, nothing });
    } finally {
      stop.abort();
      leave();
    }
  }

  async #picture(body: Uint8Array<ArrayBuffer>, until: number, signal: AbortSignal): Promise<Found> {
    const page = await this.#recognise(body, until, signal);
    return { pages: page === undefined ? [] : [page], isPartial: false };
  }

  async #pdf(body: Uint8Array<ArrayBuffer>, until: number, signal: AbortSignal): Promise<Found> {
    const folder = await mkdtemp(join(tmpdir(), "turnpike-ocr-"));
    try {
      const path = join(folder, "document.pdf");
      await writeFile(path, body, { mode: 0o600 });
      const pages: OcrPage[] = [];
      for (let number = 1; number <= this.#options.maxPages; number += 1) {
        const args = ["-gray", "-scale-to", `${PAGE_SIDE}`, "-f", `${number}`, "-l", `${number}`, path];
        const timeoutMs = until - this.#now();
        if (timeoutMs <= 0 || signal.aborted) return { pages, isPartial: true };
        const picture = await runProgram({ program: PROGRAMS.pdftoppm, args, timeoutMs, signal });
        if (picture === undefined || picture.length === 0) return { pages, isPartial: this.#now() >= until };
        const page = await this.#recognise(new Uint8Array(picture), until, signal);
        if (page === undefined) return { pages, isPartial: true };
        pages.push(page);
      }
      return { pages, isPartial: true };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #recognise(input: Uint8Array<ArrayBuffer>, until: number, signal: AbortSignal): Promise<OcrPage | undefined> {
    const timeoutMs = until - this.#now();
    if (timeoutMs <= 0) return undefined;
    const languages = this.#options.languages.join("+");
    const args = ["stdin", "stdout", "-l", languages, "-c", "tessedit_page_number=0", "tsv"];
    const tsv = await runProgram({ program: PROGRAMS.tesseract, args, input, timeoutMs, signal });
    return tsv === undefined ? undefined : wordsOf(tsv.toString("utf8"));
  }
}

interface Reading {
  readonly deadline: Deadline;
  /** The request that the page belongs to. */
  readonly signal: AbortSignal | undefined;
}

interface Found {
  readonly pages: readonly OcrPage[];
  readonly isPartial: boolean;
}

interface Made extends Pick<ExtractionJob, "source" | "task"> {
  readonly nothing: ExtractionOutcome;
}

async function outcomeOf({ pages, isPartial }: Found, { source, task, nothing }: Made): Promise<ExtractionOutcome> {
  const words = pages.flatMap((page, at) => page.flat(2).map((word) => ({ page: at + 1, ...word })));
  if (words.length === 0) return nothing;
  const blocks = pages.flatMap((page) => page.map((lines) => element("p", [textOfLines(lines)])));
  const outcome = await contentOutcome(treeContent({ title: "", isPartial, blocks }), task, source);
  if (outcome.outcome !== "content") return outcome;
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  const confidence = Math.round((sum / words.length) * 1000) / 1000;
  const scan: ScanFacts = { pages: pages.length, confidence, words: words.slice(0, MAX_WORDS) };
  return { ...outcome, extraction: { ...outcome.extraction, scan } };
}
