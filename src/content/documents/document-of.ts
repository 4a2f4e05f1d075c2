import { decode, essenceOf, isGuess, isHtml } from "../encoding/decode.ts";
import { type PageSource } from "../page/page.ts";
import { codeContent, type DocumentContent, plainContent } from "./kinds/content.ts";
import { csvContent } from "./csv.ts";
import { FileError } from "./kinds/file-error.ts";
import { jsonContent } from "./json.ts";
import { kindOf, languageOf } from "./kind.ts";
import { pdfContent, type PdfError } from "./pdf.ts";
import { readFile } from "./read-file.ts";
import { isXhtml, xmlContent } from "./xml.ts";
import { xhtmlToHtml } from "./kinds/xhtml.ts";

/** The result of reading a document: HTML to parse, other content, or an unsupported document. */
export type ReadDocument =
  | {
      readonly is: "html";
      readonly source: PageSource;
      /** Whether the document declares no encoding, so that a browser may detect it better. */
      readonly isGuess: boolean;
    }
  | { readonly is: "other"; readonly content: DocumentContent }
  /** A type that is not supported. */
  | { readonly is: "unsupported" }
  | { readonly is: "broken"; readonly error: PdfError | FileError };

/**
 * Reads a document from either engine by its type. The document determines the time that this takes, so the caller
 * needs a deadline.
 */
export async function documentOf(source: PageSource): Promise<ReadDocument> {
  const { body, contentType, finalUrl } = source;
  const kind = kindOf(contentType, body);
  switch (kind) {
    case "html":
      return htmlOf(source);
    case "pdf": {
      const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
      const content = await pdfContent(bytes);
      return typeof content === "string" ? { is: "broken", error: content } : { is: "other", content };
    }
    case "xml": {
      const { text } = decode(body, contentType, "xml");
      if (isXhtml(text)) return xhtmlOf(source, text);
      return { is: "other", content: xmlContent(text, finalUrl) };
    }
    case "json":
      return { is: "other", content: jsonContent(decode(body, contentType, "json").text) };
    case "csv": {
      const separator = essenceOf(contentType) === "text/tab-separated-values" ? "\t" : undefined;
      return { is: "other", content: csvContent(decode(body, contentType, "text").text, separator) };
    }
    case "code":
      return { is: "other", content: codeContent(decode(body, contentType, "text").text, languageOf(contentType)) };
    case "text":
    case "markdown":
      return { is: "other", content: plainContent(decode(body, contentType, "text").text) };
    case "file":
      return await fileOf(source);
    case "unsupported":
      return { is: "unsupported" };
    default:
      throw new Error(`Cannot read a document of kind '${String(kind satisfies never)}'`);
  }
}

async function fileOf({ body }: PageSource): Promise<ReadDocument> {
  try {
    const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
    return { is: "other", content: await readFile(bytes) };
  } catch (error) {
    if (error instanceof FileError) return { is: "broken", error };
    throw error;
  }
}

function htmlOf(source: PageSource): ReadDocument {
  const { body, contentType } = source;
  // A browser has converted text documents to HTML.
  if (typeof body !== "string" && essenceOf(contentType) === "application/xhtml+xml") {
    return xhtmlOf(source, decode(body, contentType, "xml").text);
  }
  const known = isHtml(contentType) ? source : { ...source, contentType: "text/html" };
  return { is: "html", source: known, isGuess: isGuess(body, contentType) };
}

function xhtmlOf(source: PageSource, xml: string): ReadDocument {
  const body = new Uint8Array(Buffer.from(xhtmlToHtml(xml)));
  return { is: "html", source: { ...source, body, contentType: "text/html; charset=utf-8" }, isGuess: false };
}
