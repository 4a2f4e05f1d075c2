import { type ChildNode } from "domhandler";
import { decode } from "../../encoding/decode.ts";
import { FileError } from "../kinds/file-error.ts";
import { type DocumentContent } from "../kinds/content.ts";
import { htmlBody, treeContent } from "../kinds/tree-content.ts";
import { xhtmlToHtml } from "../kinds/xhtml.ts";
import { type ZipFile } from "../zip/zip-file.ts";
import { aboutOf, partName } from "./package.ts";
import { allBelow, childOf, elementsOf, readXml, textOf, type XmlElement } from "./read-xml.ts";
import { percentDecoded } from "../../../lib/http/percent.ts";

/** Bytes of the chapters of a book, and their number. The rest is missing. @operator */
const MAX_BOOK_BYTES = 10_000_000;
const MAX_CHAPTERS = 2_000;
/** The base of addresses in a book, so that those that lead to its own parts are left out. */
const BOOK = "epub:/";

/** Reads an electronic publication (EPUB 2 and 3): its chapters in order. Throws a FileError if it is damaged. */
export async function epubContent(zip: ZipFile): Promise<DocumentContent> {
  const container = await readXml(zip.pieces("META-INF/container.xml"));
  const main = allBelow(container, "container:rootfile")[0]?.attributes["full-path"] ?? "";
  const book = await readXml(zip.pieces(main));
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  const chapters = chaptersOf(book, folder);
  await assertOpen(zip, chapters);
  const blocks: ChildNode[] = [];
  let bytes = 0;
  let isPartial = chapters.length > MAX_CHAPTERS;
  for (const chapter of chapters.slice(0, MAX_CHAPTERS)) {
    if (!zip.has(chapter)) continue;
    const body = await zip.bytes(chapter);
    bytes += body.length;
    isPartial ||= bytes > MAX_BOOK_BYTES;
    if (isPartial) break;
    const html = xhtmlToHtml(decode(body, "application/xhtml+xml", "xml").text);
    for (const block of htmlBody(html, BOOK)) blocks.push(block);
  }
  const metadata = childOf(book, "opf:metadata");
  const said = (name: string): string => textOf(childOf(metadata, name)).trim();
  const about = aboutOf(said("dc:creator"), said("dc:date"), said("dc:language"));
  return treeContent({ title: said("dc:title"), about, isPartial, blocks });
}

/** The names of the parts in the order of the spine. */
function chaptersOf(book: XmlElement, folder: string): string[] {
  const items = new Map(
    elementsOf(childOf(book, "opf:manifest"), "opf:item").map(({ attributes }) => [attributes["id"], attributes]),
  );
  return elementsOf(childOf(book, "opf:spine"), "opf:itemref").flatMap(({ attributes }) => {
    const { href = "", "media-type": type = "" } = items.get(attributes["idref"]) ?? {};
    return /html/.test(type) && attributes["linear"] !== "no" ? [partName(percentDecoded(href), folder)] : [];
  });
}

/** Fonts may be obfuscated in any book. */
async function assertOpen(zip: ZipFile, chapters: readonly string[]): Promise<void> {
  if (!zip.has("META-INF/encryption.xml")) return;
  const root = await readXml(zip.pieces("META-INF/encryption.xml"));
  const sealed = new Set(elementsOf(root).flatMap((data) => uris(data)));
  if (chapters.some((chapter) => sealed.has(chapter)))
    throw new FileError("it is a book that is encrypted", "unsupported-type");
}

function uris(element: XmlElement): string[] {
  const own = element.attributes["URI"];
  return [...(own === undefined ? [] : [partName(percentDecoded(own), "")]), ...elementsOf(element).flatMap(uris)];
}
