import { expect, test } from "bun:test";
import fc from "fast-check";
import { FixedText } from "./fixed-text.ts";

test("a text is written at the given offset, and nothing outside its room", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 60 }), fc.nat(20), (text, at) => {
      const fixed = new FixedText(text);
      const bytes = Buffer.alloc(128, 0x2a);
      const end = fixed.writeTo(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at);
      expect([end, bytes.toString("latin1", at, end)]).toEqual([at + text.length, text]);
      expect(fixed.room).toBeLessThan(text.length + 8);
      for (const part of [bytes.subarray(0, at), bytes.subarray(at + fixed.room)])
        expect(part.every((byte) => byte === 0x2a)).toBe(true);
    }),
  );
});
