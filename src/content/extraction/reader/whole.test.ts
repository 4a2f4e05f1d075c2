import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { groupAlike } from "./page-parts.ts";
import { dropCopies, dropRepeats, dropTwins, fillGroups } from "./whole.ts";
import { bodyOf } from "./words.ts";

const LONG = "The night train leaves at half past ten, and reaches the coast just as the bakeries open.";

/** The blocks that a rule leaves of all blocks, or of those without "(out)" in their text. */
function left(html: string, rule: (outline: Outline, chosen: Uint8Array) => void): string[] {
  const outline = outlineOf(bodyOf(parseTree(html)));
  groupAlike(outline.root);
  const chosen = Uint8Array.from(outline.blocks, ({ text }) => (text.includes("(out)") ? 0 : 1));
  rule(outline, chosen);
  return outline.blocks.filter((_block, at) => chosen[at] === 1).map(({ text }) => text.trim());
}

const member = (text: string): string => `<li class="m"><b>${text}</b><p>since the harbour was built</p></li>`;

const list = (text: string): string =>
  `<ul>${[0, 1, 2, 3, 4].map((at) => `<li class="c">${text} ${at}${at === 2 ? " (out)" : ""}</li>`).join("")}</ul>`;

describe("copies of members", () => {
  test("are dropped from a moving band", () => {
    const band = ["Two billion tasks", "Thirty million people"].map(member).join("");
    expect(left(`<ul>${band}${band}</ul>`, dropCopies)).toHaveLength(4);
  });

  test("are kept if they differ in a number", () => {
    expect(left(`<ul>${member("Room 1")}${member("Room 2")}</ul>`, dropCopies)).toHaveLength(4);
  });

  test("are kept in tables", () => {
    const row = "<tr><td>Every day except Sunday</td><td>half past ten</td></tr>";
    expect(left(`<table>${row}${row}</table>`, dropCopies)).toHaveLength(4);
  });
});

describe("a text that repeats an earlier one", () => {
  test.each<[string, string, number]>([
    ["is dropped", `<p>${LONG}</p><div>${LONG}</div>`, 1],
    ["is kept if it is short", "<h2>Details</h2><h2>Details</h2>", 2],
    ["is kept in a list", `<p>${LONG}</p><ul><li>${LONG}</li></ul>`, 2],
    ["is kept on a page with code", `<p>${LONG}</p><pre>npm install</pre><p>${LONG}</p>`, 3],
  ])("%s", (_what, html, count) => {
    expect(left(html, dropRepeats)).toHaveLength(count);
  });
});

describe("a text directly after the same text", () => {
  test.each<[string, string, number]>([
    ["is dropped", '<div class="card"><a>Kettle</a><span><div>$5</div><div>$5</div></span></div>', 2],
    ["is kept if it is a paragraph", "<p>Yes.</p><p>Yes.</p>", 2],
    ["is kept in a table", "<table><tr><td>1</td><td>1</td></tr></table>", 2],
  ])("%s", (_what, html, count) => {
    expect(left(html, dropTwins)).toHaveLength(count);
  });
});

describe("the rest of a group", () => {
  test("is added if most of its members are chosen", () => {
    expect(left(list("Kettle"), fillGroups)).toHaveLength(5);
  });

  test("is not added if its members are as long as posts", () => {
    expect(left(list(LONG.repeat(5)), fillGroups)).toHaveLength(4);
  });
});
