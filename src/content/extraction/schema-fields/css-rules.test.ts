import { describe, expect, test } from "bun:test";
import { aroundSheet, keyframesOf, plainCss, rulesOf } from "./css-rules.ts";

describe("a style sheet is read without", () => {
  test.each<[string, string, string]>([
    ["comments", "a/* x */b/**/c", "abc"],
    ["a comment that never ends", "a/* x", "a"],
    ["a slash and a star of a comment's beginning as its end", "a/*/b*/c", "ac"],
    ["the marks of an HTML comment", "<!-- a{} -->", " a{} "],
    ["syntax in strings", `a{b:"{};,:()x"}c`, `a{b:"_______x"}c`],
    ["syntax in strings with the other quote", `'"{' "'}"`, `'"_' "'_"`],
    ["syntax behind an escaped quote", String.raw`"\"{" {`, String.raw`"\"_" {`],
    ["syntax in a string up to the end of its line", 'a{b:"{\n;c:d}', 'a{b:"_\n;c:d}'],
    ["syntax in a string that never ends", "a 'b{c", "a 'b_c"],
    ["a string behind an escape", String.raw`\"{} "{"`, String.raw`\"{} "_"`],
    ["nothing else", "a{b:c}", "a{b:c}"],
  ])("%s", (_what, css, plain) => {
    expect(plainCss(css)).toBe(plain);
  });
});

const WHOLE = { depth: 0, isCertain: true, selectors: "", layer: "" };

/** The rules as text. "?" is before those that may apply; the layer is before the selectors. */
function rules(css: string): string[] {
  return [...rulesOf(css, WHOLE)].map(
    ({ selectors, body, isCertain, layer }) =>
      `${isCertain ? "" : "? "}${layer === "" ? "" : `[${layer}] `}${selectors.map((one) => one.trim()).join(" | ")}{${body.trim()}}`,
  );
}

const outer = (length: number) => `${"x".repeat(length)}{b{c:d}}`;

const nested = (depth: number) => `${"@media screen{".repeat(depth)}a{b:c}${"}".repeat(depth)}`;

describe("the rules of a style sheet", () => {
  test.each<[string, string, string[]]>([
    ["in their order", "a{b:c} d{e:f}", ["a{b:c}", "d{e:f}"]],
    ["of several selectors", "a, b>c,d{e:f}", ["a | b>c | d{e:f}"]],
    [
      "of selectors with lists in brackets",
      "a:is(b,c:not(d,e)), f[g='a,b'],h{}",
      ["a:is(b,c:not(d,e)) | f[g='a,b'] | h{}"],
    ],
    ["behind statements", '@import "x"; @charset "y"; a{b:c}', ["a{b:c}"]],
    ["behind a brace that closes nothing", "} a{b:c}", ["a{b:c}"]],
    ["that never end", "a{b:c", ["a{b:c}"]],
    ["in one another", "a{b:c; d{e:f} g:h}", [":is(a) d{e:f}", "a{b:c; g:h}"]],
    [
      "in one another, with a place for the outer ones",
      "a,b{& c,d &{e:f}}",
      [":is(a,b) c | d :is(a,b){e:f}", "a | b{}"],
    ],
    ["in one another twice", "a{b{c{d:e}}}", [":is(:is(a) b) c{d:e}", ":is(a) b{}", "a{}"]],
    ["in a group inside of a rule", "a{@media screen{b:c}}", ["a{b:c}", "a{}"]],
    ["of a screen", "@media screen{a{b:c}}", ["a{b:c}"]],
    ["of no screen", "@media print{a{b:c}} d{e:f}", ["d{e:f}"]],
    ["of another kind of group", "@font-face{a:b} @page{c:d} e{f:g}", ["e{f:g}"]],
    ["of supported features", "@supports (display:grid){a{b:c}}", ["a{b:c}"]],
    ["of features that are not supported", "@supports not (display:grid){a{b:c}}", ["? a{b:c}"]],
    ["of containers and scopes", "@container (a){a{b:c}} @scope (d){e{f:g}}", ["? a{b:c}", "? e{f:g}"]],
    ["in groups that may apply and one that does", "@container (a){@media screen{a{b:c}}}", ["? a{b:c}"]],
    ["of layers", "@layer l{a{b:c}} @layer m.n{d{e:f}}", ["[.l] a{b:c}", "[.m.n] d{e:f}"]],
    ["of a layer in a layer", "@layer l{@layer m{a{b:c}}}", ["[.l.m] a{b:c}"]],
    ["of a layer without a name", "@layer{a{b:c}}", ["[.] a{b:c}"]],
    ["with the order of layers", "@layer l, m; a{b:c}", ["[.l] {}", "[.m] {}", "a{b:c}"]],
    ["with an order at the end", "a{b:c} @layer l;", ["a{b:c}", "[.l] {}"]],
    ["with an order inside of a layer", "@layer k{@layer l;}", ["[.k.l] {}"]],
    ["with an order that may apply", "@container (a){@layer l;}", ["? [.l] {}"]],
  ])("%s", (_what, css, expected) => {
    expect(rules(css)).toEqual(expected);
  });

  test("are read up to six groups deep", () => {
    expect([rules(nested(5)), rules(nested(6))]).toEqual([["a{b:c}"], []]);
  });

  test("are for any element inside of a rule with more than 2,000 characters of selectors", () => {
    expect(rules(outer(2_000))[0]).toStartWith(":is(xxx");
    expect(rules(outer(2_001))[0]).toBe("* b{c:d}");
  });
});

const appliesTo = (media: string) => aroundSheet(media, "l")?.isCertain;

describe("a media query", () => {
  test.each<[string, boolean | undefined]>([
    ["", true],
    [" ", true],
    ["screen", true],
    ["only screen", true],
    ["ALL", true],
    ["print", undefined],
    ["only print", undefined],
    ["speech", undefined],
    ["print, screen", true],
    ["print, (color)", false],
    ["(color), screen", true],
    ["not print", true],
    ["not screen", undefined],
    ["not (color)", false],
    ["screen and (color)", false],
    ["print and (color)", undefined],
    ["screen and (min-width: 1280px)", true],
    ["screen and (min-width: 1281px)", undefined],
    ["(max-width: 1280px)", true],
    ["(max-width: 1279px)", undefined],
    ["(MIN-width: 80em)", true],
    ["(min-width: 80.1em)", undefined],
    ["(min-width:80rem)", true],
    ["(max-width: 79.9rem)", undefined],
    ["(width > 600px)", true],
    ["(width >= 1281px)", undefined],
    ["(width < 600px)", undefined],
    ["(width <= 1280px)", true],
    ["(min-width: 50vw)", false],
    ["(min-width: 600px) and (max-width: 900px)", undefined],
    ["(prefers-reduced-motion: no-preference)", true],
    ["(prefers-color-scheme: light)", true],
    ["(prefers-color-scheme: dark)", undefined],
    ["(prefers-reduced-motion: reduce)", undefined],
    ["(orientation:landscape)", true],
    ["(orientation:portrait)", undefined],
    ["(any-hover:hover) and (pointer:fine)", true],
  ])("%p is true for the window, or undefined if it is not: %p", (media, expected) => {
    expect(appliesTo(media)).toBe(expected as boolean);
  });

  test("is around the rules of its style sheet", () => {
    expect(aroundSheet("(color)", "l")).toEqual({ depth: 0, isCertain: false, selectors: "", layer: "l" });
  });
});

const frame = (body: string, isFirst = false, isLast = false) => ({ isFirst, isLast, body });

describe("an animation", () => {
  test.each<[string, string, object[]]>([
    [
      "from and to",
      "@keyframes K{from{a:b}to{c:d}}",
      [{ name: "k", frames: [frame("a:b", true), frame("c:d", false, true)] }],
    ],
    [
      "shares",
      "@keyframes k{ 0% , 50%{a:b} 100%{c:d}}",
      [{ name: "k", frames: [frame("a:b", true), frame("c:d", false, true)] }],
    ],
    ["both ends in one frame", "@keyframes k{from,to{a:b}}", [{ name: "k", frames: [frame("a:b", true, true)] }]],
    ["a frame between", "@keyframes k{10%{a:b}}", [{ name: "k", frames: [frame("a:b")] }]],
    ["a quoted name", '@-webkit-keyframes "k"{to{a:b}}', [{ name: "k", frames: [frame("a:b", false, true)] }]],
    ["no frames", "@keyframes k{}", [{ name: "k", frames: [] }]],
    [
      "others behind it",
      "@media screen{@keyframes k{to{a:b}}} @keyframes l{to{c:d}}",
      [
        { name: "k", frames: [frame("a:b", false, true)] },
        { name: "l", frames: [frame("c:d", false, true)] },
      ],
    ],
    ["one inside, which is none", "@keyframes k{to{a:b} @keyframes l{to{c:d}}}", [{ name: "k" }]],
    ["another at-rule", "@keyframe k{to{a:b}}", []],
  ])("has %s", (_what, css, expected) => {
    expect([...keyframesOf(css)]).toMatchObject(expected);
  });
});
