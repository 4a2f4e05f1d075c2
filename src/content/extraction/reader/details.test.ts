import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { readArticle } from "./read-article.ts";

const TEXT = "The night train leaves at half past ten, and reaches the coast just as the bakeries open their doors. ";
const PARAGRAPHS = `<p>${TEXT.repeat(4)}</p>`.repeat(5);

const about = (beside: string, { head = "", path = "/blog/the-night-train", lang = "en" } = {}) => {
  const html = `<html lang="${lang}"><head><title>The night train | Rail</title>${head}</head><body><main><article><h1>The night train</h1>${beside}${PARAGRAPHS}</article></main></body></html>`;
  const { byline, published } = readArticle(parseTree(html), `https://www.site.test${path}`);
  return { byline, published };
};

describe("the author and the date beside the title", () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['<p>By <a href="/x">Jane Doe</a> | Jan 3, 2025 | 5 min read</p>', "Jane Doe", "2025-01-03"],
    [
      '<div class="postMeta"><span class="authorName">Jane Doe</span><time datetime="2025-01-03">Friday</time></div>',
      "Jane Doe",
      "2025-01-03",
    ],
    [
      '<div><a href="/authors/jane-doe">Jane Doe</a>, Privacy Editor</div><div>Published 3 January 2025</div>',
      "Jane Doe",
      "2025-01-03",
    ],
    ["<span>By</span><p>Jane Doe</p>", "Jane Doe", undefined],
    ["<p>Updated: May 5, 2025</p><p>Published: Jan 3, 2025</p>", undefined, "2025-01-03"],
    ['<p><a href="/users/sign_in">Sign in</a></p><p class="author">admin</p>', undefined, undefined],
    [
      "<p>By the time the train leaves, the platform of the old station is empty and the last lamp above the ticket office is out, as always.</p>",
      undefined,
      undefined,
    ],
  ])("%s", (beside, byline, published) => {
    expect(about(beside)).toEqual({ byline, published });
  });

  test.each<[string, string, string | undefined, string | undefined]>([
    ["de", "<p>Von Jana Weiß, 3. März 2025</p>", "Jana Weiß", "2025-03-03"],
    ["es", "<p>Por Ana Ruiz · 3 de marzo de 2025</p>", "Ana Ruiz", "2025-03-03"],
    ["es", "<p><span>Por Ana Ruiz</span><time>3 de marzo de 2025</time></p>", "Ana Ruiz", "2025-03-03"],
    ["hi", "<p><span>लेखक: राम शर्मा</span><time>3 मार्च 2025</time></p>", "राम शर्मा", "2025-03-03"],
    ["ar", "<p><span>بقلم: أحمد علي</span><time>3 مارس 2025</time></p>", "أحمد علي", "2025-03-03"],
    ["ru", '<p class="author">Автор: Анна Белова</p><p>3 марта 2025</p>', "Анна Белова", "2025-03-03"],
    ["zh", "<p>作者:李明</p><p>2025年3月3日</p>", "李明", "2025-03-03"],
    [
      "zh",
      "<div><span>2025年3月3日 08:41</span><span>来源：晚报</span><span>记者：李明</span><span>阅读 2.3万</span></div>",
      "李明",
      "2025-03-03",
    ],
    ["zh", "<p>2025年3月3日 来源：晚报 作者：李明</p>", "李明", "2025-03-03"],
    ["zh-TW", "<p><span>〔記者林佳蓉／台東報導〕</span><time>2025/03/03 16:05</time></p>", "林佳蓉", "2025-03-03"],
    ["zh", "<p>记者昨天从市轮渡公司获悉，航线将恢复开行。</p>", undefined, undefined],
    ["ja", "<p>令和7年3月3日 5時00分</p><p>文・写真＝高橋みどり</p>", "高橋みどり", "2025-03-03"],
    ["ko", "<ul><li>박서준 기자</li><li>승인 2025.03.03 17:40</li><li>댓글 2</li></ul>", "박서준", "2025-03-03"],
    [
      "th",
      "<p><span>เผยแพร่: 3 มี.ค. 2568 09:30 น.</span><span>โดย: สมชาย ใจงาม</span></p>",
      "สมชาย ใจงาม",
      "2025-03-03",
    ],
    ["ar", "<p><span>كتب: محمود الحلبي</span><span>الاثنين ٣ مارس ٢٠٢٥</span></p>", "محمود الحلبي", "2025-03-03"],
    ["he", "<p><span>מאת: נועה ברקת</span><span>3 במרץ 2025, 18:05</span></p>", "נועה ברקת", "2025-03-03"],
    [
      "el",
      "<p><span>Δευτέρα, 3 Μαρτίου 2025</span><span>Της Ελένης Βασιλάκη</span></p>",
      "Ελένης Βασιλάκη",
      "2025-03-03",
    ],
    [
      "tr",
      "<p><span>Yazar: Deniz Aksoy</span><span>Giriş: 3 Mart 2025</span><span>Güncelleme: 5 Mart 2025</span></p>",
      "Deniz Aksoy",
      "2025-03-03",
    ],
    ["vi", "<p>Tác giả: Nguyễn An</p><p>ngày 3 tháng 3 năm 2025</p>", "Nguyễn An", "2025-03-03"],
    ["en", "<p>By continuing, you agree to our <a href='/terms'>terms</a>.</p>", undefined, undefined],
    [
      "en",
      "<p>By\n\n\n Jane Doe\n\n\n  Published:\n\n\n  January 3, 2025</p>".replaceAll("\n", "\n".repeat(60)),
      "Jane Doe",
      "2025-01-03",
    ],
  ])("are found in %s", (lang, beside, byline, published) => {
    expect(about(beside, { lang })).toEqual({ byline, published });
  });

  test("are not taken from code", () => {
    expect(about("<pre>restore --at 2025-01-03</pre>").published).toBeUndefined();
  });

  test.each<[string | undefined, string]>([
    ["Jane Doe", '<p><a href="/authors/jane-doe">Jane Doe</a></p>'],
    [undefined, '<p><a href="/authors/jane-doe">Jane Doe</a></p><p><a href="/authors/bo-li">Bo Li</a></p>'],
    [undefined, '<p><a href="https://videos.test/@rail">Videos</a></p>'],
  ])("the only author of the page is %s", (byline, below) => {
    const html = `<title>The night train</title><body><h1>The night train</h1>${PARAGRAPHS.repeat(4)}${below}`;
    expect(readArticle(parseTree(html), "https://www.site.test/blog/the-night-train").byline).toBe(byline);
  });

  test("are found in a thread whose address differs in a number", () => {
    const html = `<title>Trains</title><body><h1>Trains</h1><p>by <a href="/memberlist.php?mode=viewprofile&u=5">galitsyn</a> » 3 Jan 2025</p>${PARAGRAPHS}`;
    const { byline, published } = readArticle(parseTree(html), "https://forum.site.test/viewtopic.php?t=5");
    expect({ byline, published }).toEqual({ byline: "galitsyn", published: "2025-01-03" });
  });

  test("come after the declared ones", () => {
    const head =
      '<meta name="author" content="Ada &amp; Bo"><meta property="article:published_time" content="June 12, 2025">';
    expect(about("<p>By Jane Doe, Jan 3, 2025</p>", { head })).toEqual({ byline: "Ada & Bo", published: "2025-06-12" });
  });

  test.each([
    ["2026-02-21 12:16:43 +0100 +0100", "2026-02-21T12:16:43+01:00"],
    ["2013-08-22 21:43:53 UTC", "2013-08-22T21:43:53Z"],
    ["2023-09-30 19:49:39", "2023-09-30T19:49:39"],
    ["2022-07-11T02:00:00-0400", "2022-07-11T02:00:00-04:00"],
    ["2026-02-21T12:16+05", "2026-02-21T12:16+05:00"],
    ["2026-02-30T12:16", undefined],
    ["2026-02-21T25:16:43", "2026-02-21"],
    ["2026-13", undefined],
    ["2026-02-21T12:16:43.5+01:00", "2026-02-21T12:16:43.5+01:00"],
    ["2026-02", "2026-02"],
  ])("the declared date %s is given as %s", (content, published) => {
    expect(about("", { head: `<meta property="article:published_time" content="${content}">` }).published).toBe(
      published,
    );
  });

  test("a shown author is better than the site's own name", () => {
    const head = '<meta property="og:site_name" content="Rail"><meta name="author" content="Rail">';
    expect(about("<p>By Jane Doe</p>", { head }).byline).toBe("Jane Doe");
  });

  test("the date in the address is the last source", () => {
    expect(about("", { path: "/2025/12/18/the-night-train" }).published).toBe("2025-12-18");
  });

  test.each([
    "undefined",
    "page.head.author",
    "262588213",
    "admin",
    "Posts",
    "Marketing and Event Coordinator",
    "the content manager",
  ])("%s is not an author", (content) => {
    expect(about("", { head: `<meta name="author" content="${content}">` }).byline).toBeUndefined();
  });

  test.each([
    ['<meta name="DC.creator" content="Ada Hill"><meta name="DC.Creator" content="Bo Wood">', "Ada Hill, Bo Wood"],
    ['<meta name="DC.creator" content="Hill, Ada"><meta name="DC.creator" content="Wood, Bo">', "Hill, Ada; Wood, Bo"],
    ['<meta property="dc:creator" content="Ada Hill">', "Ada Hill"],
    ['<meta name="citation_author" content="Ada Hill"><meta name="citation_author" content="Ada Hill">', "Ada Hill"],
  ])("%s names the authors", (head, byline) => {
    expect(about("", { head }).byline).toBe(byline);
  });

  test("an element with Dublin Core's creator names the author", () => {
    expect(about('<p>Text by <span property="dc:creator">Ada Hill</span></p>').byline).toBe("Ada Hill");
  });

  test("the author of an item in a list is not the author of the page", () => {
    const entries = ["Ada", "Bo", "Cy"].map(
      (name) =>
        `<div class="card"><h2><a href="/${name}">A story of ${name}</a></h2><p class="author">By ${name} Berg</p></div>`,
    );
    expect(about(entries.join(""), { path: "/" }).byline).toBeUndefined();
  });

  test("three or more authors that only the body marks are those of a list's items", () => {
    const entries = ["Ada", "Bo", "Cy"].map(
      (name) => `<div><h2>A story of ${name}</h2><a rel="author" href="/${name}">${name} Berg</a></div>`,
    );
    expect(about(entries.join(""), { path: "/" }).byline).toBeUndefined();
    expect(about(entries.join("")).byline).toBe("Ada Berg");
  });

  test.each([
    [19, undefined],
    [20, "Ada Berg"],
  ])(
    "of the elements with an author the first 20 are read: after %d others a third name does not count",
    (others, byline) => {
      const names = ["Ada Berg", "Bo Berg", ...Array.from({ length: others - 2 }, () => "Ada Berg"), "Cy Berg"];
      const entries = names.map((name) => `<div><a rel="author" href="/x">${name}</a></div>`).join("");
      const head = '<meta property="og:type" content="article">';
      expect(about(entries, { head, path: "/" }).byline).toBe(byline);
    },
  );

  test("microdata with more than a name", () => {
    const beside = '<div itemprop="author"><span itemprop="name">Jane Doe</span> 41244 points 18 gold badges</div>';
    expect(about(beside).byline).toBe("Jane Doe");
  });
});

test("a line of many marks in an author's element is read in linear time", () => {
  const line = `<p class="author">${"<b>·</b>".repeat(100_000)}</p>`;
  expect(about(`${line}<p>By Ann Miller</p>`).byline).toBe("Ann Miller");
});
