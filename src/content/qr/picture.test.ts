import { expect, test } from "bun:test";
import jsQR from "jsqr";
import { inflateSync } from "node:zlib";
import { qrPicture } from "./picture.ts";

interface Picture {
  readonly width: number;
  readonly rgba: Uint8ClampedArray;
}

/** Reads a PNG of one bit a pixel, as qrPicture writes it. */
function readPng(png: Uint8Array): Picture {
  const bytes = Buffer.from(png);
  expect(bytes.toString("latin1", 1, 4)).toBe("PNG");
  const width = bytes.readUInt32BE(16);
  expect(bytes.readUInt32BE(20)).toBe(width);
  const dataLength = bytes.readUInt32BE(33);
  const rows = inflateSync(bytes.subarray(41, 41 + dataLength));
  const rowBytes = Math.ceil(width / 8) + 1;
  const rgba = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let y = 0; y < width; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const white = ((rows[y * rowBytes + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
      rgba.fill(white * 255, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  }
  return { width, rgba };
}

function darkColumns({ width, rgba }: Picture): { first: number; last: number } {
  const dark = Array.from({ length: width }, (_, x) => x).filter((x) =>
    Array.from({ length: width }, (_unused, y) => rgba[(y * width + x) * 4]).includes(0),
  );
  return { first: dark[0] ?? -1, last: dark.at(-1) ?? -1 };
}

function draw(data: string, size: number, margin: number): Picture {
  const png = qrPicture(data, size, margin);
  if (!(png instanceof Uint8Array)) throw new Error(`Cannot draw: ${JSON.stringify(png)}`);
  return readPng(png);
}

test.each([
  ["https://example.com/", 256, 2],
  ["https://example.com/", 33, 2],
  ["Grüße, 世界 😀", 300, 4],
  ["0".repeat(4296), 708, 0],
  ["x".repeat(2_900), 1_000, 10],
  ["A", 2048, 0],
])("data is read back from a picture of exactly the size asked for (%#)", (data, size, margin) => {
  const picture = draw(data, size, margin);
  expect(picture.width).toBe(size);
  // Decoders want a quiet zone; a frame of white around the picture is one where the margin is 0.
  const frame = 16;
  const width = size + 2 * frame;
  const framed = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let y = 0; y < size; y += 1) {
    framed.set(picture.rgba.subarray(y * size * 4, (y + 1) * size * 4), ((y + frame) * width + frame) * 4);
  }
  expect(jsQR(framed, width, width)?.data).toBe(data);
});

test("modules take whole pixels, and what is left over is shared out around them", () => {
  // 21 modules and a margin of 2 on each side are 25: four pixels a module in 110, ten left over.
  const { first, last } = darkColumns(draw("A", 110, 2));
  expect(first).toBe(13);
  expect(last - first + 1).toBe(84);
});

test("the level falls to L where the data fits the size in no other way", () => {
  const data = "https://example.com/a/longer/path/that/leads/here/";
  const modulesIn = (size: number) => {
    const { first, last } = darkColumns(draw(data, size, 2));
    return last - first + 1;
  };
  // Version 3 at level L, 4 at level M: 29 and 33 modules.
  expect([modulesIn(33), modulesIn(36), modulesIn(37)]).toEqual([29, 29, 33]);
  expect(qrPicture(data, 32, 2)).toEqual({ smallest: 33 });
});

test.each([
  ["numeric", "7".repeat(4296)],
  ["alphanumeric", "A".repeat(4296)],
  ["bytes", "a".repeat(2953)],
])("the longest %s data there may be is taken", (_what, data) => {
  expect(qrPicture(data, 2048, 2)).toBeInstanceOf(Uint8Array);
});

test("a picture smaller than its modules, and data beyond every version, are refused", () => {
  expect(qrPicture("A", 24, 2)).toEqual({ smallest: 25 });
  expect(qrPicture("x".repeat(2_954), 2048, 0)).toEqual({ tooLong: true });
});
