import { essenceOf } from "../encoding/decode.ts";
import { type DocumentKind, sniff } from "./sniff.ts";

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

/** Types that say nothing (WHATWG MIME Sniffing §7). */
const UNKNOWN = new Set(["", "unknown/unknown", "application/unknown", "*/*"]);

/** What a document is by its Content-Type, and by its bytes where that says nothing. Text of a browser is HTML then. */
export function kindOf(contentType: string, body: string | Uint8Array): DocumentKind {
  const essence = essenceOf(contentType);
  if (UNKNOWN.has(essence) || !essence.includes("/")) return typeof body === "string" ? "html" : sniff(body);
  const kind = kindOfEssence(essence);
  // A text that holds what no text does is a file that its server did not know (§6.1); every other byte of UTF-16 is such.
  const isWide = /charset\s*=\s*["']?utf-?16/i.test(contentType);
  if (kind === "text" && typeof body !== "string" && !isWide && sniff(body) === "unsupported") return "unsupported";
  return kind;
}

function kindOfEssence(essence: string): DocumentKind {
  const known = KINDS.get(essence);
  if (known !== undefined) return known;
  if (essence === "image/svg+xml") return "unsupported";
  if (essence.endsWith("+json")) return "json";
  if (essence.endsWith("+xml")) return "xml";
  return essence.startsWith("text/") ? "text" : "unsupported";
}

/** Whether anything can be made of a document of this Content-Type, before its bytes have come. */
export function isReadable(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return UNKNOWN.has(essence) || !essence.includes("/") || kindOfEssence(essence) !== "unsupported";
}

/** The language of a fence around code of this type; empty where nobody has a name for it. */
export function languageOf(contentType: string): string {
  const name = essenceOf(contentType).replace(/^[^/]*\/(?:x-)?/, "");
  return { javascript: "js", ecmascript: "js", typescript: "ts" }[name] ?? (/^[a-z]{1,12}$/.test(name) ? name : "");
}
