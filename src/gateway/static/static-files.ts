import { randomBytes } from "node:crypto";
import { type Fields } from "../../lib/http/fields.ts";
import { dateLine } from "../../lib/http/http-date.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { respond, type RespondWithError, CannedError } from "../exchange/local-response.ts";
import { securityFields } from "../exchange/security-fields.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { FileTable, type FileTableSettings, type Lack } from "./file-table.ts";
import { type OpenFile, WHOLE_BYTES } from "./open-file.ts";
import { type ByteRange, parseRange } from "../../lib/http/byte-ranges.ts";
import { chooseForm, type Representation, type StaticFile } from "./representation.ts";
import { evaluate, rangeApplies, readConditions } from "../../lib/http/request-conditions.ts";
import { type Part, Transfer, type TransferBody } from "./transfer.ts";

/** Tries for a file that has become shorter since it was measured. */
const MAX_TRIES = 2;

const ALLOW = "Allow: GET, HEAD, OPTIONS\r\n";
const NOTHING = new Uint8Array(0);

const NOT_FOUND = new CannedError("not-found", "no route and no file serves this path");
const NOT_ALLOWED = new CannedError("method-not-allowed", "files are served to GET and HEAD");
const BUSY = new CannedError("overloaded", "too many files are open");
const FAILED = new CannedError("precondition-failed", "a precondition of the request does not hold");
const UNSATISFIABLE = new CannedError("range-not-satisfiable", "none of the ranges is within the file");
const UNREADABLE = new CannedError("internal", "the file could not be read");

const LACKS = { absent: NOT_FOUND, busy: BUSY } as const;

/** The services of `StaticFiles`. `onError` gets exceptions that no event of the client's connection catches. */
export type StaticFilesDeps = Pick<FeatureParts, "wheel" | "respondWithError" | "onError">;

/** Serves the files of a folder at paths without a route. */
export class StaticFiles {
  readonly #table: FileTable;
  readonly #respondWithError: RespondWithError;
  readonly #onError: (error: unknown) => void;

  /** Throws if the folder cannot be served. */
  constructor(settings: FileTableSettings, deps: StaticFilesDeps) {
    this.#table = new FileTable(settings, deps.wheel);
    this.#respondWithError = deps.respondWithError;
    this.#onError = deps.onError;
  }

  /** Responds with the file at the exchange's path, or with the error for a missing file. */
  serve(exchange: Exchange): void {
    const { method, path } = exchange.head;
    if (method !== "GET" && method !== "HEAD") {
      if (method === "OPTIONS") respond(exchange, 204, ALLOW, NOTHING);
      else this.#respondWithError(exchange, NOT_ALLOWED, ALLOW);
      return;
    }
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const served = this.#table.get(path);
      if (typeof served === "string") {
        this.#respondWithLack(exchange, served);
        return;
      }
      if (this.#respondWithFile(exchange, served)) return;
      this.#table.forget(path);
    }
    this.#respondWithError(exchange, UNREADABLE);
  }

  /** Closes the open files. Responses in flight continue. */
  close(): void {
    this.#table.close();
  }

  #respondWithLack(exchange: Exchange, lack: Lack): void {
    if (lack !== "directory") {
      this.#respondWithError(exchange, LACKS[lack]);
      return;
    }
    // Paths have no empty segments, so this never names another host.
    const { path, query } = exchange.head;
    respond(exchange, 301, `Location: ${path}/${query}\r\n${securityFields()}`, NOTHING);
  }

  /** False: the file has changed since it was measured, and nothing was sent. */
  #respondWithFile(exchange: Exchange, served: StaticFile): boolean {
    const { method, fields } = exchange.head;
    const conditions = readConditions(fields);
    const form = chooseForm(served, conditions.acceptEncoding);
    const outcome = evaluate(conditions, form);
    if (outcome === 304) {
      const { response } = exchange;
      response.start({ status: 304, reason: "", fields: dateLine() + form.validatorFields, bodyLength: -1 });
      response.end("");
    } else if (outcome === 412) {
      this.#respondWithError(exchange, FAILED, form.validatorFields);
    } else {
      const asked = method === "GET" && rangeApplies(conditions, form) ? conditions.range : undefined;
      const ranges = asked === undefined ? "whole" : parseRange(asked, form.file.size);
      if (ranges === "whole") return this.#respondWhole(exchange, form);
      this.#respondWithRanges(exchange, form, ranges);
    }
    return true;
  }

  #respondWhole(exchange: Exchange, form: Representation): boolean {
    const { response, head } = exchange;
    const { file } = form;
    const start = { status: 200, reason: "OK", fields: dateLine() + form.fields, bodyLength: file.size };
    if (head.method === "HEAD") {
      response.start(start);
    } else {
      if (file.size > WHOLE_BYTES) {
        response.start(start);
        this.#send(exchange, file, { parts: [{ preamble: undefined, from: 0, to: file.size }] });
        return true;
      }
      this.#table.keepSmall(file);
      const content = file.read(0, file.size);
      if (content === undefined) return false;
      response.start(start);
      response.data(content);
    }
    response.end("");
    return true;
  }

  #respondWithRanges(exchange: Exchange, form: Representation, ranges: readonly ByteRange[] | "unsatisfiable"): void {
    const { size } = form.file;
    if (ranges === "unsatisfiable") {
      this.#respondWithError(exchange, UNSATISFIABLE, `${form.validatorFields}Content-Range: bytes */${size}\r\n`);
      return;
    }
    const [first] = ranges;
    if (first === undefined || ranges.length > 1) {
      const { mediaTypeField, bodyLength, body } = severalParts(form, ranges);
      const fields = `${dateLine()}${mediaTypeField}${form.commonFields}`;
      exchange.response.start({ status: 206, reason: "", fields, bodyLength });
      this.#send(exchange, form.file, body);
      return;
    }
    const bodyLength = first.to - first.from;
    const fields = `${dateLine()}${form.fields}${contentRange(first, size)}`;
    exchange.response.start({ status: 206, reason: "", fields, bodyLength });
    this.#send(exchange, form.file, { parts: [{ preamble: undefined, ...first }] });
  }

  #send(exchange: Exchange, file: OpenFile, body: TransferBody): void {
    new Transfer(exchange, file, body, this.#onError).run();
  }
}

function contentRange({ from, to }: ByteRange, size: number): string {
  return `Content-Range: bytes ${from}-${to - 1}/${size}\r\n`;
}

/** Several ranges in one response (RFC 9110 §14.6). */
function severalParts(
  { file, mediaType }: Representation,
  ranges: readonly ByteRange[],
): { mediaTypeField: Fields; bodyLength: number; body: TransferBody } {
  const boundary = randomBytes(16).toString("hex");
  const parts: Part[] = ranges.map((range, i) => {
    const head = `Content-Type: ${mediaType}\r\n${contentRange(range, file.size)}`;
    return { ...range, preamble: Buffer.from(`${i === 0 ? "" : "\r\n"}--${boundary}\r\n${head}\r\n`, "latin1") };
  });
  const closing = Buffer.from(`\r\n--${boundary}--\r\n`, "latin1");
  const lengths = parts.map(({ preamble, from, to }) => (preamble?.length ?? 0) + to - from);
  return {
    mediaTypeField: `Content-Type: multipart/byteranges; boundary=${boundary}\r\n`,
    bodyLength: lengths.reduce((sum, length) => sum + length, closing.length),
    body: { parts, closing },
  };
}
