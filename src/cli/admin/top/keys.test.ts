import { expect, test } from "bun:test";
import { readKeys } from "./keys.ts";

test("keys and whole control sequences are read one by one, and unknown ones are left out", () => {
  expect(readKeys("sS\t\u001b[A\u001bOB\u001b[5~q")).toEqual([
    "sort",
    "sort-back",
    "focus",
    "up",
    "down",
    "page-up",
    "quit",
  ]);
  expect(readKeys("\u0003\u001a")).toEqual(["quit", "suspend"]);
  // A function key, a mouse event, pasted text, and names of Object's properties.
  expect(readKeys("\u001b[15~\u001b[<0;1;1M\u001b[1;5C")).toEqual([]);
  expect(readKeys("\u00fc\u{1f600}x")).toEqual([]);
});
