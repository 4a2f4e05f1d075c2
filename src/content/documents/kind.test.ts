import { expect, test } from "bun:test";
import { isReadable, kindOf } from "./kind.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

test.each([
  ["text/html; charset=utf-8", "", "html"],
  ["TEXT/HTML", "plain", "html"],
  ["application/xhtml+xml", "", "html"],
  ["text/plain", "<html>", "text"],
  ["text/plain; charset=iso-8859-1", "caf\xe9", "text"],
  ["text/plain", "\x7fELF\x02\x01\x01\0", "unsupported"],
  ["text/plain; charset=UTF-16LE", "a\0b\0", "text"],
  ["text/x-unheard-of", "x", "text"],
  ["text/markdown", "", "markdown"],
  ["text/csv;header=present", "", "csv"],
  ["application/json", "", "json"],
  ["application/ld+json", "", "json"],
  ["text/xml", "", "xml"],
  ["application/rss+xml", "", "xml"],
  ["text/xml", "<?xml version='1.0'?>\n<office:document xmlns:office='x'>", "file"],
  ["application/octet-stream", "<office:document xmlns:office='x'>", "file"],
  ["application/vnd.oasis.opendocument.text-flat-xml", "", "file"],
  ["application/javascript", "", "code"],
  ["application/pdf", "", "pdf"],
  ["image/png", "", "unsupported"],
  ["image/svg+xml", "<svg>", "unsupported"],
  ["video/mp4", "", "unsupported"],
  ["font/woff2", "", "unsupported"],
  ["application/zip", "", "file"],
  ["application/octet-stream", "<html>", "unsupported"],
  ["application/octet-stream", "PK\x03\x04", "file"],
  ["application/octet-stream", "%PDF-1.7", "pdf"],
  ["text/plain", "{\\rtf1", "file"],
  ["text/plain", "From: a\nTo: b\nDate: c\n", "text"],
  ["application/vnd.ms-excel", "", "file"],
])("a document of type %s that begins with %j is %s", (type, body, kind) => {
  expect(kindOf(type, bytes(body))).toBe(kind as ReturnType<typeof kindOf>); // The strings in the table are kinds.
  if (body === "") expect(isReadable(type)).toBe(kind !== "unsupported");
});

test.each([
  ["", "html"],
  ["\n <!DOCTYPE HTML>", "html"],
  ["<p>", "html"],
  ["<br >", "html"],
  ["<!-- x --><p>", "html"],
  ["\xef\xbb\xbf<html>", "html"],
  ["<span>x</span>", "text"],
  ["<pre>", "text"],
  ["<?xml version='1.0'?><rss>", "xml"],
  ["%PDF-1.7", "pdf"],
  ["just words", "text"],
  ["\xff\xfea\0b\0", "text"],
  ["\x89PNG\r\n\x1a\n", "unsupported"],
  ["GIF89a", "unsupported"],
  ["\xff\xd8\xff\xe0", "unsupported"],
  ["PK\x03\x04", "file"],
  ["{\\rtf1", "file"],
  ["<?xml version='1.0'?><office:document-content>", "xml"],
  ["From: a\nTo: b\nDate: c\n\ntext", "file"],
  ["From: a\n\nDate: c\nTo: d\n", "text"],
  ["\0\0\0\x18ftypmp42", "unsupported"],
  ["words\x01words", "unsupported"],
])("a document without a type that begins with %j is %s", (body, kind) => {
  for (const type of ["", "*/*", "unknown/unknown", "nonsense"]) {
    expect(kindOf(type, bytes(body))).toBe(kind as ReturnType<typeof kindOf>); // As above.
    expect(isReadable(type)).toBe(true);
  }
  expect(kindOf("", body)).toBe("html");
});

test.each([
  ["application/octet-stream", "", undefined],
  ["application/octet-stream", "PK\x03\x04", true],
  ["application/octet-stream", "\x01".repeat(261), undefined],
  ["application/octet-stream", "\x01".repeat(262), false],
  ["application/octet-stream", "a".repeat(1444), undefined],
  ["application/octet-stream", "a".repeat(1445), false],
  ["application/octet-stream", `From: a\nTo: b\nDate: c\n${"a".repeat(1445)}`, true],
  ["text/html", "\x01".repeat(1445), true],
])("whether a document of type %s is read, by its first bytes: %#", (type, start, readable) => {
  expect(isReadable(type, bytes(start))).toBe(readable);
});
