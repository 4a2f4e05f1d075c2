import { expect, test } from "bun:test";
import { MAX_UNIT_BYTES, type Unit } from "./ruler.ts";
import { rulerOf } from "./ruler-of.ts";

/** The units of a body, each with the bytes from its begin to the next one, and the bytes before the first one. */
function unitsOf(
  unit: Unit,
  body: Uint8Array,
  size = body.length,
): { free: string; units: string[]; undecided: string } {
  const ruler = rulerOf(unit);
  for (let at = 0; at < body.length; at += size) {
    // As a range of a larger piece.
    const piece = Buffer.concat([Buffer.from("??"), body.subarray(at, at + size), Buffer.from("?")]);
    ruler.scan(piece, 2, piece.length - 1);
  }
  const text = Buffer.from(body);
  const begins = Array.from({ length: ruler.waiting }, (_, n) => ruler.beginOf(n)?.at ?? -1);
  const ends = [...begins.slice(1), ruler.decided];
  const units = begins.map((at, i) => text.subarray(at, ends[i]).toString("latin1"));
  const free = text.subarray(0, begins[0] ?? ruler.decided).toString("latin1");
  return { free, units, undecided: text.subarray(ruler.decided).toString("latin1") };
}

function latin1(...parts: Buffer[]): string {
  return Buffer.concat(parts).toString("latin1");
}

function frame(opcode: number, payload: string, isLast = true): Buffer {
  const head = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, ...head]), Buffer.from(payload)]);
}

const EVENTS: readonly (readonly [name: string, body: string, free: string, units: string[], undecided: string])[] = [
  ["two events", "data: 1\n\ndata: 2\n\n", "", ["data: 1\n\n", "data: 2\n\n"], ""],
  ["several lines of data", "data: 1\ndata: 2\n\n", "", ["data: 1\ndata: 2\n\n"], ""],
  ["fields before the data", "id: 7\nevent: x\ndata: 1\n\n", "", ["id: 7\nevent: x\ndata: 1\n\n"], ""],
  ["comments and blocks without data", ": hi\n\nretry: 5\n\ndata: 1\n\n", ": hi\n\nretry: 5\n\n", ["data: 1\n\n"], ""],
  ["a comment after an event", "data: 1\n\n: hi\n\n", "", ["data: 1\n\n: hi\n\n"], ""],
  [
    "CRLF and CR",
    "data: 1\r\n\r\ndata: 2\r\rdata: 3\r\n\r\n",
    "",
    ["data: 1\r\n\r\n", "data: 2\r\r", "data: 3\r\n\r\n"],
    "",
  ],
  ["data without a colon", "data\n\n", "", ["data\n\n"], ""],
  [
    "names that begin like data",
    "dat: 1\ndatas: 1\n data: 1\nXdata: 1\n\n",
    "dat: 1\ndatas: 1\n data: 1\nXdata: 1\n\n",
    [],
    "",
  ],
  ["a byte order mark", "\xef\xbb\xbfdata: 1\n\n", "", ["\xef\xbb\xbfdata: 1\n\n"], ""],
  ["the beginning of a block", "data: 1\n\nid: 7\ndat", "", ["data: 1\n\n"], "id: 7\ndat"],
  ["an event without its end", "data: 1\n\ndata: 2", "", ["data: 1\n\n", "data: 2"], ""],
];

test.each(EVENTS)("events: %s, in pieces of any size", (...row) => {
  const [, body, free, units, undecided] = row;
  const bytes = Buffer.from(body, "latin1");
  for (const size of [1, 2, 3, 5, bytes.length])
    expect(unitsOf("event", bytes, size)).toEqual({ free, units, undecided });
});

test("lines end with LF, and the last one needs no end", () => {
  for (const size of [1, 2, 100]) {
    expect(unitsOf("line", Buffer.from("a\n\nbc\r\nd"), size)).toEqual({
      free: "",
      units: ["a\n", "\n", "bc\r\n", "d"],
      undecided: "",
    });
  }
});

test("each byte is a unit", () => {
  const ruler = rulerOf("byte");
  ruler.scan(Buffer.from("abcdef"), 1, 6);
  ruler.take(2);
  expect([ruler.waiting, ruler.beginOf(0), ruler.beginOf(2)?.at, ruler.beginOf(3)]).toEqual([
    3,
    { at: 2, isRest: false },
    4,
    undefined,
  ]);
});

test("a message is a unit, with all of its frames, and control frames do not count", () => {
  const [text, long, more, ping] = [frame(1, "a"), frame(2, "x".repeat(300), false), frame(0, "y"), frame(9, "")];
  const body = Buffer.concat([ping, text, long, ping, more, frame(1, "")]);
  for (const size of [1, 7, body.length]) {
    expect(unitsOf("message", body, size)).toEqual({
      free: latin1(ping),
      units: [latin1(text), latin1(long, ping, more), latin1(frame(1, ""))],
      undecided: "",
    });
  }
});

test("a message of many frames counts again for each further part, without the control frames between them", () => {
  const half = "x".repeat(MAX_UNIT_BYTES / 2 - 4);
  const [begin, more, last] = [frame(1, half, false), frame(0, half, false), frame(0, half)];
  const ping = frame(9, "p".repeat(100));
  const body = Buffer.concat([begin, ping, more, ping, more, more, ping, last, ping, frame(1, "a"), ping]);
  for (const size of [1000, body.length]) {
    expect(unitsOf("message", body, size).units).toEqual([
      latin1(begin, ping, more, ping),
      latin1(more, more, ping),
      latin1(last, ping),
      latin1(frame(1, "a"), ping),
    ]);
  }
});

test.each(["line", "event"] as const)("a %s that never ends counts again for each further part", (unit) => {
  const prefix = unit === "event" ? "data:" : "";
  const ruler = rulerOf(unit);
  const body = Buffer.from(prefix + "x".repeat(3 * MAX_UNIT_BYTES));
  for (let at = 0; at < body.length; at += 10_000) ruler.scan(body, at, Math.min(at + 10_000, body.length));
  const begins = Array.from({ length: ruler.waiting }, (_, n) => ruler.beginOf(n));
  expect(begins.map((begin) => begin?.isRest)).toEqual(
    unit === "event" ? [false, true, true, true] : [false, true, true],
  );
  expect(ruler.decided).toBe(body.length);
});

test("a block without data that never ends counts too", () => {
  const ruler = rulerOf("event");
  ruler.scan(Buffer.from(`:${"x".repeat(2 * MAX_UNIT_BYTES)}`), 0, 2 * MAX_UNIT_BYTES);
  expect([ruler.waiting, ruler.beginOf(0), ruler.decided]).toEqual([1, { at: 0, isRest: false }, 2 * MAX_UNIT_BYTES]);
});
