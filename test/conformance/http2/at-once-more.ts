/**
 * Further requests of other suites for `/`: frames and field sections with exactly their bytes, and the results that
 * they accept.
 */
import { type Http2Client } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block, indexed, tableSize } from "../../support/http2-hpack.ts";
import { type Asked, asked, connection, fields, get, openGet, post, stream, withBytes, WHOLE } from "./at-once.ts";

const RESPONSE = { kind: "response" } as const;
const PING = { kind: "ping" } as const;
const ACKNOWLEDGED = { kind: "acknowledged" } as const;
const { PROTOCOL_ERROR, FRAME_SIZE_ERROR, COMPRESSION_ERROR } = h2;

const USER_AGENT = "\x0auser-agent";
const CODED_USER_AGENT = "\x87\xb5\x05\xb1\x61\xcc\x5a\x93";
const NAME = "\x06x-test";
const CODED_NAME = "\x85\xf2\xb2\x4a\x84\xff";
const VALUE = "\x06h2spec";
const CODED_VALUE = "\x84\x9c\x48\xac\xa4";

function priorityFirst(what: string, ...frame: readonly [streamId: number, content: Buffer]): Asked {
  return asked(`PRIORITY ${what} before the request`, RESPONSE, (scheme) => [
    h2.frame(h2.PRIORITY, 0, ...frame),
    get(scheme),
  ]);
}

/** A request whose field section is split before each of these bytes. */
function inParts(what: string, ...cuts: readonly number[]): Asked {
  return asked(what, RESPONSE, (scheme) => {
    const whole = compact(scheme);
    const parts = [0, ...cuts].map((from, i) => whole.subarray(from, cuts[i]));
    return parts.map((part, i) => {
      const flags = i === cuts.length ? h2.END_HEADERS : 0;
      return i === 0 ? h2.frame(h2.HEADERS, h2.END_STREAM | flags, 1, part) : h2.frame(h2.CONTINUATION, flags, 1, part);
    });
  });
}

/**
 * The request's field section from an encoder with a dynamic table: three indexes, and an authority that goes into the
 * table.
 */
function compact(scheme: string): Buffer {
  const authority = Buffer.from("\x41\x0e127.0.0.1:8080", "latin1");
  return Buffer.concat([indexed(2), indexed(scheme === "https" ? 7 : 6), indexed(4), authority]);
}

function compactWith(what: string, sizes: readonly number[]): Asked {
  return asked(what, RESPONSE, (scheme) => [
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, Buffer.concat([...sizes.map(tableSize), compact(scheme)])),
  ]);
}

const KNOWN_SETTINGS = h2.settings(
  [h2.HEADER_TABLE_SIZE, 4096],
  [h2.ENABLE_PUSH, 1],
  [h2.MAX_CONCURRENT_STREAMS, 100],
  [h2.INITIAL_WINDOW_SIZE, 65_535],
  [h2.MAX_FRAME_SIZE, 16_384],
  [h2.MAX_HEADER_LIST_SIZE, 100],
);

const ACCEPTED: readonly Asked[] = [
  asked("HEADERS with padding", RESPONSE, (scheme) => [
    h2.frame(h2.HEADERS, h2.END_BOTH | h2.PADDED, 1, h2.padded(block(fields(scheme)), 8)),
  ]),
  asked("HEADERS with a priority", RESPONSE, (scheme) => [
    h2.frame(h2.HEADERS, h2.END_BOTH | h2.HAS_PRIORITY, 1, Buffer.concat([h2.priority(0, 255), block(fields(scheme))])),
  ]),
  priorityFirst("of weight 1", 1, h2.priority(0, 0)),
  priorityFirst("of weight 256", 1, h2.priority(0, 255)),
  priorityFirst("of a stream that depends on the request's stream", 3, h2.priority(1, 0)),
  priorityFirst("that is exclusive", 1, h2.priority(0, 0, true)),
  inParts("a block in two frames", 5),
  inParts("a block in three frames", 5, 10),
  asked("every known setting", ACKNOWLEDGED, () => [KNOWN_SETTINGS]),
  asked("ENABLE_PUSH of 0", ACKNOWLEDGED, () => [h2.settings([h2.ENABLE_PUSH, 0])]),
  asked("WINDOW_UPDATE of the connection", PING, () => [h2.windowUpdate(0, 1)]),
  asked("WINDOW_UPDATE of a complete request", RESPONSE, (scheme) => [get(scheme), h2.windowUpdate(1, 1)]),
  asked("a PING acknowledgement without a PING", PING, () => [h2.ping("invalid\0", h2.ACK)]),
  compactWith("indexes, and a field for the table", []),
  compactWith("a table of size 128", [128]),
  compactWith("a table of size 128, then 4096", [128, 4096]),
  ...["@", "\0", "\x10"].flatMap((form) =>
    [USER_AGENT + VALUE, CODED_USER_AGENT + CODED_VALUE, NAME + VALUE, CODED_NAME + CODED_VALUE].map((field, i) =>
      withBytes(`a literal of form ${form.charCodeAt(0)}, ${i + 1} of 4`, RESPONSE, form + field),
    ),
  ),
];

const REFUSED: readonly Asked[] = [
  asked("RST_STREAM of 3 bytes on a complete request", connection(FRAME_SIZE_ERROR), (scheme) => [
    get(scheme),
    h2.frame(h2.RST_STREAM, 0, 1, "\0\0\0"),
  ]),
  asked("RST_STREAM of 3 bytes on a closed stream", connection(FRAME_SIZE_ERROR), (scheme) => [
    get(scheme),
    WHOLE,
    h2.frame(h2.RST_STREAM, 0, 1, "\0\0\0"),
  ]),
  asked("an acknowledgement of one byte", connection(FRAME_SIZE_ERROR), () => [h2.frame(h2.SETTINGS, h2.ACK, 0, "\0")]),
  asked("PING of 6 bytes", connection(FRAME_SIZE_ERROR), () => [h2.frame(h2.PING, 0, 0, "\0\0\0\0\0\0")]),
  asked("no :method and no :scheme", stream(PROTOCOL_ERROR), (scheme) => [
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(fields(scheme).slice(2))),
  ]),
  asked("a pseudo-header field in trailers that do not end the request", stream(PROTOCOL_ERROR), (scheme) => [
    post(scheme),
    h2.data(1, "test"),
    h2.frame(h2.HEADERS, h2.END_HEADERS, 1, block([[":method", "POST"]])),
  ]),
  withBytes("a name's index beyond the tables, without a value", connection(COMPRESSION_ERROR), "\x7f\x07\0"),
  withBytes("EOS inside a text", connection(COMPRESSION_ERROR), `\0${CODED_NAME}\x87\x49\x51\xff\xff\xff\xfa\x7f`),
];

/** The first code of RST_STREAM: an early response must not change the code. */
async function firstReset(client: Http2Client): Promise<void> {
  const code = await client.resetCode(1);
  if (code !== h2.FLOW_CONTROL_ERROR) throw new Error(`RST_STREAM with code ${code}`);
}

function dataOf(client: Http2Client): readonly number[] {
  return client.frames.filter(({ type }) => type === h2.DATA).map(({ payload }) => payload.length);
}

async function owesOne(client: Http2Client, scheme: string): Promise<void> {
  await client.fence();
  client.send(get(scheme));
  await client.sees("DATA", ({ type }) => type === h2.DATA);
  client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 2]));
  await client.fence();
  client.send(h2.windowUpdate(1, 2));
  await client.sees("more DATA", () => dataOf(client).length > 1);
  await client.fence();
  if (dataOf(client).join() !== "3,1") throw new Error(`DATA of ${dataOf(client).join(" and ")} bytes`);
}

/** A PING acknowledgement or a FIN; a reset connection is neither. */
async function pongOrEnd(client: Http2Client): Promise<void> {
  try {
    await client.sees("PING's response", ({ type }) => type === h2.PING);
  } catch (error) {
    if (client.state !== "ended") throw error;
  }
}

const STEPS: readonly Asked[] = [
  asked("a stream's window above 2^31-1 is RST_STREAM's first code", { kind: "check", check: firstReset }, (scheme) => [
    openGet(scheme),
    h2.windowUpdate(1, h2.MAX_WINDOW),
    h2.windowUpdate(1, h2.MAX_WINDOW),
  ]),
  asked("a negative window must first become positive", { kind: "check", check: owesOne }, () => [
    h2.settings([h2.INITIAL_WINDOW_SIZE, 3]),
  ]),
  asked("PING behind GOAWAY", { kind: "check", check: pongOrEnd }, () => [
    h2.frame(h2.GOAWAY, 0, 0, Buffer.concat([h2.words(0, h2.NO_ERROR), Buffer.from("h2spec")])),
    h2.ping("h2spec\0\0"),
  ]),
  asked("PING after GOAWAY with an unknown code", { kind: "check", check: pongOrEnd }, () => [
    h2.frame(h2.GOAWAY, 0, 0, h2.words(0, 0xff)),
    h2.ping("h2spec\0\0"),
  ]),
];

export const ASKED_MORE: readonly Asked[] = [...ACCEPTED, ...REFUSED, ...STEPS];
