import { expect, test } from "bun:test";
import { isTag } from "domhandler";
import { isBlock } from "./display.ts";
import { parseTree } from "./tree.ts";

test.each([
  ["<p>", true],
  ["<b>", false],
  ["<p style='color: red'>", true],
  ["<p style='display: inline'>", true],
  ["<div style='color: red; DISPLAY: inline-block'>", false],
  ["<div style='display: none'>", true],
  ["<b style='display: block'>", true],
  ["<b style='display: inline'>", false],
  ["<img style='display: block'>", false],
  [`<b style='${"x".repeat(2_033)};display:block'>`, true],
  [`<b style='${"x".repeat(2_036)};display:block'>`, false],
])("%s is displayed as a block: %p", (tag, expected) => {
  const [element] = parseTree(`<html><head></head><body>${tag}`).children.flatMap((html) =>
    isTag(html) ? html.children.flatMap((part) => (isTag(part) && part.name === "body" ? part.children : [])) : [],
  );
  if (element === undefined || !isTag(element)) throw new Error("The page has one element");
  expect(isBlock(element)).toBe(expected);
});
