import { essenceOf } from "../encoding/decode.ts";
import { isFile, MAGIC_LENGTH } from "./read-file.ts";
import { type DocumentKind, HEADER_LENGTH, headOf, sniff } from "./sniff.ts";

const KINDS: ReadonlyMap<string, DocumentKind> = new Map([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/markdown", "markdown"],
  ["text/x-markdown", "markdown"],
  ["text/csv", "csv"],
  ["application/csv", "csv"],
  ["text/tab-separated-values", "csv"],
  ["application/json", "json"],
  ["text/json", "json"],
  ["text/xml", "xml"],
  ["application/xml", "xml"],
  ["application/pdf", "pdf"],
  ["application/x-pdf", "pdf"],
  ["text/css", "code"],
  ["text/javascript", "code"],
  ["application/javascript", "code"],
  ["application/x-javascript", "code"],
  ["application/ecmascript", "code"],
  ["application/typescript", "code"],
  ["application/yaml", "code"],
  ["application/x-yaml", "code"],
  ["text/yaml", "code"],
  ["application/toml", "code"],
  ["application/sql", "code"],
  ["application/x-sh", "code"],
  ["text/x-python", "code"],
  ["application/x-ndjson", "text"],
  ["application/jsonl", "text"],
]);

/** Types that carry no information (WHATWG MIME Sniffing §7). */
const UNKNOWN = new Set(["", "unknown/unknown", "application/unknown", "*/*"]);

/** Types of files that browsers save. Only files and PDF documents among them are read. */
const SAVED = new Set([
  "application/octet-stream",
  "binary/octet-stream",
  "application/download",
  "application/x-download",
  "application/force-download",
]);

/** Types of files. Their bytes decide which reader they get. */
const FILE =
  /^(?:application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-(?:word|excel|powerpoint))\b.*|msword|rtf|x-rtf|epub\+zip|mbox|zip|x-zip-compressed|x-tar|gzip|x-gzip)|text\/rtf|text\/richtext|message\/rfc822)$/;

/**
 * The kind of a document by its Content-Type, or by its bytes if the type carries no information. Text from a browser
 * is HTML in that case.
 */
export function kindOf(contentType: string, body: string | Uint8Array): DocumentKind {
  const essence = essenceOf(contentType);
  if (UNKNOWN.has(essence) || !essence.includes("/")) return typeof body === "string" ? "html" : sniff(body);
  if (SAVED.has(essence) && typeof body !== "string") {
    const found = sniff(body);
    return found === "file" || found === "pdf" ? found : "unsupported";
  }
  const kind = kindOfEssence(essence);
  if (kind === "file" && typeof body === "string") return "text";
  if (kind === "xml" && typeof body !== "string") return isFile(headOf(body)) ? "file" : kind;
  // A "text" with binary characters is a file whose type its server did not know (§6.1). In UTF-16, every other byte
  // looks binary.
  const isWide = /charset\s*=\s*["']?utf-?16/i.test(contentType);
  if (kind !== "text" || typeof body === "string" || isWide) return kind;
  const found = sniff(body);
  // A text may begin like a message.
  return found === "unsupported" || (found === "file" && isFile(headOf(body))) ? found : kind;
}

function kindOfEssence(essence: string): DocumentKind {
  const known = KINDS.get(essence);
  if (known !== undefined) return known;
  if (essence === "image/svg+xml") return "unsupported";
  if (FILE.test(essence)) return "file";
  if (essence.endsWith("+json")) return "json";
  if (essence.endsWith("+xml")) return "xml";
  return essence.startsWith("text/") ? "text" : "unsupported";
}

/**
 * Whether documents of this Content-Type can be read. It is known before the body arrives, except for saved files:
 * with `start`, the first bytes of the body, it is undefined until they show whether they are a file.
 */
export function isReadable(contentType: string, start?: Uint8Array): boolean | undefined {
  const essence = essenceOf(contentType);
  if (SAVED.has(essence)) return start === undefined || isSavedFile(start);
  return UNKNOWN.has(essence) || !essence.includes("/") || kindOfEssence(essence) !== "unsupported";
}

function isSavedFile(start: Uint8Array): boolean | undefined {
  const found = sniff(start);
  if (found === "file" || found === "pdf") return true;
  // A text can become a message with its next lines.
  return start.length < (found === "unsupported" ? MAGIC_LENGTH : HEADER_LENGTH) ? undefined : false;
}

/** The language of a code fence for this type. Empty if the type has no usual name. */
export function languageOf(contentType: string): string {
  const name = essenceOf(contentType).replace(/^[^/]*\/(?:x-)?/, "");
  return { javascript: "js", ecmascript: "js", typescript: "ts" }[name] ?? (/^[a-z]{1,12}$/.test(name) ? name : "");
}
