import { expect, test } from "bun:test";
import { elementsOf } from "../selectors/select-all.ts";
import { parseTree } from "../tree/tree.ts";
import { isSheetLink, sheetsOf } from "./page-sheets.ts";

/** The style sheets of a page at https://a.example/, of which these were loaded, and the addresses of the others. */
function sheetsIn(html: string, loaded: Readonly<Record<string, string>> = {}, url = "https://a.example/"): unknown {
  const all = [...elementsOf(parseTree(html))];
  const { sheets, unread } = sheetsOf({
    elements: all.filter((one) => one.name === "style" || isSheetLink(one)),
    url,
    base: url,
    loaded: Object.entries(loaded).map(([address, css]) => ({ url: address, base: address, css })),
  });
  return [sheets.map(({ css }) => css), unread];
}
const link = (href: string, more = ""): string => `<link rel=stylesheet href="${href}" ${more}>`;

test("style sheets are in the order of the page, each behind those that it imports", () => {
  const loaded = { "https://a.example/1.css": '@import "2.css"; b{}', "https://a.example/2.css": "c{}" };
  expect(sheetsIn(`<style>a{}</style>${link("1.css#x")}<style>d{}</style>`, loaded)).toEqual([
    ["a{}", "c{}", '@import "2.css"; b{}', "d{}"],
    [],
  ]);
});

test.each([
  ["that is not loaded", link("1.css"), [[], ["https://a.example/1.css"]]],
  ["in its address", link("data:text/css,a%7B%7D"), [["a{}"], []]],
  ["in its address, in base 64", link("data:text/css;base64,YXt9"), [["a{}"], []]],
  ["in its address, with broken encoding", link("data:text/css,a%7%"), [["a%7%"], []]],
  ["for print", link("1.css", "media=print"), [[], []]],
  ["for print until it has loaded", link("1.css", "media=print onload=x"), [[], ["https://a.example/1.css"]]],
  ["without TLS", link("http://a.example/1.css"), [[], []]],
  ["with a user name", link("https://ann@a.example/1.css"), [[], []]],
  ["with a password", link("https://:secret@a.example/1.css"), [[], []]],
  ["with another scheme", link("ftp://a.example/1.css"), [[], []]],
  ["that is an alternative", '<link rel="alternate stylesheet" href=1.css>', [[], []]],
  ["that is disabled", link("1.css", "disabled"), [[], []]],
  ["that becomes one", "<link rel=preload as=STYLE href=1.css onload=x>", [[], ["https://a.example/1.css"]]],
  ["that is loaded early only", "<link rel=preload as=style href=1.css>", [[], []]],
  [
    "of the first set",
    `${link("1.css", "title=a")}${link("2.css", "title=b")}${link("3.css", "title=a")}`,
    [[], ["https://a.example/1.css", "https://a.example/3.css"]],
  ],
])("a style sheet %s", (_which, html, expected) => {
  expect(sheetsIn(html)).toEqual(expected);
});

test("a page without TLS loads style sheets without TLS", () => {
  expect(sheetsIn(link("1.css"), {}, "http://a.example/")).toEqual([[], ["http://a.example/1.css"]]);
});

const styles = (count: number): string => "<style>a{}</style>".repeat(count);

test("100 style sheets are read", () => {
  expect(sheetsIn(styles(100))).toEqual([Array.from({ length: 100 }, () => "a{}"), []]);
  expect(sheetsIn(styles(101))).toEqual([Array.from({ length: 100 }, () => "a{}"), ["https://a.example/"]]);
});

const chain = (length: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `https://a.example/${at}.css`,
      at + 1 < length ? `@import "${at + 1}.css";` : "z{}",
    ]),
  );

test("imports are followed five levels deep", () => {
  expect(sheetsIn(link("0.css"), chain(6))).toMatchObject([{ length: 6, 0: "z{}" }, []]);
  expect(sheetsIn(link("0.css"), chain(7))).toMatchObject([{ length: 6 }, ["https://a.example/6.css"]]);
});
