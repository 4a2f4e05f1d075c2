import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { outlineOf } from "./outline.ts";
import { visibleDetails } from "./visible-details.ts";
import { bodyOf } from "./words.ts";

const detailsOf = (html: string, title = "Night trains", language = "en") =>
  visibleDetails(outlineOf(bodyOf(parseTree(html))), title, language);
const H1 = "<h1>Night trains</h1>";
const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");
const paragraphs = (count: number): string => "<p>Word</p>".repeat(count);
const bylineOf = (html: string, title?: string) => detailsOf(html, title).byline;
const publishedOf = (html: string, title?: string) => detailsOf(html, title).published;

const line = (count: number) => bylineOf(`${H1}<p>${"<i>|</i>".repeat(count)}<b class=author>Ann Lee</b></p>`);

const labelled = (count: number) => bylineOf(`${H1}<p>${"<i>|</i>".repeat(count)}<b>By Ann Lee</b></p>`);

describe("the author is found", () => {
  test.each<[string, string, string | undefined]>([
    ["after a label", "<p>By Ann Lee</p>", "Ann Lee"],
    ["after a label with the pictures", "<p>Words and photos by Ann Lee</p>", "Ann Lee"],
    ["after a label with a colon", "<p>Words: Ann Lee</p>", "Ann Lee"],
    ["after a label in its own block", "<p>By</p><p>Ann Lee</p>", "Ann Lee"],
    ["not after a text of more than 20 characters", "<p>Author              :</p><p>Ann Lee</p>", undefined],
    ["after a label in the same line", "<p><b>By</b> <i>Ann Lee</i></p>", "Ann Lee"],
    ["after a label inside of a line", "<p><b>Today</b> <i>By Ann Lee</i></p>", "Ann Lee"],
    ["not in a sentence after such a label", "<p><b>Today</b> <i>By continuing you agree</i></p>", undefined],
    ["after a label as the third text", "<p><b>Today</b> <i>by</i> <u>Ann Lee</u></p>", "Ann Lee"],
    ["not in other texts", "<p><b>Today</b> <i>Ann Lee</i></p>", undefined],
    ["in an element with the class", "<p class=byline>Ann Lee</p>", "Ann Lee"],
    ["in an element inside of one with the class", "<div class=post-author><p>Ann Lee</p></div>", "Ann Lee"],
    ["in one four levels below", "<div class=author><div><div><p>Ann Lee</p></div></div></div>", "Ann Lee"],
    [
      "not in one five levels below",
      "<div class=author><div><div><div><p>Ann Lee</p></div></div></div></div>",
      undefined,
    ],
    ["in an element with a class in camel case", "<p class=articleAuthorName>Ann Lee</p>", "Ann Lee"],
    ["in an element with the property", "<p itemprop=author>Ann Lee</p>", "Ann Lee"],
    ["in an element with the relation", "<p><a rel=author href=/x>Ann Lee</a></p>", "Ann Lee"],
    ["not in one with a class of other things", "<p class=authority>Ann Lee</p>", undefined],
    ["not in one with a class beyond 400 characters", `<p class="${"a ".repeat(200)}author">Ann Lee</p>`, undefined],
    ["in a link to a profile", "<p>Today <a href=/users/ann>Ann Lee</a></p>", "Ann Lee"],
    ["in a link to an account", "<p>Today <a href=https://x.test/@ann>Ann Lee</a></p>", "Ann Lee"],
    ["not in another link", "<p>Today <a href=/trains/ann>Ann Lee</a></p>", undefined],
    ["not in a link of another element", "<p><b data-x=/users/ann>Ann Lee</b></p>", undefined],
    [
      "in the second marked text, if the first is not a name",
      "<p><i class=author>admin</i> <a href=/users/ann>Ann Lee</a></p>",
      "Ann Lee",
    ],
    ["in pieces of a marked element", "<p><i class=author><b>Ann</b> Lee</i>, editor</p>", "Ann Lee"],
    ["in a block of 25 words", `<p>By Ann Lee | ${words(22)}</p>`, "Ann Lee"],
    ["not in a longer block", `<p>By Ann Lee | ${words(23)}</p>`, undefined],
    ["not in navigation", "<nav>By Ann Lee</nav>", undefined],
    ["not in a footer", "<footer>By Ann Lee</footer>", undefined],
    ["not in a hidden element", "<p hidden>By Ann Lee</p>", undefined],
    ["not in a dialog", "<dialog>By Ann Lee</dialog>", undefined],
    ["not in a form", "<form>By Ann Lee</form>", undefined],
    ["not in a quote", "<blockquote>By Ann Lee</blockquote>", undefined],
    ["not in code", "<pre>By Ann Lee</pre>", undefined],
    ["not in another heading of level 1", "<h1>By Ann Lee</h1>", undefined],
    ["in a heading of level 2", "<h2>By Ann Lee</h2>", "Ann Lee"],
    ["in the first of several blocks", "<p>By Ann Lee</p><p>By Bo Li</p>", "Ann Lee"],
    ["below before above", "<p>By Ann Lee</p>", "Ann Lee"],
  ])("%s", (_where, below, byline) => {
    expect(bylineOf(`<p>Train</p>${H1}${below}`)).toBe(byline as string);
  });

  test("in the sixteen blocks below the title, and in the five above", () => {
    const below = (count: number) => bylineOf(`${H1}${paragraphs(count)}<p>By Ann Lee</p>`);
    expect([below(15), below(16)]).toEqual(["Ann Lee", undefined]);
    const above = (count: number) => bylineOf(`<p>By Ann Lee</p>${paragraphs(count)}${H1}`);
    expect([above(4), above(5)]).toEqual(["Ann Lee", undefined]);
    expect(bylineOf(`<p>By Bo Li</p>${H1}<p>By Ann Lee</p>`)).toBe("Ann Lee");
  });

  test("in the first 100 texts of a line", () => {
    expect([line(99), line(100)]).toEqual(["Ann Lee", undefined]);

    expect([labelled(99), labelled(100)]).toEqual(["Ann Lee", undefined]);
  });
});

describe("the date is found", () => {
  test.each<[string, string, string | undefined]>([
    ["in a text", "<p>4 March 2026</p>", "2026-03-04"],
    ["in a time", "<p><time datetime=2026-03-04>today</time></p>", "2026-03-04"],
    ["with the time of day", "<p><time datetime='2026-03-04 09:30+01:00'>today</time></p>", "2026-03-04T09:30+01:00"],
    ["without an impossible time of day", "<p><time datetime=2026-03-04T29:30>today</time></p>", "2026-03-04"],
    ["in a time around an element", "<p><time datetime=2026-03-04><b>today</b></time></p>", "2026-03-04"],
    ["in a text beside a time without a date", "<p><time datetime=x>today</time> 4 March 2026</p>", "2026-03-04"],
    ["not in another element", "<p><b datetime=2026-03-04>today</b></p>", undefined],
    ["as that of publication before that of a change", "<p>Updated 5 March 2026</p><p>4 March 2026</p>", "2026-03-04"],
    [
      "as the first change, if there is no other",
      "<p>Updated 5 March 2026</p><p>Updated 6 March 2026</p>",
      "2026-03-05",
    ],
    ["not in a sentence", "<p>The last train left the town on 4 March 2026.</p>", undefined],
    [
      "in a sentence with the author",
      "<p>Published by <b class=author>Ann Lee</b> late on 4 March 2026 in travel news.</p>",
      "2026-03-04",
    ],
    ["not as the end of an offer", "<p>Apply by 4 March 2026</p>", undefined],
    ["as the first of several", "<p>4 March 2026</p><p>5 March 2026</p>", "2026-03-04"],
  ])("%s", (_where, below, published) => {
    expect(publishedOf(`${H1}${below}`)).toBe(published as string);
  });

  test("in the form of the language", () => {
    expect(detailsOf(`${H1}<p>3/4/2026</p>`, "Night trains", "de").published).toBe("2026-04-03");
    expect(detailsOf(`${H1}<p>3/4/2026</p>`, "Night trains", "en-US").published).toBe("2026-03-04");
  });
});

describe("the details are beside", () => {
  const AUTHOR = "<p>By Ann Lee</p>";
  const far = paragraphs(20);

  test.each<[string, string, string | undefined]>([
    ["the heading that is the title", `<h2>Other</h2>${far}<h2>Night  trains</h2>${AUTHOR}`, "Ann Lee"],
    ["a heading of level 1 that begins with the title", `<h1>Night trains of Europe</h1>${AUTHOR}`, "Ann Lee"],
    ["no heading of level 2 that begins with it", `<h2>Night trains of Europe</h2>${AUTHOR}`, undefined],
    ["no heading of level 4", `<h4>Night trains</h4>${AUTHOR}`, undefined],
    [
      "the first heading of level 1, if no heading is the title",
      `<h1>A</h1>${AUTHOR}${far}<h1>B</h1><p>By Bo Li</p>`,
      "Ann Lee",
    ],
    ["the title, also behind another heading of level 1", `<h1>A</h1><p>By Bo Li</p>${far}${H1}${AUTHOR}`, "Ann Lee"],
    ["no hidden heading", `<h1 hidden>Night trains</h1>${AUTHOR}`, undefined],
    ["no heading of navigation", `<nav>${H1}</nav>${AUTHOR}`, undefined],
    ["no text", `<p>Night trains</p>${AUTHOR}`, undefined],
  ])("%s", (_which, html, byline) => {
    expect(bylineOf(html)).toBe(byline as string);
  });

  test("the first heading of level 1 of a page without a title", () => {
    expect(bylineOf(`<h2></h2>${H1}${AUTHOR}`, "")).toBe("Ann Lee");
  });
});

const farOfFar = (html: string) => bylineOf(`${H1}${paragraphs(30)}${html}`);

describe("far from the title, the author is", () => {
  test.each<[string, string, string | undefined]>([
    ["the only one of a link to an author", "<p><a href=/authors/ann>Ann Lee</a></p>", "Ann Lee"],
    ["the only one of an element with the class", "<p class=author>Ann Lee</p>", "Ann Lee"],
    ["one that the page repeats", "<p class=author>ANN LEE</p><p class=author>Ann Lee</p>", "Ann Lee"],
    ["none of several", "<p class=author>Ann Lee</p><p class=author>Bo Li</p>", undefined],
    ["none of a link to a profile", "<p><a href=/users/ann>Ann Lee</a></p>", undefined],
    ["none of a link in a footer", "<footer><a href=/authors/ann>Ann Lee</a></footer>", undefined],
    ["none of a long block", `<p class=author>Ann Lee | ${words(25)}</p>`, undefined],
    ["none after a label alone", "<p>By Ann Lee</p>", undefined],
    ["one of a link without an address", "<p><a class=author>Ann Lee</a></p>", "Ann Lee"],
  ])("%s", (_which, html, byline) => {
    expect(farOfFar(html)).toBe(byline as string);
  });
});
