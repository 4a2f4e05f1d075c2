import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "bun:test";
import { type ParentNode, hasChildren } from "domhandler";
import { parse, serialize } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { parseTree } from "./tree.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_DEPTH = 512;

const FOLDER = new URL("../markdown/testdata/", import.meta.url);
const PAGES = readdirSync(FOLDER).filter((name) => name.endsWith(".html"));

const MISNESTED = [
  "<p><b>one<p>two<i>three</b>four</i><p>five",
  "<a href=x>a<div>b<a href=y>c</a>d</div>",
  "<table><b>x<tr><td>y</b>z",
  "<ul><li>a<li><p>b<li>c</ul><dl><dt>d<dd>e</dl>",
  "<svg><desc><p>x</svg><math><mtext><b>y</math>z",
  "<b><i><u>".repeat(30) + "<p>x".repeat(30),
  "<template><tr><td>x</template><select><option>a<option>b</select>",
  "a &lt; b &amp;amp; c\r\nd &notin; \0e<pre>\n\nx</pre><textarea>\n</p></textarea>",
  "<script>if (a < b) x('</p>')</script><style>a > b {}</style><title>a &amp; b</title>",
];

test.each([...PAGES.map((name) => readFileSync(new URL(name, FOLDER), "utf8")), ...MISNESTED])(
  "the limits change nothing in an ordinary page: %.40s",
  (html) => {
    const plain = parse(html, { treeAdapter: adapter });
    expect(serialize(parseTree(html), { treeAdapter: adapter })).toBe(serialize(plain, { treeAdapter: adapter }));
  },
);

function depthOf(node: ParentNode): number {
  return 1 + Math.max(0, ...node.children.filter(hasChildren).map(depthOf));
}

test.each(["<div>", "<template>", "<b>", "<table><tr><td>", "<svg>", "<my-element>"])(
  "10,000 nested %s make a tree of the depth of Chromium's",
  (tag) => {
    const depth = depthOf(parseTree(tag.repeat(10_000)));
    expect(depth).toBeLessThanOrEqual(MAX_DEPTH + 4);
    expect(depth).toBeGreaterThan(MAX_DEPTH / 2);
  },
);
