import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { addPostDetails } from "./posts.ts";

const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");
/** The texts of three posts with this part beside their text. */
const left = (part: string): string[] =>
  textsLeft(
    `<h1>When?</h1><div>${`<div class=post>${part}<p>${"Soon ".repeat(20)}</p></div>`.repeat(3)}</div>`,
    addPostDetails,
  );
const has = (part: string, text: string): boolean => left(part).join(" ").includes(text);

describe("the detail of a post", () => {
  test.each<[string, string, boolean]>([
    ["has at most 8 words", `<p class=author>${words(7)} (out)</p>`, true],
    ["has not 9 words", `<p class=author>${words(8)} (out)</p>`, false],
    ["is a time", "<div><time>word (out)</time></div>", true],
    ["is the text of an inline element with the name", "<div><b class=userName>word (out)</b></div>", true],
    ["is in an element with the name", "<div class=dateline><p>word (out)</p></div>", true],
    ["is not in another element", "<div class=update><p>word (out)</p></div>", false],
    ["is not in a button", "<button class=author>word (out)</button>", false],
    ["is not in a form", "<form class=author>word (out)</form>", false],
    ["is not hidden", "<p class=author hidden>word (out)</p>", false],
    ["is not what was edited", "<p class=date>Edited word (out)</p>", false],
    ["is not below what was edited", "<p>Last edited by</p><p class=author>word (out)</p>", false],
    ["has a name in the first 400 characters", `<p class="${"x ".repeat(190)}author">word (out)</p>`, true],
    ["has no name beyond them", `<p class="${"x ".repeat(200)}author">word (out)</p>`, false],
  ])("%s: %#", (_what, part, isSo) => {
    expect(has(part, "word")).toBe(isSo);
  });
});

describe("around a post is", () => {
  test.each<[string, string, boolean]>([
    ["a rank of 15 words", `<div class=rank>${words(15)}</div>`, true],
    ["not a text of 16 words with this name", `<div class=rank>${words(16)}</div>`, false],
    ["a signature of 200 words", `<div class=signature>${words(200)}</div>`, true],
    ["not a signature of 201 words", `<div class=signature>${words(201)}</div>`, false],
    ["the profile of its author", `<dl class=postprofile><dd>${words(20)}</dd></dl>`, true],
    ["a part with a role", "<div data-role=avatar>word</div>", true],
    ["not a part that names a state", "<div class='no-rank'>word</div>", false],
  ])("%s: %#", (_what, part, isSo) => {
    expect(has(part, "word")).toBe(!isSo);
  });
});

const isAdded = (count: number) => left(`<p class=author>Ann (out)</p><p>${words(count)} (out)</p>`).includes("Ann");

test("the details of a post are added if 40 % of its text is chosen", () => {
  expect([isAdded(27), isAdded(28)]).toEqual([true, false]);
});
