import { expect, test } from "bun:test";
import { toHtml } from "./html.ts";
import { pageTitle } from "./tree/page-title.ts";
import { parseTree } from "./tree/tree.ts";

test.each<[string, string]>([
  [
    "<!doctype html><title>T</title><p>a",
    "<!DOCTYPE html>\n<html><head><title>T</title></head><body><p>a</p></body></html>",
  ],
  ["<p>a&nbsp;&lt;", "<html><head></head><body><p>a&nbsp;&lt;</p></body></html>"],
  ["<noscript><b></noscript>", "<html><head><noscript><b></noscript></head><body></body></html>"],
  ["<body><template><p>a</template>", "<html><head></head><body><template><p>a</p></template></body></html>"],
])("the HTML of %s is the same as a browser's", (html, outer) => {
  expect(toHtml(parseTree(html))).toBe(outer);
});

test.each<[string, string]>([
  ["<title> A\n b </title><h1>H</h1>", "A b"],
  ["<title></title><meta property='og:title' content='O'><h1>H</h1>", "O"],
  ["<h1>a <b>b</b></h1><h1>c</h1>", "a b"],
  ["<svg><title>S</title></svg><title>T</title>", "T"],
  ["<p>none", ""],
])("the title of %s", (html, title) => {
  expect(pageTitle(parseTree(html))).toBe(title);
});
