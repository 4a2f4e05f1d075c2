/** The upstream connection over real sockets, to node's HTTP/2 server. */
import { afterEach, describe, expect, test } from "bun:test";
import http2 from "node:http2";
import { type AddressInfo } from "node:net";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type ResponseHead, type ResponseSink } from "../exchange/exchange.ts";
import { DEAF } from "../wire/tcp.ts";
import { connect } from "../wire/testing/connect.ts";
import { Http2ClientConnection } from "./client-connection.ts";
import { type ClientStream } from "./client-stream.ts";
import { GET, POST } from "./testing/scripted-server.ts";

/** A response, and a promise of its end. */
class RecordedResponse implements ResponseSink {
  readonly heads: ResponseHead[] = [];
  readonly chunks: Buffer[] = [];
  trailers: string | undefined;
  error: Error | undefined;
  length = 0;
  room = true;
  onData: () => void = () => {};
  readonly #done = Promise.withResolvers<void>();
  readonly done = this.#done.promise;
  start(head: ResponseHead): void {
    this.heads.push(head);
  }
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.chunks.push(Buffer.from(chunk.subarray(start, end)));
    this.length += end - start;
    this.onData();
    return this.room;
  }
  end(trailers: string): void {
    this.trailers = trailers;
    this.#done.resolve();
  }
  abort(error: Error): void {
    this.error = error;
    this.#done.resolve();
  }
  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

let server: http2.Http2Server | undefined;
let connection: Http2ClientConnection | undefined;

afterEach(() => {
  connection?.cutOff();
  server?.close();
});

interface Events {
  released?: () => void;
  retired?: () => void;
  closed?: () => void;
}

/** A connection to a server that handles its streams with `answer`. */
async function against(
  response: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
  settings: http2.Settings = {},
  events: Events = {},
): Promise<Http2ClientConnection> {
  server = http2.createServer({ settings });
  server.on("stream", (stream, headers) => {
    // Node reports a stream that the client resets as an error. Here a test causes it on purpose.
    stream.on("error", () => {});
    response(stream, headers);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  // The address of a TCP listener is an object.
  const { port } = server.address() as AddressInfo;
  const wire = await connect({ address: "127.0.0.1", port }, DEAF, rethrow);
  const owner = {
    wheel: new TimerWheel(),
    buffers: plentyOfBuffers(),
    writeMs: 20_000,
    released: () => events.released?.(),
    retired: () => events.retired?.(),
    closed: () => events.closed?.(),
  };
  connection = new Http2ClientConnection(wire, owner);
  wire.data = connection;
  return connection;
}

/** Sends `body` in pieces of `size` bytes, as fast as the server accepts them. */
function upload(stream: ClientStream, body: Buffer, size: number): void {
  let at = 0;
  const go = (): void => {
    while (at < body.length) {
      const end = Math.min(at + size, body.length);
      const more = stream.data(body, at, end);
      at = end;
      if (!more && at < body.length) return;
    }
    stream.end("");
  };
  stream.onSendable = go;
  go();
}

function bytesOf(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + seed * 7 + (i >>> 8)) & 0xff;
  return bytes;
}

function echo(stream: http2.ServerHttp2Stream): void {
  stream.respond({ ":status": 200, "x-kind": "echo" });
  stream.pipe(stream);
}

describe("to node's HTTP/2 server", () => {
  test.each([
    ["usual settings", {}],
    ["small windows", { initialWindowSize: 1000 }],
    ["large frames", { maxFrameSize: 100_000, initialWindowSize: 1_000_000 }],
  ])("bodies of all sizes pass in both directions at the same time, with %s", async (_name, settings) => {
    const client = await against(echo, settings);
    const responses: [RecordedResponse, Buffer][] = [];
    for (const [i, length] of [0, 1, 999, 1000, 16_384, 16_385, 70_000, 300_000].entries()) {
      const response = new RecordedResponse();
      const body = bytesOf(length, i);
      const bodyLength = i % 2 === 0 ? -1 : length;
      const stream = client.request({ ...POST, path: `/${i}`, bodyLength }, response);
      if (stream !== undefined && bodyLength !== 0) upload(stream, body, 10_000);
      responses.push([response, body]);
    }
    for (const [response, body] of responses) {
      await response.done;
      expect(response.error).toBeUndefined();
      expect(response.heads[0]).toMatchObject({ status: 200, bodyLength: expect.any(Number) });
      expect(response.heads[0]?.fields).toContain("x-kind: echo\r\n");
      expect(response.body.equals(body)).toBe(true);
    }
    expect(client.streams.size).toBe(0);
  });

  test("a thousand requests fit through the room that the server allows", async () => {
    let most = 0;
    let open = 0;
    let started = 0;
    const responses: RecordedResponse[] = [];
    const begin = (): void => {
      while (client.room > 0 && started < 1000) {
        const response = new RecordedResponse();
        responses.push(response);
        client.request({ ...GET, path: `/${started++}` }, response);
      }
    };
    const client: Http2ClientConnection = await against(
      (stream, headers) => {
        most = Math.max(most, ++open);
        stream.on("close", () => open--);
        stream.respond({ ":status": 200 });
        stream.end(String(headers[":path"]));
      },
      { maxConcurrentStreams: 7 },
      { released: () => begin() },
    );
    // The server's SETTINGS arrive with its first response.
    const first = new RecordedResponse();
    client.request({ ...GET, path: "/first" }, first);
    await first.done;
    begin();
    for (let i = 0; i < 1000; i++) {
      await responses[i]?.done;
      expect(responses[i]?.body.toString()).toBe(`/${i}`);
    }
    expect(most).toBeLessThanOrEqual(7);
  });

  test("trailers and interim heads pass through", async () => {
    const client = await against((stream) => {
      stream.additionalHeaders({ ":status": 103, link: "</a>" });
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end("body");
    });
    const response = new RecordedResponse();
    client.request(GET, response);
    await response.done;
    expect(response.heads.map(({ status }) => status)).toEqual([103, 200]);
    expect([response.body.toString(), response.trailers]).toEqual(["body", "grpc-status: 0\r\n"]);
  });

  test("trailers of a request arrive", async () => {
    const seen = Promise.withResolvers<unknown>();
    const client = await against((stream) => {
      stream.on("trailers", (trailers: http2.IncomingHttpHeaders) => seen.resolve(trailers["x-sum"]));
      stream.resume();
      stream.on("end", () => {
        stream.respond({ ":status": 204 });
        stream.end();
      });
    });
    const response = new RecordedResponse();
    const stream = client.request(POST, response);
    stream?.data(Buffer.from("abc"));
    stream?.end("X-Sum: 6\r\n");
    await response.done;
    expect(await seen.promise).toBe("6");
    expect(response.heads[0]).toMatchObject({ status: 204, bodyLength: 0 });
  });

  test("a reader that stops holds back only its own response at the server", async () => {
    const client = await against((stream, headers) => {
      stream.respond({ ":status": 200 });
      stream.end(headers[":path"] === "/large" ? bytesOf(2_000_000, 1) : "small");
    });
    const large = new RecordedResponse();
    large.room = false;
    const full = Promise.withResolvers<void>();
    large.onData = () => {
      if (large.length >= 262_144) full.resolve();
    };
    const stream = client.request({ ...GET, path: "/large" }, large);
    await full.promise;
    for (let i = 0; i < 20; i++) {
      const small = new RecordedResponse();
      client.request({ ...GET, path: "/small" }, small);
      await small.done;
      expect(small.body.toString()).toBe("small");
    }
    expect(large.length).toBe(262_144);
    large.room = true;
    stream?.resume();
    await large.done;
    expect(large.body.equals(bytesOf(2_000_000, 1))).toBe(true);
  });

  test("a cancelled request is closed at the server with CANCEL", async () => {
    const code = Promise.withResolvers<number | undefined>();
    const client = await against((stream) => {
      stream.on("close", () => code.resolve(stream.rstCode));
      stream.respond({ ":status": 200 });
      stream.write("a");
    });
    const response = new RecordedResponse();
    const stream = client.request(GET, response);
    response.onData = () => stream?.destroy();
    expect(await code.promise).toBe(http2.constants.NGHTTP2_CANCEL);
    expect(response.error).toBeUndefined();
  });

  test("a server that shuts down completes its responses, and then the connection closes", async () => {
    const retired = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<http2.ServerHttp2Stream>();
    const client = await against(
      (stream) => arrived.resolve(stream),
      {},
      {
        retired: () => retired.resolve(),
        closed: () => closed.resolve(),
      },
    );
    const response = new RecordedResponse();
    client.request(GET, response);
    const stream = await arrived.promise;
    stream.session?.close();
    await retired.promise;
    expect([client.room, client.request(GET, new RecordedResponse())]).toEqual([0, undefined]);
    stream.respond({ ":status": 200 });
    stream.end("last");
    await response.done;
    expect(response.body.toString()).toBe("last");
    await closed.promise;
  });
});
