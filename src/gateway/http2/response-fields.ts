import { dateLine } from "../../lib/http/http-date.ts";
import { type Fields, parseContentLength } from "../../lib/http/fields.ts";
import { parseGrpcStatus } from "../../lib/http/grpc-status.ts";
import { FIELD_ROLES } from "../../lib/http/field-roles.ts";
import { type ResponseHead } from "../exchange/exchange.ts";
import { BAD_VALUE, LOWER_TOKEN } from "../exchange/request-fields.ts";
import { type FieldSink } from "./hpack/decoder.ts";

/** The kinds of response fields that a gateway distinguishes. */
const OTHER = 0;
const STATUS = 1;
const CONTENT_LENGTH = 2;
const DATE = 3;
/** Hop-by-hop fields, which are dropped. */
const DROPPED = 4;
const MALFORMED = 5;
const GRPC_STATUS = 6;

const KINDS: ReadonlyMap<string, number> = new Map([
  ...FIELD_ROLES.connection.map((name) => [name, MALFORMED] as const),
  ...FIELD_ROLES.proxy.map((name) => [name, DROPPED] as const),
  [":status", STATUS],
  ["content-length", CONTENT_LENGTH],
  ["date", DATE],
  ["grpc-status", GRPC_STATUS],
  ["te", DROPPED],
  ["trailer", DROPPED],
]);

/** RFC 9110 §15: a status of three digits in a known class. */
const STATUS_CODE = /^[1-5]\d\d$/;

/** One field of a response, with its precomputed properties: a table may keep it. */
export interface ResponseField {
  readonly kind: number;
  readonly value: string;
  /** `name: value\r\n`. */
  readonly line: string;
}

/** Classifies a field. The result can serve any number of responses. `name` and `value` are latin1. */
export function responseField(name: string, value: string): ResponseField {
  const kind = KINDS.get(name) ?? (LOWER_TOKEN.test(name) ? OTHER : MALFORMED);
  const isSound = !BAD_VALUE.test(value) && (kind !== STATUS || STATUS_CODE.test(value));
  return { kind: isSound ? kind : MALFORMED, value, line: `${name}: ${value}\r\n` };
}

/** Limits of a response's head and of its trailers. `maxSize` is in bytes, as RFC 9113 §6.5.2 counts them. */
interface HeadLimits {
  readonly maxSize: number;
  readonly maxCount: number;
}

/**
 * Builds a response head from the fields that an HTTP/2 server sends, in the order in which they arrive (RFC 9113
 * §8.3.2). One object serves a whole worker. Fields beyond a limit are counted and discarded.
 */
export class ResponseFields implements FieldSink<ResponseField> {
  readonly #limits: HeadLimits;
  /** The reason why the response is malformed; empty if it is valid so far. */
  malformed = "";
  #fields = "";
  #status = 0;
  #pseudoOver = false;
  #length = -1;
  #hasDate = false;
  #grpcStatus: number | undefined;
  #size = 0;
  #count = 0;

  constructor(limits: HeadLimits) {
    this.#limits = limits;
  }

  begin(): void {
    this.malformed = "";
    this.#fields = "";
    this.#status = 0;
    this.#pseudoOver = false;
    this.#length = -1;
    this.#hasDate = false;
    this.#grpcStatus = undefined;
    this.#size = 0;
    this.#count = 0;
  }

  /** The head exceeds a limit. */
  get tooLarge(): boolean {
    return this.#size > this.#limits.maxSize || this.#count > this.#limits.maxCount;
  }

  field({ kind, value, line }: ResponseField, size: number): void {
    this.#size += size;
    this.#count++;
    if (this.tooLarge) return;
    if (kind === STATUS) {
      this.#addStatus(value);
      return;
    }
    this.#pseudoOver = true;
    switch (kind) {
      case OTHER:
        this.#fields += line;
        return;
      case DATE:
        this.#hasDate = true;
        this.#fields += line;
        return;
      case CONTENT_LENGTH:
        this.#addLength(value);
        return;
      case GRPC_STATUS:
        this.#grpcStatus = parseGrpcStatus(value);
        this.#fields += line;
        return;
      case MALFORMED:
        this.malformed = "a field that cannot stand in a response";
        return;
      default:
    }
  }

  #addStatus(value: string): void {
    if (this.#pseudoOver) this.malformed = ":status after a field";
    if (this.#status !== 0) this.malformed = "repeated :status";
    this.#status = Number(value);
  }

  #addLength(value: string): void {
    const length = parseContentLength(value);
    if (length === -1 || (this.#length !== -1 && this.#length !== length)) this.malformed = "bad content-length";
    this.#length = length;
  }

  /**
   * The head, after all fields were added; undefined if it is malformed. `bodyLength` is the Content-Length, or -1
   * without one. `isEnd`: the response has no more parts, so a gRPC status in the head is that of the call.
   */
  finish(isEnd: boolean): ResponseHead | undefined {
    if (this.#status === 0) this.malformed = "no :status";
    // RFC 9113 §8.6
    if (this.#status === 101) this.malformed = "101 does not exist in HTTP/2";
    if (this.malformed !== "") return undefined;
    const isDated = this.#hasDate || this.#status < 200;
    const fields = isDated ? this.#fields : this.#fields + dateLine();
    const head = { status: this.#status, reason: "", fields, bodyLength: this.#length };
    return !isEnd || this.#grpcStatus === undefined ? head : { ...head, grpcStatus: this.#grpcStatus };
  }

  /**
   * The trailers without Content-Length, after all fields were added; undefined if they are malformed (RFC 9113 §8.1).
   */
  finishTrailers(): Fields | undefined {
    if (this.#status !== 0) this.malformed = ":status in trailers";
    return this.malformed === "" ? this.#fields : undefined;
  }
}
