import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/fields.ts";
import { type Exchange, type ResponseHead } from "../../exchange.ts";
import { type OwnExchange, type OwnSink } from "../own-exchange.ts";
import { type CacheRequest } from "./cache-request.ts";
import { type CachePolicy, isOfUse, isStorable } from "./freshness.ts";
import { Pieces, Reader } from "./reader.ts";
import { type CacheStore } from "./store.ts";
import { type ReceivedHead, StoredResponse } from "./stored-response.ts";
import { directivesOf } from "./targeted-field.ts";

/** Bytes of a body too large to be stored that the fastest of its readers may be ahead of the slowest. */
const MAX_LEAD_BYTES = 1_048_576;

/** What a fetch needs of its cache. */
export interface FetchHost {
  readonly store: CacheStore;
  readonly policy: CachePolicy;
  readonly keyNames: readonly string[];
  readonly maxEntryBytes: number;
  /** Unix milliseconds. */
  now(): number;
  /** Answers from a stored response that is fresh, or that has to do. */
  answerFrom(reader: Reader, stored: StoredResponse, status: string): void;
  /** True where a conditional request was answered 304 by this head. */
  answerUnchanged(reader: Reader, head: ResponseHead): boolean;
  /** The response is for the one who asked alone: the others ask for themselves. */
  goAlone(exchange: Exchange): void;
  answerError(exchange: Exchange, error: TurnpikeError): void;
  /** Whether the stored response does in the place of an error (RFC 5861 §4). */
  mayServeOnError(stored: StoredResponse): boolean;
  /** The key is free for another fetch. `kept`: responses of this kind are stored. */
  over(fetch: Fetch, kept: boolean): void;
}

export interface FetchPlan {
  readonly uri: string;
  readonly variant: string;
  readonly request: CacheRequest;
  /** What is stored and asked about; undefined: nothing is. */
  readonly stale: StoredResponse | undefined;
  /** Why the request goes to the upstream, as Cache-Status says it (RFC 9211 §2.2). */
  readonly reason: "uri-miss" | "vary-miss" | "stale" | "request";
}

/**
 * One request to the upstream for all who want the same: it stores the answer where that may be, and gives it to its readers
 * while it comes. What may not be stored goes to the first of them alone.
 *
 *   asked ─ 304 ───────────▶ all are answered from what is stored
 *     ├──── error ─────────▶ the same where what is stored may do, else the error
 *     ├──── storable ──────▶ all read it while it comes ─ too large ─▶ they go on, it is not stored
 *     └──── not storable ──▶ the first gets it, the others ask for themselves
 */
export class Fetch implements OwnSink {
  readonly plan: FetchPlan;
  readonly #host: FetchHost;
  readonly #askedAt: number;
  readonly #readers = new Set<Reader>();
  readonly #pieces = new Pieces();
  #own: OwnExchange | undefined;
  #head: ReceivedHead | undefined;
  /** The only one who gets a response that is not shared. */
  #only: Exchange | undefined;
  /** Of the response; -1 where its length is not known. */
  #bodyLength = -1;
  #isStoring = false;
  #reserved = 0;
  #isOver = false;
  /** Nobody waits for it: it brings what is stored up to date. */
  readonly #isBackground: boolean;

  constructor(host: FetchHost, plan: FetchPlan, isBackground: boolean) {
    this.#host = host;
    this.plan = plan;
    this.#askedAt = host.now();
    this.#isBackground = isBackground;
  }

  /** The request that it makes; it is begun by whoever made this. */
  asks(own: OwnExchange): void {
    this.#own = own;
  }

  /** Has the client read along. */
  join(exchange: Exchange, request: CacheRequest): void {
    const reader = new Reader(exchange, request, this.#readers.size > 0);
    this.#readers.add(reader);
    exchange.onDrain = () => {
      reader.drained();
      reader.read(this.#pieces);
      this.#readOn(reader);
    };
    exchange.onCancel = () => {
      reader.isOver = true;
      this.#leave(reader);
    };
    if (this.#head !== undefined) this.#beginReader(reader, this.#head);
  }

  start(head: ResponseHead): void {
    if (this.#isOver) return;
    if (head.status < 200) {
      for (const { exchange } of this.#readers) exchange.response.start(head);
      return;
    }
    const { stale } = this.plan;
    const received = { ...head, askedAt: this.#askedAt, receivedAt: this.#host.now() };
    if (head.status === 304 && stale !== undefined) this.#stillHolds(stale, received);
    else if (head.status >= 500 && stale !== undefined && this.#host.mayServeOnError(stale)) this.#serveStale(stale);
    else this.#begin(head, received);
  }

  #stillHolds(stored: StoredResponse, received: ReceivedHead): void {
    this.#host.store.freshen(stored, received, this.#host.policy);
    this.#answerAll(stored, `fwd=${this.plan.reason}; fwd-status=304`);
  }

  #serveStale(stored: StoredResponse): void {
    this.#answerAll(stored, `hit; fwd=${this.plan.reason}; detail=stale-if-error`);
  }

  #answerAll(stored: StoredResponse, status: string): void {
    this.#finish(true);
    for (const reader of this.#readers) this.#host.answerFrom(reader, stored, status);
    this.#readers.clear();
  }

  #begin(head: ResponseHead, received: ReceivedHead): void {
    const { targets, ttl } = this.#host.policy;
    const control = directivesOf(head.fields, targets);
    const facts = { ...received, control };
    this.#isStoring =
      head.bodyLength <= this.#host.maxEntryBytes &&
      isStorable(facts, this.plan.request, this.#host.keyNames) &&
      isOfUse(facts, ttl);
    this.#bodyLength = head.bodyLength;
    if (!this.#isStoring) {
      this.#forOneAlone(head);
      return;
    }
    this.#head = received;
    for (const reader of this.#readers) this.#beginReader(reader, received);
  }

  #forOneAlone(head: ResponseHead): void {
    const [first, ...others] = this.#readers;
    this.#readers.clear();
    const { stale } = this.plan;
    // What is stored is not what the server has any more.
    if (stale !== undefined && head.status < 500) this.#host.store.remove(stale);
    this.#host.over(this, false);
    if (first === undefined) {
      this.#isOver = true;
      this.#own?.cancel();
    } else {
      const { exchange } = first;
      this.#only = exchange;
      exchange.onDrain = () => this.#own?.onDrain?.();
      exchange.onCancel = () => this.#own?.cancel();
      exchange.response.start({ ...head, fields: head.fields + this.#statusLine(head.status, "") });
    }
    for (const { exchange } of others) this.#host.goAlone(exchange);
  }

  #beginReader(reader: Reader, { status, reason, fields }: ReceivedHead): void {
    const { exchange } = reader;
    const line = this.#statusLine(
      status,
      `${this.#isStoring ? "; stored" : ""}${reader.isCollapsed ? "; collapsed" : ""}`,
    );
    const head = { status, reason, fields: fields + line, bodyLength: this.#bodyLength };
    if (this.#host.answerUnchanged(reader, head)) {
      reader.isOver = true;
      this.#leave(reader);
      return;
    }
    exchange.response.start(head);
    reader.read(this.#pieces);
    this.#readOn(reader);
  }

  #statusLine(status: number, rest: string): Fields {
    return `Cache-Status: Turnpike; fwd=${this.plan.reason}; fwd-status=${status}${rest}\r\n`;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#only !== undefined) return this.#only.response.data(chunk, start, end);
    if (this.#isOver) return true;
    if (this.#isStoring && !this.#reserve(end - start)) this.#tooLarge();
    // A copy: what a socket brought may be a small part of what it is read into.
    this.#pieces.add(Uint8Array.prototype.slice.call(chunk, start, end));
    for (const reader of this.#readers) {
      reader.read(this.#pieces);
      this.#readOn(reader);
    }
    return this.#mayComeOn();
  }

  #reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.#host.maxEntryBytes || !this.#host.store.reserve(bytes)) return false;
    this.#reserved += bytes;
    return true;
  }

  /** It is not stored after all; who reads it reads on. */
  #tooLarge(): void {
    this.#isStoring = false;
    this.#release();
    this.#host.over(this, false);
    if (this.#readers.size > 0) return;
    this.#isOver = true;
    this.#own?.cancel();
  }

  /** Everything of what is stored is needed later; of what is not, only what somebody has not read. */
  #mayComeOn(): boolean {
    return this.#isStoring || this.#pieces.bytes < MAX_LEAD_BYTES;
  }

  /** A reader has read: what all have read can go, and more may come. */
  #readOn(reader: Reader): void {
    if (reader.isOver) this.#readers.delete(reader);
    if (this.#isStoring || this.#head === undefined) return;
    const wasFull = !this.#mayComeOn();
    let slowest = this.#pieces.next;
    for (const { at } of this.#readers) slowest = Math.min(slowest, at);
    this.#pieces.forget(slowest);
    if (wasFull && this.#mayComeOn()) this.#own?.onDrain?.();
  }

  end(trailers: Fields): void {
    if (this.#only !== undefined) {
      this.#only.response.end(trailers);
      return;
    }
    if (this.#isOver || this.#head === undefined) return;
    this.#pieces.isWhole = true;
    this.#pieces.trailers = trailers;
    const isStored = this.#isStoring && trailers === "";
    if (isStored) this.#store(this.#head);
    this.#finish(isStored);
    for (const reader of this.#readers) reader.read(this.#pieces);
  }

  #store(head: ReceivedHead): void {
    this.#release();
    const { store, policy } = this.#host;
    store.put(new StoredResponse(this.plan, head, this.#pieces.joined(), policy));
  }

  abort(error: TurnpikeError): void {
    const only = this.#only;
    if (only !== undefined) {
      only.response.abort(error);
      return;
    }
    if (this.#isOver) return;
    if (this.#head === undefined) {
      this.fail(error);
      return;
    }
    this.#finish(false);
    for (const { exchange } of this.#readers) exchange.response.abort(error);
    this.#readers.clear();
  }

  fail(error: TurnpikeError): void {
    if (this.#only !== undefined) {
      this.#only.response.abort(error);
      return;
    }
    if (this.#isOver) return;
    const { stale } = this.plan;
    if (this.#head === undefined && stale !== undefined && this.#host.mayServeOnError(stale)) {
      this.#serveStale(stale);
      return;
    }
    this.#finish(false);
    for (const { exchange } of this.#readers) this.#host.answerError(exchange, error);
    this.#readers.clear();
  }

  /** A client has left, or needs no more. */
  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) {
      this.#readOn(reader);
      return;
    }
    // What is being stored is small, and others will ask for it.
    if (this.#isStoring || this.#isBackground || this.#isOver) return;
    this.#finish(false);
    this.#own?.cancel();
  }

  #finish(kept: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#host.over(this, kept);
  }

  #release(): void {
    this.#host.store.release(this.#reserved);
    this.#reserved = 0;
  }
}
