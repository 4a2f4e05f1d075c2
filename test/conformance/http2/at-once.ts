/**
 * Requests of other suites for `/`. The server responds as fast as possible, so it may respond before the rest of a
 * request arrives. Frames are sent one by one, as those suites do.
 */
import { fieldOf, type Frame, type Http2Client } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block, type HeaderList, tableSize } from "../../support/http2-hpack.ts";

/** The expected event; `stream` is RST_STREAM, or GOAWAY, with one of the codes. */
type Wanted =
  | { readonly kind: "connection" | "stream"; readonly codes: readonly number[] }
  | { readonly kind: "response" | "ping" | "acknowledged" | "close" | "one byte" }
  | { readonly kind: "check"; readonly check: (client: Http2Client, scheme: string) => Promise<void> };

/** Frames are made for `scheme`; an empty one means waiting for the end of the response on stream 1. */
export interface Asked {
  readonly what: string;
  readonly wanted: Wanted;
  readonly frames: (scheme: string) => readonly Buffer[];
}

const RESPONSE: Wanted = { kind: "response" };
const PING: Wanted = { kind: "ping" };
const CLOSE: Wanted = { kind: "close" };
const ONE_BYTE: Wanted = { kind: "one byte" };
/** GOAWAY with one of the codes. */
export const connection = (...codes: readonly number[]): Wanted => ({ kind: "connection", codes });
/** RST_STREAM, or GOAWAY, with one of the codes. */
export const stream = (...codes: readonly number[]): Wanted => ({ kind: "stream", codes });
const { PROTOCOL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, COMPRESSION_ERROR, FLOW_CONTROL_ERROR } = h2;

/** Marks the wait until the response on stream 1 is complete. */
export const WHOLE = Buffer.alloc(0);
const DUMMY = block([["x-dummy0", "x".repeat(4000)]]);
const PRIORITY = h2.priority(0, 255);
/** `x-test`, Huffman-coded, as a name that is not indexed. */
const X_TEST = "\0\x85\xf2\xb2\x4a\x84\xff";

function bytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** The four pseudo-header fields of a request to `/`, and further fields. */
export function fields(scheme: string, method = "GET", more: HeaderList = []): HeaderList {
  return [[":method", method], [":scheme", scheme], [":path", "/"], [":authority", "127.0.0.1:8080"], ...more];
}

/** A complete GET of `/`. */
export function get(scheme: string, streamId = 1): Buffer {
  return h2.frame(h2.HEADERS, h2.END_BOTH, streamId, block(fields(scheme)));
}

/** HEADERS of a request to `/`. */
function head(scheme: string, method: string, flags: number, more: HeaderList = []): Buffer {
  return h2.frame(h2.HEADERS, flags, 1, block(fields(scheme, method, more)));
}

/** HEADERS of a GET that does not end. */
export const openGet = (scheme: string): Buffer => head(scheme, "GET", h2.END_HEADERS);
/** HEADERS of a POST that does not end. */
export const post = (scheme: string, more: HeaderList = []): Buffer => head(scheme, "POST", h2.END_HEADERS, more);
const test = (flags = h2.END_STREAM): Buffer => h2.data(1, "test", flags);
const continuation = (flags: number, content = DUMMY): Buffer => h2.frame(h2.CONTINUATION, flags, 1, content);

/** A row. */
export function asked(what: string, wanted: Wanted, frames: Asked["frames"]): Asked {
  return { what, wanted, frames };
}

/** GET with a field section that ends, or begins, with these bytes. */
export function withBytes(what: string, wanted: Wanted, more: string, isFirst = false): Asked {
  return asked(what, wanted, (scheme) => {
    const parts = [block(fields(scheme)), bytes(more)];
    return [h2.frame(h2.HEADERS, h2.END_BOTH, 1, Buffer.concat(isFirst ? parts.toReversed() : parts))];
  });
}

/** A complete request with these fields. */
function withList(what: string, list: (scheme: string) => HeaderList): Asked {
  return asked(what, stream(PROTOCOL_ERROR), (scheme) => [h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(list(scheme)))]);
}

function withField(what: string, ...more: HeaderList): Asked {
  return withList(what, (scheme) => fields(scheme, "GET", more));
}

function without(name: string): Asked {
  return withList(`no ${name}`, (scheme) => fields(scheme).filter(([other]) => other !== name));
}

function twice(name: string): Asked {
  return withList(`two ${name}`, (scheme) => [...fields(scheme), [name, fieldOf(fields(scheme), name) ?? ""]]);
}

const STATES: readonly Asked[] = [
  asked("GET", RESPONSE, (scheme) => [get(scheme)]),
  asked("HEAD", RESPONSE, (scheme) => [head(scheme, "HEAD", h2.END_BOTH)]),
  asked("POST", RESPONSE, (scheme) => [post(scheme), test()]),
  asked("POST in two frames", RESPONSE, (scheme) => [post(scheme), test(0), test()]),
  asked("POST with padding", RESPONSE, (scheme) => [post(scheme), h2.data(1, h2.padded("test", 6), h2.PADDED | 1)]),
  asked("POST of the largest frame", RESPONSE, (scheme) => [
    post(scheme),
    h2.data(1, "x".repeat(16_384), h2.END_STREAM),
  ]),
  asked("POST with trailers", RESPONSE, (scheme) => [
    post(scheme, [["trailer", "x-test"]]),
    test(0),
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, block([["x-test", "ok"]])),
  ]),
  asked("PRIORITY of an idle stream above the request's", RESPONSE, (scheme) => [
    h2.frame(h2.PRIORITY, 0, 3, PRIORITY),
    get(scheme),
  ]),
  asked("a block in three frames, at the size limit or above", RESPONSE, (scheme) => [
    head(scheme, "GET", h2.END_STREAM),
    continuation(0),
    continuation(h2.END_HEADERS),
  ]),
  asked("PING of zeros", PING, () => [h2.ping("\0\0\0\0\0\0\0\0")]),
  asked("PRIORITY of an idle stream", PING, () => [h2.frame(h2.PRIORITY, 0, 1, PRIORITY)]),
  asked("PRIORITY of a closed stream", PING, (scheme) => [get(scheme), WHOLE, h2.frame(h2.PRIORITY, 0, 1, PRIORITY)]),
  asked("RST_STREAM of a complete request", PING, (scheme) => [get(scheme), h2.reset(1)]),
  asked("RST_STREAM of an incomplete request", PING, (scheme) => [openGet(scheme), h2.reset(1)]),
  asked("RST_STREAM with an unknown code", PING, (scheme) => [post(scheme), h2.reset(1, 0xff)]),
  asked("an unknown setting", PING, () => [h2.settings([0xff, 1])]),
  asked("GOAWAY", CLOSE, () => [h2.frame(h2.GOAWAY, 0, 0, Buffer.concat([h2.words(0, 0), Buffer.from("bye")]))]),
  asked("GOAWAY with an unknown code", CLOSE, () => [h2.frame(h2.GOAWAY, 0, 0, h2.words(0, 0xff))]),
  asked("DATA on a complete request", stream(STREAM_CLOSED), (scheme) => [get(scheme), test()]),
  asked("HEADERS on a complete request", stream(STREAM_CLOSED), (scheme) => [get(scheme), get(scheme)]),
  asked("DATA on a closed stream", connection(STREAM_CLOSED), (scheme) => [get(scheme), WHOLE, test()]),
  asked("HEADERS on a closed stream", connection(STREAM_CLOSED), (scheme) => [get(scheme), WHOLE, get(scheme)]),
  asked("CONTINUATION on a closed stream", connection(STREAM_CLOSED, PROTOCOL_ERROR), (scheme) => [
    get(scheme),
    WHOLE,
    continuation(h2.END_HEADERS),
  ]),
  asked("CONTINUATION on a complete request", connection(PROTOCOL_ERROR), (scheme) => [
    get(scheme),
    continuation(h2.END_HEADERS),
  ]),
  asked("DATA after RST_STREAM", stream(STREAM_CLOSED), (scheme) => [openGet(scheme), h2.reset(1), test()]),
  asked("HEADERS after RST_STREAM", stream(STREAM_CLOSED), (scheme) => [openGet(scheme), h2.reset(1), get(scheme)]),
  asked("CONTINUATION after RST_STREAM", stream(STREAM_CLOSED, PROTOCOL_ERROR), (scheme) => [
    openGet(scheme),
    h2.reset(1),
    continuation(h2.END_HEADERS),
  ]),
];

const FRAMES: readonly Asked[] = [
  asked("a block that ends within a field", connection(COMPRESSION_ERROR), () => [
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, "@"),
  ]),
  asked("HEADERS over the largest size", connection(FRAME_SIZE_ERROR), (scheme) => [
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, Buffer.concat([block(fields(scheme)), DUMMY, DUMMY, DUMMY, DUMMY, DUMMY])),
  ]),
  asked("DATA over the largest size", stream(FRAME_SIZE_ERROR), (scheme) => [
    post(scheme),
    h2.data(1, "x".repeat(16_385), h2.END_STREAM),
  ]),
  asked("PRIORITY inside a block", connection(PROTOCOL_ERROR), (scheme) => [
    head(scheme, "GET", 0),
    h2.frame(h2.PRIORITY, 0, 1, PRIORITY),
    continuation(h2.END_HEADERS),
  ]),
  asked("DATA inside a block", connection(PROTOCOL_ERROR), (scheme) => [
    head(scheme, "POST", 0),
    continuation(0),
    test(),
  ]),
  asked("PUSH_PROMISE on an idle stream", connection(PROTOCOL_ERROR), (scheme) => [
    h2.frame(h2.PUSH_PROMISE, h2.END_HEADERS, 1, Buffer.concat([h2.words(3), block(fields(scheme))])),
  ]),
  asked("a pad length above its frame", connection(PROTOCOL_ERROR), (scheme) => [
    post(scheme, [["content-length", "4"]]),
    bytes("\0\0\x05\0\x09\0\0\0\x01"),
    bytes("\x06Test"),
  ]),
  asked("HEADERS of a stream that depends on itself", stream(PROTOCOL_ERROR), (scheme) => [
    h2.frame(h2.HEADERS, h2.END_BOTH | h2.HAS_PRIORITY, 1, Buffer.concat([h2.priority(1, 255), block(fields(scheme))])),
  ]),
  asked("PRIORITY of an idle stream that depends on itself", stream(PROTOCOL_ERROR), () => [
    h2.frame(h2.PRIORITY, 0, 1, h2.priority(1, 255)),
  ]),
  asked("PRIORITY of 4 bytes", stream(FRAME_SIZE_ERROR), (scheme) => [
    get(scheme),
    bytes("\0\0\x04\x02\0\0\0\0\x01"),
    bytes("\x80\0\0\x01"),
  ]),
  asked("RST_STREAM of 3 bytes", connection(FRAME_SIZE_ERROR), (scheme) => [
    openGet(scheme),
    h2.frame(h2.RST_STREAM, 0, 1, "\0\0\0"),
  ]),
  asked("PING on stream 3", connection(PROTOCOL_ERROR), () => [h2.frame(h2.PING, 0, 3, "\0\0\0\0\0\0\0\0")]),
  asked("WINDOW_UPDATE of 0", stream(PROTOCOL_ERROR), (scheme) => [openGet(scheme), h2.windowUpdate(1, 0)]),
  asked("a stream's window above 2^31-1", stream(FLOW_CONTROL_ERROR), (scheme) => [
    openGet(scheme),
    h2.windowUpdate(1, h2.MAX_WINDOW),
    h2.windowUpdate(1, h2.MAX_WINDOW),
  ]),
  asked("a window of one byte", ONE_BYTE, (scheme) => [h2.settings([h2.INITIAL_WINDOW_SIZE, 1]), get(scheme)]),
  asked("a window of one byte, set after a larger one", ONE_BYTE, (scheme) => [
    h2.settings([h2.INITIAL_WINDOW_SIZE, 100], [h2.INITIAL_WINDOW_SIZE, 1]),
    get(scheme),
  ]),
  asked("a window of 0, and then of one byte", ONE_BYTE, (scheme) => [
    h2.settings([h2.INITIAL_WINDOW_SIZE, 0]),
    get(scheme),
    h2.settings([h2.INITIAL_WINDOW_SIZE, 1]),
  ]),
  asked("a window of 0, and WINDOW_UPDATE", ONE_BYTE, (scheme) => [
    h2.settings([h2.INITIAL_WINDOW_SIZE, 0]),
    get(scheme),
    h2.frame(h2.PRIORITY, 0, 1, PRIORITY),
    h2.windowUpdate(1, 1),
  ]),
];

const MESSAGES: readonly Asked[] = [
  withField("a name in capitals", ["X-TEST", "ok"]),
  withField("an unknown pseudo-header field", [":test", "ok"]),
  withField("a response's pseudo-header field", [":status", "200"]),
  withList("pseudo-header fields after regular ones", (scheme) => [["x-test", "ok"], ...fields(scheme)]),
  withField("connection", ["connection", "keep-alive"]),
  withField("te", ["trailers", "test"], ["te", "trailers, deflate"]),
  withList("an empty :path", (scheme) => fields(scheme).map(([name, value]) => [name, name === ":path" ? "" : value])),
  ...[":method", ":scheme", ":path"].flatMap((name) => [without(name), twice(name)]),
  asked("a second head that does not end the request", stream(PROTOCOL_ERROR), (scheme) => [
    post(scheme),
    test(0),
    h2.frame(h2.HEADERS, h2.END_HEADERS, 1, block([["x-test", "ok"]])),
  ]),
  asked("a pseudo-header field in trailers", stream(PROTOCOL_ERROR), (scheme) => [
    post(scheme),
    test(0),
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, block([[":method", "POST"]])),
  ]),
  asked("a body longer than its length", stream(PROTOCOL_ERROR), (scheme) => [
    post(scheme, [["content-length", "1"]]),
    test(),
  ]),
  asked("a body longer than its length, in two frames", stream(PROTOCOL_ERROR), (scheme) => [
    post(scheme, [["content-length", "1"]]),
    test(0),
    test(),
  ]),
];

const BLOCKS: readonly Asked[] = [
  withBytes("an indexed field without a value", RESPONSE, "\xba"),
  ...["\0", "\x10", "@"].flatMap((form) => [
    withBytes(`a literal of form ${form.charCodeAt(0)}`, RESPONSE, `${form}\x06x-test\x06values`),
    withBytes(
      `a literal of form ${form.charCodeAt(0)}, Huffman-coded`,
      RESPONSE,
      form + X_TEST.slice(1) + "\x83\x49\x50\x9f",
    ),
  ]),
  withBytes("a table of size 0", RESPONSE, "\x20", true),
  withBytes("a table of size 0, then 4096", RESPONSE, "\x20\x3f\xe1\x1f", true),
  withBytes("a table's size at the end", connection(COMPRESSION_ERROR), "\x21"),
  withBytes("a table over its bound", connection(COMPRESSION_ERROR), tableSize(4097).toString("latin1"), true),
  withBytes("a field's index beyond the tables", connection(COMPRESSION_ERROR), "\xc6"),
  withBytes("a name's index beyond the tables", connection(COMPRESSION_ERROR), "\x7f\x07\x05empty"),
  withBytes("index 0", connection(COMPRESSION_ERROR), "\x80"),
  withBytes("padding of a byte and more", connection(COMPRESSION_ERROR), `${X_TEST}\x84\x49\x50\x9f\xff`),
  withBytes("padding of zeros", connection(COMPRESSION_ERROR), `${X_TEST}\x83\x49\x50\x90`),
  withBytes(
    "EOS",
    connection(COMPRESSION_ERROR),
    `${X_TEST.slice(0, -5)}\xf2\xb2\x4a\x84\xff\x87\xff\xff\xff\xfd\x25\x42\x7f`,
  ),
];

export const ASKED: readonly Asked[] = [...STATES, ...FRAMES, ...MESSAGES, ...BLOCKS];

/** Sends the frames one by one. Throws if the expected event does not happen. */
export async function ask(client: Http2Client, { wanted, frames }: Asked, scheme: string): Promise<void> {
  await client.greet([h2.INITIAL_WINDOW_SIZE, 65_535]);
  for (const part of frames(scheme)) {
    if (part === WHOLE) await client.response(1);
    else client.send(part);
    await new Promise(setImmediate);
  }
  if (wanted.kind === "check") await wanted.check(client, scheme);
  else await outcome(client, wanted);
}

async function outcome(client: Http2Client, wanted: Exclude<Wanted, { kind: "check" }>): Promise<void> {
  switch (wanted.kind) {
    case "connection":
    case "stream":
      await client.sees(`error of ${wanted.codes.join(" or ")}`, (frame) =>
        wanted.codes.includes(codeOf(frame, wanted)),
      );
      if (wanted.kind === "connection") await client.closed();
      return;
    case "response":
      await client.sees("HEADERS", ({ type, streamId }) => type === h2.HEADERS && streamId === 1);
      return;
    case "ping":
      await client.fence();
      return;
    case "acknowledged":
      await client.fence();
      if (acknowledgements(client) !== 2) throw new Error(`${acknowledgements(client)} acknowledgements`);
      return;
    case "close":
      await client.closed();
      return;
    case "one byte": {
      const first = await client.sees("DATA", ({ type }) => type === h2.DATA);
      if (first.payload.length !== 1) throw new Error(`DATA of ${first.payload.length} bytes`);
    }
  }
}

function acknowledgements({ frames }: Http2Client): number {
  return frames.filter(({ type, flags }) => type === h2.SETTINGS && flags === h2.ACK).length;
}

/** The error code of a frame; -1 if it has no error, or one of another kind. */
function codeOf({ type, payload }: Frame, { kind }: Wanted): number {
  if (type === h2.GOAWAY) return payload.readUInt32BE(4);
  return type === h2.RST_STREAM && kind === "stream" ? payload.readUInt32BE(0) : -1;
}
