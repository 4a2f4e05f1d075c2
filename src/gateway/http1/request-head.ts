import { type ErrorCode } from "../../lib/errors.ts";
import { fieldValue, trimOws } from "../../lib/http/fields.ts";
import { unservedMethod } from "../../lib/http/http-method.ts";
import { isLatin1At, latin1Text } from "../../lib/memory/latin1.ts";
import { RecurringTexts } from "../../lib/memory/recurring-texts.ts";
import { BAD_PATH, normalisePath } from "../../lib/http/url-path.ts";
import { isWebSocketKey, versionOf } from "../../lib/http/websocket-handshake.ts";
import { isAuthority } from "../exchange/authority.ts";
import { type HeadError } from "../exchange/refusal.ts";
import { FieldScan, type ScanLimits } from "./field-scan.ts";
import { scanTarget, skipToken, targetScan } from "./head-bytes.ts";
import { OwnHead } from "./own-head.ts";

/** A parsed request head for the HTTP/1 codec. */
export interface ParsedRequest {
  readonly head: OwnHead;
  readonly requestId: string;
  readonly http10: boolean;
  readonly keepAlive: boolean;
}

interface HeadContext extends ScanLimits {
  readonly scheme: "http" | "https";
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)([^?]*)(\?.*)?$/i;
/** RFC 9112 §3.2.3: the target of CONNECT, with the port that it must have (RFC 9110 §9.3.6). */
const AUTHORITY_FORM = /^[^:]+:\d+$|^\[[^\]]+\]:\d+$/;
const VERSION = /^HTTP\/(\d)\.(\d)$/;
const scan = new FieldScan();
const paths = new RecurringTexts();
function headError(code: ErrorCode, detail: string): HeadError {
  return { code, detail, requestId: scan.requestId };
}

/** Distinguishes the two results of `parseRequestHead`. */
export function isHeadError(result: ParsedRequest | HeadError): result is HeadError {
  return "code" in result;
}

/**
 * Parses the request head that starts at `from`. The last CRLF before the empty line ends at `end` (RFC 9112 §2-3, §6.3).
 * The bytes never change: the head may keep them in place of texts.
 */
export function parseRequestHead(
  bytes: Uint8Array,
  { from, end }: { from: number; end: number },
  context: HeadContext,
): ParsedRequest | HeadError {
  const methodEnd = skipToken(bytes, from);
  scanTarget(bytes, methodEnd + 1);
  const { end: targetEnd, pathEnd, isRegular } = targetScan;
  const version = versionAt(bytes, targetEnd + 1);
  if (methodEnd === from || bytes[methodEnd] !== 0x20 || bytes[targetEnd] !== 0x20) {
    return { code: "bad-request", detail: "malformed request line" };
  }
  if (version === -1) return refuseVersion(latin1Text(bytes, targetEnd + 1, end));
  const http10 = version === 0;
  if (!scan.scan(bytes, targetEnd + 11, end, context)) {
    return scan.tooMany ? headError("head-too-large", "too many header fields") : headError("bad-request", scan.error);
  }
  const refusal = refuseFields(http10);
  if (refusal !== undefined) return refusal;
  const method = methodAt(bytes, from, methodEnd);
  const unserved = unservedMethod(method);
  if (unserved !== "") return refuseMethod(method, latin1Text(bytes, methodEnd + 1, targetEnd), unserved);
  const mayUpgrade = scan.upgrade !== "" && method === "GET" && !http10;
  const upgrade = mayUpgrade ? upgradeOf() : "";
  if (typeof upgrade !== "string") return upgrade;
  const isOrigin = bytes[methodEnd + 1] === 0x2f;
  const head = new OwnHead(bytes, scan, pathEnd, targetEnd);
  if (isOrigin) {
    head.authority = scan.host;
    head.path = paths.text(bytes, methodEnd + 1, pathEnd);
  } else {
    const target = splitTarget(method, latin1Text(bytes, methodEnd + 1, targetEnd));
    if ("code" in target) return target;
    head.authority = target.authority;
    head.path = target.path;
    head.query = target.query;
  }
  if (!isOrigin || !isRegular) {
    const path = normalisePath(head.path);
    if (path === undefined) return headError("bad-path", BAD_PATH);
    head.path = path;
  }
  head.method = method;
  head.scheme = context.scheme;
  head.payment = scan.payment;
  if (scan.transferEncoding !== "") head.bodyLength = -1;
  else if (scan.contentLength > 0) head.bodyLength = scan.contentLength;
  if (scan.expect !== "" && !http10) head.expectContinue = true;
  head.via = scan.via;
  head.forwardedFor = scan.forwardedFor;
  head.upgrade = upgrade;
  return { head, requestId: scan.requestId, http10, keepAlive: !scan.close && (!http10 || scan.keepAlive) };
}

const VERSION_BEGINS = "HTTP/1.";
const LINE_ENDS = "\r\n";

/** The minor version of HTTP/1 at the end of the request line; -1 for anything else. */
function versionAt(bytes: Uint8Array, at: number): number {
  if (!isLatin1At(bytes, at, VERSION_BEGINS) || !isLatin1At(bytes, at + 8, LINE_ENDS)) return -1;
  const minor = (bytes[at + 7] ?? 0) - 0x30;
  return minor === 0 || minor === 1 ? minor : -1;
}

/** The method. Common methods need no new text. */
function methodAt(bytes: Uint8Array, from: number, end: number): string {
  if (isLatin1At(bytes, from, "GET ")) return "GET";
  if (isLatin1At(bytes, from, "POST ")) return "POST";
  return latin1Text(bytes, from, end);
}

/** `rest` begins at the place of the version. */
function refuseVersion(rest: string): HeadError {
  const match = VERSION.exec(rest.slice(0, rest.indexOf("\r\n")));
  if (match === null) return { code: "bad-request", detail: "malformed request line" };
  return { code: "version-not-supported", detail: "this server speaks HTTP/1.0 and HTTP/1.1 here" };
}

/** RFC 9112 §6.1, §6.3 and §3.2: refuses messages that two parsers could read in different ways. */
function refuseFields(http10: boolean): HeadError | undefined {
  if (scan.hosts > 1) return headError("bad-request", "more than one Host field");
  if (scan.hosts === 0 && !http10) return headError("bad-request", "no Host field");
  if (scan.hosts === 1 && !isAuthority(scan.host)) return headError("bad-request", "malformed Host field");
  if (scan.expect !== "" && scan.expect.toLowerCase() !== "100-continue") {
    return headError("expectation-failed", "the only supported expectation is 100-continue");
  }
  if (scan.transferEncoding === "") return undefined;
  if (scan.contentLength !== -1) return headError("bad-request", "both Content-Length and Transfer-Encoding");
  if (http10) return headError("bad-request", "Transfer-Encoding in an HTTP/1.0 request");
  if (scan.transferEncoding === "chunked") return undefined;
  const codings = scan.transferEncoding.split(",").map(trimOws);
  const chunked = codings.indexOf("chunked");
  if (chunked !== -1 && chunked !== codings.length - 1)
    return headError("bad-request", "chunked is not the last coding");
  return headError("not-implemented", "the only transfer coding known here is chunked");
}

function refuseMethod(method: string, target: string, detail: string): HeadError {
  const isSound = method !== "CONNECT" || (AUTHORITY_FORM.test(target) && isAuthority(target));
  return isSound ? headError("not-implemented", detail) : headError("bad-request", "malformed request target");
}

/**
 * The protocol of a requested upgrade (RFC 6455 §4.2.1). A handshake with an unknown version or an invalid key is refused.
 * Any other upgrade is ignored, and the request continues without it (RFC 9110 §7.8).
 */
function upgradeOf(): "" | "websocket" | HeadError {
  if (!scan.nominates("upgrade") || !listsWebSocket(scan.upgrade)) return "";
  const version = versionOf(scan.fields);
  if (version === "unknown") {
    return {
      ...headError("upgrade-required", "this version of WebSocket is not supported"),
      fields: "Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\n",
    };
  }
  const key = fieldValue(scan.fields, "sec-websocket-key");
  const hasBody = scan.transferEncoding !== "" || scan.contentLength > 0;
  if (version === "absent" || key === undefined || hasBody) return "";
  return isWebSocketKey(key) ? "websocket" : headError("bad-request", "malformed Sec-WebSocket-Key");
}

function listsWebSocket(upgrade: string): boolean {
  return upgrade.split(",").some((protocol) => trimOws(protocol).toLowerCase() === "websocket");
}

/** Parses a target that does not start with a slash (RFC 9112 §3.2.2, §3.2.4). */
function splitTarget(method: string, target: string): { authority: string; path: string; query: string } | HeadError {
  if (target === "*" && method === "OPTIONS") return { authority: scan.host, path: "*", query: "" };
  const match = ABSOLUTE_FORM.exec(target);
  const authority = match?.[1];
  if (match === null || authority === undefined || !isAuthority(authority)) {
    return headError("bad-request", "malformed request target");
  }
  const path = match[2] ?? "";
  const query = match[3] ?? "";
  // RFC 9112 §3.2.4: the form in which a client of a proxy requests `*`.
  const isServer = method === "OPTIONS" && path === "" && query === "";
  return { authority, path: isServer ? "*" : path || "/", query };
}
