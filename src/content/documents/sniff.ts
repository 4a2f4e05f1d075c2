/** The kind of a document, which determines its reader. `code` is text in a language. */
export type DocumentKind = "html" | "text" | "markdown" | "csv" | "json" | "xml" | "code" | "pdf" | "unsupported";

/** Bytes that are examined (WHATWG MIME Sniffing §5.2). @bound */
const HEADER_LENGTH = 1445;

/** First characters of HTML, each followed by a space or `>` (§7.1). */
const HTML =
  /^[\t\n\f\r ]*(?:<!--|<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;

/** First characters of images, audio, video, fonts and archives (§6). */
const MEDIA =
  /^(?:\x00\x00[\x01\x02]\x00|BM|GIF8[79]a|RIFF[^]{4}(?:WEBPVP|AVI |WAVE)|\x89PNG\r\n\x1a\n|\xff\xd8\xff|\.snd|FORM[^]{4}AIFF|ID3|OggS\0|MThd|[^]{4}ftyp|\x1a\x45\xdf\xa3|\0\x01\0\0|OTTO|ttcf|wOF[F2]|\x1f\x8b\x08|PK\x03\x04|Rar!\x1a\x07|%!PS-Adobe-)/;

/** Bytes that no text has (§3). */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** The kind of a document without a type, from its first bytes, as in browsers (WHATWG MIME Sniffing §7). */
export function sniff(body: Uint8Array): DocumentKind {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEADER_LENGTH)).toString("latin1");
  // An empty body is an empty page.
  if (head === "" || HTML.test(head)) return "html";
  if (/^[\t\n\f\r ]*<\?xml/.test(head)) return "xml";
  if (head.startsWith("%PDF-")) return "pdf";
  if (/^(?:\xfe\xff|\xff\xfe)/.test(head)) return "text";
  if (head.startsWith("\xef\xbb\xbf")) return HTML.test(head.slice(3)) ? "html" : "text";
  return MEDIA.test(head) || BINARY.test(head) ? "unsupported" : "text";
}
