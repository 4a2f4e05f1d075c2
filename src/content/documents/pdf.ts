import { type DocumentContent, escapeHtml, type Link, linksIn } from "./content.ts";
import { paragraphsOf, type TextItem } from "./pdf-text.ts";

/** Pages of a PDF that are read, and characters of its text: beyond them it is no document but an archive. */
const MAX_PAGES = 2_000;
const MAX_TEXT = 5_000_000;
const MAX_LINKS = 10_000;

/** Why nothing can be made of a PDF: `locked` asks for a password, `broken` is none, `long` has too much in it. */
export type PdfFault = "locked" | "broken" | "long";

/** The text of a PDF. Takes as long as the PDF wants: whoever calls has a deadline. */
export async function pdfContent(bytes: Uint8Array): Promise<DocumentContent | PdfFault> {
  // Over a megabyte of program that most workers never need.
  const { getDocumentProxy } = await import("unpdf");
  let document: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    // A copy, since the library keeps what it is given. Fonts are programs: none of them is run.
    const options = { isEvalSupported: false, disableFontFace: true, useSystemFonts: false, verbosity: 0 };
    document = await getDocumentProxy(Uint8Array.from(bytes), options);
  } catch (error) {
    return error instanceof Error && error.name === "PasswordException" ? "locked" : "broken";
  }
  try {
    if (document.numPages > MAX_PAGES) return "long";
    return await readPages(document);
  } catch {
    return "broken";
  } finally {
    await document.loadingTask.destroy();
  }
}

/** The part of pdf.js's document that is used. */
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ readonly info: object }>;
}

interface PdfPage {
  getTextContent(): Promise<{ readonly items: readonly object[] }>;
  getAnnotations(): Promise<readonly object[]>;
  cleanup(): unknown;
}

async function readPages(document: PdfDocument): Promise<DocumentContent | PdfFault> {
  const pages: string[][] = [];
  const links = new Set<string>();
  let length = 0;
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    // Marked content has no text.
    const paragraphs = paragraphsOf(items.filter((item): item is TextItem => "str" in item));
    length += paragraphs.reduce((sum, paragraph) => sum + paragraph.length, 0);
    if (length > MAX_TEXT) return "long";
    pages.push(paragraphs);
    for (const url of linksOf(await page.getAnnotations())) if (links.size < MAX_LINKS) links.add(url);
    page.cleanup();
  }
  const { info } = await document.getMetadata();
  const title = "Title" in info && typeof info.Title === "string" ? info.Title.trim() : "";
  return contentOf(title, pages, links);
}

function linksOf(annotations: readonly object[]): string[] {
  return annotations.flatMap((annotation) => {
    const url = "url" in annotation && typeof annotation.url === "string" ? URL.parse(annotation.url) : null;
    return url !== null && /^(?:https?|mailto):$/.test(url.protocol) ? [url.href] : [];
  });
}

function contentOf(title: string, pages: readonly string[][], marked: ReadonlySet<string>): DocumentContent {
  const paragraphs = pages.flat();
  return {
    title,
    markdown: () => paragraphs.map(escapeParagraph).join("\n\n"),
    text: () => paragraphs.join("\n\n"),
    html: () => {
      const html = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n");
      return title === "" ? html : `<title>${escapeHtml(title)}</title>\n${html}`;
    },
    links: (): Link[] => {
      const written = linksIn(paragraphs.join("\n")).filter(({ url }) => !marked.has(url));
      return [...[...marked].map((url) => ({ url, text: "" })), ...written];
    },
  };
}

/** Marks at the beginning of a line would make a heading or a list of it. */
function escapeParagraph(paragraph: string): string {
  return paragraph
    .split("\n")
    .map((line) => line.replace(/^([#>+-]|\d{1,9}[.)])(?=\s)/, "\\$1"))
    .join("\n");
}
