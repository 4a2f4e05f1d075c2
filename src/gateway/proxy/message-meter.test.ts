import { expect, test } from "bun:test";
import fc from "fast-check";
import { MessageMeter } from "./message-meter.ts";

function framed(length: number): Buffer {
  const bytes = Buffer.alloc(5 + length, 0xff);
  bytes[0] = length % 2;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** True if the meter accepts all bytes, in chunks of these sizes. */
function takesAll(meter: MessageMeter, bytes: Buffer, sizes: readonly number[]): boolean {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const end = Math.min(at + (sizes[i % sizes.length] ?? 1), bytes.length);
    if (!meter.takes(bytes, at, end)) return false;
    at = end;
  }
  return true;
}

test("messages pass in any chunks if none is longer than the limit", () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(lengths, sizes, (all, chunks) => {
      const bytes = Buffer.concat(all.map(framed));
      expect(takesAll(new MessageMeter(30), bytes, chunks)).toBe(all.every((length) => length <= 30));
    }),
  );
});

test("the longest possible length is parsed correctly", () => {
  const prefix = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
  expect(new MessageMeter(2 ** 32 - 2).takes(prefix, 0, 5)).toBe(false);
  expect(new MessageMeter(2 ** 32 - 1).takes(prefix, 0, 5)).toBe(true);
});
