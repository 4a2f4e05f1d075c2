import { huffmanCodes } from "../huffman-code.ts";

const codes = huffmanCodes();

/** The Huffman coding of latin1 text, padded with ones (RFC 7541 §5.2). It works simply, bit by bit. */
export function encodeHuffman(text: string): Buffer {
  let bits = "";
  for (const byte of Buffer.from(text, "latin1")) {
    const { code, length } = codes[byte] ?? { code: 0, length: 0 };
    bits += code.toString(2).padStart(length, "0");
  }
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}
