import { type Fields } from "../../lib/fields.ts";
import { latin1Text } from "../../lib/latin1.ts";
import { type TextPieces } from "../../lib/text-pieces.ts";
import { type RequestHead } from "../exchange.ts";
import { type FieldScan } from "./field-scan.ts";

/**
 * Ranges of field lines that a head keeps as bytes: three, since usual requests have Host and Connection among the lines that
 * are not passed on. Lines in more ranges become a text.
 */
const MAX_RUNS = 3;
const NO_BYTES = new Uint8Array(0);

/** The parts of a head that may stay bytes. */
interface HeadParts {
  readonly queryFrom: number;
  readonly queryEnd: number;
  readonly scan: FieldScan;
  /** The bytes may be kept. */
  readonly isAlone: boolean;
}

/**
 * The head of a request that an exchange owns: policies change it, and the exchange uses the object again. The query and the
 * field lines stay bytes until they are read, because most are only forwarded: the two texts cost a request that differs from
 * the one before 300 bytes and a tenth of its time (bench http1, mixed).
 */
export class OwnHead implements RequestHead {
  method = "";
  scheme: RequestHead["scheme"] = "http";
  authority = "";
  path = "";
  payment: Fields = "";
  bodyLength = 0;
  expectContinue = false;
  via = "";
  forwardedFor = "";
  readonly isGrpc = false;
  upgrade: RequestHead["upgrade"] = "";
  /** The texts; undefined while they are bytes only. */
  #query: string | undefined = "";
  #fields: Fields | undefined = "";
  #bytes: Uint8Array = NO_BYTES;
  #queryFrom = 0;
  #queryEnd = 0;
  /** Starts and ends of the field lines. */
  readonly #runs: number[] = Array.from({ length: 2 * MAX_RUNS }, () => 0);
  #runCount = 0;

  get query(): string {
    this.#query ??= latin1Text(this.#bytes, this.#queryFrom, this.#queryEnd);
    return this.#query;
  }
  set query(query: string) {
    this.#query = query;
  }

  get fields(): Fields {
    if (this.#fields === undefined) {
      this.#fields = "";
      for (let i = 0; i < this.#runCount; i += 2) {
        this.#fields += latin1Text(this.#bytes, this.#runs[i] ?? 0, this.#runs[i + 1] ?? 0);
      }
    }
    return this.#fields;
  }
  set fields(fields: Fields) {
    this.#fields = fields;
  }

  addQuery(pieces: TextPieces): void {
    if (this.#query === undefined) pieces.addBytes(this.#bytes, this.#queryFrom, this.#queryEnd);
    else pieces.add(this.#query);
  }

  addFields(pieces: TextPieces): void {
    if (this.#fields !== undefined) {
      pieces.add(this.#fields);
      return;
    }
    for (let i = 0; i < this.#runCount; i += 2) {
      pieces.addBytes(this.#bytes, this.#runs[i] ?? 0, this.#runs[i + 1] ?? 0);
    }
  }

  /** Takes the query and the lines that the scan passes on. */
  takeParts(bytes: Uint8Array, { queryFrom, queryEnd, scan, isAlone }: HeadParts): void {
    this.#bytes = isAlone ? bytes : NO_BYTES;
    this.#queryFrom = queryFrom;
    this.#queryEnd = queryEnd;
    this.#query = queryFrom === queryEnd ? "" : isAlone ? undefined : latin1Text(bytes, queryFrom, queryEnd);
    const isText = !isAlone || scan.isText || scan.runCount > MAX_RUNS;
    this.#fields = isText ? scan.fields : undefined;
    this.#runCount = isText ? 0 : 2 * scan.runCount;
    for (let i = 0; i < this.#runCount; i++) this.#runs[i] = scan.runs[i] ?? 0;
  }

  /** Makes texts of all parts. They are the same strings in all copies made later. */
  makeTexts(): void {
    this.#fields = this.fields;
    this.#query = this.query;
    this.#bytes = NO_BYTES;
  }

  /** Takes all values of another head. */
  copy(head: OwnHead): void {
    this.method = head.method;
    this.scheme = head.scheme;
    this.authority = head.authority;
    this.path = head.path;
    this.payment = head.payment;
    this.bodyLength = head.bodyLength;
    this.expectContinue = head.expectContinue;
    this.via = head.via;
    this.forwardedFor = head.forwardedFor;
    this.upgrade = head.upgrade;
    this.#query = head.#query;
    this.#fields = head.#fields;
    this.#bytes = head.#bytes;
    this.#queryFrom = head.#queryFrom;
    this.#queryEnd = head.#queryEnd;
    this.#runCount = head.#runCount;
    for (let i = 0; i < this.#runCount; i++) this.#runs[i] = head.#runs[i] ?? 0;
  }
}
