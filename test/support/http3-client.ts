import { createPrivateKey } from "node:crypto";
import { type FieldSection, type QuicSession, type QuicStream } from "node:quic";
import { loadQuic } from "../../src/gateway/http3/engine.ts";
import { FRAMED, openWriter } from "../../src/gateway/http3/framing-writer.ts";
import { type Certificate, TEST_CA } from "./certificates.ts";

/** A response as received. */
export interface Http3Response {
  readonly interim: readonly FieldSection[];
  readonly headers: FieldSection;
  readonly body: Buffer;
  readonly trailers: FieldSection | undefined;
}

/** A request whose stream the test controls. */
export interface OpenRequest {
  readonly stream: QuicStream;
  /** The body so far. */
  readonly chunks: readonly Uint8Array[];
  /** Resolves when the head has arrived. */
  readonly headers: Promise<FieldSection>;
  /** Resolves when everything has arrived; rejects if the stream was reset. */
  readonly response: Promise<Http3Response>;
}

/** The name and the CA of the server's certificate, and the client's own certificate. */
export interface Http3Trust {
  readonly ca: string;
  readonly servername: string;
  readonly own?: Certificate;
}

const LOCAL_TRUST: Http3Trust = { ca: TEST_CA.cert, servername: "localhost" };

/** One HTTP/3 connection: by default to 127.0.0.1. */
export class Http3Client {
  readonly #session: QuicSession;
  readonly #heard: { goaway: boolean };
  isClosed = false;

  private constructor(session: QuicSession, heard: { goaway: boolean }) {
    this.#session = session;
    this.#heard = heard;
    const closed = (): void => {
      this.isClosed = true;
    };
    session.closed.then(closed, closed);
  }

  static async connect(
    port: number,
    transportParams: Readonly<Record<string, number>> = {},
    { ca, servername, own }: Http3Trust = LOCAL_TRUST,
    host = "127.0.0.1",
  ): Promise<Http3Client> {
    const quic = await loadQuic();
    const heard = { goaway: false };
    const session = await quic.connect(`${host}:${port}`, {
      alpn: "h3",
      servername,
      ca: Buffer.from(ca),
      ...(own === undefined ? {} : { keys: [createPrivateKey(own.key)], certs: [Buffer.from(own.cert)] }),
      endpoint: host.startsWith("[") ? { address: { address: "::", port: 0, family: "ipv6" } } : {},
      transportParams,
      onstream() {},
      onerror() {},
      ongoaway() {
        heard.goaway = true;
      },
    });
    await session.opened;
    return new Http3Client(session, heard);
  }

  /** The server has sent GOAWAY. */
  get receivedGoaway(): boolean {
    return this.#heard.goaway;
  }

  /** The limits that the server has set in the handshake. */
  get serverParams(): Readonly<Record<string, unknown>> | undefined {
    return this.#session.remoteTransportParams;
  }

  /** Sends a head only; `ended`: nothing follows. The body is read after `reading` resolves. */
  // oxlint-disable-next-line eslint/max-params -- what most callers leave out
  async open(
    method: string,
    path: string,
    fields: FieldSection = {},
    ended = true,
    reading: Promise<void> = Promise.resolve(),
  ): Promise<OpenRequest> {
    const stream = await this.#session.createBidirectionalStream({});
    stream.onerror = () => {}; // oxlint-disable-line unicorn/prefer-add-event-listener -- it is not an event target
    const interim: FieldSection[] = [];
    let trailers: FieldSection | undefined;
    const headers = Promise.withResolvers<FieldSection>();
    stream.onheaders = (block) => headers.resolve(block);
    stream.oninfo = (block) => interim.push(block);
    stream.ontrailers = (block) => {
      trailers = block;
    };
    stream.sendHeaders(
      { ":method": method, ":scheme": "https", ":authority": "localhost", ":path": path, ...fields },
      { terminal: ended },
    );
    const chunks: Uint8Array[] = [];
    const response = (async () => {
      await reading;
      for await (const batch of readable(stream)) chunks.push(...batch);
      // Trailers are reported after the end.
      await new Promise((resolve) => setImmediate(resolve));
      return { interim, headers: await headers.promise, body: Buffer.concat(chunks), trailers };
    })();
    response.catch(() => headers.reject(new Error("Cannot read the response: the stream was reset")));
    headers.promise.catch(() => {});
    // A stream without a response ends without an error then.
    const gone = (): void => headers.reject(new Error("Cannot read the response: the connection was closed"));
    this.#session.closed.then(gone, gone);
    return { stream, headers: headers.promise, response, chunks };
  }

  /** Sends a request, and reads its response. */
  async request(method: string, path: string, body?: Uint8Array, fields: FieldSection = {}): Promise<Http3Response> {
    const { stream, response } = await this.open(method, path, fields, body === undefined);
    if (body !== undefined) stream.setBody(body);
    return response;
  }

  close(): void {
    this.#session.destroy();
  }
}

/**
 * Sends the body and its trailers, which have to wait until the engine has framed the body. A server that responds earlier may stop the
 * body (RFC 9114 §4.1): then nothing follows, and the response tells the rest.
 */
export async function endWithTrailers(stream: QuicStream, body: Uint8Array, trailers: FieldSection): Promise<void> {
  const writer = openWriter(stream);
  writer.writeSync(body);
  try {
    for (let framed = writer[FRAMED](); framed !== null; framed = writer[FRAMED]()) await framed;
  } catch {
    return;
  }
  stream.onwanttrailers = () => void stream.sendTrailers(trailers);
  writer.endSync();
}

function readable(stream: QuicStream): AsyncIterable<readonly Uint8Array[]> {
  return { [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() };
}
