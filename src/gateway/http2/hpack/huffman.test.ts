import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EOS, huffmanCodes } from "./huffman-code.ts";
import { decodeHuffman } from "./huffman.ts";
import { encodeHuffman } from "./testing/huffman-encode.ts";

function decode(bytes: Uint8Array): string | undefined {
  return decodeHuffman(bytes, 0, bytes.length);
}

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
const allSymbols = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");

// From the examples of RFC 7541 appendix C.4 and C.6.
const EXAMPLES = [
  ["www.example.com", "f1e3c2e5f23a6ba0ab90f4ff"],
  ["no-cache", "a8eb10649cbf"],
  ["custom-key", "25a849e95ba97d7f"],
  ["custom-value", "25a849e95bb8e8b4bf"],
  ["302", "6402"],
  ["private", "aec3771a4b"],
  ["Mon, 21 Oct 2013 20:13:21 GMT", "d07abe941054d444a8200595040b8166e082a62d1bff"],
  ["https://www.example.com", "9d29ad171863c78f0b97c8e9ae82ae43d3"],
  [
    "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
    "94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
  ],
] as const;

describe("the Huffman code", () => {
  test.each([
    ["0", 0x30, 0x0, 5],
    ["space", 0x20, 0x14, 6],
    ["A", 0x41, 0x21, 6],
    ["X", 0x58, 0xfc, 8],
    ["NUL", 0, 0x1ff8, 13],
    ["LF", 10, 0x3ffffffc, 30],
    ["0x7f", 127, 0xffffffc, 28],
    ["0x80", 128, 0xfffe6, 20],
    ["0xff", 255, 0x3ffffee, 26],
    ["EOS", EOS, 0x3fffffff, 30],
  ])("has the code of appendix B for %s", (_name, symbol, code, length) => {
    expect(huffmanCodes()[symbol]).toEqual({ code, length });
  });

  test("uses every sequence of bits", () => {
    const used = huffmanCodes().reduce((sum, { length }) => sum + 2 ** (30 - length), 0);
    expect(used).toBe(2 ** 30);
    expect(huffmanCodes()).toHaveLength(257);
  });

  test.each(EXAMPLES)("encodes and decodes %s as the RFC's example does", (text, hex) => {
    expect(encodeHuffman(text).toString("hex")).toBe(hex);
    expect(decode(Buffer.from(hex, "hex"))).toBe(text);
  });

  test("gives back every text, also long ones", () => {
    expect(decode(encodeHuffman(allSymbols))).toBe(allSymbols);
    const long = allSymbols.repeat(200);
    expect(decode(encodeHuffman(long))).toBe(long);
    expect(decode(Buffer.alloc(0))).toBe("");
    fc.assert(fc.property(anyText, (text) => expect(decode(encodeHuffman(text))).toBe(text)));
  });

  test("accepts only the one valid encoding of a text: no other padding, no EOS", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const text = decode(bytes);
        if (text !== undefined) expect(encodeHuffman(text)).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["padding of zeros", [0x00 << 3]],
    ["padding with a zero in it", [0x1f & ~0x02]],
    ["8 bits of padding", [0x07, 0xff]],
    ["nothing but a byte of padding", [0xff]],
    ["EOS alone", [0xff, 0xff, 0xff, 0xff]],
    ["EOS within a text", [0x07, 0xff, 0xff, 0xff, 0xfa]],
    ["a text that ends within a symbol", [0xff, 0xc0]],
  ])("refuses %s", (_name, bytes) => {
    expect(decode(Uint8Array.from(bytes))).toBeUndefined();
  });
});
