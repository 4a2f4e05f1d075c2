import { expect, test } from "bun:test";
import { framed, FrameReader } from "./grpc-frame.ts";

function texts(messages: readonly Uint8Array[] | undefined): string[] | undefined {
  return messages?.map((message) => Buffer.from(message).toString());
}

test("a message has its length before it", () => {
  expect([...framed(Buffer.from("abc"))]).toEqual([0, 0, 0, 0, 3, 97, 98, 99]);
  expect([...framed(new Uint8Array(66_000)).subarray(0, 5)]).toEqual([0, 0, 1, 1, 0xd0]);
});

test("messages are read in chunks of any size", () => {
  const sent = ["", "a", "bc".repeat(700), "d"];
  const bytes = Buffer.concat([Buffer.from("<"), ...sent.map((text) => framed(Buffer.from(text))), Buffer.from(">")]);
  for (const size of [1, 2, 3, 7, 1000, bytes.length]) {
    const reader = new FrameReader();
    const read: string[] = [];
    for (let at = 1; at < bytes.length - 1; at += size) {
      const end = Math.min(at + size, bytes.length - 1);
      read.push(...(texts(reader.take(bytes, at, end)) ?? ["compressed"]));
    }
    expect([size, read, reader.isInside, reader.memory]).toEqual([size, sent, false, 0]);
  }
});

test("an incomplete message takes memory, and an incomplete prefix takes none", () => {
  const reader = new FrameReader();
  const bytes = framed(new Uint8Array(3000));
  reader.take(bytes, 0, 4);
  expect([reader.isInside, reader.memory]).toEqual([true, 0]);
  reader.take(bytes, 4, 6);
  expect([reader.isInside, reader.memory]).toEqual([true, 1024]);
  reader.take(bytes, 6, 2000);
  expect(reader.memory).toBe(2048);
});

test("a compressed message is not read", () => {
  const bytes = framed(Buffer.from("abc"));
  bytes[0] = 1;
  expect(new FrameReader().take(bytes, 0, bytes.length)).toBeUndefined();
});
