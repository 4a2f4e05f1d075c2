import { expect, test } from "bun:test";
import { Forest } from "./forest.ts";

const WIDTH = 2;

/** A file with one tree: `steps` comparisons of the first feature with 1, 2, 3 and so on. Each leaf has its own value. */
function chain(steps: number): Uint8Array<ArrayBuffer> {
  const nodes = steps * 2 + 1;
  const values = new Float32Array(nodes);
  const lefts = new Uint8Array(nodes);
  for (let step = 0; step < steps; step += 1) {
    const inner = step * 2;
    values[inner] = step + 1;
    lefts[inner] = inner + 1;
    values[inner + 1] = step - 4;
  }
  values[nodes - 1] = 9;
  const parts = [new Uint32Array([WIDTH, 1, nodes]), values, new Uint32Array([0]), new Uint8Array(nodes), lefts];
  return new Uint8Array(Buffer.concat(parts.map(({ buffer }) => new Uint8Array(buffer))));
}

test("a tree of 8 steps gives each row the value of its leaf", () => {
  const forest = Forest.read(chain(8), 0, WIDTH);
  const first = [0, 1, 2, 3, 4, 5, 6, 7, 8, 100];
  const rows = Float32Array.from(first.flatMap((value) => [value, 0]));
  const scores = forest.score({ rows: first.length, width: WIDTH, values: rows });
  const odds = [...scores].map((score) => Math.log(score / (1 - score)));
  const wanted = [-4, -3, -2, -1, 0, 1, 2, 3, 9, 9];
  for (const [at, value] of wanted.entries()) expect(odds[at]).toBeCloseTo(value, 2);
});

test("a tree of more than 8 steps is rejected", () => {
  expect(() => Forest.read(chain(9), 0, WIDTH)).toThrow("Cannot load the reader's model: a tree has more than 8 steps");
});
