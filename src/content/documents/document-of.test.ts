import { describe, expect, test } from "bun:test";
import { type DocumentContent } from "./kinds/content.ts";
import { documentOf } from "./document-of.ts";

async function documentFrom(
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
): ReturnType<typeof documentOf> {
  const page = { engine: "static", statusCode: 200, headers: [], complete: true } as const;
  return await documentOf({ ...page, body, contentType, finalUrl: "https://site.test/folder/file" });
}

/** The content of a document that is not HTML. */
async function read(contentType: string, body: string | Uint8Array<ArrayBuffer>): Promise<DocumentContent> {
  const found = await documentFrom(contentType, body);
  if (found.is !== "other") throw new Error(`The document is ${found.is}`);
  return found.content;
}

const markdownOf = async (contentType: string, body: string): Promise<string> =>
  (await read(contentType, body)).markdown();

const addressesOf = async (contentType: string, body: string): Promise<string[]> =>
  (await read(contentType, body)).links().map(({ url }) => url);

/** A Markdown table of a head and rows. */
function table(...rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  return [lines[0], `|${" --- |".repeat(rows[0]?.length ?? 0)}`, ...lines.slice(1)].join("\n");
}

describe("text", () => {
  test.each<[text: string, addresses: readonly string[]]>([
    ["(http://a.test/x), <HTTPS://B.test/y?z=1#f> and http://a.test/x.", ["http://a.test/x", "https://b.test/y?z=1#f"]],
    ["http://a.test/*!?.,;:_ b", ["http://a.test/"]],
    ["ahttp://a.test/ ftp://b.test/ http:// http://:x/", []],
    [`http://a.test/${"x".repeat(2_034)} http://b.test/${"y".repeat(2_035)}`, [`http://a.test/${"x".repeat(2_034)}`]],
  ])("has the web addresses in it as links: %#", async (text, addresses) => {
    expect(await addressesOf("text/plain", text)).toEqual([...addresses]);
  });

  test("has at most 10,000 links", async () => {
    const text = Array.from({ length: 10_001 }, (_none, at) => `http://a.test/${at}`).join(" ");
    const addresses = await addressesOf("text/plain", text);
    expect([addresses.length, addresses.at(-1)]).toEqual([10_000, "http://a.test/9999"]);
  });

  test.each([
    ["text/css", "p { }\n", "```css\np { }\n```"],
    ["application/x-javascript", "``` ```` ```\n````", "`````js\n``` ```` ```\n````\n`````"],
    ["application/typescript", "``", "```ts\n``\n```"],
    ["text/x-python", "a\n\n", "```python\na\n\n```"],
  ])("of a language is fenced in Markdown, with longer marks than it has: %s", async (type, text, markdown) => {
    const content = await read(type, text);
    expect([content.markdown(), content.text()]).toEqual([markdown, text]);
    expect(content.html()).toBe(`<pre>\n${text}</pre>`);
  });
});

/** A list in lists, with numbers in the innermost one. */
const nested = (depth: number, count: number): string =>
  `${"[".repeat(depth)}${Array.from({ length: count }, () => "1").join(",")}${"]".repeat(depth)}`;

describe("JSON", () => {
  test("is returned unchanged, indented in Markdown, with its numbers as they are written", async () => {
    const json = String.raw`{"a":[1.0,12345678901234567890,{}, [ ],"x:\"y\\",{"b":null}],"url":"https:\/\/a.test\/x"}`;
    const content = await read("application/json", Buffer.from(json));
    expect(content.markdown()).toBe(
      [
        "```json",
        "{",
        '  "a": [',
        "    1.0,",
        "    12345678901234567890,",
        "    {},",
        "    [],",
        String.raw`    "x:\"y\\",`,
        "    {",
        '      "b": null',
        "    }",
        "  ],",
        String.raw`  "url": "https:\/\/a.test\/x"`,
        "}",
        "```",
      ].join("\n"),
    );
    expect(content.text()).toBe(json);
    expect(content.links()).toEqual([{ url: "https://a.test/x", text: "" }]);
  });

  test.each(["{broken", nested(100_000, 0), nested(66, 0), nested(65, 1), nested(41, 790)])(
    "that is not valid, too deep, or would become much longer is returned unchanged: %#",
    async (json) => {
      expect(await markdownOf("application/json", json)).toBe(`\`\`\`json\n${json}\n\`\`\``);
    },
  );

  test.each([
    [nested(65, 0), 129],
    [nested(64, 1), 129],
    [nested(41, 789), 871],
  ])("that is as deep and as long as may be is indented: %#", async (json, lines) => {
    expect((await markdownOf("application/json", json)).split("\n")).toHaveLength(lines + 2);
  });
});

describe("comma-separated values", () => {
  const ROWS = table(["Road", "Toll"], ["A1", "3,50"], ['A "2"', String.raw`x\|y`], ["last", ""]);

  test.each([
    ["text/csv", 'Road,Toll\r\nA1,"3,50"\r\n"A ""2""",x|y\r\n\r\nlast,', ROWS],
    ["text/csv", 'Road;Toll\nA1;3,50\n"A ""2""";x|y\nlast;\n', ROWS],
    ["text/tab-separated-values", 'Road\tToll\nA1\t3,50\n"A ""2"""\tx|y\nlast', ROWS],
    ["text/csv", "a|b\rc|d\r", table(["a", "b"], ["c", "d"])],
    ["text/csv", "a,b;c\r\n\n1,2\n", table(["a", "b;c"], ["1", "2"])],
    ["text/csv", "a,b;c;d\n1,2", table(["a,b", "c", "d"], ["1,2", "", ""])],
    ["text/csv", '"a"x\n,\nb,"c\nd', table(["a", ""], ["", ""], ["b", "c<br>d"])],
    ["text/csv", "a,b\n c ,\\d|", table(["a", "b"], ["c", String.raw`\\d\|`])],
  ])("are a table in Markdown: %s %j", async (type, text, markdown) => {
    const content = await read(type, text);
    expect([content.markdown(), content.text()]).toEqual([markdown, text]);
  });

  test.each(["one\ntwo", "", '"never ends', `${"a,".repeat(256)}\n`, `${"a,".repeat(250)}\n${"b\n".repeat(4_000)}c,d`])(
    "of one column, or far too many, are returned unchanged: %#",
    async (text) => {
      expect(await markdownOf("text/csv", text)).toBe(`\`\`\`csv\n${text.trimEnd()}\n\`\`\``);
    },
  );

  test("may have 256 columns, and short rows of 1,000,000 cells in all", async () => {
    expect(await markdownOf("text/csv", "a,".repeat(255))).toStartWith("| a | a |");
    expect(await markdownOf("text/csv", `${"a,".repeat(250)}\n${"b\n".repeat(4_000)}`)).toStartWith("| a | a |");
  });
});

const RSS = `<?xml version="1.0"?><!-- x --><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "&x;&x;">]>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
  <title>Road &amp; Toll</title><atom:link href="https://a.test/feed" rel="self"/><link>https://a.test/</link>
  <description>All the *news*</description><image><title>Logo</title><url>x.png</url></image>
  <item><title><![CDATA[First <b>one</b>]]></title><link>/one?a=1&amp;b=2</link><pubDate>Sat, 21 Nov 2026</pubDate>
    <description>&lt;p&gt;Words &amp;amp; more&lt;script&gt;evil()&lt;/script&gt;&lt;/p&gt;</description></item>
  <item><title>Second &y;</title><guid>https://a.test/two</guid></item>
</channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Road &amp; Toll</title><subtitle>All the *news*</subtitle>
  <link rel="self" href="https://a.test/feed"/><link href="https://a.test/"/>
  <entry><title type="html">First &lt;b&gt;one&lt;/b&gt;</title><link rel="alternate" href="one?a=1&amp;b=2"/><link rel="enclosure" href="x.mp3"/>
    <updated>Sat, 21 Nov 2026</updated><summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Words &amp; more</p></div></summary></entry>
  <entry><title>Second &amp;y;</title><id>https://a.test/two</id></entry></feed>`;
const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x">
  <title>Road &amp; Toll</title><link>https://a.test/</link><description>All the *news*</description></channel>
  <item><title>First one</title><link>https://a.test/one?a=1&amp;b=2</link><dc:date>Sat, 21 Nov 2026</dc:date><description>Words &amp; more</description></item>
  <item><title>Second &amp;y;</title><link>https://a.test/two</link></item></rdf:RDF>`;
const JSON_FEED = JSON.stringify({
  version: "https://jsonfeed.org/version/1.1",
  title: "Road & Toll",
  home_page_url: "https://a.test/",
  description: "All the *news*",
  items: [
    {
      url: "/one?a=1&b=2",
      title: "First one",
      date_published: "Sat, 21 Nov 2026",
      content_html: "<p>Words &amp; more",
    },
    { id: "https://a.test/two", title: "Second &y;" },
  ],
});

/** Entries of RSS. */
const rss = (items: string): string => `<rss><channel><title>T</title>${items}</channel></rss>`;

describe("a feed", () => {
  test.each([
    ["RSS", "application/xml", RSS],
    ["Atom", "application/atom+xml", ATOM],
    ["RDF", "text/xml", RDF],
    ["JSON", "application/feed+json", JSON_FEED],
  ])("of %s is a list of its entries", async (_name, type, feed) => {
    const content = await read(type, Buffer.from(feed));
    expect(content.title).toBe("Road & Toll");
    expect(content.markdown()).toBe(
      String.raw`# Road & Toll

All the \*news\*

- [First one](https://a.test/one?a=1&b=2) (Sat, 21 Nov 2026)
  Words & more
- [Second &y;](https://a.test/two)`,
    );
    expect(content.text()).toBe(
      "Road & Toll\n\nAll the *news*\n\nFirst one\nSat, 21 Nov 2026\nWords & more\nhttps://a.test/one?a=1&b=2\n\n" +
        "Second &y;\nhttps://a.test/two",
    );
    expect(content.html()).toBe(
      '<h1>Road &amp; Toll</h1>\n<p>All the *news*</p>\n<ul>\n<li><a href="https://a.test/one?a=1&amp;b=2">First one</a>' +
        ' <time>Sat, 21 Nov 2026</time><p>Words &amp; more</p></li>\n<li><a href="https://a.test/two">Second &amp;y;</a></li>\n</ul>',
    );
    expect(content.links()).toEqual([
      { url: "https://a.test/one?a=1&b=2", text: "First one" },
      { url: "https://a.test/two", text: "Second &y;" },
    ]);
  });

  test.each<[what: string, items: string, markdown: string]>([
    ["without fields", "<item/>", "- Untitled"],
    ["with an address alone", "<item><link>/a</link></item>", "- [https://site.test/a](https://site.test/a)"],
    ["with addresses that are not of the web", "<item><title>A</title><link>mailto:a@a.test</link></item>", "- A"],
    ["with a guid that is not an address", "<item><title>A</title><guid>7</guid></item>", "- A"],
    [
      "with a field twice, and an empty one before it",
      "<item><title> </title><title>A</title><title>B</title></item>",
      "- A",
    ],
    [
      "with fields in other elements",
      "<item><media:group><title>B</title></media:group><title>A</title></item>",
      "- A",
    ],
    [
      "with a summary that is empty, and its content",
      "<item><description/><content:encoded>&lt;p&gt;One&lt;/p&gt;&lt;style&gt;no&lt;/style&gt; , two</content:encoded></item>",
      "- Untitled\n  One, two",
    ],
    [
      "with elements beside one another",
      "<item><description>&lt;li&gt;one&lt;/li&gt;two&lt;br&gt;three&lt;b&gt;4&lt;/b&gt;5</description></item>",
      "- Untitled\n  one two three 45",
    ],
    [
      "with marks of Markdown",
      "<item><title>[A]</title><description>1. a &amp;lt; *b*</description></item>",
      String.raw`- \[A\]` + "\n" + String.raw`  \1. a \< \*b\*`,
    ],
    ["in another entry", "<item><title>A</title><item><title>B</title></item></item><item/>", "- A\n- Untitled"],
    ["with a namespace", "<rss:item><title>A</title></rss:item><ITEM><TITLE>B</TITLE></ITEM>", "- A\n- B"],
  ])("has entries %s", async (_what, items, markdown) => {
    const found = await markdownOf("application/rss+xml", rss(items));
    expect(found).toBe(`# T\n\n${markdown}`);
  });

  test("has entries whose fields have bounds", async () => {
    const entry = (title: string, date: string, text: string): string =>
      rss(`<item><title>${title}</title><pubDate>${date}</pubDate><description>${text}</description></item>`);
    const most = entry("t".repeat(500), "d".repeat(50), "s".repeat(500));
    expect(await markdownOf("text/xml", most)).toEndWith(
      `- ${"t".repeat(500)} (${"d".repeat(50)})\n  ${"s".repeat(500)}`,
    );
    const more = entry(`${"t".repeat(498)}😀t`, "d".repeat(51), `&lt;b&gt;${"s".repeat(501)}`);
    expect(await markdownOf("text/xml", more)).toEndWith(
      `- ${"t".repeat(498)}… (${"d".repeat(49)}…)\n  ${"s".repeat(499)}…`,
    );
    const entries = "<item/>".repeat(5_001);
    expect((await markdownOf("text/xml", rss(entries))).split("\n- ")).toHaveLength(5_001);
    const json = JSON.stringify({ version: "https://jsonfeed.org/version/1", items: Array.from({ length: 5_001 }) });
    expect((await markdownOf("application/json", json)).split("- U")).toHaveLength(5_001);
  });

  test.each([
    [{ version: "https://jsonfeed.org/version/1", items: {} }],
    [{ version: "https://jsonfeed.org/version/2", items: [] }],
    [{ version: 1, items: [] }],
    [[{ items: [] }]],
  ])("of JSON has a version and items: %j", async (value) => {
    expect(await markdownOf("application/json", JSON.stringify(value))).toStartWith("```json\n");
  });
});

describe("XML", () => {
  test("that is not a feed is returned unchanged", async () => {
    const xml = `<?xml version="1.0" encoding="windows-1251"?><a>\xcf https://a.test/</a>`;
    const content = await read("application/xml", Buffer.from(xml, "latin1"));
    expect(content.markdown()).toBe(
      '```xml\n<?xml version="1.0" encoding="windows-1251"?><a>П https://a.test/</a>\n```',
    );
    expect(content.links()).toEqual([{ url: "https://a.test/", text: "" }]);
  });

  const ROOT = "<rss><channel><title>T</title></channel></rss>";

  test.each([
    `\uFEFF  <?xml version="1.0"?><!-- <a> --><!DOCTYPE rss>${ROOT}`,
    `<!DOCTYPE rss SYSTEM "x.dtd" [ <!ENTITY a ">"> ] >${ROOT}`,
    `<!DOCTYPE rss>${ROOT.replace("T<", "[T] ><").replace("[T] >", "T")}`,
    `<!DOCTYPE a><!DOCTYPE rss><?x [?>${ROOT}`,
    ROOT.replaceAll("rss>", "rdf:RDF>"),
    "<atom:feed><title>T</title></atom:feed>",
    ROOT.toUpperCase(),
  ])("whose first element is that of a feed is a feed: %j", async (xml) => {
    expect((await read("text/xml", xml)).title).toBe("T");
  });

  test.each(["no element", `<!-- ${ROOT}`, `<? ${ROOT}`, "<!DOCTYPE rss [", `<a>${ROOT}</a>`, `<${"a".repeat(200)}>`])(
    "with another first element, or without one, is code: %#",
    async (xml) => {
      expect(await markdownOf("text/xml", xml)).toBe(`\`\`\`xml\n${xml}\n\`\`\``);
    },
  );

  test.each([
    ["<html><a/><br/><BR/>&eacute;</html>", "<html><a></a><br><BR></BR>&eacute;</html>"],
    ["<x:html><x:p a='&quot;1\"'>a</x:p><svg:p/></x:html>", '<html><p a="&quot;1&quot;">a</p><svg:p></svg:p></html>'],
    ["<html><p>a<![CDATA[<b>&]]><i>&lt;</i></p></html>", "<html><p>a&lt;b>&amp;<i>&lt;</i></p></html>"],
    [
      "<html><script><![CDATA[1 < 2 && 3]]></script><style><![CDATA[a<b]]></style><p><![CDATA[<]]></p></html>",
      "<html><script>1 < 2 && 3</script><style>a<b</style><p>&lt;</p></html>",
    ],
  ])("that is XHTML is a page, and short forms are written out: %j", async (xml, html) => {
    for (const type of ["application/xml", "application/xhtml+xml"]) {
      const found = await documentFrom(type, Buffer.from(xml));
      if (found.is !== "html") throw new Error(`The document is ${found.is}`);
      expect(Buffer.from(found.source.body).toString()).toBe(`<!DOCTYPE html>\n${html}`);
      expect([found.source.contentType, found.isGuess]).toEqual(["text/html; charset=utf-8", false]);
    }
  });
});

test("a page of a browser, or without a type, is HTML", async () => {
  for (const [type, body, as] of [
    ["application/xhtml+xml", "<html/>", "application/xhtml+xml"],
    ["text/html; charset=utf-8", Buffer.from("<p>"), "text/html; charset=utf-8"],
    ["", Buffer.from("<p>"), ""],
    ["unknown/unknown", Buffer.from("<p>"), "text/html"],
  ] as const) {
    const found = await documentFrom(type, body);
    expect(found).toMatchObject({ is: "html", source: { contentType: as, body } });
  }
});

test.each<[type: string, body: string, found: object]>([
  ["image/png", "x", { is: "unsupported" }],
  ["application/pdf", "%PDF-1.7", { is: "broken", error: "broken" }],
  ["application/rtf", "x", { is: "broken", error: { message: "its bytes are not those of its type" } }],
  ["application/rtf", String.raw`{\rtf1 text}`, { is: "other" }],
])("a file of type %s with the bytes %j", async (type, body, found) => {
  expect(await documentFrom(type, Buffer.from(body))).toMatchObject(found);
});
