import { expect, test } from "bun:test";
import { type Element, isTag } from "domhandler";
import { headingLevel, isBlock } from "./display.ts";
import { parseTree } from "./tree.ts";

/** The element of a page that has one. */
function elementOf(tag: string): Element {
  const [element] = parseTree(`<html><head></head><body>${tag}`).children.flatMap((html) =>
    isTag(html) ? html.children.flatMap((part) => (isTag(part) && part.name === "body" ? part.children : [])) : [],
  );
  if (element === undefined || !isTag(element)) throw new Error("The page has one element");
  return element;
}

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
  expect(isBlock(elementOf(tag))).toBe(expected);
});

test.each([
  ["<h1>", 1],
  ["<h2>", 2],
  ["<h3>", 3],
  ["<h4>", 4],
  ["<h5>", 5],
  ["<h6>", 6],
  ["<h4 role=heading aria-level=1>", 4],
  ["<p role=heading aria-level=1>", 1],
  ["<p role=heading aria-level=7>", 6],
  ["<p role=heading aria-level=0>", 2],
  ["<p role=heading aria-level=2.5>", 2],
  ["<p role=heading>", 2],
  ["<p aria-level=1>", undefined],
])("%s is a heading of level %p", (tag, level) => {
  expect(headingLevel(elementOf(tag))).toBe(level);
});
