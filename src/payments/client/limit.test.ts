import { expect, test } from "bun:test";
import { readLimit } from "./limit.ts";

const READ = [
  ["0.05", "$0.05"],
  ["0.05 USDC", "$0.05"],
  ["0.05usdc", "$0.05"],
  ["$0.05", "$0.05"],
  ["1", "$1"],
  [" 2 USDC ", "$2"],
  ["999999999.999999", "$999999999.999999"],
] as const;

for (const [text, limit] of READ) {
  test(`"${text}" is a limit of ${limit}`, () => {
    expect(readLimit(text)).toBe(limit);
  });
}

for (const text of [
  "",
  "0",
  "$0.00",
  "$007",
  "007",
  ".05",
  "bash.05",
  "-1",
  "1e3",
  "0.0000001",
  "$1 USDC",
  "1 EUR",
  "cheap",
]) {
  test(`"${text}" is not a limit`, () => {
    expect(readLimit(text)).toBeUndefined();
  });
}
