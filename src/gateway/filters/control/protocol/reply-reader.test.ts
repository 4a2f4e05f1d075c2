import { expect, test } from "bun:test";
import { fractionsOf } from "../../../../lib/testing/mulberry32.ts";
import { commandError } from "./command.ts";
import { ReplyReader } from "./reply-reader.ts";
import { reply } from "../testing/sandbox.ts";

const MAX_REPLY_BYTES = 16_384;

/** Reads `bytes` in pieces of random lengths. Returns the bytes that do not belong to the reply. */
function readInPieces(reader: ReplyReader, bytes: Uint8Array, random: () => number): Uint8Array {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + 1 + Math.floor(random() * 7));
    const taken = reader.read(piece);
    at += taken;
    if (taken < piece.length) return bytes.subarray(at);
  }
  return bytes.subarray(bytes.length);
}

test("output of any bytes is read back unchanged, in pieces of any length, and later bytes are not read", () => {
  const random = fractionsOf(15);
  const reader = new ReplyReader();
  for (let round = 0; round < 300; round++) {
    const output = Buffer.from(Array.from({ length: Math.floor(random() * 40) }, () => Math.floor(random() * 256)));
    const exit = Math.floor(random() * 256);
    reader.reset();
    const rest = readInPieces(reader, Buffer.concat([reply(output, exit), Buffer.from("next")]), random);
    expect(reader.isDone).toBe(true);
    expect(reader.bytes).toEqual(Buffer.concat([output, Buffer.from(`\x1e${exit}\n`, "latin1")]));
    expect(Buffer.from(rest).toString()).toBe("next");
  }
});

test.each([
  [MAX_REPLY_BYTES - 3, 7, MAX_REPLY_BYTES - 3],
  [MAX_REPLY_BYTES - 2, 7, MAX_REPLY_BYTES - 3],
  [MAX_REPLY_BYTES - 3, 255, MAX_REPLY_BYTES - 5],
  [1_000_000, 0, MAX_REPLY_BYTES - 3],
])("of %i bytes of output with the exit code %i, %i are kept, and the trailer", (length, exit, kept) => {
  const reader = new ReplyReader();
  reader.read(reply(Buffer.alloc(length, "x"), exit));
  expect(reader.isDone).toBe(true);
  expect(reader.bytes.toString("latin1")).toBe(`${"x".repeat(kept)}\x1e${exit}\n`);
});

test.each(["\x1e\n", "\x1e256\n", "\x1e1000\n", "\x1e1 \n", "\x1ex\n", "\x1e-1\n", "\x1e1\r\n", "\x1e\x1e0\n"])(
  "%j does not end a reply",
  (trailer) => {
    const reader = new ReplyReader();
    reader.read(Buffer.from(`output${trailer}`, "latin1"));
    expect([reader.isDone, reader.isBroken]).toEqual([false, true]);
  },
);

test.each([
  ["ERR no such tenant\n", true],
  ["OK done\n", true],
  ["OK \n", true],
  ["OK\n", false],
  ["ERR no such tenant", false],
  ["ERR one\ntwo\n", false],
  ["WARN one\n", false],
  ["", false],
  [`ERR ${"x".repeat(MAX_REPLY_BYTES)}\n`, false],
])("%j is a bare line: %p", (text, isBare) => {
  const reader = new ReplyReader();
  reader.read(Buffer.from(text, "latin1"));
  expect(reader.isBareLine).toBe(isBare);
});

test("a line of which a part is missing is not a bare line", () => {
  const reader = new ReplyReader();
  const line = `OK ${"x".repeat(MAX_REPLY_BYTES - 7)}\n`;
  reader.read(Buffer.from(line, "latin1"));
  expect(reader.isBareLine).toBe(true);
  reader.read(Buffer.from("more\n", "latin1"));
  expect([reader.isBareLine, reader.text]).toEqual([false, line]);
});

test("a line that ends in an escape is not a bare line", () => {
  const reader = new ReplyReader();
  reader.read(Buffer.from("OK done\n\x1f", "latin1"));
  expect(reader.isBareLine).toBe(false);
});

test.each([
  ["start tenant-1", undefined],
  [" \t start", undefined],
  ["_start_", undefined],
  ["x".repeat(4095), undefined],
  ["x".repeat(4096), "it has more than 4095 bytes"],
  ["", "it is empty"],
  ["  \t", "it is blank"],
  ["a\nb", "it has a line break in it"],
  ["a\r", "it has a line break in it"],
  ["a\x1eb", "it has the byte 0x1e in it"],
  ["__info__", "it begins with __"],
  ["\t __stop", "it begins with __"],
])("the command %j: %p", (text, error) => {
  expect(commandError(Buffer.from(text, "latin1"))).toBe(error);
});
