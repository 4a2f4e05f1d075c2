import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** A file of the console, as it is sent: plain, or in the gzip coding. */
export interface ConsoleFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  /** All fields of a 200 response, with the ETag; `content-encoding` is added for `gzip`. */
  readonly headers: Readonly<Record<string, string>>;
}

const FILES: readonly (readonly [path: string, file: string, type: string])[] = [
  ["/", "page/index.html", "text/html; charset=utf-8"],
  ["/console.js", "dist/console.js", "text/javascript; charset=utf-8"],
  ["/console.css", "dist/console.css", "text/css; charset=utf-8"],
  ["/favicon.svg", "page/favicon.svg", "image/svg+xml"],
];

/** No inline code, nothing from other sites, and no frames around the page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The files of the admin console, by their paths. */
export function consoleFiles(): ReadonlyMap<string, ConsoleFile> {
  return new Map(
    FILES.map(([path, file, type]) => {
      const body = new Uint8Array(readFileSync(join(import.meta.dir, file)));
      const headers = {
        ...SECURITY_HEADERS,
        "content-type": type,
        // A browser asks each time and gets a 304, so that no page runs an old script after an update.
        "cache-control": "no-cache",
        etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
        vary: "Accept-Encoding",
      };
      return [path, { body, gzip: new Uint8Array(gzipSync(body, { level: 9 })), headers }];
    }),
  );
}

/** The response to a GET or HEAD of one of the files. The server omits the body for a HEAD. */
export function consoleResponse(file: ConsoleFile, request: Request): Response {
  const tags = request.headers.get("if-none-match") ?? "";
  const { etag = "" } = file.headers;
  const isKnown = tags.trim() === "*" || tags.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
  if (isKnown) return new Response(null, { status: 304, headers: file.headers });
  const takesGzip = /(?:^|,)\s*gzip\s*(?:,|$|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i.test(
    request.headers.get("accept-encoding") ?? "",
  );
  if (!takesGzip) return new Response(file.body, { headers: file.headers });
  // The bytes differ from the bytes without gzip, so both have the same tag only in its weak form.
  return new Response(file.gzip, { headers: { ...file.headers, "content-encoding": "gzip", etag: `W/${etag}` } });
}
