import { expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { PNG_SIGNATURE, pngChunk } from "../../../lib/text/png.ts";
import { decodePng } from "../../testing/png.ts";
import { stitch } from "./stitch.ts";

interface Shape {
  readonly width: number;
  readonly height: number;
  /** Bytes of a pixel: 3 or 4. */
  readonly size: number;
}

/**
 * A PNG of noise whose rows all have the same filter. The rows are random, so that each filter's prediction matters.
 */
function noisePng({ width, height, size }: Shape, filter: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, size === 4 ? 6 : 2, 0, 0, 0], 8);
  const rows = crypto.getRandomValues(Buffer.alloc((1 + width * size) * height));
  for (let row = 0; row < height; row += 1) rows[row * (1 + width * size)] = filter;
  const packed = deflateSync(rows);
  // Browsers write more than one chunk.
  const data = [packed.subarray(0, 10), packed.subarray(10)].map((part) => pngChunk("IDAT", part));
  return Buffer.concat([PNG_SIGNATURE, pngChunk("IHDR", header), ...data, pngChunk("IEND", Buffer.alloc(0))]);
}

async function* each(bands: readonly Uint8Array[]) {
  yield* bands;
}

test.each([
  [3, [0, 1, 2, 3, 4]],
  [4, [4, 3, 2, 1, 0]],
])("bands of %d bytes a pixel are joined unchanged, whatever the filters %j", async (size, filters) => {
  const bands = filters.map((filter, at) => noisePng({ width: 7, height: at + 1, size }, filter));
  const joined = decodePng(await stitch(each(bands), 1_000_000));
  expect([joined.width, joined.height]).toEqual([7, 15]);
  expect(Buffer.from(joined.rgb)).toEqual(Buffer.concat(bands.map((band) => decodePng(band).rgb)));
});

test("another decoder reads the joined picture", async () => {
  const bands = [2, 3, 4].map((filter) => noisePng({ width: 50, height: 40, size: 3 }, filter));
  const image = new Bun.Image(await stitch(each(bands), 1_000_000));
  expect(await image.metadata()).toMatchObject({ width: 50, height: 120, format: "png" });
  expect((await image.jpeg().bytes()).length).toBeGreaterThan(1_000);
});

test("no more bands are requested once the picture has too many bytes", async () => {
  let asked = 0;
  async function* endless() {
    for (;;) {
      asked += 1;
      yield noisePng({ width: 300, height: 300, size: 3 }, 0);
    }
  }
  expect(await stitch(endless(), 1_000_000).catch((error: unknown) => error)).toBeInstanceOf(RangeError);
  expect(asked).toBeLessThan(20);
});

test("bands of different shapes are not joined", async () => {
  const bands = [noisePng({ width: 5, height: 5, size: 3 }, 0), noisePng({ width: 6, height: 5, size: 3 }, 0)];
  expect(await stitch(each(bands), 1_000_000).catch((error: unknown) => String(error))).toContain("differ in shape");
  expect(await stitch(each([]), 1_000_000).catch((error: unknown) => String(error))).toContain("there is no band");
});
