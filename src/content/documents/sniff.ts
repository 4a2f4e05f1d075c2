import { isFile } from "./read-file.ts";

/** The kind of a document, which determines its reader. `code` is text in a language, `file` is for `readFile`. */
export type DocumentKind =
  | "html"
  | "text"
  | "markdown"
  | "csv"
  | "json"
  | "xml"
  | "code"
  | "pdf"
  | "file"
  | "unsupported";

/** Bytes that are examined (WHATWG MIME Sniffing §5.2). @bound */
export const HEADER_LENGTH = 1445;

/** First characters of HTML, each followed by a space or `>` (§7.1). */
const HTML =
  /^[\t\n\f\r ]*(?:<!--|<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;

/** First characters of images, audio, video, fonts and archives (§6). */
const MEDIA =
  /^(?:\x00\x00[\x01\x02]\x00|BM|GIF8[79]a|RIFF[^]{4}(?:WEBPVP|AVI |WAVE)|\x89PNG\r\n\x1a\n|\xff\xd8\xff|\.snd|FORM[^]{4}AIFF|ID3|OggS\0|MThd|[^]{4}ftyp|\x1a\x45\xdf\xa3|\0\x01\0\0|OTTO|ttcf|wOF[F2]|Rar!\x1a\x07|%!PS-Adobe-)/;

/** Bytes that no text has (§3). */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Fields with which messages begin, of which one alone would be a word of a text. */
const MESSAGE_FIELDS =
  /^(?:From|To|Subject|Date|Message-ID|Received|Return-Path|MIME-Version|Delivered-To|DKIM-Signature):/gim;

/** Whether the first line is a field of a message or the line of a mailbox, and two more fields follow. */
function isMessage(head: string): boolean {
  if (!/^(?:From \S|[A-Za-z-]{2,40}: )/.test(head)) return false;
  return [...(head.split(/\r?\n\r?\n/, 1)[0] ?? "").matchAll(MESSAGE_FIELDS)].length >= 3;
}

/** The kind of a document without a type, from its first bytes, as in browsers (WHATWG MIME Sniffing §7). */
export function sniff(body: Uint8Array): DocumentKind {
  const head = headOf(body);
  // An empty body is an empty page.
  if (head === "" || HTML.test(head)) return "html";
  if (head.startsWith("%PDF-")) return "pdf";
  if (isFile(head) || isMessage(head)) return "file";
  if (/^[\t\n\f\r ]*<\?xml/.test(head)) return "xml";
  if (/^(?:\xfe\xff|\xff\xfe)/.test(head)) return "text";
  if (head.startsWith("\xef\xbb\xbf")) return HTML.test(head.slice(3)) ? "html" : "text";
  return MEDIA.test(head) || BINARY.test(head) ? "unsupported" : "text";
}

/** The first bytes of a document, as characters. */
export function headOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEADER_LENGTH)).toString("latin1");
}
