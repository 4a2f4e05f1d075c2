import { expect, test } from "bun:test";
import { nearestWord } from "./nearest-word.ts";

const KNOWN = ["port", "address", "workers", "max_connections", "a"];

const CASES: readonly (readonly [word: string, nearest: string | undefined])[] = [
  ["prot", "port"],
  ["Port", "port"],
  ["ports", "port"],
  ["adress", "address"],
  ["workes", "workers"],
  ["max_conections", "max_connections"],
  ["maxConnections", "max_connections"],
  ["b", undefined],
  ["A", "a"],
  ["colour", undefined],
  ["pqrt", "port"],
  ["pqqt", undefined],
  ["", undefined],
  ["x".repeat(65), undefined],
];

for (const [word, nearest] of CASES) {
  test(`"${word.slice(0, 20)}" is taken for ${nearest ?? "no known word"}`, () => {
    expect(nearestWord(word, KNOWN)).toBe(nearest);
  });
}

test("of two words the nearer one is named, in whatever order they stand", () => {
  expect(nearestWord("timeouts_ms", ["timeout_msx", "timeout_ms"])).toBe("timeout_ms");
  expect(nearestWord("timeouts_ms", ["timeout_ms", "timeout_msx"])).toBe("timeout_ms");
});
