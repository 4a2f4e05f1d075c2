import { expect, test } from "bun:test";
import { cut } from "./cut-text.ts";

test("a cut counts characters and tears none apart", () => {
  expect(cut("a😀b", 2)).toBe("a😀");
  expect(cut("😀😀", 1)).toBe("😀");
  expect(cut("abc", undefined)).toBe("abc");
});
