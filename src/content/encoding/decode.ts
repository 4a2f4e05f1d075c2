import { guessEncoding } from "./guess.ts";
import { metaCharset } from "./meta-charset.ts";

/**
 * The kind of declaration of the encoding in a document, in addition to its Content-Type: `meta`, an XML declaration,
 * or none.
 */
export type Markup = "html" | "xml" | "text" | "json";

export interface Decoded {
  readonly text: string;
  /** The encoding's name in the Encoding Standard, in lower case. */
  readonly encoding: string;
  /**
   * True if the document declares no encoding, and neither its bytes nor the frequencies of its characters show it.
   */
  readonly isGuess: boolean;
}

/** True if a Content-Type is HTML. A page without a type is treated as HTML, as browsers usually do. */
export function isHtml(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return essence === "" || essence === "text/html" || essence === "application/xhtml+xml";
}

/** The media type without its parameters, in lower case; empty if there is no type. */
export function essenceOf(contentType: string): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The text of an HTML or XHTML document. */
export function decodeBody(body: string | Uint8Array, contentType: string): string {
  const markup = essenceOf(contentType) === "application/xhtml+xml" ? "xml" : "html";
  return decode(body, contentType, markup).text;
}

/**
 * Decodes a document by its byte order mark, its Content-Type and its own declaration, in this order, as browsers do
 * (WHATWG HTML §13.2.3). Without a declaration, valid UTF-8 is decoded as UTF-8. Other bytes are decoded by the frequency
 * of their characters if these are clear, otherwise as windows-1252.
 */
export function decode(body: string | Uint8Array, contentType: string, markup: Markup): Decoded {
  if (typeof body === "string") return { text: body.replace(/^\uFEFF/, ""), encoding: "utf-8", isGuess: false };
  const declared = declaredOf(body, contentType, markup);
  if (declared !== undefined) return { text: decodeAs(body, declared), encoding: declared, isGuess: false };
  if (markup === "xml" || markup === "json") {
    return { text: decodeAs(body, "utf-8"), encoding: "utf-8", isGuess: false };
  }
  const text = asUtf8(body);
  if (text === undefined) {
    const likely = guessEncoding(body);
    const encoding = likely ?? "windows-1252";
    return { text: decodeAs(body, encoding), encoding, isGuess: likely === undefined };
  }
  // Browsers report pure ASCII by the name of their default encoding.
  return { text, encoding: text.length === body.length ? "windows-1252" : "utf-8", isGuess: false };
}

/** True if an HTML document declares no encoding and its bytes do not show it, as in `Decoded`. */
export function isGuess(body: string | Uint8Array, contentType: string): boolean {
  if (typeof body === "string" || declaredOf(body, contentType, "html") !== undefined) return false;
  return asUtf8(body) === undefined && guessEncoding(body) === undefined;
}

function declaredOf(body: Uint8Array, contentType: string, markup: Markup): string | undefined {
  return markOf(body) ?? labelled(charsetParameter(contentType)) ?? declaredIn(body, markup);
}

/** The text if the bytes are valid UTF-8. A document that was cut off may end within a character. */
function asUtf8(body: Uint8Array): string | undefined {
  const decoded = (stream: boolean): string | undefined => {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(body, { stream });
    } catch {
      return undefined;
    }
  };
  const whole = decoded(false);
  if (whole !== undefined) return whole;
  const cut = decoded(true);
  // A single non-ASCII character at the end of ASCII text does not indicate UTF-8 that was cut off.
  return cut !== undefined && /[^\x00-\x7f]/.test(cut) ? cut : undefined;
}

/** The encoding of a byte order mark, which takes precedence over all declarations (Encoding Standard §6.1). */
function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function charsetParameter(contentType: string): string | undefined {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(contentType.slice(0, 1024));
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

function declaredIn(body: Uint8Array, markup: Markup): string | undefined {
  if (markup !== "html" && markup !== "xml") return undefined;
  const beginning = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 256 * 1024)).toString("latin1");
  let found = labelled(xmlEncoding(beginning));
  if (found === undefined && markup === "html") {
    found = labelled(metaCharset(beginning, (label) => labelled(label) !== undefined));
  }
  // If the declaration is readable as ASCII, the document cannot be UTF-16.
  if (found === "utf-16le" || found === "utf-16be") return "utf-8";
  return found === "x-user-defined" ? "windows-1252" : found;
}

/** The encoding of an XML declaration, which browsers also recognise in HTML. */
function xmlEncoding(text: string): string | undefined {
  if (!text.startsWith("<?xml")) return undefined;
  const declaration = text.slice(0, text.indexOf(">") + 1).slice(0, 1024);
  const match = /\sencoding[\t\n\r ]*=[\t\n\r ]*(?:"([^"]*)"|'([^']*)')/.exec(declaration);
  return match?.[1] ?? match?.[2];
}

/** Encodings whose text is discarded, because they were used to hide scripts (Encoding Standard §14.1). */
const REPLACEMENT = new Set([
  "replacement",
  "hz-gb-2312",
  "csiso2022kr",
  "iso-2022-cn",
  "iso-2022-cn-ext",
  "iso-2022-kr",
]);

/** The encoding of a label; undefined if the label is not valid. */
function labelled(label: string | undefined): string | undefined {
  const name = label?.trim().toLowerCase() ?? "";
  if (name === "") return undefined;
  if (REPLACEMENT.has(name)) return "replacement";
  try {
    // The label comes from the document. The decoder throws for an unknown one.
    return new TextDecoder(name as Bun.Encoding).encoding.toLowerCase();
  } catch {
    return undefined;
  }
}

function decodeAs(body: Uint8Array, encoding: string): string {
  if (encoding === "replacement") return body.length === 0 ? "" : "\uFFFD";
  // The name comes from `labelled` or from this file.
  return new TextDecoder(encoding as Bun.Encoding).decode(body);
}
