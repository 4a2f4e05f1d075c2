import { expect, test } from "bun:test";
import { Forest } from "./forest.ts";

const WIDTH = 2;

/** A file with one tree of two steps. It compares the second feature with 2, then with 1 or 3. Each leaf has its own value. */
function file(): Uint8Array<ArrayBuffer> {
  const parts = [
    new Uint32Array([WIDTH, 1, 2]),
    new Float32Array([0, 2, 1, 3]),
    new Float32Array([-2, -1, 1, 2]),
    new Uint8Array([0, 1, 1, 1]),
  ];
  return new Uint8Array(Buffer.concat(parts.map(({ buffer }) => new Uint8Array(buffer))));
}

test("a tree gives each row the value of its leaf", () => {
  const forest = new Forest(file(), 0, WIDTH);
  const values = Float32Array.from([0, 1, 2, 3].flatMap((value) => [9, value]));
  const odds = [...forest.score({ rows: 4, width: WIDTH, values })].map((score) => Math.log(score / (1 - score)));
  for (const [at, value] of [-2, -1, 1, 2].entries()) expect(odds[at]).toBeCloseTo(value, 5);
});

test("a forest for another number of features is rejected", () => {
  expect(() => new Forest(file(), 0, WIDTH + 1)).toThrow(
    "Cannot load the reader's model: it is for 2 features, and the program has 3",
  );
});
