import { type CorpusPage, html, plain, scripted } from "./page.ts";
import { paragraphs, sentences, table, times } from "./prose.ts";

/** The characters of an encoding by their bytes, from the decoder: TextEncoder supports only UTF-8. */
function charactersOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(encoding as Bun.Encoding); // the types name fewer encodings than exist
  const known = new Map<string, readonly number[]>();
  const learn = (...bytes: readonly number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if (!known.has(char)) known.set(char, bytes);
  };
  for (let low = 0; low < 256; low += 1) learn(low);
  for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) learn(lead, trail);
  return known;
}

const QUESTION_MARK = 0x3f;

/** The bytes of a text in an encoding with one or two bytes per character. */
function encode(text: string, encoding: string): Uint8Array<ArrayBuffer> {
  const known = charactersOf(encoding);
  return Uint8Array.from(Array.from(text).flatMap((char) => known.get(char) ?? [QUESTION_MARK]));
}

function utf16(text: string, little: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2 + 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, little);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2 + 2, text.charCodeAt(at), little);
  return bytes;
}

const page = (title: string, words: string, meta = "") =>
  `<!DOCTYPE html><html><head>${meta}<title>${title}</title></head><body><h1>${title}</h1>${times(4, () => `<p>${words}</p>`)}</body></html>`;
const meta = (charset: string) => `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`;
const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text));

const RUSSIAN = "Мост через реку открыт в 1894 году и с тех пор служит всей долине.";
const JAPANESE = "谷の橋は千八百九十四年に開通し、今も使われている。";
const CHINESE = "山谷的桥建于一八九四年，至今仍在使用。";
const POLISH = "Most nad rzeką otwarto w 1894 roku; żółte łodzie płyną pod nim aż do źródła.";

const ENCODINGS: readonly CorpusPage[] = [
  plain("/encoding/windows-1251", encode(page("Мост", RUSSIAN), "windows-1251"), {
    type: "text/html; charset=windows-1251",
  }),
  plain("/encoding/windows-1251-meta", encode(page("Мост", RUSSIAN, meta("windows-1251")), "windows-1251"), {
    type: "text/html",
  }),
  plain("/encoding/koi8-r", encode(page("Мост", RUSSIAN, '<meta charset="koi8-r">'), "koi8-r"), { type: "text/html" }),
  plain("/encoding/shift-jis", encode(page("橋", JAPANESE), "shift_jis"), { type: "text/html; charset=Shift_JIS" }),
  plain("/encoding/shift-jis-meta", encode(page("橋", JAPANESE, meta("x-sjis")), "shift_jis"), { type: "text/html" }),
  plain("/encoding/euc-jp", encode(page("橋", JAPANESE, meta("euc-jp")), "euc-jp"), { type: "text/html" }),
  plain("/encoding/gb18030", encode(page("桥", CHINESE), "gb18030"), { type: "text/html; charset=gb18030" }),
  plain("/encoding/gb2312-meta", encode(page("桥", CHINESE, meta("gb2312")), "gb18030"), { type: "text/html" }),
  plain("/encoding/big5", encode(page("橋", "山谷的橋至今仍在使用。", meta("big5")), "big5"), { type: "text/html" }),
  plain("/encoding/euc-kr", encode(page("다리", "골짜기의 다리는 지금도 쓰인다.", meta("euc-kr")), "euc-kr"), {
    type: "text/html",
  }),
  plain("/encoding/iso-8859-2", encode(page("Most", POLISH), "iso-8859-2"), { type: "text/html; charset=ISO-8859-2" }),
  plain("/encoding/latin1-is-1252", encode(page("“Pont”", "Le “vieux” pont coûte 3 € — déjà."), "windows-1252"), {
    type: "text/html; charset=iso-8859-1",
  }),
  scripted("/encoding/none-declared", encode(page("Pont", "Le vieux pont est déjà fermé."), "windows-1252"), {
    type: "text/html",
  }),
  plain("/encoding/utf-8-bom", bytesOf(`\uFEFF${page("Bridge", "Über die Brücke – naïve façade.")}`), {
    type: "text/html",
  }),
  plain("/encoding/utf-16le", utf16(page("Bridge", RUSSIAN), true), { type: "text/html" }),
  plain("/encoding/utf-16be", utf16(page("Bridge", JAPANESE), false), { type: "text/html; charset=utf-8" }),
  plain("/encoding/header-beats-meta", bytesOf(page("Brücke", "Über die Brücke.", meta("windows-1251"))), {
    type: "text/html; charset=utf-8",
  }),
  plain("/encoding/bom-beats-header", bytesOf(`\uFEFF${page("Brücke", "Über die Brücke.")}`), {
    type: "text/html; charset=windows-1252",
  }),
  plain(
    "/encoding/broken-bytes",
    Uint8Array.from([...bytesOf("<p>before "), 0xff, 0xc3, 0x28, ...bytesOf(" after</p>")]),
    { type: "text/html; charset=utf-8" },
  ),
  plain("/encoding/unknown-label", bytesOf(page("Brücke", "Über die Brücke.", '<meta charset="utf-8">')), {
    type: "text/html; charset=nonsense",
  }),
];

const XHTML = (body: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>XHTML</title></head><body>${body}</body></html>`;

const XML: readonly CorpusPage[] = [
  plain(
    "/xhtml/as-html",
    XHTML(`<h1>XHTML</h1>${paragraphs(4, 1)}<p>A line<br />and another<img src="/a.png" alt="A" /></p><hr />`),
  ),
  plain(
    "/xhtml/as-xml",
    XHTML(`<h1>XHTML</h1>${paragraphs(4, 2)}<p>A line<br/>and another</p><div id="e"/><p>After</p>`),
    { type: "application/xhtml+xml" },
  ),
  plain("/xhtml/cdata", XHTML(`<h1>CDATA</h1><p><![CDATA[a < b && c]]></p>`), { type: "application/xhtml+xml" }),
  scripted("/xhtml/script-in-one-tag", XHTML(`<script src="/js/site.js"/><h1>After a script</h1><p>Words.</p>`), {
    type: "application/xhtml+xml; charset=utf-8",
  }),
  plain(
    "/xhtml/cdata-as-html",
    XHTML(`<p>before <![CDATA[inside]]> after</p><svg><title><![CDATA[picture]]></title></svg>`),
  ),
];

const broken = (name: string, body: string) => plain(`/malformed/${name}`, body);

const MALFORMED: readonly CorpusPage[] = [
  broken("misnested", "<p>1<b>2<i>3</b>4</i>5</p><div><a href=/x>link<div>block</a>tail</div>"),
  broken(
    "unclosed",
    `<html><body><h1>Open<p>One<p>Two<ul><li>a<li>b<ul><li>c</ul><li>d</ul><dl><dt>t<dd>d<dt>u<dd>e</dl><table><tr><td>x<td>y<tr><td>z`,
  ),
  broken("table-text-moved", "<table>Before<tr><td>cell</td></tr>after<caption>Caption</caption></table><p>end</p>"),
  broken("table-in-table", "<table><tr><td>a<table><tr><td>inner</table>b<tr><td>c</table>"),
  broken("nested-anchors", '<a href="/1">one<a href="/2">two</a>three</a><a href="/3"><p>four</p></a>'),
  broken("nested-forms", "<form><p>a<form><p>b</form>c</form>d<input value=e>"),
  broken(
    "select",
    "<select><option>One<option>Two<optgroup label=g><option>Three</select><p>after<select><p>inside</p></select>",
  ),
  broken("headings", "<h1>One<h2>Two</h1>three</h2><h3>Four</p>five</h3>"),
  broken(
    "duplicate-body",
    "<html lang=en><body class=a><p>One</p></body><body class=b id=x><p>Two</p></html><p>Three</p><html dir=rtl>",
  ),
  broken("quirks", "<table><p>quirks<table><tr><td>cell</table></table><p>end"),
  broken("plaintext", "<p>before</p><plaintext><p>not a tag</p>&amp; so on"),
  broken("xmp-listing", "<xmp><b>raw</b></xmp><listing>\nlisted &amp; done</listing>"),
  broken(
    "svg",
    '<svg viewBox="0 0 1 1"><text>In a picture</text><foreignObject><p>Foreign <b>HTML</b></p></foreignObject><p>Broken out</p>',
  ),
  broken("math", '<math><mi>x</mi><annotation-xml encoding="text/html"><p>y</p></annotation-xml></math><p>after</p>'),
  broken("template", "<template><p>Unseen</p></template><p>Seen</p><template><tr><td>x</template>"),
  broken("entities", "<p>&amp &lt;b&gt; &notit; &copy &#150; &#x80; &nbsp;| &#0; &unknown; caf&eacute;</p>"),
  broken(
    "attributes",
    `<a href=/x"y>one</a><a href='/b' href="/c">two</a><a =x href=/d>three</a><p title="a>b">four</p>`,
  ),
  broken("comments", "<p>a<!-- b -- c --!>d<!-->e<!--->f<!-- <p>g</p> -->h<? php ?>i</p><!doctype html>"),
  broken("end-tags", "</p></br></div>text</b></span><p>more</p></body>tail</html>end"),
  broken("frameset-late", "<p>text</p><frameset><frame src=/frame></frameset><noframes>none</noframes>"),
  broken("title-open", "<title>Never <b>closed</title><p>body</p>"),
  broken("textarea", "<p>a<textarea>\n<b>typed</b></textarea>b</p>"),
  broken("nul-and-controls", "<p>a\u0000b\u000cc\u0001d</p><pre>\n\n two</pre>"),
  broken("button-in-button", "<button>a<button>b</button>c</button><p>d"),
  broken("ruby", "<ruby>橋<rp>(</rp><rt>はし</rt><rp>)</rp></ruby>"),
  broken("marquee-center-font", "<center><marquee>Moving</marquee><font color=red>Red<p>para</font>graph</center>"),
];

const VARIETY: readonly CorpusPage[] = [
  plain(
    "/variety/base",
    html({
      title: "Base",
      head: '<base href="/elsewhere/">',
      body: `<p><a href="page">Link</a> <a href="/root">Root</a> <img src="i.png" alt="i"></p>${paragraphs(2, 1)}`,
    }),
  ),
  plain(
    "/variety/rtl",
    html({
      title: "جسر",
      lang: "ar",
      bodyTag: '<body dir="rtl">',
      body: "<h1>جسر الوادي</h1><p>افتتح الجسر عام 1894 ولا يزال يحمل حركة الوادي.</p><ul><li>واحد</li><li>اثنان</li></ul>",
    }),
  ),
  plain(
    "/variety/cjk",
    html({ title: "橋", lang: "ja", body: `<h1>谷の橋</h1>${times(5, () => `<p>${JAPANESE}</p>`)}<p>${CHINESE}</p>` }),
  ),
  plain(
    "/variety/emoji",
    html({ title: "🌉", body: "<h1>🌉 Bridge</h1><p>👩‍👩‍👧 family 🏳️‍🌈 flag 𝒳 letter e\u0301 accent</p>" }),
  ),
  plain("/variety/long", html({ title: "Long", body: times(120, (n) => `<h2>Chapter ${n}</h2>${paragraphs(3, n)}`) })),
  plain(
    "/variety/deep",
    `<title>Deep</title>${"<div>".repeat(700)}<p>At the bottom</p>${"</div>".repeat(700)}<p>After</p>`,
  ),
  plain(
    "/variety/deep-quotes",
    `<title>Quotes</title>${"<blockquote>".repeat(30)}<p>inner</p>${"</blockquote>".repeat(30)}`,
  ),
  plain(
    "/variety/wide-table",
    html({
      title: "Wide",
      body: `<table>${times(40, (n) => `<tr>${times(15, (m) => `<td>${n * m}</td>`)}</tr>`)}</table>`,
    }),
  ),
  plain(
    "/variety/spans",
    html({
      title: "Spans",
      body: '<table><tr><th colspan="2">A</th><th rowspan="2">B</th></tr><tr><td>1</td><td>2</td></tr><tr><td rowspan="2">3</td><td>4</td><td>5</td></tr><tr><td>6</td><td>7</td></tr></table>',
    }),
  ),
  plain("/variety/one-paragraph", "<p>hello</p>"),
  plain("/variety/bare-text", "hello there"),
  plain(
    "/variety/hidden",
    html({
      title: "Hidden",
      body: `<p>Seen</p><p hidden>Unseen</p><p style="display:none">Unseen</p><p aria-hidden="true">Mute</p><p class="hidden">By style</p><input type="hidden" value="x">`,
    }),
  ),
  plain(
    "/variety/print-style",
    html({
      title: "Print",
      head: '<link rel="stylesheet" media="print" href="/print.css">',
      body: `<p class="print-only">Printed</p>${paragraphs(2, 2)}`,
    }),
  ),
  plain(
    "/variety/noscript",
    html({ title: "Noscript", body: `${paragraphs(2, 3)}<noscript><p>Seen without scripts</p></noscript>` }),
  ),
  plain(
    "/variety/definitions",
    html({ title: "Words", body: `<dl>${times(6, (n) => `<dt>Word ${n}</dt><dd>${sentences(1, n)}</dd>`)}</dl>` }),
  ),
  plain(
    "/variety/lists",
    html({
      title: "Lists",
      body: '<ol start="3"><li>three<ul><li>a<ol type="i"><li>deep</li></ol></li><li>b</li></ul></li><li value="9">nine</li></ol><ul><li><p>para one</p><p>para two</p></li></ul>',
    }),
  ),
  plain(
    "/variety/inline-marks",
    html({
      title: "Marks",
      body: "<p><em>a</em><strong>b</strong><del>c</del><code>d`e</code><sub>f</sub><sup>g</sup><q>h</q><kbd>i</kbd><mark>j</mark><abbr title='k'>l</abbr> * _ # [m] | n</p>",
    }),
  ),
  plain(
    "/variety/images",
    html({
      title: "Images",
      body: '<p><img src="/a b.png" alt="a [b]"><img src="/c.png"><a href="/d"><img src="/e.png" alt="f" title="g"></a></p><figure><img src="//cdn.test/h.png" alt=""><figcaption>Below</figcaption></figure>',
    }),
  ),
  plain(
    "/variety/links",
    html({
      title: "Links",
      body: '<p><a href="?q=1&amp;r=2">query</a> <a href="#frag">fragment</a> <a href="mailto:a@b.test">mail</a> <a href="tel:+1">tel</a> <a href="javascript:void(0)">none</a> <a>bare</a> <a href="">self</a> <a href="/über/straße">umlaut</a></p>',
    }),
  ),
  plain(
    "/variety/media",
    html({
      title: "Media",
      body: `${paragraphs(2, 4)}<video src="/v.mp4" controls>No video</video><audio controls><source src="/a.ogg">No audio</audio><canvas>No canvas</canvas>`,
    }),
  ),
  plain(
    "/variety/forms",
    html({
      title: "Forms",
      body: `<form><fieldset><legend>Who</legend><label>Name <input value="typed"></label><select><option>A</option><option selected>B</option></select><textarea>text</textarea><button>Go</button><output>3</output><progress value=".5">half</progress></fieldset></form>`,
    }),
  ),
  plain(
    "/variety/white-space",
    html({
      title: "Space",
      body: "<p>  a \n b\t c&nbsp; d </p><pre>  kept\n   so</pre><p>x<br><br>y</p><p style='white-space: pre'>p  q</p>",
    }),
  ),
  plain(
    "/variety/microdata",
    html({
      title: "Data",
      body: `<div itemscope itemtype="https://schema.org/Person"><span itemprop="name">Ida</span><meta itemprop="age" content="40"><link itemprop="url" href="/ida"></div>${table(3, 1)}`,
    }),
  ),
  plain(
    "/variety/frameset",
    '<html><head><title>Frames</title></head><frameset cols="20%,80%"><frame src="/frame"><frame src="/frame"><noframes><body><p>Your browser has no frames. <a href="/frame">Go on</a></p></body></noframes></frameset></html>',
  ),
  plain("/variety/empty", html({ title: "Empty", body: "" })),
  plain("/variety/no-bytes", ""),
  plain("/variety/only-image", html({ title: "Image", body: '<img src="/a.png" alt="A picture of a bridge">' })),
  plain(
    "/variety/dialog",
    html({
      title: "Dialog",
      body: `${paragraphs(2, 5)}<dialog><p>Closed</p></dialog><dialog open><p>Open</p></dialog><div popover><p>Popover</p></div>`,
    }),
  ),
];

/** Documents in various encodings and types; hardly any has a script. */
export const DOCUMENTS: readonly CorpusPage[] = [...ENCODINGS, ...XML, ...MALFORMED, ...VARIETY];
