import { type ErrorCode, type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { TextPieces } from "../../lib/memory/text-pieces.ts";
import {
  type ClientLines,
  type Exchange,
  type HeadChanges,
  type RequestBody,
  type RequestHead,
  type ResponseHead,
  type ResponseSink,
} from "../exchange/exchange.ts";
import { NO_BODY, withExchangeState } from "../exchange/exchange-state.ts";
import { withRequestId } from "../exchange/request-id-state.ts";
import { chunkHead } from "./chunked.ts";
import { type Taken } from "../wire/arrivals.ts";
import { type Outgoing } from "../wire/outgoing.ts";
import { type Wire } from "../wire/wire.ts";
import { type ParsedRequest } from "./request-head.ts";
import {
  addFieldLines,
  addFraming,
  CHUNKED,
  type Framing,
  LENGTH,
  NONE,
  statusLine,
  UNTIL_CLOSE,
} from "./response-lines.ts";

export interface ExchangeConnection {
  readonly out: Outgoing;
  readonly wire: Wire;
  readonly peerAddress: string;
  clientLines: ClientLines | undefined;
  /** Called once, before the final head is sent: true if this connection serves another request afterwards. */
  staysOpen(exchange: Http1Exchange, endsByClosing: boolean): boolean;
  /** The whole response was passed on. */
  finished(exchange: Http1Exchange): void;
  /** Calls `told` when it is known whether all bytes written so far have arrived. */
  awaitArrival(told: Taken): void;
  /** The response cannot be completed: the client must be able to see that. */
  cutOff(): void;
  /** The final head is a 101: raw bytes follow in both directions. */
  switched(): void;
}

type CountedBody = RequestBody & { readonly received: number };

const SWITCHED = 101;
const UPGRADE_REQUIRED = 426;
const UPGRADE_LINES = "Connection: upgrade\r\nUpgrade: websocket\r\n";

/** The head that is being written. */
const headPieces = new TextPieces();

// The runtime stores the members of an object that extends `Object` apart from it, in twice the memory (bench http1).
// oxlint-disable-next-line typescript/no-extraneous-class
class Bare {}

/** One HTTP/1 request on its connection, and the sink that frames its response (RFC 9112 §6). */
export class Http1Exchange extends withExchangeState(withRequestId(Bare)) implements Exchange, ResponseSink {
  readonly protocol: "HTTP/1.0" | "HTTP/1.1";
  readonly head: RequestHead;
  body: RequestBody;
  readonly peerAddress: string;
  response: ResponseSink = this;
  isUncopied = false;
  bytesSent = 0;
  /** The client allows the connection to stay open. */
  readonly keepAlive: boolean;
  readonly #connection: ExchangeConnection;
  readonly #reader: CountedBody | undefined;
  #framing: Framing = NONE;
  #remaining = 0;
  #over = false;
  /** Changes to the final head: those that are made last, and those before them. */
  #lastChanges: HeadChanges | undefined = undefined;
  #changes: HeadChanges | undefined = undefined;

  get transport(): Wire {
    return this.#connection.wire;
  }

  /** `reader` is the body, if the request has one. */
  constructor(connection: ExchangeConnection, request: ParsedRequest, reader: CountedBody | undefined) {
    super();
    this.#connection = connection;
    this.head = request.head;
    this.protocol = request.http10 ? "HTTP/1.0" : "HTTP/1.1";
    this.keepAlive = request.keepAlive;
    this.#reader = reader;
    this.body = reader ?? NO_BODY;
    this.peerAddress = connection.peerAddress;
    this.clientAddress = connection.peerAddress;
    this.takeId(request.requestId);
  }

  changeHead(changes: HeadChanges): boolean {
    if (this.#changes !== undefined || !Object.is(this.response, this)) return false;
    // As with sinks, the changes of the first policy are made last.
    if (this.#lastChanges === undefined) this.#lastChanges = changes;
    else this.#changes = changes;
    return true;
  }

  get clientLines(): ClientLines | undefined {
    return this.#connection.clientLines;
  }
  set clientLines(lines: ClientLines | undefined) {
    this.#connection.clientLines = lines;
  }

  get bytesReceived(): number {
    return this.#reader?.received ?? 0;
  }

  start(head: ResponseHead): void {
    if (this.#over || this.started) return;
    const { status } = head;
    if (status >= 200) this.#startFinal(head);
    else if (status === SWITCHED) {
      if (this.head.upgrade !== "") this.#switch(head);
    } else if (this.protocol !== "HTTP/1.0") {
      // HTTP/1.0 has no interim responses (RFC 9110 §15.2).
      this.#connection.out.text(`${statusLine(status, head.reason)}${head.fields}\r\n`);
    }
  }

  #startFinal(head: ResponseHead): void {
    this.started = true;
    this.status = head.status;
    this.#frame(head);
    const open = this.#connection.staysOpen(this, this.#framing === UNTIL_CLOSE);
    // Separate pieces: a joined text is allocated and copied, and costs twice as much as its short parts (bench http1).
    const pieces = headPieces.begin();
    pieces.add(statusLine(head.status, head.reason));
    this.#addFields(pieces, head);
    addFraming(pieces, head, this.#framing);
    if (this.sendsRequestId) this.addIdField(pieces);
    pieces.add(this.addedFields);
    pieces.add(this.#connectionLines(open));
    pieces.add("\r\n");
    this.#connection.out.pieces(pieces);
  }

  /** Adds the fields of a final head with all changes. */
  #addFields(pieces: TextPieces, head: ResponseHead): void {
    if (this.#lastChanges === undefined) addFieldLines(pieces, head);
    else this.#lastChanges.addTo(pieces, this.#changes === undefined ? head : this.#changes.applyToHead(head));
  }

  #connectionLines(open: boolean): string {
    if (!open) return "Connection: close\r\n";
    // RFC 9110 §15.5.22: the only response that names the protocol to upgrade to.
    if (this.status === UPGRADE_REQUIRED && this.head.upgrade !== "") return UPGRADE_LINES;
    return this.protocol === "HTTP/1.0" ? "Connection: keep-alive\r\n" : "";
  }

  #switch(head: ResponseHead): void {
    this.started = true;
    this.status = SWITCHED;
    this.#framing = UNTIL_CLOSE;
    const pieces = headPieces.begin();
    pieces.add(statusLine(SWITCHED, head.reason));
    this.#addFields(pieces, head);
    if (this.sendsRequestId) this.addIdField(pieces);
    pieces.add(`${this.addedFields}${UPGRADE_LINES}\r\n`);
    this.#connection.out.pieces(pieces);
    this.#connection.switched();
  }

  #frame({ status, bodyLength }: ResponseHead): void {
    if (this.head.method === "HEAD" || status === 304 || status === 204) return;
    if (bodyLength >= 0) {
      this.#framing = LENGTH;
      this.#remaining = bodyLength;
    } else this.#framing = this.protocol === "HTTP/1.0" ? UNTIL_CLOSE : CHUNKED;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const { out } = this.#connection;
    const length = end - start;
    if (this.#over || length === 0) return !out.blocked;
    if (this.#framing === NONE) return true;
    if (this.#framing === LENGTH) {
      this.#remaining -= length;
      if (this.#remaining < 0) throw new Error("Cannot send response data: it exceeds the announced Content-Length");
    }
    this.bytesSent += length;
    if (this.#framing !== CHUNKED) {
      out.bytes(chunk, start, end);
      return !out.blocked;
    }
    out.text(chunkHead(length));
    out.bytes(chunk, start, end);
    out.text("\r\n");
    return !out.blocked;
  }

  /** Only bytes that the socket has not taken are kept in place. */
  get keepsNoChunk(): boolean {
    return !this.#connection.out.blocked;
  }

  sendFile(file: number, offset: number, length: number): number {
    // The kernel can send a file only without TLS, and only without chunks.
    if (this.#over || this.#framing !== LENGTH || this.head.scheme !== "http") return 0;
    if (length > this.#remaining) throw new Error("Cannot send a file: it exceeds the announced Content-Length");
    const sent = this.#connection.out.file(file, offset, length);
    this.#remaining -= sent;
    this.bytesSent += sent;
    return sent;
  }

  end(trailers: Fields): void {
    if (this.#over) return;
    if (this.#framing === LENGTH && this.#remaining > 0) {
      this.#cutOff();
      return;
    }
    if (this.#framing === CHUNKED) this.#connection.out.text(`0\r\n${trailers}\r\n`);
    this.#over = true;
    const told = this.onTaken;
    this.onTaken = undefined;
    if (told !== undefined) this.#connection.awaitArrival(told);
    this.#finish();
    this.#connection.finished(this);
  }

  abort({ code }: TurnpikeError): void {
    if (!this.#over) this.#cutOff(code);
  }

  /** The client has left: stops the work on this exchange, and sends nothing more. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.leave();
    this.#finish();
  }

  #cutOff(code: ErrorCode = "upstream-failed"): void {
    this.#over = true;
    this.markTruncated(code);
    this.#finish();
    this.#connection.cutOff();
  }

  #finish(): void {
    this.tellTaken(false);
    this.finish(this);
  }
}
