import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { prepare } from "../tree/prune.ts";
import { toText } from "../text.ts";
import { parseTree } from "../tree/tree.ts";
import { written } from "./testing/written.ts";
import { patient } from "../../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

/** More runs find more: 6,000 take a minute. */
const RUNS = Number(process.env["ROUND_TRIPS"] ?? 500);

const URL_BASE = "https://site.test/";

/** Renders Markdown with an independent parser. */
function rendered(markdown: string): string {
  return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

/** The visible characters without white space, since Markdown and HTML treat white space differently. */
function shown(html: string): string {
  const tree = parseTree(html);
  prepare(tree, URL_BASE);
  return toText(tree).replace(/[\s•]+/g, "");
}

const SPECIAL = "\\`*_{}[]()#+-.!|~$&<>:=\"'/^1a "
  .split("")
  .concat(
    "word",
    " ",
    " ",
    "snake_case",
    "1. ",
    "2) ",
    "- ",
    "# ",
    "***",
    "---",
    "===",
    "```",
    "~~~",
    "~~",
    "**",
    "&amp;",
    "&lt;",
    "&copy;",
    "](",
    "![",
    "[^1]",
    "[x] ",
    "[a]: b",
    "http://x.test/a_b_c*",
    "www.x.test",
    "$5",
    "$$",
    "é",
    "漢字",
    "“q”",
    "😀",
    "--",
    "| - |",
    "<br>",
    "&#42;",
    "a@b.test",
  );

const text = fc
  .array(fc.constantFrom(...SPECIAL), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.map((part) => (part === "<" ? "&lt;" : part)).join(""));

const wrapped = (inner: fc.Arbitrary<string>, names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), inner).map(([name, html]) => `<${name}>${html}</${name.split(" ")[0]}>`);

const INLINE = ["b", "i", "del", "code", 'a href="/x(y)_z"', "sup", "span", "strong", "em", "sub", "kbd"];

const { inline, block } = fc.letrec<{ inline: string; block: string }>((tie) => ({
  inline: fc
    .array(fc.oneof({ maxDepth: 4 }, text, text, wrapped(tie("inline"), INLINE)), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("")),
  block: fc.oneof(
    { maxDepth: 4 },
    wrapped(tie("inline"), ["p", "p", "div", "h2", "h6", "pre", "summary"]),
    wrapped(tie("block"), ["div", "blockquote", "section", "b", 'a href="/y"']),
    fc
      .array(wrapped(fc.oneof(tie("inline"), tie("block")), ["li"]), { minLength: 1, maxLength: 3 })
      .map((items) => `<ul>${items.join("")}</ul>`),
    fc
      .array(wrapped(fc.oneof(tie("inline"), tie("block")), ["li"]), { minLength: 1, maxLength: 3 })
      .map((items) => `<ol start="9">${items.join("")}</ol>`),
    fc
      .array(fc.tuple(wrapped(tie("inline"), ["td", "th"]), wrapped(tie("inline"), ["td"])), {
        minLength: 1,
        maxLength: 3,
      })
      // GitHub's tables cannot express a backslash before a bar in code.
      .filter((rows) => !rows.flat().some((cell) => /\\.*\|/.test(cell)))
      .map((rows) => `<table><tr><th>h<th>i</tr>${rows.map((cells) => `<tr>${cells.join("")}</tr>`).join("")}</table>`),
    fc.tuple(tie("block"), tie("block")).map((parts) => parts.join("")),
    fc.tuple(tie("inline"), tie("block")).map((parts) => parts.join("")),
  ),
}));

test("running text keeps its meaning when it is parsed again", () => {
  fc.assert(
    fc.property(inline, (html) => {
      const page = `<p>${html}</p>`;
      expect(shown(rendered(written(page, URL_BASE)))).toBe(shown(page));
    }),
    { numRuns: RUNS },
  );
});

test("nested blocks keep their meaning when they are parsed again", () => {
  fc.assert(
    fc.property(block, (html) => {
      expect(shown(rendered(written(html, URL_BASE)))).toBe(shown(html));
    }),
    { numRuns: RUNS },
  );
});
