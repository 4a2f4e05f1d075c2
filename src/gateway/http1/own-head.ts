import { type Fields } from "../../lib/http/fields.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { type FieldScan } from "./field-scan.ts";
import { HeadLines } from "./head-lines.ts";

/** The head of a request, which policies change. Its query stays bytes as its lines do. */
export class OwnHead extends HeadLines implements RequestHead {
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
  /** The text; undefined while there are only bytes. */
  #query: string | undefined;
  readonly #queryFrom: number;
  readonly #queryEnd: number;

  /** `bytes` have the scanned lines, and the query from `queryFrom` to `queryEnd`. */
  constructor(bytes: Uint8Array, scan: FieldScan, queryFrom: number, queryEnd: number) {
    super(bytes, scan);
    if (queryFrom === queryEnd) this.#query = "";
    else this.#query = this.keepsBytes ? undefined : latin1Text(bytes, queryFrom, queryEnd);
    this.#queryFrom = queryFrom;
    this.#queryEnd = queryEnd;
  }

  get query(): string {
    this.#query ??= this.textOf(this.#queryFrom, this.#queryEnd);
    return this.#query;
  }
  set query(query: string) {
    this.#query = query;
  }

  addQuery(pieces: TextPieces): void {
    if (this.#query === undefined) this.add(pieces, this.#queryFrom, this.#queryEnd);
    else pieces.add(this.#query);
  }
}
