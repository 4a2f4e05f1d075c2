import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SearchFilters } from "../web/provider.ts";
import { PageIndex } from "./page-index.ts";
import { matchOf } from "./match.ts";
import { snippetOf } from "./snippet.ts";
import { Vocabulary } from "./vocabulary.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-index-"));
const open: PageIndex[] = [];

function fresh(name = `${open.length}.db`): PageIndex {
  const index = PageIndex.open(join(folder, name));
  open.push(index);
  return index;
}

afterAll(() => {
  for (const index of open) index.close();
  rmSync(folder, { recursive: true });
});

function put(index: PageIndex, path: string, title: string, text: string): boolean {
  return index.put({ url: `https://a.test/${path}`, title, text, site: undefined });
}

const paths = (index: PageIndex, query: string) =>
  index.search({ query, count: 10 }).map(({ url }) => new URL(url).pathname.slice(1));

test("the first 200,000 characters of a page are indexed", () => {
  const index = fresh();
  const filler = "tide ".repeat(39_990);
  put(index, "long", "Long", `${filler}${" ".repeat(199_990 - filler.length)}inside    outside`);
  expect([paths(index, "inside"), paths(index, "outside")]).toEqual([["long"], []]);
});

describe("finds", () => {
  const index = fresh();
  put(index, "tokyo", "東京タワー", "東京タワーは高さ333メートルの電波塔です。大阪城もあります。");
  put(index, "kyoto", "京都", "京都は古い都です。");
  put(index, "tides", "Tide tables", "High water at the harbour comes twice a day. Naïve sailors café.");
  put(index, "harbour", "The old harbour", "Ships lie here. The tide is out.");
  put(index, "nodejs-guide", "Untitled", "Some text of no account.");
  put(index, "code", "C++ and foo_bar", "Calls to std::vector<int> and x-y.");
  put(index, "thai", "ไทย", "ภาษาไทยเป็นภาษา");

  const CASES: readonly (readonly [query: string, paths: readonly string[]])[] = [
    ["harbour", ["harbour", "tides"]],
    ["HARBOUR Tide", ["tides", "harbour"].toReversed()],
    ["naive cafe", ["tides"]],
    ["東京", ["tokyo"]],
    ["京", ["kyoto", "tokyo"]],
    ["京都", ["kyoto"]],
    ["都京", []],
    ["大阪城", ["tokyo"]],
    ["ภาษา", ["thai"]],
    ["sail", ["tides"]],
    ["nodejs guide", ["nodejs-guide"]],
    ["std::vector", ["code"]],
    ["foo_bar", ["code"]],
    ["harbour zebra", ["harbour", "tides"]],
    ["zebra", []],
  ];
  test.each(CASES)("%s: %j", (query, expected) => {
    const found = paths(index, query);
    // The order of equal results does not matter here, except for the title's.
    expect(query === "harbour" ? found : found.toSorted()).toEqual(
      query === "harbour" ? [...expected] : expected.toSorted(),
    );
  });
});

describe("no query breaks the index", () => {
  const index = fresh();
  put(index, "x", "NEAR the title", "near and or not body a b c emoji");
  const HOSTILE = [
    `"`,
    `""`,
    `"""`,
    `"unbalanced`,
    `a"b`,
    "a AND",
    "AND OR NOT",
    "NOT a",
    "NEAR(a b, 5)",
    "NEAR(",
    "title:a",
    "{title body}: a",
    "-title: a",
    "^a",
    "a*",
    "*",
    "* *",
    "a + b",
    "(",
    ")",
    "(a OR",
    "a\u0000b",
    "\u0000",
    "😀",
    "👨‍👩‍👧 a",
    "\ud800",
    "'; DROP TABLE pages; --",
    "%_%",
    "\\",
    "a".repeat(10_000),
    `"`.repeat(10_000),
    "a ".repeat(10_000),
    "(".repeat(10_000),
    "東".repeat(10_000),
    "é".normalize("NFD").repeat(5_000),
    "\u0301".repeat(1_000),
    "İ".repeat(3_000),
    "",
    "   ",
  ];
  test.each(HOSTILE.map((query) => [query.slice(0, 30), query]))("%j", (_, query) => {
    expect(Array.isArray(index.search({ query, count: 10 }))).toBe(true);
  });

  test("and words that look like operators are words", () => {
    expect(paths(index, "near AND not")).toEqual(["x"]);
    expect(paths(index, `title:"NEAR"`)).toEqual(["x"]);
  });

  test("and words are limited and quoted", () => {
    const known = { count: 9, languages: ["en"], vocabulary: new Vocabulary(index.database), corrections: true };
    const many = matchOf(Array.from({ length: 1_000 }, (_, n) => `word${n}`).join(" "), known);
    expect(many.text.split(" OR ").length).toBe(24);
    const signs = matchOf(`near a"b {title}: "^東京 AND emojo*`, known);
    for (const { text } of [many, signs]) expect(text).toMatch(/^"[^"]+"(?: \*)?(?: OR "[^"]+"(?: \*)?)*$/);
  });
});

describe("ranks", () => {
  const filler = "The rest of the text is about other things of no account. ".repeat(60);
  const index = fresh();
  const add = (path: string, title: string, text: string, language: string) =>
    index.put({ url: `https://a.test/${path}`, title, text, language, site: undefined });
  add("long", "Everything", `${filler}How to moor a barge at night.\n${filler}`, "en");
  add("barges", "Barges", "They carry coal.", "en");
  add("coal", "Cargo", `${filler}\fUnloading coal\nIt takes an hour.`, "en");
  add("salt", "Cargo of old", `${filler}\fSalt\nAn hour of unloading coal, or two.`, "en");
  add("häfen", "Häfen", "Die Schiffe liegen in den Häfen vor Anker und werden dort entladen.", "de-AT");
  add("rudder", "Rudder", "Navigation with a rudder, for navigators who navigated before.", "en");

  const CASES: readonly (readonly [reason: string, query: string, first: string])[] = [
    ["a page whose passage has all words before pages with one of them", "moor barge night", "long"],
    ["a page with the word in its title before a page with the word in its text", "barge", "barges"],
    ["a page with the words in a heading before a page with the words in its text", "unloading coal", "coal"],
    ["all forms of a word, by the language of the page", "Hafen Schiff", "h%C3%A4fen"],
    ["the plural of an English word", "rudders", "rudder"],
    ["a word with one wrong character", "ruddar", "rudder"],
    ["a word with two characters swapped", "ruddre", "rudder"],
    ["a long word with two wrong characters", "navegetion", "rudder"],
    ["the words that begin like one that no page has", "navig", "rudder"],
  ];
  test.each(CASES)("%s", (_, query, first) => {
    expect(paths(index, query)[0]).toBe(first);
  });

  test("no words that are spelt differently if a page has the word itself, and no short ones", () => {
    expect(paths(index, "salt")).toEqual(["salt"]);
    expect(paths(index, "cial")).toEqual(
      ["coal", "barges", "salt"].filter((path) => paths(index, "coal").includes(path)),
    );
    expect(paths(index, "slt")).toEqual([]);
  });

  test("up to four misspelt words of a query", () => {
    expect(paths(index, "axxxb bxxxc cxxxd navegetion")[0]).toBe("rudder");
    expect(paths(index, "axxxb bxxxc cxxxd dxxxe navegetion")).toEqual([]);
  });

  test("no word of a page that was removed or changed", () => {
    add("gone", "Gone", "Zeppelins.", "en");
    expect(paths(index, "zepelin")).toEqual(["gone"]);
    add("gone", "Gone", "Balloons.", "en");
    expect([paths(index, "zepelin"), paths(index, "baloon")]).toEqual([[], ["gone"]]);
    index.remove("https://a.test/gone");
    expect(paths(index, "baloon")).toEqual([]);
    const left = index.database.query("SELECT count(*) AS n FROM words WHERE words MATCH 'balloon'").get();
    expect(left).toEqual({ n: 0 });
  });

  test("and the words of a removed page are forgotten, also if its language changed before", () => {
    const other = fresh();
    const page = { url: "https://a.test/p", title: "Boote", text: "Drei Leuchttürme", site: undefined };
    expect(other.put({ ...page, language: "de" })).toBe(true);
    expect(other.put({ ...page, language: "en" })).toBe(false);
    expect([paths(other, "boote"), paths(other, "boot")]).toEqual([["p"], ["p"]]);
    other.remove(page.url);
    expect(other.database.query("SELECT * FROM vocabulary").all()).toEqual([]);
  });
});

test("a word that all pages have is searched for unless another known word tells pages apart", () => {
  const index = fresh();
  put(index, "one", "Harbour", "A harbour with a crane.");
  expect([paths(index, "harbour"), paths(index, "harbour zebra"), paths(index, "a zebra")]).toEqual([
    ["one"],
    ["one"],
    ["one"],
  ]);
  put(index, "two", "Port", "A harbour without one.");
  expect(paths(index, "harbour crane")).toEqual(["one"]);
});

describe("restrictions", () => {
  const index = fresh();
  const add = (url: string, language?: string, published?: string) =>
    index.put({ url, title: url, text: "tides", site: undefined, language, published });
  add("https://www.a.test/1", "en-GB", "2025-12-31");
  add("https://docs.a.test/2", "de", "2026-01-01T08:00:00Z");
  add("https://ba.test/3", "fr", "2026-02-01");
  add("https://c.test/4");

  const CASES: readonly (readonly [filters: SearchFilters, numbers: string])[] = [
    [{}, "1234"],
    [{ site: "a.test" }, "12"],
    [{ site: "docs.a.test" }, "2"],
    [{ exclude_site: ["a.test", "c.test"] }, "3"],
    [{ after: "2026-01-01" }, "23"],
    [{ before: "2026-01-01" }, "12"],
    [{ after: "2026-01-01", before: "2026-01-31" }, "2"],
    [{ lang: "de" }, "2"],
    [{ lang: "en", site: "ba.test" }, ""],
  ];
  test.each(CASES)("%j", (filters, numbers) => {
    const found = index.search({ query: "tides", filters, count: 10 });
    expect(
      found
        .map(({ url }) => url.slice(-1))
        .toSorted()
        .join(""),
    ).toBe(numbers);
  });
});

describe("a page", () => {
  test("replaces its earlier version, and is gone after it is removed", () => {
    const index = fresh();
    expect([put(index, "p", "One", "first words"), put(index, "p", "One", "first words")]).toEqual([true, false]);
    expect(put(index, "p", "One", "second words")).toBe(true);
    expect([paths(index, "first"), paths(index, "second")]).toEqual([[], ["p"]]);
    expect([index.remove("https://a.test/p"), index.remove("https://a.test/p")]).toEqual([true, false]);
    expect([paths(index, "second"), index.hasPages()]).toEqual([[], false]);
  });

  test("is cut if it is long, and found by its beginning", () => {
    const index = fresh();
    put(index, "long", "t".repeat(5_000), `start ${"filler ".repeat(100_000)} ending`);
    expect([paths(index, "start"), paths(index, "ending")]).toEqual([["long"], []]);
    expect(index.search({ query: "start", count: 1 })[0]?.title.length).toBe(300);
  });

  test("is identified by its words, so that a duplicate is found", () => {
    const index = fresh();
    put(index, "one", "T", "words");
    expect(index.twin("T", "words", "https://a.test/two")).toBe("https://a.test/one");
    expect(index.twin("T", "words", "https://a.test/one")).toBeUndefined();
  });
});

describe("a snippet", () => {
  const CASES: readonly (readonly [text: string, terms: string[], snippet: string | RegExp])[] = [
    ["short text", ["text"], "short text"],
    ["", ["text"], ""],
    [`${"filler ".repeat(200)}needle ${"filler ".repeat(200)}`, ["needle"], /^…filler.* needle filler.*…$/],
    [`needle ${"filler ".repeat(200)}needle thread`, ["needle", "thread"], /needle thread$/],
    [`${"filler ".repeat(100)}CAFÉ`, ["cafe"], /CAFÉ$/],
    [`${"字".repeat(500)}針${"字".repeat(500)}`, ["針"], /針/],
    [`${"İ".repeat(300)} needle`, ["needle"], /needle$/],
    ["one\n\n two\tthree", ["two"], "one two three"],
  ];
  test.each(CASES)("of %j for %j", (text, terms, snippet) => {
    const made = snippetOf(text, terms);
    if (typeof snippet === "string") expect(made).toBe(snippet);
    else expect(made).toMatch(snippet);
    expect(made.length).toBeLessThanOrEqual(302);
    expect(made.isWellFormed()).toBe(true);
  });

  test("of a long text with a matching word at every place is made in linear time", () => {
    expect(snippetOf("a ".repeat(100_000), ["a"]).length).toBeGreaterThan(100);
  });
});

describe("the file", () => {
  test("can be read by its owner only, and used by several processes", () => {
    const writer = fresh("shared.db");
    const reader = fresh("shared.db");
    put(writer, "p", "Shared", "words");
    expect(paths(reader, "words")).toEqual(["p"]);
    expect(statSync(join(folder, "shared.db")).mode & 0o777).toBe(0o600);
  });

  test("of another version, or that is not an index, is rejected", async () => {
    const old = PageIndex.open(join(folder, "older.db"));
    old.database.run("PRAGMA user_version = 1");
    old.close();
    expect(() => PageIndex.open(join(folder, "older.db"))).toThrow("delete it and add its sites again");
    const path = join(folder, "newer.db");
    const newer = PageIndex.open(path);
    newer.database.run("PRAGMA user_version = 99");
    newer.close();
    expect(() => PageIndex.open(path)).toThrow("a newer version of Turnpike made it");
    await Bun.write(join(folder, "none.db"), "no database at all ".repeat(100));
    chmodSync(join(folder, "none.db"), 0o600);
    expect(() => PageIndex.open(join(folder, "none.db"))).toThrow();
  });
});
