import { expect, test } from "bun:test";
import { wrappedItem } from "./wrapped-item.ts";

test("a long item is wrapped, with its further lines indented, and no word or code is lost or broken", () => {
  const text = `- \`key\`: ${"word ".repeat(40)}\`code of several words\` ${"word ".repeat(40)}end`;
  const lines = wrappedItem(text).split("\n");
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => line.length > 150)).toEqual([]);
  expect(lines.slice(1).filter((line) => !/^ {2}\S/.test(line))).toEqual([]);
  expect(lines.some((line) => line.includes("`code of several words`"))).toBe(true);
  expect(lines.join(" ").replaceAll(/\s+/g, " ")).toBe(text);
});
