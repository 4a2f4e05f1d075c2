import { expect, test } from "bun:test";
import { pictureSize } from "./picture-size.ts";

const bytes = (hex: string): Buffer => Buffer.concat([Buffer.from(hex.replaceAll(" ", ""), "hex"), Buffer.alloc(40)]);
const text = (start: string, hex: string): Buffer => Buffer.concat([Buffer.from(start, "latin1"), bytes(hex)]);

test.each<[string, Buffer, number, number]>([
  ["PNG", text("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "00004e20 00000064"), 20_000, 100],
  ["GIF", text("GIF89a", "e803 6400"), 1_000, 100],
  ["BMP", text("BM", "00000000 00000000 00000000 28000000 e8030000 9cffffff"), 1_000, 100],
  ["JPEG", bytes("ffd8 ffe0 0004 0000 ffc2 0011 08 0064 03e8 03"), 1_000, 100],
  ["WebP, extended", text("RIFF\0\0\0\0WEBPVP8X", "0a000000 00000000 e70300 630000"), 1_000, 100],
  ["WebP, lossy", text("RIFF\0\0\0\0WEBPVP8 ", "00000000 300100 9d012a e803 6400"), 1_000, 100],
  ["WebP, lossless", text("RIFF\0\0\0\0WEBPVP8L", "00000000 2f e7c31800"), 1_000, 100],
  ["TIFF", text("II*\0", "08000000 0200 0001 0300 01000000 e8030000 0101 0400 01000000 64000000"), 1_000, 100],
  [
    "TIFF, big-endian",
    text("MM\0*", "00000008 0002 0100 0003 00000001 03e80000 0101 0004 00000001 00000064"),
    1_000,
    100,
  ],
])("the header of a %s picture says its size", (_kind, file, width, height) => {
  expect(pictureSize(file)).toEqual({ width, height });
});

test.each([
  ["a text", text("words", "")],
  ["half of a JPEG picture", bytes("ffd8 ffe0 ffff")],
  ["a TIFF picture whose directory is not there", text("II*\0", "ffffff7f")],
  ["few bytes", Buffer.from("\x89PNG", "latin1")],
])("%s has no size", (_what, file) => {
  expect(pictureSize(file)).toBeUndefined();
});
