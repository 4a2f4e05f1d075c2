import { expect, test } from "bun:test";
import { cutTitle } from "./cut-title.ts";

test("a title is trimmed, and never longer than its limit", () => {
  expect(cutTitle("  Toll roads \n")).toBe("Toll roads");
  expect(cutTitle("a".repeat(5_000_000))).toBe("a".repeat(1000));
});
