import { allBelow, readXml } from "./office/read-xml.ts";
import { FileError } from "./kinds/file-error.ts";
import { type DocumentContent } from "./kinds/content.ts";
import { ZipFile } from "./zip/zip-file.ts";

/** A file by the bytes at its beginning. */
const MAGIC = {
  zip: /^PK(?:\x03\x04|\x05\x06)/,
  gzip: /^\x1f\x8b\x08/,
  rtf: /^\{\\rtf/,
  /** The compound files of Office before 2007, and of encrypted ones (MS-CFB). */
  compound: /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/,
} as const;

/** "EncryptedPackage" in UTF-16, the name of the stream with an encrypted file. */
const ENCRYPTED = Buffer.from("EncryptedPackage", "utf16le");
/** Characters of the small parts that say what a zip file is. @bound */
const MAX_TYPE_BYTES = 4 * 1024 * 1024;

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
      return await (await import("./office/open-document/open-document.ts")).odtContent(zip);
    case "odp":
      return await (await import("./office/open-document/open-document.ts")).odpContent(zip);
    case "ods":
      return await (await import("./office/open-document/ods.ts")).odsContent(zip);
    case "epub":
      return await (await import("./office/epub.ts")).epubContent(zip);
    case "archive":
      return (await import("./archive/listing.ts")).zipListing(zip);
    default:
      throw new Error(`Cannot read a zip file of kind '${String(kind satisfies never)}'`);
  }
}

type ZipKind = "docx" | "xlsx" | "pptx" | "odt" | "odp" | "ods" | "epub" | "archive";

const OPEN_DOCUMENTS: readonly (readonly [RegExp, ZipKind])[] = [
  [/opendocument\.text/, "odt"],
  [/opendocument\.presentation/, "odp"],
  [/opendocument\.spreadsheet/, "ods"],
  [/epub\+zip/, "epub"],
];

/** Types of the main parts of Office Open XML files, also of templates and files with macros, which never run. */
const OPEN_XML: readonly (readonly [RegExp, ZipKind])[] = [
  [/(?:wordprocessingml|ms-word)\.(?:document|template)[.\w]*main\+xml/i, "docx"],
  [/(?:spreadsheetml|ms-excel)\.(?:sheet|template)[.\w]*main\+xml/i, "xlsx"],
  [/(?:presentationml|ms-powerpoint)\.(?:presentation|slideshow|template)[.\w]*main\+xml/i, "pptx"],
];

const find = (kinds: typeof OPEN_XML, type: string) => kinds.find(([pattern]) => pattern.test(type))?.[1];

async function kindOfZip(zip: ZipFile): Promise<ZipKind> {
  if (zip.has("[Content_Types].xml")) {
    const types = (await zip.bytes("[Content_Types].xml", MAX_TYPE_BYTES)).toString("utf8");
    const kind = find(OPEN_XML, types);
    if (kind !== undefined) return kind;
  }
  if (zip.has("mimetype")) {
    const kind = find(OPEN_DOCUMENTS, (await zip.bytes("mimetype", MAX_TYPE_BYTES)).toString("utf8"));
    if (kind !== undefined) return kind;
  }
  if (zip.has("META-INF/container.xml")) return "epub";
  if (!zip.has("META-INF/manifest.xml") || !zip.has("content.xml")) return "archive";
  const [root] = allBelow(await readXml(zip.pieces("META-INF/manifest.xml")), "manifest:file-entry");
  return find(OPEN_DOCUMENTS, root?.attributes["manifest:media-type"] ?? "") ?? "archive";
}
