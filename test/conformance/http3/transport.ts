/** RFC 9000 and RFC 9001: violations for which a server must close a connection, and the codes. */
import { type Bytes, varint } from "../../support/http3-frames.ts";
import { type Parameter, type QuicFaults } from "../../support/quic-client.ts";
import { cryptoFrame } from "../../support/quic-frames.ts";
import { TRANSPORT_PARAMETERS } from "../../support/quic-tls.ts";

export interface TransportRule {
  /** The section of RFC 9000, or of the RFC that it names. */
  readonly section: string;
  readonly title: string;
  readonly faults: QuicFaults;
  /**
   * The code that the RFC requires; a generic one may replace it. Undefined: the engine accepts the violation, against
   * the RFC.
   */
  readonly code: number | undefined;
}

const FLOW_CONTROL_ERROR = 0x3;
export const STREAM_LIMIT_ERROR = 0x4;
const STREAM_STATE_ERROR = 0x5;
const FRAME_ENCODING_ERROR = 0x7;
const TRANSPORT_PARAMETER_ERROR = 0x8;
const PROTOCOL_VIOLATION = 0xa;
/** RFC 9001 §4.8: a TLS alert. */
const UNEXPECTED_MESSAGE = 0x10a;
const MISSING_EXTENSION = 0x16d;
const NO_APPLICATION_PROTOCOL = 0x178;

/** RFC 9000 §11: INTERNAL_ERROR and PROTOCOL_VIOLATION may replace any code. */
const GENERIC: readonly number[] = [0x1, PROTOCOL_VIOLATION];
/** RFC 9001 §4.8: handshake_failure and internal_error may replace any alert. */
const GENERIC_ALERTS: readonly number[] = [0x128, 0x150];

/** Whether a server may close with `found` if the RFC requires `wanted`. */
export function isAllowed(found: number, wanted: number): boolean {
  return [wanted, ...(wanted < 0x100 ? GENERIC : GENERIC_ALERTS)].includes(found);
}

const BYTES: Bytes = [...Buffer.from("01234567")];
const TOKEN: Bytes = Array.from({ length: 16 }, (_, i) => i);
/** 2^60 + 1: one stream more than the maximum. */
const TOO_MANY: Bytes = [0xd0, 0, 0, 0, 0, 0, 0, 1];
const KEY_UPDATE: Bytes = [24, 0, 0, 1, 1];
const END_OF_EARLY_DATA: Bytes = [5, 0, 0, 0];

const INITIAL_SOURCE_CONNECTION_ID = 0x0f;

type Text = readonly [section: string, title: string];

function rule([section, title]: Text, faults: QuicFaults, code: number | undefined): TransportRule {
  return { section, title, faults, code };
}

/** With one additional parameter, or another value of it. */
function parameter([section, title]: Text, id: number, content: Bytes): TransportRule {
  const added: Parameter = [id, content];
  const faults = { parameters: (list: readonly Parameter[]) => [...list.filter(([found]) => found !== id), added] };
  return rule([section, title], faults, TRANSPORT_PARAMETER_ERROR);
}

/** In a packet after the handshake. */
function frames(text: Text, bytes: Bytes, code: number): TransportRule {
  return rule(text, { frames: bytes }, code);
}

/** An empty STREAM frame. */
export const emptyStream = (id: number): Bytes => [0x0a, ...varint(id), 0];

const streams: readonly TransportRule[] = [
  frames(["4.1", "data beyond the window"], [0x0f, 0, ...varint(100_000_000), 1, 65], FLOW_CONTROL_ERROR),
  frames(["4.6", "a stream beyond the limit"], [0x0b, ...varint(1_000_000_000), 1, 65], STREAM_LIMIT_ERROR),
  frames(["19.4", "RESET_STREAM of a stream that only the server sends on"], [0x04, 3, 0, 0], STREAM_STATE_ERROR),
  frames(["19.5", "STOP_SENDING of a stream that does not exist yet"], [0x05, ...varint(101), 0], STREAM_STATE_ERROR),
  frames(["19.8", "STREAM of a server's stream that does not exist yet"], emptyStream(1), STREAM_STATE_ERROR),
  frames(["19.8", "STREAM of a stream that only the server sends on"], emptyStream(3), STREAM_STATE_ERROR),
  frames(
    ["19.10", "MAX_STREAM_DATA of a stream that does not exist yet"],
    [0x11, ...varint(101), ...varint(1_000_000)],
    STREAM_STATE_ERROR,
  ),
  frames(
    ["19.10", "MAX_STREAM_DATA of a stream that only the client sends on"],
    [0x11, 2, ...varint(1_000_000)],
    STREAM_STATE_ERROR,
  ),
  frames(["19.11", "MAX_STREAMS beyond 2^60"], [0x12, ...TOO_MANY], FRAME_ENCODING_ERROR),
  frames(["19.14", "STREAMS_BLOCKED beyond 2^60"], [0x16, ...TOO_MANY], FRAME_ENCODING_ERROR),
];

const parameters: readonly TransportRule[] = [
  rule(
    ["7.3", "no initial_source_connection_id"],
    { parameters: (list) => list.filter(([id]) => id !== INITIAL_SOURCE_CONNECTION_ID) },
    TRANSPORT_PARAMETER_ERROR,
  ),
  parameter(["18.2", "original_destination_connection_id from a client"], 0x00, BYTES),
  parameter(["18.2", "stateless_reset_token from a client"], 0x02, TOKEN),
  parameter(["18.2", "stateless_reset_token of five bytes"], 0x02, BYTES.slice(0, 5)),
  parameter(["18.2", "preferred_address from a client"], 0x0d, [
    127,
    0,
    0,
    1,
    1,
    0xbb,
    ...Array.from({ length: 18 }, () => 0),
    BYTES.length,
    ...BYTES,
    ...TOKEN,
  ]),
  parameter(["18.2", "retry_source_connection_id from a client"], 0x10, BYTES),
  parameter(["18.2", "max_udp_payload_size below 1200"], 0x03, varint(1090)),
  parameter(["18.2", "ack_delay_exponent over 20"], 0x0a, varint(30)),
  parameter(["18.2", "max_ack_delay of 2^14 or more"], 0x0b, varint(32_768)),
];

const packets: readonly TransportRule[] = [
  frames(["12.4", "an unknown frame"], [0x20], FRAME_ENCODING_ERROR),
  frames(["12.4", "a packet without any frame"], [], PROTOCOL_VIOLATION),
  rule(["12.4", "a STREAM frame in an Initial packet"], { initial: emptyStream(0) }, PROTOCOL_VIOLATION),
  rule(["17.2", "reserved bits of a Handshake packet"], { handshakeBits: 0x08 }, PROTOCOL_VIOLATION),
  rule(["17.2.4", "PATH_CHALLENGE in a Handshake packet"], { handshake: [0x1a, ...BYTES] }, PROTOCOL_VIOLATION),
  rule(["17.3.1", "reserved bits of a short packet"], { frames: [0x01], shortBits: 0x08 }, PROTOCOL_VIOLATION),
  frames(["19.7", "NEW_TOKEN from a client"], [0x07, BYTES.length, ...BYTES], PROTOCOL_VIOLATION),
  frames(
    ["19.15", "NEW_CONNECTION_ID that retires more than there is"],
    [0x18, 1, 11, BYTES.length, ...BYTES, ...TOKEN],
    FRAME_ENCODING_ERROR,
  ),
  frames(["19.15", "NEW_CONNECTION_ID without an id"], [0x18, 1, 0, 0, ...TOKEN], FRAME_ENCODING_ERROR),
  frames(["19.20", "HANDSHAKE_DONE from a client"], [0x1e], PROTOCOL_VIOLATION),
];

const tls: readonly TransportRule[] = [
  rule(["RFC 9001 §6", "KeyUpdate behind Finished"], { tlsBehind: KEY_UPDATE }, UNEXPECTED_MESSAGE),
  // The RFC requires an unexpected_message. See decision 0242.
  rule(
    ["RFC 9001 §6", "KeyUpdate in a short packet"],
    { frames: cryptoFrame(Uint8Array.from(KEY_UPDATE)), untilTaken: true },
    undefined,
  ),
  rule(["RFC 9001 §8.1", "no protocol in common"], { alpn: "dummy" }, NO_APPLICATION_PROTOCOL),
  rule(
    ["RFC 9001 §8.2", "no quic_transport_parameters"],
    { extensions: (list) => list.filter(([type]) => type !== TRANSPORT_PARAMETERS) },
    MISSING_EXTENSION,
  ),
  rule(
    ["RFC 9001 §8.2", "quic_transport_parameters of a draft's number"],
    {
      extensions: (list) =>
        list.map(([type, content]) => [type === TRANSPORT_PARAMETERS ? 0xffa5 : type, content] as const),
    },
    MISSING_EXTENSION,
  ),
  rule(["RFC 9001 §8.3", "EndOfEarlyData"], { tlsBefore: END_OF_EARLY_DATA }, UNEXPECTED_MESSAGE),
];

export const TRANSPORT_RULES: readonly TransportRule[] = [...streams, ...parameters, ...packets, ...tls];
