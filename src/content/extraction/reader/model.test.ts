import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { FEATURES, WIDTH } from "./feature-names.ts";
import { ReaderModel } from "./model.ts";

const bytes = new Uint8Array(readFileSync(new URL("./model.bin", import.meta.url)));

test("the model's file is small, and matches the program's features", () => {
  expect(bytes.length).toBeLessThan(1_000_000);
  expect(new Set(FEATURES.map(([, name], at) => `${name} ${at}`)).size).toBe(WIDTH);
  expect(WIDTH).toBeLessThanOrEqual(256);
  const score = new ReaderModel(bytes).score({ rows: 2, width: WIDTH, values: new Float32Array(2 * WIDTH) });
  expect([...score].every((share) => share > 0 && share < 1)).toBe(true);
});

test("a file for other features is rejected", () => {
  const other = Uint8Array.from(bytes);
  other[4] = WIDTH - 1;
  expect(() => new ReaderModel(other)).toThrow(/Cannot load the reader's model/);
  other[0] = 0;
  expect(() => new ReaderModel(other)).toThrow(/Cannot load the reader's model/);
});
