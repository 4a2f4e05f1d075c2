import { expect, test } from "bun:test";
import { cut, cutTitle } from "./metadata.ts";

test("a title is trimmed, and no page makes it longer than a bound", () => {
  expect(cutTitle("  Toll roads \n")).toBe("Toll roads");
  expect(cutTitle("a".repeat(5_000_000))).toBe("a".repeat(1000));
});

test("a cut counts characters and tears none apart", () => {
  expect(cut("a😀b", 2)).toBe("a😀");
  expect(cut("😀😀", 1)).toBe("😀");
  expect(cut("abc", undefined)).toBe("abc");
});
