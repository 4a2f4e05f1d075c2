import { expect, test } from "bun:test";
import { qrPicture } from "./picture.ts";
import { type Picture, readByJsQr, readPng } from "./testing/decoders.ts";

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
])("data is decoded from a picture of exactly the requested size (%#)", (data, size, margin) => {
  const picture = draw(data, size, margin);
  expect(picture.width).toBe(size);
  expect(readByJsQr(picture)).toBe(data);
});

test("modules have whole pixels, and the remaining pixels are spread around them", () => {
  // 21 modules and a margin of 2 on each side are 25: four pixels for each module in 110, and ten remaining pixels.
  const { first, last } = darkColumns(draw("A", 110, 2));
  expect(first).toBe(13);
  expect(last - first + 1).toBe(84);
});

test("the level falls to L if the data fits the size in no other way", () => {
  const data = "https://example.com/a/longer/path/that/leads/here/";
  const modulesIn = (size: number) => {
    const { first, last } = darkColumns(draw(data, size, 2));
    return last - first + 1;
  };
  // Version 3 at level L and version 4 at level M have 29 and 33 modules.
  expect([modulesIn(33), modulesIn(36), modulesIn(37)]).toEqual([29, 29, 33]);
  expect(qrPicture(data, 32, 2)).toEqual({ smallest: 33 });
});

test.each([
  ["numeric", "7".repeat(4296)],
  ["alphanumeric", "A".repeat(4296)],
  ["bytes", "a".repeat(2953)],
])("the longest possible %s data is accepted", (_what, data) => {
  expect(qrPicture(data, 2048, 2)).toBeInstanceOf(Uint8Array);
});

test("a picture smaller than its modules, and data beyond every version, are rejected", () => {
  expect(qrPicture("A", 24, 2)).toEqual({ smallest: 25 });
  expect(qrPicture("x".repeat(2_954), 2048, 0)).toEqual({ tooLong: true });
});
