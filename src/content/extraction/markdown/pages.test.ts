import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "bun:test";
import { prepare } from "../tree/prune.ts";
import { parseTree } from "../tree/tree.ts";
import { written } from "./testing/written.ts";
import { markdownOf } from "./writer.ts";

const FOLDER = new URL("testdata/", import.meta.url);
const PAGES = readdirSync(FOLDER).filter((name) => name.endsWith(".html"));

test.each(PAGES)("%s is written as in its last reviewed version", (name) => {
  const markdown = written(readFileSync(new URL(name, FOLDER), "utf8"));
  expect(`${markdown}\n`).toBe(readFileSync(new URL(name.replace(".html", ".txt"), FOLDER), "utf8"));
});

test.each(PAGES)("preparing %s twice changes nothing", (name) => {
  const tree = parseTree(readFileSync(new URL(name, FOLDER), "utf8"));
  prepare(tree, "https://site.test/docs/page?x=1");
  prepare(tree, "https://site.test/docs/page?x=1");
  expect(`${markdownOf(tree)}\n`).toBe(readFileSync(new URL(name.replace(".html", ".txt"), FOLDER), "utf8"));
});

test("there are pages of ten kinds", () => {
  expect(PAGES).toHaveLength(10);
});
