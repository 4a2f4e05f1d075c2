/** Header decompression of consecutive field sections on one connection, compared with the tests' own decoder. */
import fc from "fast-check";
import { HpackDecoder, staticItems } from "../../../src/gateway/http2/hpack/decoder.ts";
import { BlockDecoder, huffman, indexed, integer, tableSize, text } from "../../support/http2-hpack.ts";
import { type Target } from "../target.ts";

type Field = readonly [name: string, value: string];

function make(name: string, value: string): Field {
  return [name, value];
}

const STATICS = staticItems(make);
/** Maximum growth of one byte: an entry of the table, which can be as large as the table. */
const MAX_GROWTH = 4096;

/** The field sections of the input, each after its length in two bytes. */
function blocksOf(input: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at + 2 <= input.length; ) {
    const length = input.readUInt16BE(at) % 1024;
    blocks.push(input.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return blocks;
}

function check(input: Buffer): undefined {
  const decoder = new HpackDecoder(make, STATICS);
  const other = new BlockDecoder();
  for (const block of blocksOf(input)) {
    const fields: Field[] = [];
    let total = 0;
    const error = decoder.decode(block, 0, block.length, {
      field(item, size) {
        if (size !== item[0].length + item[1].length + 32)
          throw new Error(`a size of ${size} for ${JSON.stringify(item)}`);
        total += size;
        fields.push(item);
      },
    });
    if (total > block.length * MAX_GROWTH) throw new Error(`${block.length} bytes became ${total}`);
    if (error !== "") return;
    const others = other.decode(block);
    if (JSON.stringify(fields) !== JSON.stringify(others)) {
      throw new Error(`${JSON.stringify(fields)} is to another ${JSON.stringify(others)}`);
    }
  }
}

function led(block: Buffer): Buffer {
  return Buffer.concat([Buffer.from([block.length >> 8, block.length & 0xff]), block]);
}

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 30,
});
const stringOf = fc.tuple(anyText, fc.boolean()).map(([content, isCoded]) => {
  if (!isCoded) return text(content);
  const coded = huffman(content);
  return Buffer.concat([integer(coded.length, 7, 0x80), coded]);
});
const form = fc.constantFrom<readonly [first: number, bits: number]>([0x40, 6], [0x00, 4], [0x10, 4]);
const representation = fc.oneof(
  fc.integer({ min: 1, max: 70 }).map(indexed),
  fc
    .tuple(form, stringOf, stringOf)
    .map(([[first], name, value]) => Buffer.concat([Buffer.from([first]), name, value])),
  fc
    .tuple(form, fc.integer({ min: 1, max: 66 }), stringOf)
    .map(([[first, bits], index, value]) => Buffer.concat([integer(index, bits, first), value])),
);
const block = fc
  .tuple(fc.constantFrom("", "0", "4096", "64"), fc.array(representation, { maxLength: 12 }))
  .map(([update, parts]) =>
    led(Buffer.concat([update === "" ? Buffer.alloc(0) : tableSize(Number(update)), ...parts])),
  );

export const HPACK: Target = {
  name: "hpack",
  seeds: [
    // RFC 7541 appendix C.3 and C.4: three requests, plain and Huffman-coded.
    "828684410f7777772e6578616d706c652e636f6d 828684be58086e6f2d6361636865 828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
    "828684418cf1e3c2e5f23a6ba0ab90f4ff 828684be5886a8eb10649cbf 828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
    "3f e11f 20 2020 ff8080808000 7f8001 1fffffffff0f",
  ].map((hex) => Buffer.concat(hex.split(" ").map((part) => led(Buffer.from(part, "hex"))))),
  words: [
    "82",
    "be",
    "bf",
    "ff00",
    "ff8001",
    "40",
    "00",
    "10",
    "20",
    "3fe11f",
    "7f",
    "80",
    "0000",
    "81ff",
    "84ffffffff",
    "ffffffffffffff7f",
  ].map((hex) => Buffer.from(hex, "hex")),
  structured: fc.array(block, { minLength: 1, maxLength: 5 }).map((blocks) => Buffer.concat(blocks)),
  check,
};
