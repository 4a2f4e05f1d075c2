import { describe, expect, test } from "bun:test";
import { toLinks } from "./links.ts";
import { prepare } from "./tree/prune.ts";
import { parseTree } from "./tree/tree.ts";

const URL_BASE = "https://site.test/docs/page?x=1";

describe("links", () => {
  test.each<[string, string]>([
    ["<a href=/a>A</a> <a href=b>B</a>", "[A](https://site.test/a)\n[B](https://site.test/docs/b)"],
    ['<base href="https://o.test/"><a href=a>A</a>', "[A](https://o.test/a)"],
    ["<a href=/a></a><a href=/a>late words</a>", "[late words](https://site.test/a)"],
    ["<a href=/a></a>", "https://site.test/a"],
    ['<a href=/a><img src=i.png alt="Logo"></a>', "[Logo](https://site.test/a)"],
    ['<a href=/a aria-label="Home"><svg></svg></a>', "[Home](https://site.test/a)"],
    ["<a href=/a#one>A</a><a href=/a#two>again</a>", "[A](https://site.test/a)"],
    ["<a href=#s>here</a><a href=/docs/page?x=1>page</a>", "[page](https://site.test/docs/page?x=1)"],
    [
      "<a href=/app#/one>1</a><a href=/app#/two>2</a>",
      "[1](https://site.test/app#/one)\n[2](https://site.test/app#/two)",
    ],
    ["<a href=javascript:x>no</a><a href=mailto:x@site.test>m</a>", "[m](mailto:x@site.test)"],
    ["<a href=/b>B [1]</a>", "[B \\[1\\]](https://site.test/b)"],
    ["<a href=/a_(b)>A</a>", "[A](https://site.test/a_%28b%29)"],
    ["<map><area href=/a alt=North></map>", "[North](https://site.test/a)"],
    ["<a href=/a hidden>no</a>", ""],
    ['<a href=/a><i><b><img src=i.png alt="Deep"></b></i></a>', "[Deep](https://site.test/a)"],
    ['<a href=/a><i><b><u><img src=i.png alt="Deep"></u></b></i></a>', "https://site.test/a"],
    ['<a href=/a><img src=i.png alt=" "><img src=j.png alt="Logo"></a>', "[Logo](https://site.test/a)"],
    ['<a href=/a aria-label="" title="Home" alt="x"></a>', "[Home](https://site.test/a)"],
    ["<a href=/a#!/one>1</a>", "[1](https://site.test/a#!/one)"],
  ])("of %s", (html, links) => {
    const tree = parseTree(html);
    prepare(tree, URL_BASE);
    expect(toLinks(tree, URL_BASE)).toBe(links);
  });
});
