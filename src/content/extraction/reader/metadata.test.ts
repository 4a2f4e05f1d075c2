import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { metadataOf } from "./metadata.ts";

const read = (html: string) => metadataOf(parseTree(html));
const ld = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const meta = (name: string, content: string): string => `<meta name="${name}" content="${content}">`;

describe("the author that a page declares", () => {
  test.each<[string, string, string | undefined]>([
    ["in JSON-LD", ld({ author: { name: "Ann Lee" } }), "Ann Lee"],
    ["as a text in JSON-LD", ld({ author: "Ann Lee" }), "Ann Lee"],
    [
      "of several in JSON-LD",
      ld({ author: [{ name: "Ann Lee" }, "Bo Li", { name: " " }, "https://x.test/c", 5] }),
      "Ann Lee, Bo Li",
    ],
    [
      "of ten in JSON-LD",
      ld({ author: Array.from({ length: 12 }, (_, at) => `Ann ${"abcdefghijkl"[at]}`) }),
      "Ann a, Ann b, Ann c, Ann d, Ann e, Ann f, Ann g, Ann h, Ann i, Ann j",
    ],
    ["in JSON-LD before meta elements", meta("author", "Bo Li") + ld({ author: "Ann Lee" }), "Ann Lee"],
    ["in the first of several objects", ld([{ author: "Ann Lee" }, { author: "Bo Li" }]), "Ann Lee"],
    ["in a graph", ld({ "@graph": [{ name: "x" }, { author: "Ann Lee" }] }), "Ann Lee"],
    [
      "by its identifier in a graph",
      ld({ "@graph": [{ author: { "@id": "#a" } }, { "@id": "#a", name: "Ann Lee" }] }),
      "Ann Lee",
    ],
    [
      "by an unknown identifier",
      ld({ "@graph": [{ author: { "@id": "#b" } }, { "@id": "#a", name: "Bo" }] }),
      undefined,
    ],
    ["in the main entity", ld({ mainEntity: { author: "Ann Lee" } }), "Ann Lee"],
    ["in the main entity of the page", ld({ mainEntityOfPage: { author: "Ann Lee" } }), "Ann Lee"],
    ["in another object", ld({ review: { author: "Ann Lee" } }), undefined],
    ["in broken JSON-LD", '<script type="application/ld+json">{"author":"Ann Lee"</script>', undefined],
    [
      "in JSON-LD with a comma too much",
      '<script type="application/ld+json">{"author":"Ann Lee",}</script>',
      "Ann Lee",
    ],
    ["in another kind of script", '<script type="application/json">{"author":"Ann Lee"}</script>', undefined],
    ["with a type in capitals", '<script type=" Application/LD+JSON ">{"author":"Ann Lee"}</script>', "Ann Lee"],
    ["in a meta element", meta("author", "Ann Lee"), "Ann Lee"],
    ["in a property", '<meta property="article:author" content="Ann Lee">', "Ann Lee"],
    ["in an item", '<meta itemprop="author" content="Ann Lee">', "Ann Lee"],
    ["in Dublin Core", meta("DC:creator", "Ann Lee"), "Ann Lee"],
    [
      "in several elements of Dublin Core",
      meta("dc.creator", "Ann Lee") + meta("dc.creator", "Bo Li"),
      "Ann Lee, Bo Li",
    ],
    ["twice in Dublin Core", meta("dc.creator", "Ann Lee") + meta("dc.creator", "Ann Lee"), "Ann Lee"],
    [
      "with the family's name first",
      meta("citation_author", "Lee, Ann") + meta("citation_author", "Li, Bo"),
      "Lee, Ann; Li, Bo",
    ],
    ["in several elements of one author", meta("author", "Ann Lee") + meta("author", "Bo Li"), "Ann Lee"],
    ["in an address", meta("author", "http://x.test/ann"), undefined],
    ["in a text of 200 characters", meta("author", `Ann ${"x".repeat(196)}`), `Ann ${"x".repeat(196)}`],
    ["in a longer text", meta("author", `Ann ${"x".repeat(197)}`), undefined],
    ["in the second card", meta("twitter:label1", "Written by") + meta("twitter:data1", "Ann Lee"), "Ann Lee"],
    [
      "in a card of something else",
      meta("twitter:label1", "Reading time") + meta("twitter:data1", "Ann Lee"),
      undefined,
    ],
    ["in a link", "<a rel=author href=/a>Ann Lee</a>", "Ann Lee"],
    ["in microdata", "<p itemprop=author>By Ann Lee</p>", "Ann Lee"],
    [
      "in microdata with other words",
      "<p itemprop=author><b>Rank 5</b><i itemprop=name>Ann Lee</i> 12 posts</p>",
      "Ann Lee",
    ],
    ["in an attribute of microdata", '<p itemprop=author><i itemprop=name content="Ann Lee">x</i></p>', "Ann Lee"],
    ["in RDFa", '<p property="dc:creator">Ann Lee</p>', "Ann Lee"],
    [
      "in an element of microdata before others",
      "<p itemprop=author>Ann Lee</p><p itemprop=author>Bo Li</p>",
      "Ann Lee",
    ],
    ["in an element without a name", "<p itemprop=author></p><p itemprop=author>Bo Li</p>", "Bo Li"],
    ["nowhere", "<p>Ann Lee</p>", undefined],
  ])("%s: %#", (_where, html, byline) => {
    expect(read(html).byline).toBe(byline);
  });

  test("is in the first 20 elements of microdata, and in the first 100 nodes of each", () => {
    const empty = "<p itemprop=author></p>";
    expect(read(`${empty.repeat(19)}<p itemprop=author>Ann Lee</p>`).byline).toBe("Ann Lee");
    expect(read(`${empty.repeat(20)}<p itemprop=author>Ann Lee</p>`).byline).toBeUndefined();
    const deep = (count: number) =>
      read(`<p itemprop=author>Bo Li ${"<br>".repeat(count)}<b itemprop=name>Ann Lee</b></p>`).byline;
    expect([deep(97), deep(98)]).toEqual(["Ann Lee", "Bo Li Ann Lee"]);
  });

  test.each<[number, string, boolean]>([
    [3, "", true],
    [2, "", false],
    [3, meta("author", "Ann Lee"), false],
  ])("is that of its items if the body alone names %d: %#", (count, head, isSo) => {
    const authors = ["Ann Lee", "Bo Li", "Cem Oz"].slice(0, count);
    const body = authors.map((name) => `<p itemprop=author>${name}</p>`).join("");
    expect(read(head + body).isOfItems).toBe(isSo);
    expect(read(head + body + body).isOfItems).toBe(isSo);
  });
});

describe("the date that a page declares", () => {
  const published = (value: string) => read(meta("date", value)).published;

  test.each<[string, string | undefined]>([
    ["2026-03-04", "2026-03-04"],
    [" 2026-03-04 ", "2026-03-04"],
    ["2026-03-04T10:00", "2026-03-04T10:00"],
    ["2026-03-04 10:00:05", "2026-03-04T10:00:05"],
    ["2026-03-04T10:00:05.25Z", "2026-03-04T10:00:05.25Z"],
    ["2026-03-04T10:00:05,25Z", "2026-03-04T10:00:05.25Z"],
    ["2026-03-04T10:00Z", "2026-03-04T10:00Z"],
    ["2026-03-04T10:00:00 GMT", "2026-03-04T10:00:00Z"],
    ["2026-03-04T10:00:00+02", "2026-03-04T10:00:00+02:00"],
    ["2026-03-04T10:00:00-0230", "2026-03-04T10:00:00-02:30"],
    ["2026-03-04T10:00:00 +02:00 CEST", "2026-03-04T10:00:00+02:00"],
    ["2026-03-04T25:00", "2026-03-04"],
    ["2026-13-04T10:00", undefined],
    ["2026-03", "2026-03"],
    ["2026-13", undefined],
    ["4 March 2026", "2026-03-04"],
    ["3/4/2026", "2026-03-04"],
    [`4 March 2026${" x".repeat(14)}`, "2026-03-04"],
    [`4 March 2026${" x".repeat(15)}`, undefined],
    ["soon", undefined],
  ])("as %p is %p", (value, date) => {
    expect(published(value)).toBe(date as string);
  });

  test.each<[string, string, string | undefined]>([
    ["JSON-LD before meta elements", ld({ datePublished: "2026-03-05" }) + meta("date", "2026-03-04"), "2026-03-05"],
    [
      "the first name of several",
      meta("date", "2026-03-04") + meta("article:published_time", "2026-03-05"),
      "2026-03-05",
    ],
    ["one that is not empty", meta("article:published_time", " ") + meta("date", "2026-03-04"), "2026-03-04"],
    ["a time of microdata", "<time itemprop=datePublished datetime=2026-03-04>x</time>", "2026-03-04"],
    ["a time of publication", "<time pubdate datetime=2026-03-04>x</time>", "2026-03-04"],
    [
      "the first time",
      "<time pubdate datetime=2026-03-04></time><time pubdate datetime=2026-03-05></time>",
      "2026-03-04",
    ],
    [
      "no other time",
      "<time datetime=2026-03-04>x</time><b itemprop=datePublished datetime=2026-03-04></b>",
      undefined,
    ],
    [
      "meta elements before a time",
      meta("date", "2026-03-05") + "<time pubdate datetime=2026-03-04>x</time>",
      "2026-03-05",
    ],
  ])("is %s", (_which, html, date) => {
    expect(read(html).published).toBe(date as string);
  });
});

describe("the language that a page declares", () => {
  test.each<[string, string, string | undefined]>([
    ["its root", "<html lang=de>", "de"],
    ["its root in XML", "<html xml:lang=de-AT>", "de-AT"],
    ["its locale", '<meta property="og:locale" content="pt_BR">', "pt-BR"],
    ["its header", '<meta http-equiv="Content-Language" content="fr">', "fr"],
    ["its JSON-LD", ld({ inLanguage: "nb" }), "nb"],
    ["the root before others", `<html lang=de>${meta("language", "fr")}`, "de"],
    ["none that is not a tag", `<html lang="not a tag">${meta("language", "fr")}`, "fr"],
    ["none with four parts more", "<html lang=de-a-b-c-d>", undefined],
    ["none with one letter", "<html lang=d>", undefined],
  ])("is that of %s", (_which, html, language) => {
    expect(read(html).language).toBe(language as string);
  });
});

describe("the address and the picture of a page", () => {
  test.each<[string, string, string | undefined, string | undefined]>([
    ["a link", "<link rel=canonical href=' /a '>", "/a", undefined],
    ["a link of several relations", "<link rel='x CANONICAL' href=/a>", "/a", undefined],
    ["the first link", "<link rel=canonical href=/a><link rel=canonical href=/b>", "/a", undefined],
    ["no other link", "<link rel=canonical-x href=/a>", undefined, undefined],
    ["no data", "<link rel=canonical href=data:x>", undefined, undefined],
    ["OpenGraph", '<meta property="og:url" content="/a"><meta property="og:image" content="/i">', "/a", "/i"],
    ["a link before OpenGraph", '<meta property="og:url" content="/a"><link rel=canonical href=/b>', "/b", undefined],
    ["JSON-LD", ld({ image: "/i" }), undefined, "/i"],
    ["an object of JSON-LD", ld({ image: { url: "/i" } }), undefined, "/i"],
    ["the first of several in JSON-LD", ld({ image: [{ url: "/i" }, "/j"] }), undefined, "/i"],
    ["1,000 characters", meta("twitter:image", "x".repeat(1_000)), undefined, "x".repeat(1_000)],
    ["not more", meta("twitter:image", "x".repeat(1_001)), undefined, undefined],
  ])("are those of %s", (_which, html, canonical, image) => {
    expect(read(html)).toMatchObject({ canonical, image });
  });
});

describe("the names and types of a page", () => {
  test.each<[string, string, object]>([
    [
      "titles",
      `<title>A</title>${meta("twitter:title", "B")}${ld({ headline: "C" })}`,
      { title: "A", socialTitle: "B", headline: "C" },
    ],
    ["the first title", "<title>A</title><svg><title>B</title></svg>", { title: "A" }],
    ["the name of a product", ld({ "@type": "Product", name: "Saw" }), { headline: "Saw" }],
    ["no name of another thing", ld({ "@type": "Person", name: "Ann" }), { headline: "" }],
    ["the site", meta("application-name", "Quay"), { siteName: "Quay" }],
    ["the publisher", ld({ publisher: { name: "Quay" } }), { siteName: "Quay" }],
    ["the type of OpenGraph", meta("og:type", "Article"), { socialType: "article" }],
    [
      "the types of JSON-LD",
      ld([{ "@type": ["A", "http://schema.org/B", 5] }, { "@type": "A" }]),
      {
        types: new Map([
          ["A", 2],
          ["B", 1],
        ]),
      },
    ],
    [
      "the types of microdata",
      "<p itemscope itemtype='https://schema.org/Product '>",
      { types: new Map([["Product", 1]]) },
    ],
    ["nothing", "", { title: "", socialTitle: "", headline: "", siteName: "", socialType: "", homes: [] }],
    ["no text of a meta element without a name", "<meta content=A>", { socialTitle: "" }],
  ])("are %s", (_which, html, expected) => {
    expect(read(html)).toMatchObject(expected);
  });

  test("have at most 2,000 characters", () => {
    expect(read(meta("og:title", "x".repeat(3_000))).socialTitle).toHaveLength(2_000);
    expect(read(`<title>${"x".repeat(2_001)}</title>`).title).toBe("");
  });
});

const homes = (html: string) => read(html).homes.map(({ href, text }) => `${href} ${text}`);

const longOfLinks = (length: number) => `<a href="https://${"x".repeat(length - 13)}.test">Quay</a>`;

describe("links to the start page", () => {
  test.each(["/", "/de/", "/en-us", "/index.html", "https://x.test", "//x.test/", "http://x.test/de/home.php"])(
    "have the address %s",
    (href) => {
      expect(homes(`<a href="${href}">Quay</a>`)).toEqual([`${href} Quay`]);
    },
  );

  test.each(["", "/about", "/deu/", "x", "/?a", "#top"])("do not have the address %p", (href) => {
    expect(homes(`<a href="${href}">Quay</a>`)).toEqual([]);
  });

  test("have a text or a picture with one", () => {
    expect(homes("<a href=/><img alt=Quay></a><a href=/><img></a><a href=/></a>")).toEqual(["/ Quay"]);
    expect(homes(`<a href=/>${"x".repeat(200)}</a><a href=/>${"x".repeat(201)}</a>`)).toHaveLength(1);
  });

  test("are the first twenty, with addresses of at most 100 characters", () => {
    expect(homes("<a href=/>Quay</a>".repeat(21))).toHaveLength(20);

    expect([homes(longOfLinks(100)), homes(longOfLinks(101))].map(({ length }) => length)).toEqual([1, 0]);
  });
});

const afterOfJSON = (count: number) => read(ld({}).repeat(count) + ld({ headline: "A" })).headline;

const long = (length: number) => read(ld({ headline: "A", x: "x".repeat(length - 23) })).headline;

const after = (count: number) => read(ld([...Array.from({ length: count }, () => 1), { headline: "A" }])).headline;

describe("JSON-LD is read", () => {
  test("of the first 20 scripts", () => {
    expect([afterOfJSON(19), afterOfJSON(20)]).toEqual(["A", ""]);
  });

  test("of at most 1,000,000 characters", () => {
    expect([long(1_000_000), long(1_000_001)]).toEqual(["A", ""]);
  });

  test("of the first 5,000 objects", () => {
    expect([after(4_998), after(4_999)]).toEqual(["A", ""]);
  });
});
