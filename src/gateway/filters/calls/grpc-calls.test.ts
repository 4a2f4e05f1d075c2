/** Calls of filters by grpc_call and grpc_stream, to the server of @grpc/grpc-js and to broken servers. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type GrpcListener, type GrpcOutcome, type GrpcStream, type Pairs } from "./call.ts";
import { GRPC } from "../../../lib/http/grpc-status.ts";
import { listeningPort } from "../../../lib/testing/listen.ts";
import { until } from "../../../lib/testing/until.ts";
import { EchoServer } from "../../../../test/grpc/testing/echo-service.ts";
import { RawOrigin } from "../../../../test/support/raw-origin.ts";
import { type CallRig, startCallRig } from "../../../../test/filters/testing/call-rig.ts";

const MAX_CALL_MESSAGE_BYTES = 1_048_576;
const MAX_UNSENT_BYTES = 1_048_576;
const MESSAGES_A_TURN = 16;

let echo: EchoServer;
/** A server whose responses the test defines. */
let own: Http2Server;
let response: (stream: ServerHttp2Stream) => void;
let plain: RawOrigin;
let rig: CallRig;

beforeAll(async () => {
  echo = await EchoServer.start({ name: "echo" });
  own = createServer();
  own.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    response(stream);
  });
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
  plain = await RawOrigin.start();
  rig = startCallRig({
    echo: [echo.port, "h2c"],
    own: [listeningPort(own), "h2c"],
    plain: [plain.port, "http1"],
  });
});

afterAll(async () => {
  rig.stop();
  echo.stop();
  own.close();
  await plain.stop();
});

afterEach(async () => {
  await until(() => rig.held === 0 && rig.calls.size === 0, 5000, "calls that hold nothing once they are over");
  expect(rig.errors).toEqual([]);
  echo.calls.length = 0;
});

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

interface Asked {
  readonly upstream?: string;
  readonly message?: string;
  readonly metadata?: Pairs;
  readonly timeoutMs?: number;
}

function unary({ message = "hello", ...asked }: Asked = {}): Promise<GrpcOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<GrpcOutcome>();
  const request = { upstream: "echo", service: "test.Echo", method: "Unary", metadata: [], timeoutMs: 5000, ...asked };
  const made = rig.group.grpc({ ...request, message: Buffer.from(message) }, resolve);
  if (typeof made === "string") reject(new Error(made));
  return promise;
}

/** The events of a stream, one per line. */
class Heard implements GrpcListener {
  readonly lines: string[] = [];
  bytes = 0;
  onMessage: ((bytes: Uint8Array) => void) | undefined;
  initialMetadata(fields: Pairs): void {
    this.lines.push(`initial ${new Map(fields).get("x-server") ?? ""}`);
  }
  message(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.lines.push(bytes.length > 64 ? `${bytes.length} bytes` : `message ${text(bytes)}`);
    this.onMessage?.(bytes);
  }
  trailingMetadata(fields: Pairs): void {
    this.lines.push(`trailing ${new Map(fields).get("grpc-status") ?? "none"}`);
  }
  closed(status: number, message: string): void {
    this.lines.push(`closed ${status}${message === "" ? "" : ` ${message}`}`);
  }
  get isClosed(): boolean {
    return this.lines.at(-1)?.startsWith("closed") === true;
  }
}

function open(method: string, heard: Heard, upstream = "echo"): GrpcStream {
  const made = rig.group.grpcStream({ upstream, service: "test.Echo", method, metadata: [] }, heard);
  if (typeof made === "string") throw new Error(made);
  return made;
}

const send = (stream: GrpcStream, message: string, isLast = false) => stream.send(Buffer.from(message), isLast);

test("a call returns the response, its metadata and its status", async () => {
  const metadata: Pairs = [
    ["x-echo", "one"],
    ["x-echo-bin", "AQID"],
  ];
  const outcome = await unary({ metadata });
  expect(outcome.status).toBe(GRPC.OK);
  expect(text(outcome.reply)).toBe("hello");
  expect(outcome.initialMetadata).toContainEqual(["x-echo", "one"]);
  expect(outcome.initialMetadata).toContainEqual(["x-server", "echo"]);
  expect(outcome.trailingMetadata).toContainEqual(["x-trailer-bin", "AQID"]);
});

test("an empty message is a message, and a message of the largest size is returned whole", async () => {
  expect(text((await unary({ message: "" })).reply)).toBe("");
  expect((await unary({ message: "x".repeat(MAX_CALL_MESSAGE_BYTES) })).reply?.length).toBe(MAX_CALL_MESSAGE_BYTES);
});

test("a failed call returns the server's status and message, and no response", async () => {
  const outcome = await unary({ message: "fail 7 not für you" });
  expect(outcome).toMatchObject({ status: 7, message: "not für you", reply: undefined });
});

test("the server receives the deadline of a call, and the call ends at it", async () => {
  const outcome = await unary({ message: "hang", timeoutMs: 150 });
  expect(outcome.status).toBe(GRPC.DEADLINE_EXCEEDED);
  await echo.until("the end of the call", () => echo.calls[0]?.cancelled === true || undefined);
  expect(echo.calls[0]?.metadata.get("grpc-timeout")).toEqual([]);
});

const MISSING = { ":status": 200, "content-type": "application/grpc", "grpc-status": "5", "grpc-message": "no%20such" };

const BROKEN: Readonly<Record<string, readonly [(stream: ServerHttp2Stream) => void, number]>> = {
  "a page of HTML": [
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end("<p>");
    },
    GRPC.UNKNOWN,
  ],
  "HTTP's 503": [
    (stream) => {
      stream.respond({ ":status": 503 });
      stream.end();
    },
    GRPC.UNAVAILABLE,
  ],
  "a compressed message": [
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      stream.write(Buffer.from([1, 0, 0, 0, 1, 0]));
    },
    GRPC.INTERNAL,
  ],
  "two messages": [
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      stream.write(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    },
    GRPC.INTERNAL,
  ],
  "half a message": [
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.from([0, 0, 0, 0, 5, 1]));
    },
    GRPC.INTERNAL,
  ],
  "no message": [
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end();
    },
    GRPC.INTERNAL,
  ],
  "no status": [
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      stream.end(Buffer.from([0, 0, 0, 0, 0]));
    },
    GRPC.UNKNOWN,
  ],
  "a message that announces 4 GiB": [
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      stream.write(Buffer.from([0, 255, 255, 255, 255, 1]));
    },
    GRPC.RESOURCE_EXHAUSTED,
  ],
  "a status in its head": [(stream) => stream.respond(MISSING, { endStream: true }), GRPC.NOT_FOUND],
  "a status in a head that does not end it": [
    (stream) => {
      stream.respond(MISSING);
      stream.end();
    },
    GRPC.UNKNOWN,
  ],
  // Bun's server ends the stream, and then resets it.
  "an end without a head": [(stream) => stream.close(8), GRPC.UNAVAILABLE],
};

for (const [name, [respond, status]] of Object.entries(BROKEN)) {
  test(`a call whose response is ${name} has status ${status}`, async () => {
    response = respond;
    const outcome = await unary({ upstream: "own" });
    expect([outcome.status, outcome.reply]).toEqual([status, undefined]);
  });
}

test("a server with HTTP/1.1 cannot be called", async () => {
  const outcome = await unary({ upstream: "plain" });
  expect(outcome.status).not.toBe(GRPC.OK);
});

test("a call without a valid method is refused", () => {
  const request = { upstream: "echo", service: "test.Echo", metadata: [], message: Buffer.of(), timeoutMs: 0 };
  for (const method of ["", "a/b", "a b", "a\r\nb", "?x"]) {
    expect(rig.group.grpc({ ...request, method }, () => {})).toBe("bad-request");
  }
  expect(rig.group.grpc({ ...request, method: "Unary", metadata: [["x", "a\r\nb"]] }, () => {})).toBe("bad-request");
  expect(rig.group.grpc({ ...request, method: "Unary", metadata: [[":authority", "a/b"]] }, () => {})).toBe(
    "bad-request",
  );
  const message = new Uint8Array(MAX_CALL_MESSAGE_BYTES + 1);
  expect(rig.group.grpc({ ...request, method: "Unary", message }, () => {})).toBe("too-large");
});

test("messages of a stream go both ways, until the filter half-closes it", async () => {
  const heard = new Heard();
  const stream = open("Chat", heard);
  expect(heard.lines).toEqual([]);
  send(stream, "one");
  await until(() => heard.lines.includes("message one"));
  send(stream, "two");
  stream.halfClose();
  expect(send(stream, "three")).toBe("closed");
  await until(() => heard.isClosed);
  expect(heard.lines).toEqual(["initial echo", "message one", "message two", "trailing 0", "closed 0 OK"]);
});

test("a filter may send and cancel within its callbacks", async () => {
  const heard = new Heard();
  const stream = open("Chat", heard);
  heard.onMessage = (bytes) => {
    if (text(bytes) === "3") stream.cancel();
    else send(stream, String(Number(text(bytes)) + 1));
  };
  send(stream, "1");
  await echo.until("the end of the call", () => echo.calls[0]?.cancelled === true || undefined);
  expect(heard.lines).toEqual(["initial echo", "message 1", "message 2", "message 3"]);
});

test("a stream that its server fails returns the status", async () => {
  const heard = new Heard();
  const stream = open("Chat", heard);
  send(stream, "fail 9 enough");
  await until(() => heard.isClosed);
  expect(heard.lines.at(-1)).toBe("closed 9 enough");
  expect(send(stream, "more")).toBe("closed");
});

test("10,000 messages arrive in order, a few in each turn of the event loop", async () => {
  const heard = new Heard();
  const stream = open("Count", heard);
  let most = 0;
  let inTurn = 0;
  heard.onMessage = () => {
    if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
    most = Math.max(most, inTurn);
  };
  send(stream, "count 10000", true);
  await until(() => heard.isClosed, 20_000);
  const messages = heard.lines.filter((line) => line.startsWith("message"));
  expect(messages).toEqual(Array.from({ length: 10_000 }, (_, i) => `message ${i}`));
  expect(most).toBeLessThanOrEqual(2 * MESSAGES_A_TURN);
});

test("64 MiB of messages pass through little memory", async () => {
  const heard = new Heard();
  const stream = open("Count", heard);
  let most = 0;
  heard.onMessage = () => {
    most = Math.max(most, rig.held);
  };
  send(stream, "count 1024 65536", true);
  await until(() => heard.isClosed, 60_000);
  expect(heard.bytes).toBe(1024 * 65_536);
  expect(most).toBeLessThan(4 * 1024 * 1024);
});

test("a server that does not read pauses the filter that sends", async () => {
  response = (stream) => stream.respond({ ":status": 200, "content-type": "application/grpc" });
  const stream = open("Chat", new Heard(), "own");
  const piece = new Uint8Array(65_536);
  let sent = 0;
  let said = "";
  while (said !== "full" && sent < 1000) {
    said = stream.send(piece, false);
    if (said === "sent") sent++;
    await Bun.sleep(0);
  }
  expect(said).toBe("full");
  expect(rig.held).toBeLessThanOrEqual(MAX_UNSENT_BYTES + 2 * piece.length);
  stream.cancel();
});
