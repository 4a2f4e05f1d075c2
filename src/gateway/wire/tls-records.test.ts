import { expect, test } from "bun:test";
import { TlsRecords } from "./tls-records.ts";

const OVERHEAD = 17;

function record(type: number, length: number): Buffer {
  return Buffer.concat([Buffer.from([type, 3, 3, length >> 8, length & 255]), Buffer.alloc(length)]);
}

/** A record of TLS 1.3 with this number of bytes inside. */
const inner = (bytes: number): Buffer => record(23, bytes + OVERHEAD);
const alert12 = record(21, 26);

function hear(chunks: readonly { readonly bytes: Buffer; readonly content: number }[], isTls13: boolean): boolean {
  const records = new TlsRecords();
  records.isTls13 = isTls13;
  for (const { bytes, content } of chunks) {
    records.onData(bytes);
    records.content += content;
  }
  return records.sentCloseNotify;
}

for (const [what, records, content, isTls13, isCloseNotify] of [
  ["content", [inner(100)], 100, true, false],
  ["two bytes of content", [inner(2)], 2, true, false],
  ["two bytes of content, several times", [inner(2), inner(2), inner(2)], 6, true, false],
  ["content and a close_notify", [inner(100), inner(2)], 100, true, true],
  ["two bytes of content and a close_notify", [inner(2), inner(2)], 2, true, true],
  ["tickets and content", [inner(250), inner(250), inner(2)], 2, true, false],
  ["tickets and a close_notify", [inner(250), inner(250), inner(2)], 0, true, true],
  ["tickets, content and a close_notify", [inner(250), inner(250), inner(70), inner(2)], 70, true, true],
  ["half of a record", [inner(100), inner(2).subarray(0, 12)], 100, true, false],
  ["half of a header", [inner(100), inner(2).subarray(0, 3)], 100, true, false],
  ["content of TLS 1.2", [inner(100), inner(2)], 102, false, false],
  ["the alert of TLS 1.2", [inner(100), alert12], 100, false, true],
] as const) {
  test(`${what}: ${isCloseNotify ? "close_notify" : "no close_notify"}`, () => {
    const bytes = Buffer.concat(records);
    expect(hear([{ bytes, content }], isTls13)).toBe(isCloseNotify);
  });
}

test("records can arrive in any chunks", () => {
  const bytes = Buffer.concat([inner(40), inner(2)]);
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes.subarray(0, at);
    const isWhole = at >= 40 + OVERHEAD + 5;
    const chunks = [
      { bytes: first, content: isWhole ? 40 : 0 },
      { bytes: bytes.subarray(at), content: isWhole ? 0 : 40 },
    ];
    expect(hear(chunks, true), String(at)).toBe(true);
  }
});
