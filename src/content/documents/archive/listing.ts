import { createGunzip } from "node:zlib";
import { FileError } from "../kinds/file-error.ts";
import { type DocumentContent } from "../kinds/content.ts";
import { element, textRow, treeContent } from "../kinds/tree-content.ts";
import { type ZipFile } from "../zip/zip-file.ts";
import { isTarHeader, type ListedFile, TarLister } from "./tar.ts";

/** Files of an archive that are listed. The rest is missing. @operator */
const MAX_LISTED = 20_000;
/** Bytes that a compressed tar file may expand to. Later files are missing. @operator */
const MAX_EXPANDED = 128 * 1024 * 1024;
/** Bytes of the beginning of a gzip file in which its name is looked for. @bound */
const HEAD_BYTES = 1_024;
/** Characters of the name of a file. @bound */
const MAX_NAME_LENGTH = 1_000;

/** The files of a zip archive. */
export function zipListing(zip: ZipFile): DocumentContent {
  return listing(
    "zip",
    zip.entries.filter(({ name }) => !name.endsWith("/")),
    false,
  );
}

/** The files of a tar archive. */
export function tarListing(bytes: Uint8Array): DocumentContent {
  const lister = new TarLister();
  lister.write(bytes);
  return listing("tar", lister.files, false);
}

/** The files of a compressed tar archive, or the one file of a gzip file. */
export async function gzipListing(bytes: Uint8Array): Promise<DocumentContent> {
  const lister = new TarLister();
  let isTar: boolean | undefined;
  let length = 0;
  const stream = createGunzip();
  stream.end(bytes);
  try {
    for await (const piece of stream) {
      // Node's types do not say that the pieces are buffers.
      const part = piece as Buffer;
      length += part.length;
      isTar ??= isTarHeader(part);
      if (isTar) lister.write(part);
      if (length > MAX_EXPANDED || lister.isEnded || lister.files.length > MAX_LISTED) break;
    }
  } catch (error) {
    throw error instanceof FileError ? error : new FileError("it is a damaged gzip file");
  } finally {
    stream.destroy();
  }
  const isCut = length > MAX_EXPANDED;
  if (isTar === true) return listing("compressed tar", lister.files, isCut);
  return listing("gzip", [{ name: entryName(bytes), size: length }], isCut);
}

/** The name that a gzip file has for its content (RFC 1952 §2.3). */
function entryName(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const flags = head[3] ?? 0;
  if ((flags & 8) === 0) return "unnamed";
  const start = (flags & 4) === 0 ? 10 : 12 + (head.length >= 12 ? head.readUInt16LE(10) : 0);
  const end = head.indexOf(0, start);
  return end > start ? head.subarray(start, end).toString("latin1") : "unnamed";
}

function listing(kind: string, files: readonly ListedFile[], isCut: boolean): DocumentContent {
  const shown = files.slice(0, MAX_LISTED);
  const isPartial = isCut || shown.length < files.length;
  const hasDates = shown.some(({ modified }) => modified !== undefined);
  const rows = shown.map(({ name, size, modified }) => {
    const date =
      modified !== undefined && Number.isFinite(modified.getTime()) ? modified.toISOString().slice(0, 10) : "";
    return textRow("td", [name.slice(0, MAX_NAME_LENGTH), `${size}`, ...(hasDates ? [date] : [])]);
  });
  const header = textRow("th", ["Name", "Bytes", ...(hasDates ? ["Modified"] : [])]);
  const number = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  return treeContent({
    title: "",
    isPartial,
    blocks: [
      element("p", [`A ${kind} archive with ${number}.${isPartial ? " Some are not listed." : ""}`]),
      ...(rows.length === 0 ? [] : [element("table", [header, ...rows])]),
    ],
  });
}
