import { type FieldSection, type QuicStream } from "node:quic";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { grpcResponse, type HeadError, problemResponse, refusedHead } from "../exchange/refusal.ts";
import { type RequestField, RequestFields } from "../exchange/request-fields.ts";
import { bodyLimit, type ServerHost } from "../exchange/server-host.ts";
import { type ClientPackets } from "./client-packets.ts";
import * as codes from "./codes.ts";
import { addFields, newHead, readFields } from "./field-section.ts";
import { Http3RequestBody } from "./request-body.ts";
import { type Transport } from "../exchange/exchange.ts";
import { type ExchangeStream, Http3Exchange } from "./server-exchange.ts";
import { beginEvent, endEvent } from "../../lib/time/event-clock.ts";

export interface StreamOwner extends Omit<ExchangeStream, "quic" | "session"> {
  /** Bytes that the client has sent, without those of bodies. */
  readonly otherBytes: number;
  /** Counts received bytes of bodies. */
  countBody(bytes: number): void;
  /** The client exceeds a limit: the connection closes (RFC 9114 §10.5). */
  overwhelmed(): void;
  ended(hasResponse: boolean): void;
  /** The stream was reset for a malformed request. */
  malformed(): void;
  /** A rule about frames was violated: the connection closes (RFC 9114 §4.1). */
  violated(): void;
  streamClosed(): void;
  readonly heads: AwaitedHeads;
}

/** The streams of one port whose heads are incomplete, the oldest first. */
export class AwaitedHeads {
  readonly waiting = new Set<RequestStream>();
  readonly late = new Set<RequestStream>();
}

/** Milliseconds between checks of an incomplete head. */
const HEAD_CHECK_MS = 50;
/**
 * Bytes without bodies that a connection may bring while a head is incomplete. The engine itself has no limit for
 * a head.
 */
const MAX_HEAD_BYTES = 1_048_576;
/**
 * HTTP/3 requests of one port without a complete head. A further one is reset, and its client may repeat it. The
 * engine calls a stream that ended without a head 1,000 times in each of its turns, which takes 0.4 ms.
 */
const MAX_AWAITED_HEADS = 1024;
/** Milliseconds after which a head is late: longer than most clients need to send a lost packet again. */
const LATE_HEAD_MS = 250;
/**
 * HTTP/3 requests of one port whose heads are incomplete after 250 ms. A further one closes the oldest's connection.
 * @operator
 */
const MAX_LATE_HEADS = 16;

type Batch = IteratorResult<readonly Uint8Array[], void>;

const fields = new RequestFields();

/** Methods that usually have no body: the codec waits for the end of the stream after the head. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "DELETE", "TRACE"]);

/**
 * A client's request stream (RFC 9114 §4.1): head, body, trailers.
 *
 *   HEAD ─ fields ─▶ is there a body? ─▶ exchange ─▶ closed
 *
 * Whether a body follows a head is not said in the head: the end of the stream is, in the same packet as a rule.
 */
export class RequestStream extends Deadline implements ExchangeStream {
  readonly quic: QuicStream;
  readonly host: ServerHost;
  readonly peerAddress: string;
  readonly #owner: StreamOwner;
  /** The fields of the head, while a response to them may still be a refusal. */
  #head: RequestField[] | undefined;
  #chunks: AsyncIterator<readonly Uint8Array[], void> | undefined;
  /** A response or a reset was sent, or there is an exchange. */
  #begun = false;
  #exchange: Http3Exchange | undefined;
  #body: Http3RequestBody | undefined;
  #trailers: Fields | undefined;
  #closed = false;
  /** The codec itself has responded. */
  #refused = false;
  #headDue: number;
  readonly #lateFrom: number;
  #bytesBefore = -1;

  constructor(quic: QuicStream, owner: StreamOwner) {
    super();
    this.quic = quic;
    this.#owner = owner;
    this.host = owner.host;
    this.peerAddress = owner.peerAddress;
    const now = this.host.wheel.now();
    this.#headDue = now + this.host.settings().headerMs;
    this.#lateFrom = now + LATE_HEAD_MS;
    this.#awaitHead();
    const { waiting } = owner.heads;
    // In a burst, the engine reports all streams before their heads.
    if (waiting.size >= MAX_AWAITED_HEADS) this.#reset(codes.REQUEST_REJECTED);
    else waiting.add(this);
    quic.onheaders = (block) => this.#onHead(block);
    quic.onreset = () => this.#onReset(); // oxlint-disable-line unicorn/prefer-add-event-listener -- it is not an event target
    quic.ontrailers = (block) => this.#onTrailers(block);
    const closed = (): void => this.#onClosed();
    quic.closed.then(closed, closed);
  }

  get transport(): Transport {
    return this.#owner.transport;
  }

  get session(): object {
    return this.#owner;
  }

  get packets(): ClientPackets {
    return this.#owner.packets;
  }

  onError(error: unknown): void {
    this.#owner.onError(error);
  }

  override onDeadline(): void {
    if (this.#begun) this.#reset(codes.REQUEST_CANCELLED);
    else if (this.host.wheel.now() >= this.#headDue) {
      this.#response({ code: "request-timeout", detail: "the request head did not arrive in time" });
    } else this.#checkHead();
  }

  #awaitHead(): void {
    const left = Math.max(this.#headDue - this.host.wheel.now(), 0);
    this.host.wheel.set(this, Math.min(left, HEAD_CHECK_MS));
  }

  #checkHead(): void {
    const bytes = this.#owner.otherBytes;
    if (this.#bytesBefore === -1) this.#bytesBefore = bytes;
    if (bytes - this.#bytesBefore > MAX_HEAD_BYTES) this.#owner.overwhelmed();
    else {
      this.#awaitHead();
      if (this.host.wheel.now() >= this.#lateFrom) this.#countLate();
    }
  }

  #countLate(): void {
    const { late } = this.#owner.heads;
    late.add(this);
    const [oldest] = late;
    if (late.size <= MAX_LATE_HEADS || oldest === undefined) return;
    late.delete(oldest);
    // To reset streams one by one would take a turn of the engine each.
    oldest.#owner.overwhelmed();
  }

  #stopCounting(): void {
    const { waiting, late } = this.#owner.heads;
    waiting.delete(this);
    late.delete(this);
  }

  #onHead(block: FieldSection): void {
    // The engine reports further heads as trailers, so only one head is ever seen.
    this.#stopCounting();
    const head: RequestField[] = [];
    const size = readFields(block, (field) => head.push(field));
    this.#head = head;
    // The head may wait for the end of its stream. One that is too large must not: QPACK can have expanded it from a few
    // bytes to half a MiB.
    if (size > this.host.settings().maxHeaderBytes && !this.#begun) {
      this.#response({ code: "head-too-large", detail: "the header fields are larger than this server allows" });
    }
    const method = block[":method"];
    const mayWait = typeof method !== "string" || BODILESS.has(method);
    if (block["content-length"] !== undefined || block["expect"] !== undefined) this.#begin(true);
    else if (!mayWait) setImmediate(() => this.#begin(true));
    this.#chunks = this.quic[Symbol.asyncIterator]();
    this.#readNext();
  }

  #readNext(): void {
    this.#chunks?.next().then(
      (batch) => this.#onBatch(batch),
      () => this.#onReset(),
    );
  }

  #onBatch(batch: Batch): void {
    if (this.#closed) return;
    beginEvent();
    try {
      this.#begin(batch.done !== true);
      // The engine reports trailers after the end of the body.
      if (batch.done === true) setImmediate(() => this.#end());
      else {
        for (const chunk of batch.value) {
          this.#owner.countBody(chunk.length);
          this.#body?.receive(chunk);
        }
        this.#readNext();
      }
    } catch (error) {
      this.#fail(error);
    }
    endEvent();
  }

  #end(): void {
    this.#body?.receiveEnd(this.#trailers ?? "");
  }

  /** RFC 9114 §4.1.1: a client that aborts its request wants no response either. */
  #onReset(): void {
    this.#exchange?.cancel();
    this.#reset(codes.REQUEST_CANCELLED);
  }

  #onTrailers(block: FieldSection): void {
    // RFC 9114 §4.1: nothing may follow trailers.
    if (this.#trailers !== undefined) {
      this.#owner.violated();
      return;
    }
    const { maxHeaderBytes, maxHeaderCount } = this.host.settings();
    fields.begin();
    let count = 0;
    const size = readFields(block, (field) => {
      count++;
      fields.add(field);
    });
    const trailers = fields.finishTrailers();
    if (trailers === undefined || size > maxHeaderBytes || count > maxHeaderCount) this.#malformed();
    else this.#trailers = trailers;
  }

  /** Creates an exchange from the head, once. */
  #begin(hasBody: boolean): void {
    if (this.#begun || this.#closed || this.#head === undefined) return;
    this.#begun = true;
    this.host.wheel.remove(this);
    this.#readHead();
    const request = fields.finish(hasBody, {
      scheme: this.host.scheme,
      maxCount: this.host.settings().maxHeaderCount,
      extendedConnect: false,
    });
    // Unlike RFC 9113, RFC 9114 §4.3.1 requires an authority.
    if (request === undefined || !fields.hasAuthority) {
      this.#malformed();
      return;
    }
    if ("code" in request) {
      this.#response(request);
      return;
    }
    this.#head = undefined;
    if (hasBody)
      this.#body = new Http3RequestBody(this.host, request.head.bodyLength, bodyLimit(this.host, request.head));
    this.#exchange = new Http3Exchange(this, request, this.#body);
    try {
      this.host.handle(this.#exchange);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reads the head into `fields`, which another stream may have used meanwhile. Without a head, they are empty. */
  #readHead(): void {
    fields.begin();
    for (const field of this.#head ?? []) fields.add(field);
  }

  #fail(error: unknown): void {
    this.#owner.onError(error);
    this.#exchange?.abort(new TurnpikeError("internal", "the request could not be handled"));
  }

  /** Responds to a request that cannot become an exchange. */
  #response(error: HeadError): void {
    this.#begun = true;
    this.#refused = true;
    this.#stopCounting();
    this.#readHead();
    this.#head = undefined;
    const { isGrpc, method, target } = fields;
    const { id, status, fields: lines, body } = isGrpc ? grpcResponse(error) : problemResponse(error);
    const block = newHead(status);
    if (!isGrpc) block["content-length"] = String(body.length);
    addFields(block, lines);
    const isHead = method === "HEAD";
    const isBare = isHead || isGrpc;
    if (!this.quic.destroyed) {
      this.quic.sendHeaders(block, { terminal: isBare });
      if (!isBare) this.quic.setBody(Buffer.from(body, "latin1"));
      // The rest of the body is not read (RFC 9114 §4.1).
      this.quic.stopSending(codes.NO_ERROR);
    }
    this.host.wheel.set(this, this.host.settings().writeMs);
    this.host.refused({
      id,
      protocol: "HTTP/3.0",
      head: refusedHead(method, target, this.host.scheme),
      clientAddress: this.peerAddress,
      status,
      bytesReceived: 0,
      bytesSent: isHead ? 0 : body.length,
    });
  }

  #malformed(): void {
    this.#owner.malformed();
    this.#exchange?.cancel();
    this.#reset(codes.MESSAGE_ERROR);
  }

  #reset(code: bigint): void {
    this.#begun = true;
    this.#stopCounting();
    this.host.wheel.remove(this);
    if (this.quic.destroyed) return;
    this.quic.stopSending(code);
    this.quic.resetStream(code);
  }

  #onClosed(): void {
    this.#closed = true;
    this.#stopCounting();
    this.host.wheel.remove(this);
    this.#exchange?.closed();
    this.#owner.ended(this.#refused || this.#exchange?.gone === false);
    this.#owner.streamClosed();
  }
}
