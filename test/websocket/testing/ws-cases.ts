/** The server tests of Autobahn|Testsuite, as frames to send and the responses of an echo server (RFC 6455). */
import { randomBytes } from "node:crypto";
import * as ws from "./frames.ts";

export interface Case {
  readonly name: string;
  /** The bytes of each write. */
  readonly writes: readonly Buffer[];
  /** Messages and pongs that arrive before the server closes. */
  readonly responses: readonly (readonly [opcode: number, payload: Buffer])[];
  /** The code of the server's close frame. */
  readonly code: number;
}

/** No status code at all (RFC 6455 §7.1.5). */
const NO_CODE = 1005;

function masked(opcode: number, payload: Buffer | string = "", options: ws.FrameOptions = {}): Buffer {
  return ws.frame(opcode, payload, { mask: randomBytes(4), ...options });
}

const bye = (): Buffer => masked(ws.CLOSE, ws.closing(1000));

/** Each frame in one write, then a close, which the server returns. */
function sound(name: string, frames: readonly Buffer[], responses: Case["responses"], size?: number): Case {
  const writes = size === undefined ? [...frames] : chopped(Buffer.concat(frames), size);
  return { name, writes: [...writes, bye()], responses, code: 1000 };
}

/** The server fails the connection. */
function broken(name: string, frames: readonly Buffer[], code = 1002, responses: Case["responses"] = []): Case {
  return { name, writes: frames, responses, code };
}

function chopped(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

function message(opcode: number, payload: Buffer, pieces: number): Buffer[] {
  const size = Math.max(Math.ceil(payload.length / pieces), 1);
  const parts = payload.length === 0 ? [payload] : chopped(payload, size);
  return parts.map((part, i) => masked(i === 0 ? opcode : ws.CONTINUATION, part, { fin: i === parts.length - 1 }));
}

function framing(): Case[] {
  const lengths = [0, 1, 125, 126, 127, 128, 65_534, 65_535, 65_536, 65_537, 1_000_000];
  return lengths.flatMap((length) => {
    const text = Buffer.alloc(length, "*");
    const bytes = randomBytes(length);
    return [
      sound(`text of ${length}`, [masked(ws.TEXT, text)], [[ws.TEXT, text]]),
      sound(`binary of ${length}`, [masked(ws.BINARY, bytes)], [[ws.BINARY, bytes]]),
      sound(`binary of ${length}, 997 bytes a write`, [masked(ws.BINARY, bytes)], [[ws.BINARY, bytes]], 997),
      sound(`binary of ${length} in 16 fragments`, message(ws.BINARY, bytes, 16), [[ws.BINARY, bytes]]),
    ];
  });
}

function pings(): Case[] {
  const payloads = ["", "hello", Buffer.from("00ff fefd fcfb".replaceAll(" ", ""), "hex"), Buffer.alloc(125, 0xfe)];
  const pongs = payloads.map((payload) => [ws.PONG, Buffer.from(payload)] as const);
  const [first = Buffer.alloc(0)] = pongs.map(([, payload]) => payload);
  return [
    ...payloads.map((payload) =>
      sound(`a ping of ${payload.length}`, [masked(ws.PING, payload)], [[ws.PONG, Buffer.from(payload)]]),
    ),
    sound(
      "pings byte by byte",
      payloads.map((payload) => masked(ws.PING, payload)),
      pongs,
      1,
    ),
    sound(
      "ten pings",
      Array.from({ length: 10 }, () => masked(ws.PING)),
      Array.from({ length: 10 }, () => [ws.PONG, first]),
    ),
    sound("pongs without a ping", [masked(ws.PONG), masked(ws.PONG, "x"), masked(ws.PING)], [[ws.PONG, first]]),
    broken("a ping of 126", [masked(ws.PING, Buffer.alloc(126))]),
    broken("a ping in fragments", [masked(ws.PING, "a", { fin: false }), masked(ws.CONTINUATION, "b")]),
    broken("a pong in fragments", [masked(ws.PONG, "a", { fin: false }), masked(ws.CONTINUATION, "b")]),
  ];
}

function bits(): Case[] {
  const hello = Buffer.from("hello");
  const before: Case["responses"] = [[ws.TEXT, hello]];
  const reserved = [1, 2, 3, 4, 5, 6, 7].map((rsv) =>
    broken(`reserved bits ${rsv}`, [masked(ws.TEXT, hello), masked(ws.TEXT, hello, { rsv })], 1002, before),
  );
  const opcodes = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) =>
    broken(`opcode ${opcode}`, [masked(ws.TEXT, hello), masked(opcode)], 1002, before),
  );
  const unmasked = broken("a frame without a mask", [ws.frame(ws.TEXT, hello)]);
  return [...reserved, ...opcodes, unmasked];
}

function fragments(): Case[] {
  const [a, b, c] = [Buffer.from("one "), Buffer.from("two "), Buffer.from("three")];
  const open = { fin: false };
  const whole = Buffer.concat([a, b, c]);
  const three = (): Buffer[] => [
    masked(ws.TEXT, a, open),
    masked(ws.CONTINUATION, b, open),
    masked(ws.CONTINUATION, c),
  ];
  const [first = a, second = a, third = a] = three();
  const empties = Array.from({ length: 50 }, () => masked(ws.CONTINUATION, "", open));
  return [
    sound("three", three(), [[ws.TEXT, whole]]),
    sound("three, byte by byte", three(), [[ws.TEXT, whole]], 1),
    sound("three in one write", [Buffer.concat(three())], [[ws.TEXT, whole]]),
    sound(
      "pings among them",
      [first, masked(ws.PING, "p"), second, masked(ws.PING, "q"), third],
      [
        [ws.PONG, Buffer.from("p")],
        [ws.PONG, Buffer.from("q")],
        [ws.TEXT, whole],
      ],
    ),
    sound("empty ones", [masked(ws.TEXT, "", open), ...empties, masked(ws.CONTINUATION)], [[ws.TEXT, Buffer.alloc(0)]]),
    broken("one that continues nothing", [masked(ws.CONTINUATION, a)]),
    broken("one that continues nothing, and does not end", [masked(ws.CONTINUATION, a, open)]),
    broken("a message within another", [masked(ws.TEXT, a, open), masked(ws.TEXT, b)]),
    broken("one too many", [...three(), masked(ws.CONTINUATION, c)], 1002, [[ws.TEXT, whole]]),
  ];
}

/** From Autobahn's case 6 and Markus Kuhn's decoder test. */
const SOUND_TEXTS = [
  "Hello-µ@ßöäüàá-UTF-8!!",
  "κόσμε",
  "\u0000\u007f\u0080\u07ff\u0800\uffff",
  "\u{10000}\u{10ffff}",
  "\u{fffe}\u{1fffe}",
];
const BROKEN_TEXTS = [
  "cebae1bdb9cf83cebcceb5eda080656469746564",
  "80",
  "bf",
  "80bf80",
  "c020",
  "c0",
  "e0a0",
  "f08f",
  "f7bfbf",
  "fe",
  "ff",
  "c0af",
  "e080af",
  "f08080af",
  "c1bf",
  "e09fbf",
  "f08fbfbf",
  "eda080",
  "edbfbf",
  "f4908080",
  "f8888080",
  "fc8480808080",
];

function texts(): Case[] {
  const open = { fin: false };
  const good = SOUND_TEXTS.flatMap((text) => {
    const bytes = Buffer.from(text);
    const cut = chopped(bytes, 1).map((byte, i, { length }) =>
      masked(i === 0 ? ws.TEXT : ws.CONTINUATION, byte, { fin: i === length - 1 }),
    );
    return [
      sound(JSON.stringify(text), [masked(ws.TEXT, bytes)], [[ws.TEXT, bytes]]),
      sound(`${JSON.stringify(text)} cut within its characters`, cut, [[ws.TEXT, bytes]]),
    ];
  });
  const bad = BROKEN_TEXTS.flatMap((hex) => {
    const bytes = Buffer.from(hex, "hex");
    return [
      broken(`${hex} as text`, [masked(ws.TEXT, bytes)], 1007),
      broken(`${hex} as text in fragments`, [masked(ws.TEXT, "ok ", open), masked(ws.CONTINUATION, bytes)], 1007),
      sound(`${hex} as bytes`, [masked(ws.BINARY, bytes)], [[ws.BINARY, bytes]]),
    ];
  });
  return [...good, ...bad];
}

function closes(): Case[] {
  const close = (payload: Buffer): Buffer[] => [masked(ws.CLOSE, payload)];
  const valid = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999];
  const invalid = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535];
  const hello = Buffer.from("hello");
  return [
    broken("with nothing", close(Buffer.alloc(0)), NO_CODE),
    broken("with a byte", close(Buffer.from([3]))),
    broken("with a reason", close(ws.closing(1000, "Hello World!")), 1000),
    broken("with a reason of 123", close(ws.closing(1000, Buffer.alloc(123, "*"))), 1000),
    broken("with a reason of 124", close(ws.closing(1000, Buffer.alloc(124, "*")))),
    broken("with a reason that is not a text", close(ws.closing(1000, Buffer.from("cebaeda080", "hex"))), 1007),
    ...valid.map((code) => broken(`with ${code}`, close(ws.closing(code)), code)),
    ...invalid.map((code) => broken(`with ${code}`, close(ws.closing(code)))),
    broken("twice", [bye(), bye()], 1000),
    broken("with a ping behind it", [bye(), masked(ws.PING)], 1000),
    broken("with a message behind it", [bye(), masked(ws.TEXT, hello)], 1000),
    broken("within a message", [masked(ws.TEXT, hello, { fin: false }), bye()], 1000),
    broken("behind a message, in one write", [Buffer.concat([masked(ws.TEXT, hello), bye()])], 1000, [
      [ws.TEXT, hello],
    ]),
  ];
}

function limits(): Case[] {
  const bytes = randomBytes(4_194_304);
  return [
    sound("4 MiB in one frame", [masked(ws.BINARY, bytes)], [[ws.BINARY, bytes]]),
    ...[64, 4096, 65_536].map((count) =>
      sound(`4 MiB in ${count} fragments`, [Buffer.concat(message(ws.BINARY, bytes, count))], [[ws.BINARY, bytes]]),
    ),
    sound(
      "a thousand messages",
      Array.from({ length: 1000 }, (_, i) => masked(ws.TEXT, `message ${i}`)),
      Array.from({ length: 1000 }, (_, i) => [ws.TEXT, Buffer.from(`message ${i}`)] as const),
    ),
  ];
}

export const SECTIONS: readonly (readonly [name: string, cases: () => Case[]])[] = [
  ["framing", framing],
  ["pings and pongs", pings],
  ["reserved bits and opcodes", bits],
  ["fragments", fragments],
  ["text and UTF-8", texts],
  ["closing", closes],
  ["size and number", limits],
];
