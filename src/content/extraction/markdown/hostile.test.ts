import { type ParentNode, hasChildren } from "domhandler";
import { expect, test } from "bun:test";
import { toLinks } from "../links.ts";
import { prepare } from "../tree/prune.ts";
import { toText } from "../text.ts";
import { parseTree } from "../tree/tree.ts";
import { written } from "./testing/written.ts";
import { markdownOf } from "./writer.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_PRUNED_DEPTH = 640;
const MAX_REOPENED = 100_000;

const URL_BASE = "https://site.test/";
const LENGTH = 100_000;

const filled = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length));
const numbered = (count: number, piece: (index: number) => string): string =>
  Array.from({ length: count }, (_none, index) => piece(index)).join("");

/** Pages whose Markdown, tree or parsing time is quadratic in their length for a naive implementation. */
const PAGES: readonly [string, string][] = [
  ...[
    "div",
    "table",
    "b",
    "a href=x",
    "font size=1",
    "ul",
    "blockquote",
    "svg",
    "template",
    "form",
    "select",
    "button",
    "math",
    "dl",
    "details",
  ].map((name): [string, string] => [`nested ${name}`, filled(`<${name}>`)]),
  ["nested cells", filled("<table><tr><td>x")],
  ["nested lists", filled("<ul><li>x")],
  ["nested quotes", filled("<blockquote>x")],
  ["links in tables in links", filled("<a href=x><table><tr><td>y")],
  ["formatting that is never closed", numbered(5000, (id) => `<b id=${id}>`) + "<p>x".repeat(5000)],
  ["formatting with many attributes", `<b ${numbered(2000, (id) => `a${id} `)}>${"<p>x".repeat(5000)}`],
  ["formatting that is closed in the wrong order", filled("<a href=x><b><div></a></b>y")],
  ["an element with many attributes", `<p ${numbered(20_000, (id) => `a${id}=1 `)}>x`],
  ["references", filled("&amp;&nosuch;")],
  ["cells that span everything", `<table><tr><th>h${filled("<tr><td colspan=1000 rowspan=65534>x")}`],
  ["a wide header over short rows", `<table><tr><th colspan=1000>h${filled("<tr><td>x")}`],
  ["a long row", `<table><tr>${filled("<td>x")}<tr><td>y<td>z`],
  ["lines deep in quotes", "<blockquote>".repeat(400) + filled("x<br>")],
  ["paragraphs deep in lists", "<ul><li>".repeat(200) + filled("<p>x")],
  ["code deep in quotes", `${"<blockquote>".repeat(400)}<pre>${filled("x\n")}`],
  ["links without words", filled("<a href=#></a><a href=x></a>")],
  ["links to a long base", `<base href="https://site.test/${"b".repeat(2000)}/">${filled("<a href=c>x</a>")}`],
  ["brackets", filled("[](<")],
  ["marks", filled("*_`~\\")],
  ["backticks in code", `<code>${filled("`a")}</code>`],
  ["marks that begin and end", filled("<b>a<i>b</i></b><del>c</del>")],
  ["addresses", filled("http://a.test/_b_ ")],
  ["shadow trees in shadow trees", filled("<div><template shadowrootmode=open><slot></slot>x")],
];

function size(node: ParentNode, depth = 0): { nodes: number; depth: number } {
  const sum = { nodes: 0, depth };
  for (const child of node.children) {
    sum.nodes += 1;
    if (!hasChildren(child)) continue;
    const below = size(child, depth + 1);
    sum.nodes += below.nodes;
    sum.depth = Math.max(sum.depth, below.depth);
  }
  return sum;
}

test.each(PAGES)("the tree and the Markdown of %s are bounded by the page's length", (_what, html) => {
  const tree = parseTree(html);
  const { nodes, depth } = size(tree);
  expect(depth).toBeLessThan(MAX_PRUNED_DEPTH);
  expect(nodes).toBeLessThan(html.length + MAX_REOPENED + 5000);
  prepare(tree, URL_BASE);
  // 4 characters may become an address of 2,048 characters, and a line of 2 may get a prefix of 64.
  expect(markdownOf(tree).length).toBeLessThan(html.length * 70 + 20_000_000);
  expect(toText(tree).length).toBeLessThanOrEqual(html.length * 2);
  expect(toLinks(tree, URL_BASE).length).toBeLessThan(html.length * 2 + 20_000_000);
});

test("misnested formatting of ordinary pages is parsed as in browsers", () => {
  expect(written("<p><b>one<p>two<i>three</b>four</i><p>five")).toBe(
    "**one**\n\n<strong>two*three*</strong>*four*\n\nfive",
  );
});

test("cells added for spans are limited over the page, and a table's own cells are all kept", () => {
  const lines = written(`<table><tr><th>h<th>i${"<tr><td colspan=1000>x<td>y".repeat(300)}</table>`).split("\n");
  expect(lines).toHaveLength(302);
  expect(lines.at(-1)).toBe("| x | y |");
  const cells = lines.slice(2).reduce((sum, line) => sum + line.split("|").length - 2, 0);
  expect(cells).toBe(600 + 100_000);
});

test("lists and quotes below the deepest prefix keep their text", () => {
  const markdown = written("<blockquote>".repeat(100) + "<ul><li>".repeat(100) + "deep");
  expect(markdown).toEndWith("deep");
  expect(markdown.length).toBeLessThan(500);
});
