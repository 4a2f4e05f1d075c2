/** An HTTP/2 client that sends exactly the given frames, and keeps every received frame. */
import * as h2 from "./http2-frames.ts";
import { block, BlockDecoder, type HeaderList } from "./http2-hpack.ts";
import { SocketClient } from "./socket-client.ts";

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
  /** The decoded fields of a HEADERS frame with a complete field section. */
  readonly fields: HeaderList;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly fields: HeaderList;
  readonly body: Buffer;
  readonly trailers: HeaderList;
  /** The 1xx statuses before it. */
  readonly interim: readonly number[];
}

/** The four pseudo-header fields of a request, and further fields. */
export function requestFields(path = "/x", method = "GET", more: HeaderList = []): HeaderList {
  return [[":method", method], [":scheme", "http"], [":path", path], [":authority", "a.test"], ...more];
}

/** A whole request without a body. */
export function get(streamId: number, path = "/x", more: HeaderList = []): Buffer {
  return h2.frame(h2.HEADERS, h2.END_BOTH, streamId, block(requestFields(path, "GET", more)));
}

/** A request whose body follows later. */
export function post(streamId: number, path = "/x", more: HeaderList = []): Buffer {
  return h2.frame(h2.HEADERS, h2.END_HEADERS, streamId, block(requestFields(path, "POST", more)));
}

export function fieldOf(list: HeaderList, name: string): string | undefined {
  return list.find(([field]) => field === name)?.[1];
}

export class Http2Client extends SocketClient {
  /** All received frames, in order. */
  readonly frames: Frame[] = [];
  /** Acknowledges SETTINGS and PING as they arrive. */
  polite = true;
  /** Reopens the windows of connection and stream after DATA. */
  opensWindows = false;
  readonly #decoder = new BlockDecoder();
  protected readonly patienceMs = 5000;
  #unread = Buffer.alloc(0);
  #headers: { streamId: number; flags: number; parts: Buffer[] } | undefined;

  /** A connection on which nothing was sent. */
  static open(port: number, isSecure = false): Promise<Http2Client> {
    return SocketClient.connected(port, (socket) => new Http2Client(socket), isSecure ? "h2" : undefined);
  }

  /** A connection after the prefaces, with SETTINGS acknowledged by both sides. */
  static async ready(port: number, ...pairs: readonly (readonly [id: number, value: number])[]): Promise<Http2Client> {
    const client = await Http2Client.open(port);
    await client.greet(...pairs);
    return client;
  }

  /** Exchanges prefaces and waits until both sides have acknowledged SETTINGS. */
  async greet(...pairs: readonly (readonly [id: number, value: number])[]): Promise<void> {
    this.send(h2.PREFACE, h2.settings(...pairs));
    await this.sees("SETTINGS", ({ type, flags }) => type === h2.SETTINGS && (flags & h2.ACK) === 0);
    await this.sees("the acknowledgement", ({ type, flags }) => type === h2.SETTINGS && (flags & h2.ACK) !== 0);
  }

  send(...frames: readonly (Buffer | string)[]): void {
    if (this.state !== "open") return;
    this.socket.write(
      Buffer.concat(frames.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part))),
    );
  }

  /** The first frame that `matches`, among the received ones and those still to come. */
  async sees(what: string, matches: (frame: Frame) => boolean, patienceMs = this.patienceMs): Promise<Frame> {
    return await this.until(`No ${what}`, () => this.frames.find(matches), patienceMs);
  }

  /** Sends a PING and waits for its acknowledgement: the server has then read everything before it. */
  async fence(): Promise<void> {
    const content = `fence${String(this.#fences++).padStart(3, "0")}`;
    this.send(h2.ping(content));
    await this.sees(
      "PING's response",
      (frame) => frame.type === h2.PING && frame.payload.toString("latin1") === content,
    );
  }
  #fences = 0;

  /** The whole response on a stream. Fails with an Error if the stream or the connection is reset before. */
  async response(streamId: number, patienceMs = this.patienceMs): Promise<ReceivedResponse> {
    return await this.until(`No response on stream ${streamId}`, () => this.#respondOn(streamId), patienceMs);
  }

  /** The code of RST_STREAM on the stream, after it has arrived. */
  async resetCode(streamId: number): Promise<number> {
    const found = await this.sees(
      `RST_STREAM on stream ${streamId}`,
      (frame) => frame.type === h2.RST_STREAM && frame.streamId === streamId,
    );
    return found.payload.readUInt32BE(0);
  }

  /** The code of GOAWAY, after it has arrived. */
  async goawayCode(patienceMs = this.patienceMs): Promise<number> {
    const found = await this.sees("GOAWAY", ({ type }) => type === h2.GOAWAY, patienceMs);
    return found.payload.readUInt32BE(4);
  }

  /** Received bytes of DATA on a stream. */
  received(streamId: number): number {
    return this.#dataOn(streamId).length;
  }

  #dataOn(streamId: number): Buffer {
    return Buffer.concat(
      this.frames.filter(({ type, streamId: id }) => type === h2.DATA && id === streamId).map(({ payload }) => payload),
    );
  }

  #respondOn(streamId: number): ReceivedResponse | undefined {
    const own = this.frames.filter((frame) => frame.streamId === streamId);
    if (!own.some(({ type, flags }) => (type === h2.DATA || type === h2.HEADERS) && (flags & h2.END_STREAM) !== 0)) {
      const reset = own.find(({ type }) => type === h2.RST_STREAM);
      if (reset === undefined) return undefined;
      throw new Error(`The server reset stream ${streamId} with code ${reset.payload.readUInt32BE(0)}`);
    }
    const heads = own.filter(({ type }) => type === h2.HEADERS).map(({ fields }) => fields);
    const statuses = heads.map((list) => Number(fieldOf(list, ":status") ?? 0));
    const final = statuses.findIndex((status) => status >= 200);
    return {
      status: statuses[final] ?? 0,
      fields: heads[final] ?? [],
      body: this.#dataOn(streamId),
      trailers: heads[final + 1] ?? [],
      interim: statuses.slice(0, Math.max(final, 0)),
    };
  }

  protected take(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    while (this.#unread.length >= 9) {
      const length = this.#unread.readUIntBE(0, 3);
      if (this.#unread.length < 9 + length) break;
      const type = this.#unread.readUInt8(3);
      const flags = this.#unread.readUInt8(4);
      const streamId = this.#unread.readUInt32BE(5);
      const payload = this.#unread.subarray(9, 9 + length);
      this.#unread = this.#unread.subarray(9 + length);
      this.#takeFrame({ type, flags, streamId, payload });
    }
  }

  #takeFrame(frame: Omit<Frame, "fields">): void {
    const { type, flags, streamId, payload } = frame;
    if (type === h2.HEADERS || type === h2.CONTINUATION) {
      this.#headers ??= { streamId, flags, parts: [] };
      this.#headers.parts.push(payload);
      if ((flags & h2.END_HEADERS) === 0) return;
      const { flags: firstFlags, parts } = this.#headers;
      this.#headers = undefined;
      const whole = Buffer.concat(parts);
      this.frames.push({
        type: h2.HEADERS,
        flags: firstFlags,
        streamId,
        payload: whole,
        fields: this.#decoder.decode(whole),
      });
      return;
    }
    this.frames.push({ ...frame, fields: [] });
    if (type === h2.DATA && this.opensWindows && payload.length > 0) {
      this.send(h2.windowUpdate(0, payload.length));
      if ((flags & h2.END_STREAM) === 0) this.send(h2.windowUpdate(streamId, payload.length));
    }
    if (!this.polite || (flags & h2.ACK) !== 0) return;
    if (type === h2.SETTINGS) this.send(h2.SETTINGS_ACK);
    if (type === h2.PING) this.send(h2.frame(h2.PING, h2.ACK, 0, payload));
  }

  protected excerpt(): string {
    const shown = this.frames.slice(-8).map(({ type, flags, streamId, payload }) => {
      return `${type}/${flags}@${streamId} ${payload.toString("latin1").slice(0, 60)}`;
    });
    return `the last frames are ${JSON.stringify(shown)}`;
  }
}
