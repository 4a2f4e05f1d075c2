import { allBelow, readXml } from "./office/read-xml.ts";
import { FileError } from "./kinds/file-error.ts";
import { type DocumentContent } from "./kinds/content.ts";
import { type OpenSource } from "./office/open-document/open-document.ts";
import { ZipFile } from "./zip/zip-file.ts";

/** A file by the bytes at its beginning. */
const MAGIC = {
  zip: /^PK(?:\x03\x04|\x05\x06)/,
  gzip: /^\x1f\x8b\x08/,
  rtf: /^\{\\rtf/,
  /** The compound files of Office before 2007, and of encrypted ones (MS-CFB). */
  compound: /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/,
  /** OpenDocument in one document of XML (ODF 1.3, part 3 §3.1.2). */
  flat: /^(?:\xef\xbb\xbf)?\s{0,20}(?:<\?xml[^>]{1,100}>)?\s{0,20}<office:document\s/,
} as const;

/** "EncryptedPackage" in UTF-16, the name of the stream with an encrypted file. */
const ENCRYPTED = Buffer.from("EncryptedPackage", "utf16le");
/** Characters of the small parts that say what a zip file is. @bound */
const MAX_TYPE_BYTES = 4 * 1024 * 1024;

/** Bytes in which a flat file says what it is. @bound */
const FLAT_HEAD_BYTES = 16 * 1024;

/** First bytes of a document that show every file by its bytes: `ustar` is the last that is looked for. */
export const MAGIC_LENGTH = 262;

/** Whether the bytes are a file that `readFile` recognises without its type. `head` has their first characters. */
export function isFile(head: string): boolean {
  return Object.values(MAGIC).some((magic) => magic.test(head)) || head.startsWith("ustar", 257);
}

/**
 * Reads a file that is neither a page nor a text: an Office document, a book, a message or an archive. Its bytes say
 * what it is; the type only tells messages from other texts. Throws a FileError if it cannot be read.
 */
export async function readFile(bytes: Uint8Array): Promise<DocumentContent> {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 512)).toString("latin1");
  // Each reader is loaded with the first file of its kind.
  if (MAGIC.zip.test(head)) return await zipContent(bytes);
  if (MAGIC.rtf.test(head)) return (await import("./rtf/rtf.ts")).rtfContent(bytes);
  if (MAGIC.gzip.test(head)) return await (await import("./archive/listing.ts")).gzipListing(bytes);
  if (MAGIC.flat.test(head)) return await flatContent(bytes);
  if (MAGIC.compound.test(head)) throw compoundError(bytes);
  if (head.startsWith("ustar", 257)) return (await import("./archive/listing.ts")).tarListing(bytes);
  if (/^(?:From |[!-9;-~]{1,100}:)/.test(head)) return await (await import("./mail.ts")).mailContent(bytes);
  throw new FileError("its bytes are not those of its type", "unsupported-type");
}

function compoundError(bytes: Uint8Array): FileError {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(ENCRYPTED))
    return new FileError("it requires a password", "unsupported-type");
  return new FileError("it is a file of Office before 2007, which is not supported", "unsupported-type");
}

async function flatContent(bytes: Uint8Array): Promise<DocumentContent> {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, FLAT_HEAD_BYTES)).toString("latin1");
  const kind = find(OPEN_DOCUMENTS, /\soffice:mimetype="([^"]{1,100})"/.exec(head)?.[1] ?? "");
  if (kind === undefined)
    throw new FileError("it is an OpenDocument file of a kind that is not supported", "unsupported-type");
  return await openContent(kind, bytes);
}

async function openContent(kind: OpenKind, source: OpenSource): Promise<DocumentContent> {
  if (kind === "ods") return await (await import("./office/open-document/ods.ts")).odsContent(source);
  const { odpContent, odtContent } = await import("./office/open-document/open-document.ts");
  return await (kind === "odt" ? odtContent : odpContent)(source);
}

async function zipContent(bytes: Uint8Array): Promise<DocumentContent> {
  const zip = new ZipFile(bytes);
  const kind = await kindOfZip(zip);
  switch (kind) {
    case "docx":
      return await (await import("./office/word/docx.ts")).docxContent(zip);
    case "xlsx":
      return await (await import("./office/sheets/xlsx.ts")).xlsxContent(zip);
    case "pptx":
      return await (await import("./office/slides/pptx.ts")).pptxContent(zip);
    case "odt":
    case "odp":
    case "ods":
      return await openContent(kind, zip);
    case "epub":
      return await (await import("./office/epub.ts")).epubContent(zip);
    case "archive":
      return (await import("./archive/listing.ts")).zipListing(zip);
    default:
      throw new Error(`Cannot read a zip file of kind '${String(kind satisfies never)}'`);
  }
}

type OpenKind = "odt" | "odp" | "ods";
type ZipKind = OpenKind | "docx" | "xlsx" | "pptx" | "epub" | "archive";
type Patterns<Kind> = readonly (readonly [RegExp, Kind])[];

const OPEN_DOCUMENTS: Patterns<OpenKind> = [
  [/opendocument\.text/, "odt"],
  [/opendocument\.presentation/, "odp"],
  [/opendocument\.spreadsheet/, "ods"],
];

/** Types of the main parts of Office Open XML files, also of templates and files with macros, which never run. */
const OPEN_XML: Patterns<ZipKind> = [
  [/(?:wordprocessingml|ms-word)\.(?:document|template)[.\w]*main\+xml/i, "docx"],
  [/(?:spreadsheetml|ms-excel)\.(?:sheet|template)[.\w]*main\+xml/i, "xlsx"],
  [/(?:presentationml|ms-powerpoint)\.(?:presentation|slideshow|template)[.\w]*main\+xml/i, "pptx"],
];

function find<Kind>(kinds: Patterns<Kind>, type: string): Kind | undefined {
  return kinds.find(([pattern]) => pattern.test(type))?.[1];
}

async function kindOfZip(zip: ZipFile): Promise<ZipKind> {
  if (zip.has("[Content_Types].xml")) {
    const types = (await zip.bytes("[Content_Types].xml", MAX_TYPE_BYTES)).toString("utf8");
    const kind = find(OPEN_XML, types);
    if (kind !== undefined) return kind;
  }
  if (zip.has("mimetype")) {
    const type = (await zip.bytes("mimetype", MAX_TYPE_BYTES)).toString("utf8");
    const kind = type.includes("epub+zip") ? "epub" : find(OPEN_DOCUMENTS, type);
    if (kind !== undefined) return kind;
  }
  if (zip.has("META-INF/container.xml")) return "epub";
  if (!zip.has("META-INF/manifest.xml") || !zip.has("content.xml")) return "archive";
  const [root] = allBelow(await readXml(zip.pieces("META-INF/manifest.xml")), "manifest:file-entry");
  return find(OPEN_DOCUMENTS, root?.attributes["manifest:media-type"] ?? "") ?? "archive";
}
