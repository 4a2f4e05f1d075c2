import { latin1Text } from "../../lib/memory/latin1.ts";
import { endOfHead } from "../egress/read-head.ts";
import { parseStatusLine } from "../egress/status-line.ts";
import { brokeOff, loadError, noResponse, notHttp } from "./load-errors.ts";

export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** True if the server accepts another request on the connection after the body. */
  readonly keepsAlive: boolean;
  /** The declared length of the body; undefined if the server declares none. */
  readonly length: number | undefined;
}

/** The parts of a response, in the order in which they come. */
export interface ResponseEvents {
  head(head: ResponseHead): void;
  body(bytes: Buffer): void;
  /** The response has ended. `reusable`: the connection is ready for another request. */
  end(reusable: boolean): void;
}

/** Maximum number of bytes of a head, with its interim responses; the same limit as in Chromium. */
const MAX_HEAD_BYTES = 256 * 1024;
/** Interim responses (1xx) before the final one. */
const MAX_INTERIM = 10;
/** Maximum number of bytes of a line with a chunk's length. Its extensions are ignored. */
const MAX_CHUNK_LINE_BYTES = 16 * 1024;
const MAX_TRAILER_BYTES = 64 * 1024;
/** A chunk's length in hexadecimal digits. Longer chunks could not be received in any case. */
const CHUNK_SIZE = /^[ \t]*0*([0-9a-f]{1,8})[ \t]*(?:;.*)?$/is;

const LF = 10;
const CR = 13;

/**
 * Reads one response to a request other than HEAD (RFC 9112), in pieces of any size. The parser is as lenient as browsers (bare LF, fields
 * without a colon), but strict about the length of the body. `push` and `end` throw a TurnpikeError.
 *
 *     head ─▶ length ───────────────▶ done
 *        ├──▶ line ─▶ data ─▶ line …  │
 *        │      └──▶ trailer ────────▶│
 *        └──▶ close ──── end() ──────▶┘
 */
export class ResponseParser {
  readonly #events: ResponseEvents;
  #state: "head" | "length" | "line" | "data" | "gap" | "trailer" | "close" | "done" = "head";
  #held: Buffer = Buffer.alloc(0);
  #interim = 0;
  #headBytes = 0;
  #trailerBytes = 0;
  #left = 0;
  #keepsAlive = false;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** True if a byte of the response has arrived. */
  get begun(): boolean {
    return this.#headBytes > 0 || this.#held.length > 0 || this.#state !== "head";
  }

  push(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (bytes.length > 0) {
      const rest = this.#step(bytes);
      if (rest === undefined) {
        this.#held = bytes;
        return;
      }
      bytes = rest;
    }
  }

  /** The server closed its side of the connection. `clean`: with an orderly close. */
  end(clean: boolean): void {
    if (this.#state === "done") return;
    if (!this.begun) throw noResponse();
    if (this.#state !== "close" || !clean) throw brokeOff();
    this.#finish(false);
  }

  /** Reads one part, and returns the remaining bytes; undefined if it needs more. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "head":
        return this.#head(bytes);
      case "length":
      case "data":
        return this.#counted(bytes);
      case "line":
        return this.#chunkLine(bytes);
      case "gap":
        return this.#gap(bytes);
      case "trailer":
        return this.#trailer(bytes);
      case "close":
        this.#events.body(bytes);
        return bytes.subarray(bytes.length);
      case "done":
        // Bytes after the response were not requested and are discarded. `end` has already reported that the connection
        // is not reusable.
        return bytes.subarray(bytes.length);
      default:
        throw new Error(`Cannot read a response in state '${String(this.#state)}'`);
    }
  }

  #head(bytes: Buffer): Buffer | undefined {
    // Data that is not HTTP is rejected by its first bytes, and not only at the length limit (RFC 9112 §4).
    if (!"HTTP/".startsWith(latin1Text(bytes, 0, Math.min(bytes.length, 5)))) throw notHttp();
    const end = endOfHead(bytes);
    if (this.#headBytes + (end?.rest ?? bytes.length) > MAX_HEAD_BYTES) {
      throw loadError("the head of its response is too long");
    }
    if (end === undefined) return undefined;
    this.#headBytes += end.rest;
    const head = parseHead(latin1Text(bytes, 0, end.text));
    if (head.statusCode < 200) {
      this.#interim += 1;
      // 101 is the response to an upgrade, which the request did not ask for.
      if (head.statusCode === 101 || this.#interim > MAX_INTERIM) throw notHttp();
    } else this.#begin(head, bytes.length > end.rest);
    return bytes.subarray(end.rest);
  }

  /** Determines how the body ends (RFC 9112 §6.3). */
  #begin(head: ResponseHead, hasMore: boolean): void {
    this.#keepsAlive = head.keepsAlive;
    const { length } = head;
    const codings = valuesOf(head.headers, "transfer-encoding").join(",").toLowerCase();
    this.#events.head(head);
    if (head.statusCode === 204 || head.statusCode === 304) this.#finish(this.#keepsAlive && !hasMore);
    else if (codings !== "" && /(?:^|,)\s*chunked\s*$/.test(codings)) this.#state = "line";
    else if (codings !== "" || length === undefined) this.#state = "close";
    else if (length === 0) this.#finish(this.#keepsAlive && !hasMore);
    else {
      this.#left = length;
      this.#state = "length";
    }
  }

  #counted(bytes: Buffer): Buffer {
    const taken = bytes.subarray(0, this.#left);
    this.#left -= taken.length;
    this.#events.body(taken);
    const rest = bytes.subarray(taken.length);
    if (this.#left > 0) return rest;
    if (this.#state === "data") this.#state = "gap";
    else this.#finish(this.#keepsAlive && rest.length === 0);
    return rest;
  }

  #chunkLine(bytes: Buffer): Buffer | undefined {
    const line = lineOf(bytes, MAX_CHUNK_LINE_BYTES);
    if (line === undefined) return undefined;
    const size = CHUNK_SIZE.exec(line.text)?.[1];
    if (size === undefined) throw notHttp();
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailer" : "data";
    return bytes.subarray(line.next);
  }

  #gap(bytes: Buffer): Buffer | undefined {
    const line = lineOf(bytes, 2);
    if (line === undefined) return undefined;
    if (line.text !== "") throw notHttp();
    this.#state = "line";
    return bytes.subarray(line.next);
  }

  #trailer(bytes: Buffer): Buffer | undefined {
    const line = lineOf(bytes, MAX_TRAILER_BYTES - this.#trailerBytes);
    if (line === undefined) return undefined;
    this.#trailerBytes += line.next;
    const rest = bytes.subarray(line.next);
    if (line.text === "") this.#finish(this.#keepsAlive && rest.length === 0);
    return rest;
  }

  #finish(reusable: boolean): void {
    this.#state = "done";
    this.#events.end(reusable);
  }
}

function lineOf(bytes: Buffer, max: number): { text: string; next: number } | undefined {
  const end = bytes.indexOf(LF);
  if (end > max || (end === -1 && bytes.length > max)) throw notHttp();
  if (end === -1) return undefined;
  return { text: latin1Text(bytes, 0, bytes[end - 1] === CR ? end - 1 : end), next: end + 1 };
}

function parseHead(text: string): ResponseHead {
  const lines = text.split(/\r*\n|\r/);
  const first = parseStatusLine(lines[0] ?? "");
  if (first === undefined) throw notHttp();
  const headers = fieldsOf(lines.slice(1));
  const connection = valuesOf(headers, "connection").join(",").toLowerCase();
  const keepsAlive = first.minor === "1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
  return { statusCode: first.status, headers, keepsAlive, length: contentLength(headers) };
}

function fieldsOf(lines: readonly string[]): ResponseHead["headers"] {
  const headers: [string, string][] = [];
  for (const field of lines) {
    const last = headers.at(-1);
    // A line that continues the previous one (RFC 9112 §5.2).
    if (/^[ \t]/.test(field) && last !== undefined) last[1] = `${last[1]} ${field.trim()}`.trim();
    else {
      const colon = field.indexOf(":");
      const name = field.slice(0, Math.max(colon, 0)).trim();
      if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) headers.push([name, field.slice(colon + 1).trim()]);
    }
  }
  return headers;
}

/** The values of all fields with a name, which is in lower case. */
export function valuesOf(headers: ResponseHead["headers"], name: string): string[] {
  return headers.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value);
}

/**
 * The declared length of the body; undefined if the head has no length. Different lengths indicate an attack
 * (RFC 9112 §6.3).
 */
function contentLength(headers: ResponseHead["headers"]): number | undefined {
  const found = new Set(valuesOf(headers, "content-length").flatMap((value) => value.split(",").map((v) => v.trim())));
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  if (others.length > 0 || !/^\d{1,15}$/.test(first)) throw notHttp();
  return Number(first);
}
