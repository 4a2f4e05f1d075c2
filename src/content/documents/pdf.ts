import { markdownOf } from "../extraction/markdown/writer.ts";
import { parseTree } from "../extraction/tree/tree.ts";
import { type DocumentContent, escapeHtml, type Link, linksIn } from "./kinds/content.ts";
import { isMemoryError } from "./kinds/file-error.ts";
import { CharacterMaps } from "./pdf/character-maps.ts";
import { PageReader } from "./pdf/read-page.ts";
import { blocksOfDocument } from "./pdf/read-blocks.ts";
import { missingNote, type ReadLimits, readPages, type Source } from "./pdf/read-pages.ts";
import { type Block, type PdfPage } from "./pdf/shapes.ts";
import { UnreadableFonts } from "./pdf/unreadable.ts";
import { htmlOf, plainTextOf } from "./pdf/write.ts";

/**
 * Maximum number of pages of a PDF that are read, and characters of its text. Further pages are missing from the
 * result.
 */
const MAX_PAGES = 2_000;
const MAX_TEXT = 5_000_000;
/** Maximum number of runs of text in one font that are read: ten times as many as a long book has. */
const MAX_RUNS = 600_000;
/**
 * Milliseconds for reading pages, and from the same beginning for their layout. Further pages are missing from the
 * result. The whole extraction has 10 seconds.
 */
const MAX_READING_MS = 5_000;
const MAX_LAYOUT_MS = 7_000;
const LIMITS: ReadLimits = {
  pages: MAX_PAGES,
  ms: MAX_READING_MS,
  text: MAX_TEXT,
  runs: MAX_RUNS,
  now: () => performance.now(),
};
/** Maximum number of addresses of the link annotations of a PDF. */
const MAX_LINKS = 10_000;
/** Maximum number of pixels of a picture in a PDF that is decoded. The limit of 1 prevents all decoding. */
const MAX_PICTURE_PIXELS = 1;

/**
 * Why a PDF cannot be read: `locked` needs a password, `broken` is not a valid PDF, `scanned` has no text, `unreadable` has
 * text whose characters are not known.
 */
export type PdfError = "locked" | "broken" | "scanned" | "unreadable";

/**
 * The text of a PDF, up to the limits. The PDF determines the time that a single page takes, so the caller needs a
 * deadline.
 */
export async function pdfContent(
  bytes: Uint8Array,
  limits: Partial<ReadLimits> = {},
): Promise<DocumentContent | PdfError> {
  // More than a megabyte of code, which most workers never need.
  const { getDocumentProxy, getResolvedPDFJS } = await import("unpdf");
  const { OPS, PDFWorker } = await getResolvedPDFJS();
  const worker = new PDFWorker({ verbosity: 0 });
  const unreadable = new UnreadableFonts();
  let document: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    // A copy, since the library takes ownership of its input. Fonts contain programs, and none of them is run.
    const options = {
      isEvalSupported: false,
      disableFontFace: true,
      fontExtraProperties: true,
      useSystemFonts: false,
      verbosity: 0,
      maxImageSize: MAX_PICTURE_PIXELS,
      BinaryDataFactory: CharacterMaps,
      worker,
    };
    await worker.promise;
    unreadable.watch(worker.port);
    document = await getDocumentProxy(Uint8Array.from(bytes), options);
  } catch (error) {
    if (isMemoryError(error)) throw error;
    return error instanceof Error && error.name === "PasswordException" ? "locked" : "broken";
  }
  try {
    const marks = await document.getMarkInfo();
    const layers = await document.getOptionalContentConfig();
    const operators = new Map(Object.entries(OPS).map(([name, number]) => [number, name]));
    const facts = {
      isTagged: marks?.Marked === true && !marks.Suspects,
      isVisible: (group: unknown) => layers.isVisible(group),
    };
    const reader = new PageReader(operators, facts, unreadable);
    return await readDocument(document, reader, { ...LIMITS, ...limits });
  } catch (error) {
    if (isMemoryError(error)) throw error;
    return "broken";
  } finally {
    await document.loadingTask.destroy();
  }
}

interface PdfDocument extends Source {
  getMetadata(): Promise<{ readonly info: object }>;
}

async function readDocument(
  document: PdfDocument,
  reader: PageReader,
  limits: ReadLimits,
): Promise<DocumentContent | PdfError> {
  const end = limits.now() + MAX_LAYOUT_MS;
  const read = await readPages(document, (page) => reader.read(page), limits);
  const { pages, lost } = reader.unreadable.without(read.pages);
  if (pages.every(({ runs, aside }) => runs.length + aside.length === 0)) {
    if (lost.length > 0) return "unreadable";
    return pages.length === 0 && read.damaged.length > 0 ? "broken" : "scanned";
  }
  const { info } = await document.getMetadata();
  const named = "Title" in info && typeof info.Title === "string" ? info.Title.trim() : "";
  const { blocks, pages: laidOut, title: shown } = blocksOfDocument(pages, () => limits.now() > end);
  const note = missingNote(read, laidOut, lost);
  const content = contentOf(titleOf(named, shown), note === undefined ? blocks : [...blocks, note], addressesOf(pages));
  return note === undefined ? content : { ...content, isPartial: true };
}

/** The addresses of links, without duplicates. */
function addressesOf(pages: readonly PdfPage[]): Set<string> {
  const addresses = new Set<string>();
  for (const page of pages) {
    for (const url of page.addresses.values()) if (addresses.size < MAX_LINKS) addresses.add(url);
  }
  return addresses;
}

/** Programs write a file name or words of their own into the title of a document. */
const FILE_NAME =
  /^(?:microsoft \w+ - .*|.*\.(?:docx?|xlsx?|pptx?|odt|od[ps]|pages|key|dvi|tex|indd|qxd|pdf|e?ps|rtf|txt|html?))$/i;
const PLACEHOLDER =
  /^\W*(?:(?:untitled|unbenannt|sans titre|sin t\u00EDtulo|document|dokument|presentation|powerpoint presentation|slide|book|no title|title)(?: document)?[ -]?\d*|(?:unspecified|anonymous|none|null|undefined))\W*$/i;

/** The title in the properties, unless it is a file name or a placeholder. */
function titleOf(named: string, shown: string): string {
  if (PLACEHOLDER.test(named)) return shown;
  return named === "" || (FILE_NAME.test(named) && shown !== "") ? shown : named;
}

function contentOf(title: string, blocks: readonly Block[], marked: ReadonlySet<string>): DocumentContent {
  const html = htmlOf(blocks);
  const text = plainTextOf(blocks);
  return {
    title,
    markdown: () => markdownOf(parseTree(html)),
    text: () => text,
    html: () => (title === "" ? html : `<title>${escapeHtml(title)}</title>\n${html}`),
    links: (): Link[] => {
      const written = linksIn(text).filter(({ url }) => !marked.has(url));
      return [...[...marked].map((url) => ({ url, text: "" })), ...written];
    },
  };
}
