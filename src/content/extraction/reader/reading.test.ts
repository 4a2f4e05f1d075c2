import { describe, expect, test } from "bun:test";
import { type Extraction } from "../tree/extraction.ts";
import { parseTree } from "../tree/tree.ts";
import { readArticle } from "./read-article.ts";

const URL_BASE = "https://www.site.test/notes/page";
const TEXT = "The night train leaves at half past ten, and reaches the coast just as the bakeries open their doors. ";
const PARAGRAPHS = Array.from({ length: 6 }, (_, i) => `<p>${i}. ${TEXT.repeat(3)}</p>`).join("");

const read = (html: string, url = URL_BASE): Extraction => readArticle(parseTree(html), url);
const story = (inside: string): string =>
  `<title>Trains</title><nav><a href="/">Home</a></nav><article><h1>Trains</h1>${PARAGRAPHS}${inside}</article>`;

const section = (name: string, text: string): string =>
  `<h2 id="a"><a class="heading-anchor" href="#a">${name}</a></h2><!-- --><div>${text}</div>`;

describe("an article", () => {
  test("has its title separately, and not at its beginning", () => {
    const { title, content } = read(story(""));
    expect(title).toBe("Trains");
    expect(content).toMatch(/^0\\\. The night train/);
  });

  test("keeps code, tables, figures, formulas and lists", () => {
    const { content } = read(
      story(
        '<pre class="language-go"><code>x := 1</code></pre><table><tr><th>A</th></tr><tr><td>1</td></tr></table>' +
          '<figure><img src="/i.png" alt="A train"><figcaption>On time.</figcaption></figure>' +
          "<p>So <math><mi>n</mi><mo>=</mo><mn>1</mn></math> holds.</p><ul><li>one</li><li>two</li></ul>" +
          PARAGRAPHS,
      ),
    );
    for (const part of [
      "```go\nx := 1\n```",
      "| A |\n| --- |\n| 1 |",
      "![A train](https://www.site.test/i.png)",
      "On time.",
      "$n=1$",
      "- one\n- two",
    ]) {
      expect(content).toContain(part);
    }
  });

  test.each<[string, string]>([
    ["buttons to share", '<div class="bar"><a href="#">Share this article</a></div>'],
    ["a heading with links to others", '<h2>Related stories</h2><ul><li><a href="/b">Gone and lost</a></li></ul>'],
    ["a box for consent", '<div class="cookie-banner"><p>Gone and lost: we value your privacy.</p></div>'],
    ["a dialog", '<div role="dialog"><p>Gone and lost: subscribe now.</p></div>'],
  ])("is without %s", (_what, html) => {
    expect(read(story(html)).content).not.toMatch(/Gone and lost|Share this|Related stories/);
  });

  test("keeps short code between two paragraphs", () => {
    const { content } = read(story(`<p>The command</p><pre>TABLE name</pre><p>is short. ${TEXT}</p>`));
    expect(content).toContain("```\nTABLE name\n```");
  });

  test("keeps the indentation and the empty lines of code whose lines are elements", () => {
    const lines = ["<b>if</b> (ok) {", "  <b>return</b> 1;", "<br>", "}"];
    const code = `<pre><code>${lines.map((line) => `<div class="cm-line">${line}</div>`).join("")}</code></pre>`;
    const { content } = read(story(`<p>The code ${TEXT}</p>${code}<p>is short. ${TEXT}</p>`));
    expect(content).toContain("```\nif (ok) {\n  return 1;\n\n}\n```");
  });

  test("keeps headings that are links with the class of a mark, above text that is kept", () => {
    const below = `<p>It runs on steam. ${TEXT.repeat(3)}</p>`;
    const { content } = read(story(section("The engine", below) + section("No more", "")));
    expect(content).toContain("## The engine\n\n");
    expect(content).not.toContain("No more");
    const marked = '<h2 id="b">The tender<a class="heading-anchor" href="#b">Link</a></h2>';
    expect(read(story(`${marked}<p>It has coal. ${TEXT.repeat(3)}</p>`)).content).toContain("## The tender\n");
  });

  test("keeps the spaces of highlighted code", () => {
    const code =
      '<span class="k">from</span><span class="w"> </span><span>typing</span><span class="w"> </span><span>import</span> Any' +
      "<span><span>\n    </span></span><span>pass</span>";
    const { content } = read(story(`<pre><code>${code}</code></pre>${PARAGRAPHS}`));
    expect(content).toContain("```\nfrom typing import Any\n    pass\n```");
  });

  test("has its videos, but no silent one that repeats itself", () => {
    const { content } = read(
      story(
        `<p>${TEXT}</p><video src="/behind.mp4" autoplay loop muted></video><video id="player-1-background" src="/behind2.mp4"></video><p>${TEXT}</p><video src="/talk.mp4" controls></video>${PARAGRAPHS}`,
      ),
    );
    expect(content).toContain("talk.mp4");
    expect(content).not.toContain("behind");
  });

  test("has its pictures, but no icons and no pictures that stand for others", () => {
    const names = ["lazy_placeholder.gif", "loading.0123abcd.svg", "btn-close.png", "arrow-right.svg"];
    const kept = ["close-up.png", "icon-of-a-saint.jpg", "loading-dock.png"];
    const pictures = [...names, ...kept].map((name) => `<img src="/p/${name}" alt="">`).join("");
    const spaces = '<img src="/s.gif" width="14" height="1"><img src="/s.gif" width="0">';
    const { content } = read(story(`<p>${TEXT}${pictures}${spaces}</p>${PARAGRAPHS}`));
    expect(content).not.toContain("s.gif");
    for (const name of kept) expect(content).toContain(name);
    for (const name of names) expect(content).not.toContain(name);
  });

  test("has its line breaks, also in an element of their own", () => {
    const verse = `<p><span>Do not raise</span><span><br> </span><span>your small voice against it. ${TEXT}</span></p>`;
    expect(read(story(verse)).content).toContain("Do not raise  \nyour small voice");
  });

  test("has no logo of the navigation", () => {
    const { content } = read(story("").replace("<nav>", '<nav><a href="/"><img src="/logo.png" alt="Logo"></a>'));
    expect(content).not.toContain("logo.png");
  });

  test("keeps a section whose heading resembles one of other pages", () => {
    expect(read(story(`<h2>Related reading</h2><p>Kept. ${TEXT}</p>`)).content).toContain(
      "## Related reading\n\nKept.",
    );
  });

  test("has its author, date and language", () => {
    const head =
      '<html lang="nb-NO"><script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","author":[{"name":"Marit Dahl"},' +
      '{"name":"Jon Berg"}],"datePublished":"2026-11-17T19:04:00+01:00"}]}</script>';
    expect(read(head + story(""))).toMatchObject({
      byline: "Marit Dahl, Jon Berg",
      published: "2026-11-17T19:04:00+01:00",
      language: "nb-NO",
    });
  });

  test("has no author or date if the page has no valid ones, and the language of its text", () => {
    const found = read(
      `<html lang="not a tag"><meta name="author" content="https://site.test/me"><meta name="date" content="soon">${story("")}`,
    );
    expect(Object.keys(found)).toEqual(["content", "title", "confidence", "language"]);
    expect(found.language).toBe("en");
  });
});

test("a thread has all its posts, with their authors and dates", () => {
  const posts = ["Oda", "Bram", "Tine", "Yusra"].map(
    (name, i) =>
      `<div class="comment post"><a class="user" href="/u">${name}</a> <time class="date">${i + 1} May 2026</time><div class="signature">Elsewhere ${i}</div>` +
      `<div class="text"><p>Answer ${i}: ${TEXT}</p></div><a href="#r">Reply</a></div>`,
  );
  const html = `<title>When?</title><nav><a href="/">Home</a></nav><h1>When?</h1><div>${posts.join("")}</div>`;
  const { content } = read(html, "https://www.site.test/forum/when");
  for (const part of ["Oda", "Bram", "Tine", "Yusra", "Answer 0", "Answer 3", "1 May 2026", "4 May 2026"])
    expect(content).toContain(part);
  expect(content).not.toMatch(/Reply|Elsewhere|Home/);
});

describe("readers' comments", () => {
  const comments = ["Oda", "Bram", "Tine"].map(
    (name) => `<li class="comment"><b class="author">${name}</b><p>${name} says that it was late again.</p></li>`,
  );
  const page = story("").replace(
    "</article>",
    `</article><section id="comments"><h2>3 comments</h2><ol>${comments.join("")}</ol><form><label>Your comment</label></form></section>`,
  );

  test("are not part of an article", () => {
    expect(read(page).content).not.toContain("late again");
  });

  test("are included on request, without the form", () => {
    const { content } = readArticle(parseTree(page), URL_BASE, { comments: true });
    for (const name of ["Oda", "Bram", "Tine"]) expect(content).toContain(`${name} says`);
    expect(content).not.toContain("Your comment");
  });
});

test("a page's metadata is returned with absolute addresses", () => {
  const head =
    '<link rel="canonical" href="/trains"><meta property="og:image" content="/lead.jpg"><meta property="og:site_name" content="The Quay">';
  expect(read(head + story(""))).toMatchObject({
    siteName: "The Quay",
    canonical: "https://www.site.test/trains",
    image: "https://www.site.test/lead.jpg",
  });
});

test("relative addresses of metadata are resolved against the page's base", () => {
  const head =
    '<base href="https://media.site.test/2026/"><meta property="og:image" content="lead.jpg"><link rel="canonical" href="t">';
  expect(read(head + story(""))).toMatchObject({
    image: "https://media.site.test/2026/lead.jpg",
    canonical: "https://media.site.test/2026/t",
  });
});

test("the hidden panel of a tab is read like the visible one", () => {
  const tabs = `<div role="tabpanel"><h2>Morning</h2>${PARAGRAPHS}</div><div role="tabpanel" hidden><h2>Evening</h2><p>Folded. ${TEXT.repeat(3)}</p></div>`;
  expect(read(story(tabs)).content).toContain("## Evening\n\nFolded.");
});

test("a product has its name, price, description and specification, and no other products", () => {
  const others = Array.from(
    { length: 6 },
    (_, i) => `<li class="card"><a href="/p/${i}">Other kettle ${i}</a><span class="price">${i}5.00 EUR</span></li>`,
  );
  const { title, content } = read(
    `<title>Copper kettle | Shop</title><script type="application/ld+json">{"@type":"Product","name":"Copper kettle",
    "offers":{"@type":"Offer","price":"49.00"}}</script><nav><a href="/">Home</a><a href="/k">Kettles</a></nav>
    <main><div class="product"><h1>Copper kettle</h1><span class="price">49.00 EUR</span><button>Add to cart</button>
    <div class="description"><p>A kettle of hammered copper, made in one piece. ${TEXT}</p></div>
    <h2>Specifications</h2><table><tr><th>Weight</th><td>1.2 kg</td></tr><tr><th>Volume</th><td>1.7 l</td></tr></table></div>
    <section class="related"><h2>Related products</h2><ul>${others.join("")}</ul></section></main><footer>© Shop</footer>`,
  );
  expect(title).toBe("Copper kettle");
  for (const part of ["49.00 EUR", "hammered copper", "1.7 l"]) expect(content).toContain(part);
  expect(content).not.toMatch(/Add to cart|Other kettle|© Shop/);
});

test("a product list has each product with its price, and no filters", () => {
  const cards = Array.from(
    { length: 12 },
    (_, i) =>
      `<li class="card"><a href="/p/${i}"><img src="/${i}.jpg" alt="">Kettle ${i}</a><span>${i}9.00 EUR</span></li>`,
  );
  const { content } = read(
    `<title>Kettles</title><h1>Kettles</h1><div class="facets"><a href="?c">Copper</a><a href="?s">Steel</a></div><ul>${cards.join("")}</ul>`,
  );
  expect(content).toContain("[![](https://www.site.test/11.jpg) Kettle 11](https://www.site.test/p/11)");
  expect(content).toContain("119.00 EUR");
  expect(content).not.toContain("Copper");
});

test("an index of links is the content if the page has no other", () => {
  const lists = "ABCDEFGHIJ".split("").map((letter) => {
    const links = Array.from({ length: 6 }, (_, i) => `<li><a href="/${letter}${i}">${letter} name ${i}</a></li>`);
    return `<h2>${letter}</h2><ul>${links.join("")}</ul>`;
  });
  const { content } = read(`<title>Index</title><nav><a href="/">Home</a></nav><h1>Index</h1>${lists.join("")}`);
  expect(content.match(/name \d/g)).toHaveLength(60);
  expect(content).not.toContain("Home");
});

test("a thread with a heading for comments is kept", () => {
  const posts = Array.from({ length: 5 }, (_, i) => `<div class="c"><a href="/u">u${i}</a> Answer ${i}: ${TEXT}</div>`);
  const { content } = read(
    `<title>When?</title><h1>When?</h1><p>When does it leave?</p><h2>5 comments</h2>${posts.join("")}`,
  );
  expect(content).toContain("Answer 4");
});

describe("a page with hardly any content", () => {
  test.each<[string, string, string]>([
    ["is what it has", "<title>T</title><p>Little.</p>", "Little."],
    [
      "is its navigation if the page has no other text",
      "<nav><a href='/a'>Alpha</a></nav>",
      "[Alpha](https://www.site.test/a)",
    ],
    ["is its header if the page has no other text", "<header><p>Only this.</p></header>", "Only this."],
    ["is its title as a heading if the page has no other text", "<title>Alone</title><h1>Alone</h1>", "# Alone"],
    ["is empty if the page has no text", "<title>T</title><div></div>", ""],
  ])("%s", (_what, html, content) => {
    expect(read(html).content).toBe(content);
  });
});

test("words of scripts without spaces are counted by character", () => {
  const text = "城南的老茶馆在去年秋天重新开张，木门还是原来的木门，桌椅却换成了新的。";
  const { content } = read(
    `<title>茶馆</title><nav><a href="/">首页</a></nav><article><h1>茶馆</h1><p>${text.repeat(4)}</p></article>`,
  );
  expect(content).toBe(text.repeat(4));
});
