import { expect, test } from "bun:test";
import { asUtf8 } from "./utf8-values.ts";

test.each([
  ["ASCII", "X-A: plain\r\nX-B: 1\r\n", "X-A: plain\r\nX-B: 1\r\n", []],
  ["UTF-8", "X-A: caf\xc3\xa9\r\n", "X-A: caf\xc3\xa9\r\n", []],
  ["latin1", "X-A: caf\xe9\r\n", "X-A: caf\xc3\xa9\r\n", [["caf\xc3\xa9", "caf\xe9"]]],
  [
    "both",
    "X-A: \xe9\r\nX-B: b\r\nX-C: \xc3\xa9!\r\n",
    "X-A: \xc3\xa9\r\nX-B: b\r\nX-C: \xc3\xa9!\r\n",
    [["\xc3\xa9", "\xe9"]],
  ],
] as const)("filters see values in %s as UTF-8, and the original is kept", (_, fields, shown, originals) => {
  const { fields: seen, originals: kept } = asUtf8(fields);
  expect<string>(seen).toBe(shown);
  expect([...kept]).toEqual(originals.map(([from, to]) => [from, to]));
});
