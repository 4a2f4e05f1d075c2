import {
  type Bytes,
  data,
  type Field,
  frame,
  headers,
  hex,
  prefixed,
  SETTINGS,
  varint,
} from "../../support/http3-frames.ts";
import { type RawStep } from "../../support/raw-quic.ts";

/**
 * The required reaction of a server: close the connection with a code, reset the request with one, or respond and
 * continue.
 */
export type Outcome =
  | { readonly close: number }
  | { readonly reset: number }
  | { readonly status: number }
  | { readonly alive: true };

export interface Rule {
  /** The section of RFC 9114, or of the RFC that it names. */
  readonly section: string;
  readonly title: string;
  readonly steps: readonly RawStep[];
  readonly outcome: Outcome;
}

const CLOSED_CRITICAL_STREAM = 0x104;
const FRAME_UNEXPECTED = 0x105;
const ID_ERROR = 0x108;
const SETTINGS_ERROR = 0x109;
const MISSING_SETTINGS = 0x10a;
const STREAM_CREATION_ERROR = 0x103;
const MESSAGE_ERROR = 0x10e;
const QPACK_DECOMPRESSION_FAILED = 0x200;
const QPACK_ENCODER_STREAM_ERROR = 0x201;
const QPACK_DECODER_STREAM_ERROR = 0x202;

const CONTROL = 0;
const PUSH = 1;
const ENCODER = 2;
const DECODER = 3;

export const GET: readonly Field[] = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "localhost"],
  [":path", "/"],
];
const POST: readonly Field[] = [[":method", "POST"], ...GET.slice(1)];

const uni = (bytes: Bytes, fin = false): RawStep => ({ kind: "uni", hex: hex(bytes), fin });
const request = (bytes: Bytes, fin = true): RawStep => ({ kind: "bidi", hex: hex(bytes), fin });
const control = (...frames: Bytes[]): RawStep => uni([CONTROL, ...frames.flat()]);
const setUp = control(SETTINGS);

/** On the control stream, instead of a valid frame. */
function onControl(section: string, title: string, frames: readonly Bytes[], outcome: Outcome): Rule {
  return { section, title, steps: [control(...frames)], outcome };
}

/** On a request stream, in addition to a valid control stream. */
function onRequest(section: string, title: string, bytes: Bytes, outcome: Outcome): Rule {
  return { section, title, steps: [setUp, request(bytes)], outcome };
}

/** A request with only these fields. */
function fields(section: string, title: string, list: readonly Field[], outcome: Outcome): Rule {
  return onRequest(section, title, headers(list), outcome);
}

const without = (name: string): Field[] => GET.filter(([found]) => found !== name);
const withPath = (path: string): Field[] => [...without(":path"), [":path", path]];

const framing: readonly Rule[] = [
  onRequest("4.1", "a GET gets a response", headers(GET), { status: 200 }),
  onRequest(
    "4.1",
    "a POST with body and trailers gets a response",
    [...headers(POST), ...data("ab"), ...headers([["x-t", "1"]])],
    { status: 200 },
  ),
  onRequest("4.1", "DATA before HEADERS", [...data("a"), ...headers(GET)], { close: FRAME_UNEXPECTED }),
  onRequest("4.1", "DATA before HEADERS, even if empty", [...data(""), ...headers(GET)], { close: FRAME_UNEXPECTED }),
  onRequest("4.1", "HEADERS after trailers", [...headers(POST), ...headers([["x", "1"]]), ...headers([["x", "1"]])], {
    close: FRAME_UNEXPECTED,
  }),
  onRequest("9", "an unknown frame is skipped", [...frame(0x21, [1, 2]), ...headers(GET)], { status: 200 }),
  onRequest(
    "9",
    "an unknown frame between body frames is skipped",
    [...headers(POST), ...data("a"), ...frame(0x40, [9]), ...data("b")],
    { status: 200 },
  ),
  onRequest("7.2.3", "CANCEL_PUSH on a request stream", [...headers(POST), ...frame(3, [0])], {
    close: FRAME_UNEXPECTED,
  }),
  onRequest("7.2.3", "CANCEL_PUSH before HEADERS, even if empty", [...frame(3, []), ...headers(GET)], {
    close: FRAME_UNEXPECTED,
  }),
  onRequest("7.2.4", "SETTINGS on a request stream", [...headers(POST), ...SETTINGS], { close: FRAME_UNEXPECTED }),
  onRequest("7.2.5", "PUSH_PROMISE from a client", [...headers(POST), ...frame(5, [0, 0, 0])], {
    close: FRAME_UNEXPECTED,
  }),
  onRequest("7.2.6", "GOAWAY on a request stream", [...headers(POST), ...frame(7, [0])], { close: FRAME_UNEXPECTED }),
  onRequest("7.2.7", "MAX_PUSH_ID on a request stream", [...headers(POST), ...frame(13, [0])], {
    close: FRAME_UNEXPECTED,
  }),
  ...[2, 6, 8, 9].map((type) =>
    onRequest("7.2.8", `the HTTP/2 frame type ${type} on a request stream`, [...headers(POST), ...frame(type, [0])], {
      close: FRAME_UNEXPECTED,
    }),
  ),
];

const connection: readonly Rule[] = [
  onControl("6.2.1", "another frame before SETTINGS", [frame(7, [0])], { close: MISSING_SETTINGS }),
  onControl("6.2.1", "DATA before SETTINGS, even if empty", [data(""), SETTINGS], { close: MISSING_SETTINGS }),
  onControl("7.2.4", "a second SETTINGS", [SETTINGS, SETTINGS], { close: FRAME_UNEXPECTED }),
  ...[2, 3, 4, 5].map((setting) =>
    onControl("7.2.4.1", `the HTTP/2 setting ${setting}`, [frame(4, [setting, 0])], { close: SETTINGS_ERROR }),
  ),
  onControl(
    "7.2.4.1",
    "a setting of HTTP/2 among those of HTTP/3",
    [frame(4, [7, 0x40, 0x64, 2, 0x40, 0xc8, 1, 0x50, 0, 6, 0x80, 0, 0x80, 0])],
    { close: SETTINGS_ERROR },
  ),
  onControl("7.2.4.1", "an unknown setting is ignored", [frame(4, [0x21, 7])], { alive: true }),
  onControl("7.2.1", "DATA on the control stream", [SETTINGS, data("a")], { close: FRAME_UNEXPECTED }),
  onControl("7.2.2", "HEADERS on the control stream", [SETTINGS, headers(GET)], { close: FRAME_UNEXPECTED }),
  onControl("7.2.1", "DATA on the control stream, even if empty", [SETTINGS, data("")], { close: FRAME_UNEXPECTED }),
  onControl("7.2.2", "HEADERS on the control stream, even if empty", [SETTINGS, frame(1, [])], {
    close: FRAME_UNEXPECTED,
  }),
  onControl("7.2.7", "a MAX_PUSH_ID that decreases", [SETTINGS, frame(13, [5]), frame(13, [4])], { close: ID_ERROR }),
  onControl("7.2.3", "CANCEL_PUSH of an unknown push", [SETTINGS, frame(3, [5])], { close: ID_ERROR }),
  onControl("9", "an unknown frame on the control stream is skipped", [SETTINGS, frame(0x21, [1])], { alive: true }),
  {
    section: "6.2.1",
    title: "a second control stream",
    steps: [setUp, setUp],
    outcome: { close: STREAM_CREATION_ERROR },
  },
  {
    section: "6.2.1",
    title: "the control stream ends",
    steps: [uni([CONTROL, ...SETTINGS], true)],
    outcome: { close: CLOSED_CRITICAL_STREAM },
  },
  {
    section: "6.2.1",
    title: "the control stream ends before its SETTINGS",
    steps: [uni([CONTROL], true)],
    outcome: { close: CLOSED_CRITICAL_STREAM },
  },
  {
    section: "6.2.2",
    title: "a push stream from a client",
    steps: [setUp, uni([PUSH, 0])],
    outcome: { close: STREAM_CREATION_ERROR },
  },
  {
    section: "6.2.3",
    title: "a stream of an unknown type is ignored",
    steps: [setUp, uni([...varint(0x21), 1, 2])],
    outcome: { alive: true },
  },
];

const messages: readonly Rule[] = [
  fields("4.2", "a name with capitals", [...GET, ["X-A", "1"]], { reset: MESSAGE_ERROR }),
  fields("4.2", "a name with a space", [...GET, ["a b", "1"]], { reset: MESSAGE_ERROR }),
  fields("4.2", "a value with CR and LF", [...GET, ["x", "a\r\nb: c"]], { reset: MESSAGE_ERROR }),
  fields("4.2", "a value that begins with a space", [...GET, ["x", " a"]], { reset: MESSAGE_ERROR }),
  ...["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].map((name) =>
    fields("4.2", `the field ${name}`, [...GET, [name, "x"]], { reset: MESSAGE_ERROR }),
  ),
  fields("4.2", "te other than trailers", [...GET, ["te", "gzip"]], { reset: MESSAGE_ERROR }),
  fields("4.2", "te: trailers", [...GET, ["te", "trailers"]], { status: 200 }),
  ...[":method", ":scheme", ":path"].flatMap((name) => [
    fields("4.3.1", `no ${name}`, without(name), { reset: MESSAGE_ERROR }),
    fields("4.3.1", `${name} twice`, [...GET, [name, "x"]], { reset: MESSAGE_ERROR }),
  ]),
  fields("4.3.1", ":authority twice", [...GET, [":authority", "localhost"]], { reset: MESSAGE_ERROR }),
  fields("4.3.1", "an empty :path", withPath(""), { reset: MESSAGE_ERROR }),
  fields("4.3.1", "a :path that is a URL", withPath("http://localhost/"), { reset: MESSAGE_ERROR }),
  fields("4.3", "an unknown pseudo-header", [...GET, [":foo", "1"]], { reset: MESSAGE_ERROR }),
  fields("4.3", ":status in a request", [...GET, [":status", "200"]], { reset: MESSAGE_ERROR }),
  fields("4.3", "a pseudo-header field after a regular field", [...without(":path"), ["a", "b"], [":path", "/"]], {
    reset: MESSAGE_ERROR,
  }),
  fields("4.3", "a field whose name is a number stands behind the pseudo-headers", [...GET, ["7", "x"]], {
    status: 200,
  }),
  onRequest("4.3", "a pseudo-header in trailers", [...headers(POST), ...data("a"), ...headers([[":path", "/"]])], {
    reset: MESSAGE_ERROR,
  }),
  fields("4.3.1", "neither :authority nor host", without(":authority"), { reset: MESSAGE_ERROR }),
  fields("4.3.1", ":authority and host differ", [...GET, ["host", "other"]], { reset: MESSAGE_ERROR }),
  fields("4.3.1", "a host in place of :authority", [...without(":authority"), ["host", "localhost"]], {
    status: 200,
  }),
  fields("4.3.1", "an empty :authority", [...without(":authority"), [":authority", ""]], { reset: MESSAGE_ERROR }),
  fields("4.3.1", "userinfo in :authority", [...without(":authority"), [":authority", "u@localhost"]], { status: 400 }),
  fields(
    "4.4",
    "CONNECT with a :path",
    [
      [":method", "CONNECT"],
      [":authority", "a:1"],
      [":path", "/"],
    ],
    { reset: MESSAGE_ERROR },
  ),
  onRequest(
    "4.1.2",
    "a body longer than content-length",
    [...headers([...POST, ["content-length", "1"]]), ...data("ab")],
    { close: MESSAGE_ERROR },
  ),
  onRequest(
    "4.1.2",
    "a body shorter than content-length",
    [...headers([...POST, ["content-length", "3"]]), ...data("ab")],
    { close: MESSAGE_ERROR },
  ),
  onRequest(
    "4.1.2",
    "a content-length that is not a number",
    [...headers([...POST, ["content-length", "x"]]), ...data("ab")],
    { close: MESSAGE_ERROR },
  ),
  fields("4.2.2", "one field over the limit", [...GET, ["x", "a".repeat(40_000)]], { status: -1 }),
  fields("4.2.2", "one field far over the limit, with small ones", [...GET, ["x", "a".repeat(1_000_000)], ["y", "1"]], {
    status: -1,
  }),
  fields(
    "4.2.2",
    "many fields over the limit",
    [...GET, ...Array.from({ length: 100 }, (_, i): Field => [`x${i}`, "1".repeat(400)])],
    { status: -1 },
  ),
  fields(
    "4.2.2",
    "more fields than the limit",
    [...GET, ...Array.from({ length: 300 }, (_, i): Field => [`x${i}`, "1"])],
    { status: -1 },
  ),
];

const qpack: readonly Rule[] = [
  onRequest("RFC 9204 §3.1", "an index beyond the static table", frame(1, [0, 0, ...prefixed(200, 6, 0xc0)]), {
    close: QPACK_DECOMPRESSION_FAILED,
  }),
  onRequest(
    "RFC 9204 §3.1",
    "the first index beyond the static table, after a valid header section",
    frame(1, [0, 0, 0xd1, 0xd7, 0x50, 0x09, ...Buffer.from("127.0.0.1"), 0xc1, 0xff, 0x24]),
    { close: QPACK_DECOMPRESSION_FAILED },
  ),
  onRequest("RFC 9204 §4.5.1", "a dynamic reference without any entry", frame(1, [0, 0, 0x80]), {
    close: QPACK_DECOMPRESSION_FAILED,
  }),
  onRequest("RFC 9204 §4.5", "a field section that ends in a field", frame(1, [0, 0, 0x23]), {
    close: QPACK_DECOMPRESSION_FAILED,
  }),
  onRequest("RFC 9204 §4.1.2", "a broken Huffman code", frame(1, [0, 0, 0x51, 0x84, 0xff, 0xff, 0xff, 0xff]), {
    close: QPACK_DECOMPRESSION_FAILED,
  }),
  {
    section: "RFC 9204 §4.2",
    title: "the encoder stream ends",
    steps: [setUp, uni([ENCODER], true)],
    outcome: { close: CLOSED_CRITICAL_STREAM },
  },
  {
    section: "RFC 9204 §4.2",
    title: "the decoder stream ends",
    steps: [setUp, uni([DECODER], true)],
    outcome: { close: CLOSED_CRITICAL_STREAM },
  },
  {
    section: "RFC 9204 §4.2",
    title: "a second encoder stream",
    steps: [setUp, uni([ENCODER]), uni([ENCODER])],
    outcome: { close: STREAM_CREATION_ERROR },
  },
  {
    section: "RFC 9204 §4.3.1",
    title: "a table larger than allowed",
    steps: [setUp, uni([ENCODER, ...prefixed(100_000, 5, 0x20)])],
    outcome: { close: QPACK_ENCODER_STREAM_ERROR },
  },
  {
    section: "RFC 9204 §4.3.1",
    title: "a table far larger than allowed",
    steps: [setUp, uni([ENCODER, ...prefixed(10_000_000_000, 5, 0x20)])],
    outcome: { close: QPACK_ENCODER_STREAM_ERROR },
  },
  {
    section: "RFC 9204 §4.4.3",
    title: "an Insert Count Increment of 0",
    steps: [setUp, uni([DECODER, 0])],
    outcome: { close: QPACK_DECODER_STREAM_ERROR },
  },
  {
    section: "RFC 9204 §4.4.3",
    title: "an Insert Count Increment beyond what was sent",
    steps: [setUp, uni([DECODER, 5])],
    outcome: { close: QPACK_DECODER_STREAM_ERROR },
  },
  {
    section: "RFC 9204 §4.4.1",
    title: "an acknowledgement of a section that was never sent",
    steps: [setUp, uni([DECODER, 0x84])],
    outcome: { close: QPACK_DECODER_STREAM_ERROR },
  },
];

export const RULES: readonly Rule[] = [...framing, ...connection, ...messages, ...qpack];
