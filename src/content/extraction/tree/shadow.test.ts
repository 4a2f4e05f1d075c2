import { describe, expect, test } from "bun:test";
import { toHtml } from "../html.ts";
import { elementsOf } from "../selectors/select-all.ts";
import { Document, Element } from "domhandler";
import { hidesChildren, shadowContent } from "./shadow.ts";
import { parseTree } from "./tree.ts";

function hostIn(inside: string): Element {
  const host = [...elementsOf(parseTree(`<x-a>${inside}</x-a>`))].find(({ name }) => name === "x-a");
  if (host === undefined) throw new Error("The page has no host");
  return host;
}

/** The visible children of a host as HTML. */
function shownIn(inside: string): string | undefined {
  const children = shadowContent(hostIn(inside));
  return children && toHtml(new Document([new Element("x", {}, children)])).replaceAll(/^<x>|<\/x>$/g, "");
}
const shadow = (inside: string, mode = "open"): string => `<template shadowrootmode=${mode}>${inside}</template>`;

const deep = (levels: number) =>
  shownIn(`${shadow(`${"<div>".repeat(levels)}<slot></slot>${"</div>".repeat(levels)}`)}l`);

describe("the visible children of a host are", () => {
  test.each<[string, string, string | undefined]>([
    ["its shadow tree", `${shadow("<p>s</p>")}l`, "<p>s</p>"],
    ["those of a closed one", `${shadow("<p>s</p>", "CLOSED")}l`, "<p>s</p>"],
    ["its own in a slot", `${shadow("<p>s</p><slot>d</slot>")}l<b>m</b>`, "<p>s</p><slot>l<b>m</b></slot>"],
    [
      "its own in slots with their names",
      `${shadow("<slot name=a></slot><slot></slot>")}l<b slot=a>m</b>`,
      '<slot name="a"><b slot="a">m</b></slot><slot>l</slot>',
    ],
    [
      "several in one slot",
      `${shadow("<slot name=a></slot>")}<b slot=a>m</b><i slot=a>n</i>`,
      '<slot name="a"><b slot="a">m</b><i slot="a">n</i></slot>',
    ],
    ["those of an empty slot", `${shadow("<slot name=a>d</slot>")}l`, '<slot name="a">d</slot>'],
    [
      "its own in the first of equal slots",
      `${shadow("<slot></slot><slot>d</slot>")}l`,
      "<slot>l</slot><slot>d</slot>",
    ],
    [
      "its own in a slot inside of an empty one",
      `${shadow("<slot name=a><slot></slot></slot>")}l`,
      '<slot name="a"><slot>l</slot></slot>',
    ],
    ["unknown without a shadow tree", "l", undefined],
    ["unknown with another template", "<template>s</template>l", undefined],
    ["unknown with another mode", `${shadow("s", "x")}l`, undefined],
  ])("%s", (_which, inside, shown) => {
    expect(shownIn(inside)).toBe(shown as string);
  });

  test("its own in slots 64 levels deep", () => {
    expect([deep(64)?.includes("l</slot>"), deep(65)?.includes("l</slot>")]).toEqual([true, false]);
  });
});

test.each<[string, string, boolean]>([
  ["a shadow tree without a slot", shadow("<p>s</p>"), true],
  ["a shadow tree with a slot", shadow("<p><slot></slot></p>"), false],
  ["no shadow tree", "l", false],
  ["a slot 63 levels deep", shadow(`${"<div>".repeat(63)}<slot></slot>${"</div>".repeat(63)}`), false],
  ["a slot 64 levels deep", shadow(`${"<div>".repeat(64)}<slot></slot>${"</div>".repeat(64)}`), true],
])("a host with %s hides its children: %p", (_what, inside, isSo) => {
  expect(hidesChildren(hostIn(inside))).toBe(isSo);
});
