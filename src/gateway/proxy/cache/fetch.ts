import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { type Exchange, type ResponseHead } from "../../exchange/exchange.ts";
import { changedHead } from "../../exchange/exchange-state.ts";
import { type Subrequest, type SubrequestSink } from "../subrequest.ts";
import { type CacheRequest } from "./cache-request.ts";
import { isOfUse, isStorable } from "./freshness.ts";
import { type PartHost, type PartPlan } from "./partial-content.ts";
import { Pieces, Reader } from "./reader.ts";
import { type ReceivedHead, receivedHead, StoredResponse } from "./stored-response.ts";
import { directivesOf } from "./targeted-field.ts";

/**
 * Bytes by which the fastest reader of a body that is not stored may be ahead of the slowest one. Beyond them the upstream
 * is paused.
 */
const MAX_LEAD_BYTES = 1_048_576;

export interface FetchHost extends PartHost {
  /** Responds from a stored response that is fresh or may be served stale. */
  respondFrom(reader: Reader, stored: StoredResponse, status: string): void;
  /** Sends 304 if the request's conditions match this head. True: it was sent. */
  respondUnchanged(reader: Reader, head: ResponseHead): boolean;
  /** The response cannot be shared: this exchange is forwarded alone. */
  goAlone(exchange: Exchange): void;
  respondWithError(exchange: Exchange, error: TurnpikeError): void;
  /** True if the stored response may be served in place of an error (RFC 5861 §4). */
  mayServeOnError(stored: StoredResponse): boolean;
  /** The key is free for another fetch. `kept`: responses to this key are stored. */
  over(fetch: Fetch, kept: boolean): void;
}

/** The request of a `Fetch`, and the key of its response: the URI and the variant. */
export interface FetchPlan extends Omit<PartPlan, "askedAt" | "version"> {
  /** The stored response to revalidate. Undefined: the fetch does not revalidate. */
  readonly stale: StoredResponse | undefined;
  /** The reason for the upstream request, as in Cache-Status (RFC 9211 §2.2). */
  readonly reason: "uri-miss" | "vary-miss" | "stale" | "request";
}

/**
 * One upstream request for all clients that request the same key. It stores the response if that is allowed, and streams it
 * to its readers. A response that must not be stored goes only to the first reader.
 *
 *   304:          ──▶ all readers get the stored response
 *   error:        ──▶ they get the stored response if it may be served, else the error
 *   storable:     ──▶ they get it as it arrives; if it becomes too large it is not stored
 *   not storable: ──▶ the first reader gets it, the requests of the others are forwarded
 */
export class Fetch implements SubrequestSink {
  readonly plan: FetchPlan;
  readonly #host: FetchHost;
  readonly #askedAt: number;
  readonly #version: number;
  readonly #readers = new Set<Reader>();
  readonly #pieces = new Pieces();
  #own: Subrequest | undefined;
  #head: ReceivedHead | undefined;
  /** The only client of a response that is not shared. */
  #only: Exchange | undefined;
  /** Length of the response; -1 if unknown. */
  #bodyLength = -1;
  #isStoring = false;
  #reserved = 0;
  #isOver = false;

  constructor(host: FetchHost, plan: FetchPlan) {
    this.#host = host;
    this.plan = plan;
    this.#askedAt = host.now();
    this.#version = host.store.version;
  }

  /** True if the URI was invalidated after the request. */
  get isOutdated(): boolean {
    return this.#host.store.isOutdated(this.plan.uri, this.#version);
  }

  /** Sets the upstream request. The caller begins it. */
  asks(own: Subrequest): void {
    this.#own = own;
  }

  join(exchange: Exchange, request: CacheRequest): void {
    const reader = new Reader(exchange, request, this.#readers.size > 0);
    this.#readers.add(reader);
    exchange.onDrain = () => {
      reader.drained();
      reader.read(this.#pieces);
      this.#readOn();
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
    const received = receivedHead(head, this.#askedAt, this.#host);
    if (head.status === 304 && stale !== undefined) this.#stillHolds(stale, received);
    else if (head.status >= 500 && stale !== undefined && this.#host.mayServeOnError(stale)) this.#serveStale(stale);
    else this.#begin(head, received);
  }

  #stillHolds(stored: StoredResponse, received: ReceivedHead): void {
    this.#host.store.freshen(stored, received, this.#host.policy);
    this.#respondToAll(stored, `fwd=${this.plan.reason}; fwd-status=304`);
  }

  #serveStale(stored: StoredResponse): void {
    this.#respondToAll(stored, `hit; fwd=${this.plan.reason}; detail=stale-if-error`);
  }

  #respondToAll(stored: StoredResponse, status: string): void {
    this.#finish(true);
    for (const reader of this.#readers) this.#host.respondFrom(reader, stored, status);
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
    // The stored response is no longer that of the server.
    if (stale !== undefined && head.status < 500) this.#host.store.remove(stale);
    this.#host.over(this, false);
    if (first === undefined) {
      this.#isOver = true;
      this.#own?.cancel();
    } else {
      const { exchange } = first;
      this.#only = exchange;
      exchange.onDrain = () => this.#own?.drained();
      exchange.onCancel = () => this.#own?.cancel();
      exchange.response.start(changedHead(head, { fields: head.fields + this.#statusLine(head.status, "") }));
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
    if (this.#host.respondUnchanged(reader, head)) {
      reader.isOver = true;
      this.#leave(reader);
      return;
    }
    exchange.response.start(head);
    reader.read(this.#pieces);
  }

  #statusLine(status: number, rest: string): Fields {
    return `Cache-Status: Turnpike; fwd=${this.plan.reason}; fwd-status=${status}${rest}\r\n`;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#only !== undefined) return this.#only.response.data(chunk, start, end);
    if (this.#isOver) return true;
    if (this.#isStoring && !this.#reserve(end - start)) this.#tooLarge();
    this.#pieces.add(chunk, start, end);
    for (const reader of this.#readers) {
      reader.read(this.#pieces);
      this.#readOn();
    }
    return this.#mayComeOn();
  }

  #reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.#host.maxEntryBytes || !this.#host.store.reserve(bytes)) return false;
    this.#reserved += bytes;
    return true;
  }

  /** Stops storing the response; its readers continue. */
  #tooLarge(): void {
    this.#isStoring = false;
    this.#release();
    this.#host.over(this, false);
    if (this.#readers.size > 0) return;
    this.#isOver = true;
    this.#own?.cancel();
  }

  /** A response that is stored keeps all its bytes; another one keeps only the bytes that some reader has not read. */
  #mayComeOn(): boolean {
    return this.#isStoring || this.#pieces.bytes < MAX_LEAD_BYTES;
  }

  /** Removes the bytes that all readers have read, and resumes the upstream if there is room. */
  #readOn(): void {
    if (this.#isStoring || this.#head === undefined) return;
    const wasFull = !this.#mayComeOn();
    let slowest = this.#pieces.next;
    for (const { at } of this.#readers) slowest = Math.min(slowest, at);
    this.#pieces.forget(slowest);
    if (wasFull && this.#mayComeOn()) this.#own?.drained();
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
    if (isStored && !this.isOutdated) this.#store(this.#head);
    this.#finish(isStored);
    for (const reader of this.#readers) reader.read(this.#pieces);
  }

  #store(head: ReceivedHead): void {
    this.#release();
    const { store, policy } = this.#host;
    store.put(new StoredResponse(this.plan, head, this.#pieces.joined(), policy));
  }

  abort(error: TurnpikeError): void {
    if (this.#isOver) return;
    if (this.#head === undefined) {
      this.fail(error);
      return;
    }
    this.#finish(false);
    for (const { exchange } of this.#readers) exchange.response.abort(error);
  }

  fail(error: TurnpikeError): void {
    if (this.#only !== undefined) {
      this.#only.response.abort(error);
      return;
    }
    if (this.#isOver) return;
    const { stale } = this.plan;
    if (this.#head === undefined && stale !== undefined && this.#host.mayServeOnError(stale)) this.#serveStale(stale);
    else {
      this.#finish(false);
      for (const { exchange } of this.#readers) this.#host.respondWithError(exchange, error);
    }
  }

  /** Removes a reader that has left or needs no more. */
  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) {
      this.#readOn();
      return;
    }
    // The fetch continues if the response is stored: it is small, and other clients may request it.
    if (this.#isStoring) return;
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
