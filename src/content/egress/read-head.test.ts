import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { patient } from "../../lib/testing/patience.ts";
import { readHead } from "./read-head.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_HEAD_BYTES = 262_144;

/** The head that is read from bytes in these chunks. */
async function headOf(...chunks: readonly string[]): Promise<{ text: string; rest: string }> {
  const stream = new PassThrough();
  const head = readHead(stream);
  for (const chunk of chunks) stream.emit("data", Buffer.from(chunk, "latin1"));
  stream.destroy();
  const { text, rest } = await head;
  return { text, rest: rest.toString("latin1") };
}

test.each([
  ["a\r\nb: 1\r\n\r\nrest", "a\r\nb: 1\r", "rest"],
  ["a\nb: 1\n\nrest", "a\nb: 1", "rest"],
  ["a\nb: 1\r\n\nrest", "a\nb: 1\r", "rest"],
  ["a\nb: 1\n\r\nrest", "a\nb: 1", "rest"],
  ["a\r\n\rb: 1\r\n\r\n", "a\r\n\rb: 1\r", ""],
  ["a\r\nb\nc: 1\r\n\r\n", "a\r\nb\nc: 1\r", ""],
  ["a\n\n\n\nb", "a", "\n\nb"],
  ["\xe9\n\n\xff", "\xe9", "\xff"],
  ["a\nb\n\n", "a\nb", ""],
])("a head ends at the first empty line: %j", async (bytes, text, rest) => {
  expect(await headOf(bytes)).toEqual({ text, rest });
  expect(await headOf(...bytes.slice(0, bytes.length - rest.length).split(""), rest)).toEqual({ text, rest: "" });
});

test("bytes after the head wait in a paused stream", async () => {
  const stream = new PassThrough();
  const closers = stream.listenerCount("close");
  stream.write("a\n\n");
  const { text } = await readHead(stream);
  stream.write("b\n\n");
  expect([text, stream.isPaused(), stream.listenerCount("data"), stream.listenerCount("close")]).toEqual([
    "a",
    true,
    0,
    closers,
  ]);
  expect((await readHead(stream)).text).toBe("b");
});

test("the length is limited to the byte", async () => {
  const most = "a".repeat(MAX_HEAD_BYTES);
  expect((await headOf(most, "\n\n")).text).toHaveLength(MAX_HEAD_BYTES);
  expect(headOf(`${most}a`, "\n\n")).rejects.toThrow("too long");
});

test("a stream that closes before the empty line has no head", async () => {
  expect(headOf("a\r\nb: 1\r\n")).rejects.toThrow("the connection ended");
});

test(
  "a head of short lines that arrives byte by byte takes time by its length alone",
  async () => {
    const stream = new PassThrough();
    const head = readHead(stream);
    const [line, end] = ["\n", "a"].map((text) => Buffer.from(text));
    for (let length = 0; length < MAX_HEAD_BYTES; length += 2) {
      stream.emit("data", line);
      stream.emit("data", end);
    }
    stream.emit("data", line);
    expect(head).rejects.toThrow("too long");
  },
  patient(10_000),
);
