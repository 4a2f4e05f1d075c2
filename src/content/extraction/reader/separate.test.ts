import { expect, test } from "bun:test";
import { markdownOf } from "../markdown/writer.ts";
import { parseTree } from "../tree/tree.ts";
import { separateWords } from "./separate.ts";

test.each<[string, string]>([
  ["<span>3 beds</span><span>2.5 baths</span><span>1,958 sq ft</span>", "3 beds 2.5 baths 1,958 sq ft"],
  ["<span>$79.00</span><span>Price $ 79.00</span>", "$79.00 Price $ 79.00"],
  ["<span>La Sportiva</span><span>Katana Lace</span>", "La Sportiva Katana Lace"],
  ["by <a>Jeffrey Zeldman</a>November 20, 2007", "by Jeffrey Zeldman November 20, 2007"],
  ['<a href="/a">Student Work</a><a href="/b">Company Rebrand</a>', "[Student Work](/a) [Company Rebrand](/b)"],
  ["<span>O</span><span>nce upon a time</span>", "Once upon a time"],
  ["You<span>Tube</span> and <b>Java</b><b>Script</b>", "YouTube and **JavaScript**"],
  ["<span>wind</span><span>mill</span>", "windmill"],
  ["<span>约翰</span><span>Smith</span>", "约翰Smith"],
  ["<span>E = mc</span><sup>2</sup><span>Note</span>", "E = mc<sup>2</sup>Note"],
  ["<code><span>get</span><span>Name</span></code>", "`getName`"],
  ['<img src="/i.png">19 December 2025<a href="/k">Kenya</a>', "![](/i.png) 19 December 2025 [Kenya](/k)"],
  ["<span>राम शर्मा</span><time>3 मार्च 2025</time>", "राम शर्मा 3 मार्च 2025"],
  ["<span>Done.</span><span>Next</span>", "Done. Next"],
])("%s", (html, markdown) => {
  const tree = parseTree(`<p>${html}</p>`);
  separateWords(tree);
  expect(markdownOf(tree)).toBe(markdown);
});
