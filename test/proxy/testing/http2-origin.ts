/** An HTTP/2 origin without TLS that sends exactly the given frames, and keeps every begun request. */
import { createServer, type Server, type Socket } from "node:net";
import { listeningPort } from "../../../src/lib/testing/listen.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block, BlockDecoder, type HeaderList } from "../../support/http2-hpack.ts";
import { Waiters } from "../../support/waiters.ts";

const PATIENCE_MS = 5000;
const FRAME_HEAD = 9;

/** One stream, as the origin sees it. */
export class OriginRequest {
  readonly connection: Http2OriginConnection;
  readonly streamId: number;
  readonly fields: HeaderList;
  readonly chunks: Buffer[] = [];
  trailers: HeaderList = [];
  /** END_STREAM has arrived. */
  ended = false;
  /** The code of the gateway's RST_STREAM. */
  resetCode: number | undefined;

  constructor(connection: Http2OriginConnection, streamId: number, fields: HeaderList) {
    this.connection = connection;
    this.streamId = streamId;
    this.fields = fields;
  }

  field(name: string): string {
    return this.fields.find(([field]) => field === name)?.[1] ?? "";
  }

  get method(): string {
    return this.field(":method");
  }

  get path(): string {
    return this.field(":path");
  }

  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }

  head(status: number, more: HeaderList = [], flags = h2.NO_FLAGS): void {
    const fields = block([[":status", String(status)], ...more]);
    this.connection.send(h2.frame(h2.HEADERS, h2.END_HEADERS | flags, this.streamId, fields));
  }

  data(content: string | Buffer, flags = h2.NO_FLAGS): void {
    this.connection.send(h2.data(this.streamId, content, flags));
  }

  /** A whole response, in one write. */
  response(status: number, content: string, more: HeaderList = []): void {
    this.head(status, [["content-length", String(content.length)], ...more]);
    this.data(content, h2.END_STREAM);
  }

  reset(code: number): void {
    this.connection.send(h2.reset(this.streamId, code));
  }
}

export class Http2OriginConnection {
  readonly socket: Socket;
  readonly requests = new Map<number, OriginRequest>();
  closed = false;
  /** The code of the gateway's GOAWAY. */
  goawayCode: number | undefined;
  /** PINGs that the gateway has sent. */
  pings = 0;
  /** Reopens the windows at once after DATA. If it is off, a body stalls when the windows are used up. */
  opensWindows = true;
  readonly #origin: Http2Origin;
  readonly #decoder = new BlockDecoder();
  #unread = Buffer.alloc(0);
  #prefaced = false;

  constructor(socket: Socket, origin: Http2Origin) {
    this.socket = socket;
    this.#origin = origin;
  }

  send(...frames: readonly Buffer[]): void {
    if (!this.closed) this.socket.write(Buffer.concat(frames));
  }

  /** No stream above `lastStreamId` was or will be processed. */
  goaway(lastStreamId: number, code = h2.NO_ERROR): void {
    this.send(h2.frame(h2.GOAWAY, h2.NO_FLAGS, 0, h2.words(lastStreamId, code)));
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  take(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    if (!this.#prefaced) {
      if (this.#unread.length < h2.PREFACE.length) return;
      if (!this.#unread.subarray(0, h2.PREFACE.length).equals(h2.PREFACE)) this.#origin.faults.push("no preface");
      this.#unread = this.#unread.subarray(h2.PREFACE.length);
      this.#prefaced = true;
    }
    while (this.#unread.length >= FRAME_HEAD) {
      const end = FRAME_HEAD + this.#unread.readUIntBE(0, 3);
      if (this.#unread.length < end) return;
      const frame = this.#unread.subarray(0, end);
      this.#unread = this.#unread.subarray(end);
      this.#frame(frame.readUInt8(3), frame.readUInt8(4), frame.readUInt32BE(5), frame.subarray(FRAME_HEAD));
    }
  }

  // oxlint-disable-next-line eslint/max-params -- the four parts of a frame
  #frame(type: number, flags: number, streamId: number, payload: Buffer): void {
    const request = this.requests.get(streamId);
    if (type === h2.HEADERS) this.#headers(flags, streamId, payload);
    else if (type === h2.DATA && request !== undefined) this.#data(request, flags, payload);
    else if (type === h2.RST_STREAM && request !== undefined) request.resetCode = payload.readUInt32BE(0);
    else if (type === h2.GOAWAY) this.goawayCode = payload.readUInt32BE(4);
    else if ((flags & h2.ACK) !== 0) return;
    else if (type === h2.SETTINGS && this.#origin.settings !== undefined) this.send(h2.SETTINGS_ACK);
    else if (type === h2.PING) {
      this.pings++;
      this.send(h2.frame(h2.PING, h2.ACK, 0, payload));
    }
  }

  #headers(flags: number, streamId: number, payload: Buffer): void {
    if ((flags & h2.END_HEADERS) === 0) this.#origin.faults.push("a block in several frames");
    const fields = this.#decoder.decode(payload);
    const open = this.requests.get(streamId);
    if (open !== undefined) {
      open.trailers = fields;
      this.#ended(open);
      return;
    }
    const request = new OriginRequest(this, streamId, fields);
    this.requests.set(streamId, request);
    this.#origin.requests.push(request);
    this.#origin.onHead?.(request);
    if ((flags & h2.END_STREAM) !== 0) this.#ended(request);
  }

  #data(request: OriginRequest, flags: number, payload: Buffer): void {
    request.chunks.push(payload);
    if (this.opensWindows && payload.length > 0) {
      this.send(h2.windowUpdate(0, payload.length), h2.windowUpdate(request.streamId, payload.length));
    }
    if ((flags & h2.END_STREAM) !== 0) this.#ended(request);
  }

  #ended(request: OriginRequest): void {
    request.ended = true;
    this.#origin.onRequest(request);
  }
}

export class Http2Origin {
  /** All connections, open and closed. */
  readonly connections: Http2OriginConnection[] = [];
  /** All requests whose head has arrived, in order. */
  readonly requests: OriginRequest[] = [];
  readonly faults: string[] = [];
  /** The SETTINGS for a new connection; undefined: none are sent, and none acknowledged. */
  settings: readonly (readonly [id: number, value: number])[] | undefined = [];
  /** Called when a request is complete. */
  onRequest: (request: OriginRequest) => void = (request) => request.response(200, `${request.method} ${request.path}`);
  onHead: ((request: OriginRequest) => void) | undefined;
  onConnection: ((connection: Http2OriginConnection) => void) | undefined;
  port = 0;
  readonly #server: Server;
  readonly #waiters = new Waiters();

  private constructor() {
    this.#server = createServer({ noDelay: true, allowHalfOpen: false }, (socket) => this.#accept(socket));
  }

  static start(port = 0): Promise<Http2Origin> {
    const origin = new Http2Origin();
    return new Promise((resolve, reject) => {
      origin.#server.once("error", reject);
      origin.#server.listen(port, "127.0.0.1", () => {
        origin.port = listeningPort(origin.#server);
        resolve(origin);
      });
    });
  }

  get open(): Http2OriginConnection[] {
    return this.connections.filter(({ closed }) => !closed);
  }

  /** Requests whose path is `path`. */
  on(path: string): OriginRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Waits until `probe` returns a value. Calls it again after every event on any connection. */
  async until<T>(what: string, probe: () => T | undefined): Promise<T> {
    const found = await this.#waiters.until(probe, PATIENCE_MS);
    if (found === undefined) throw new Error(`The origin did not see ${what}`);
    return found;
  }

  /** Accepts no more connections; open ones stay. */
  stopListening(): void {
    this.#server.close();
  }

  stop(): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    const connection = new Http2OriginConnection(socket, this);
    this.connections.push(connection);
    const gone = (): void => {
      connection.closed = true;
      this.#waiters.wake();
    };
    socket.on("data", (chunk: Buffer) => {
      connection.take(chunk);
      this.#waiters.wake();
    });
    socket.on("error", gone);
    socket.on("end", gone);
    socket.on("close", gone);
    if (this.settings !== undefined) connection.send(h2.settings(...this.settings));
    this.onConnection?.(connection);
    this.#waiters.wake();
  }
}
