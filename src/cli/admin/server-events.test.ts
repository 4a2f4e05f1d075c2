import { expect, test } from "bun:test";
import { readEvents } from "./server-events.ts";

async function read(pieces: readonly (string | Uint8Array)[]) {
  async function* bytes() {
    for (const piece of pieces) yield typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
  }
  return await Array.fromAsync(readEvents(bytes()));
}

test("events are parsed wherever their bytes are split", async () => {
  const text =
    'retry: 2000\n\nid: 7\nevent: change\ndata: {"a":\ndata: "\u00fc"}\n\n: alive\n\nid: 8\r\ndata:x\r\n\r\ndata\n\ndata: cut';
  const whole = [
    { id: "7", data: '{"a":\n"\u00fc"}' },
    { id: "8", data: "x" },
    { id: "8", data: "" },
  ];
  const bytes = new TextEncoder().encode(text);
  expect(await read([text])).toEqual(whole);
  expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  for (let at = 1; at < bytes.length; at++) expect(await read([bytes.slice(0, at), bytes.slice(at)])).toEqual(whole);
});

test("an event that is too long is refused, on one line or on many", async () => {
  const line = `data: ${"x".repeat(1000)}\n`;
  expect(read(Array.from({ length: 2000 }, () => line))).rejects.toThrow("one is too long");
  expect(read(Array.from({ length: 2000 }, () => "x".repeat(1000)))).rejects.toThrow("one is too long");
});
