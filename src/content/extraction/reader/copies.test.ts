import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { dropCopies } from "./copies.ts";

const LONG = "The night train leaves at half past ten, and reaches the coast just as the bakeries open.";

const member = (text: string): string => `<li class="m"><b>${text}</b><p>since the harbour was built</p></li>`;

describe("copies of a passage", () => {
  const band = ["Two billion tasks", "Thirty million people"].map(member).join("");

  test.each<[string, string, number]>([
    ["are dropped from a moving band", `<ul>${band}${band}</ul>`, 4],
    [
      "are dropped if the page shows the passage again for narrow screens",
      `<div class="wide"><h2>Benefits</h2><p>${LONG}</p></div><p>Kept.</p><div class="narrow"><h2>Benefits</h2><p>${LONG}</p></div>`,
      3,
    ],
    [
      "are kept in two plans with the same features",
      `<div>${["Basic", "Family of five people"].map((name) => `<div class="plan"><h3>${name} plan</h3><ul><li>Dark web monitoring</li><li>Bank alerts</li></ul></div>`).join("")}</div>`,
      6,
    ],
    ["are kept if they differ in a number", `<ul>${member("Room 1")}${member("Room 2")}</ul>`, 4],
    [
      "are kept in tables",
      `<table>${"<tr><td>Every day except Sunday</td><td>half past ten</td></tr>".repeat(2)}</table>`,
      4,
    ],
  ])("%s", (_what, html, count) => {
    expect(textsLeft(html, dropCopies)).toHaveLength(count);
  });
});

describe("a single text that repeats an earlier one", () => {
  test.each<[string, string, number]>([
    ["is kept at another place", `<p>${LONG}</p><p>Between.</p><p>${LONG}</p><p>After.</p>`, 4],
    ["is kept as a step of instructions", `<ol><li>${LONG}</li><li>Fold it.</li><li>${LONG}</li></ol>`, 3],
    ["is kept if it is short", "<h2>Details</h2><p>One.</p><h2>Details</h2><p>Two.</p>", 4],
    ["is dropped directly after it", '<div class="card"><a>Kettle</a><span><div>$5</div><div>$5</div></span></div>', 2],
    ["is kept directly after it if both are paragraphs", "<p>Yes.</p><p>Yes.</p>", 2],
    ["is kept directly after it in a table", "<table><tr><td>1</td><td>1</td></tr></table>", 2],
  ])("%s", (_what, html, count) => {
    expect(textsLeft(html, dropCopies)).toHaveLength(count);
  });
});
