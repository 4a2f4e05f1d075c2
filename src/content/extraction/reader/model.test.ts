import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readerCorpus } from "../../testing/reader-corpus.ts";
import { showLateText } from "../late-text.ts";
import { parseTree } from "../tree/tree.ts";
import { FEATURES, WIDTH } from "./feature-names.ts";
import { featuresOf } from "./features.ts";
import { hintsOf } from "./hints.ts";
import { metadataOf } from "./metadata.ts";
import { readerModel, ReaderModel } from "./model.ts";
import { outlineOf } from "./outline.ts";
import { bodyOf } from "./words.ts";

const bytes = new Uint8Array(readFileSync(new URL("./model.bin", import.meta.url)));

test("the model's file is small, and matches the program's features", () => {
  expect(bytes.length).toBeLessThan(1_000_000);
  expect(new Set(FEATURES.map(([, name], at) => `${name} ${at}`)).size).toBe(WIDTH);
  expect(WIDTH).toBeLessThanOrEqual(256);
  const score = new ReaderModel(bytes).score({ rows: 2, values: new Float32Array(2 * WIDTH) });
  expect([...score].every((share) => share > 0 && share < 1)).toBe(true);
});

test("a file for other features is rejected", () => {
  const other = Uint8Array.from(bytes);
  other[4] = WIDTH - 1;
  expect(() => new ReaderModel(other)).toThrow(/Cannot load the reader's model/);
  other[0] = 0;
  expect(() => new ReaderModel(other)).toThrow(/Cannot load the reader's model/);
});

const ACCORDION = `<main><h1>Lamps</h1><h2><button aria-expanded="false">Care</button></h2><div hidden>Wipe it dry.</div>
<details><summary>Parts</summary><p>A shade and a foot.</p></details><div role="tabpanel" hidden>Two years of warranty.</div>
<div hidden>Do not read this.</div></main>`;
/** A page with all that features count: links of each kind, prices, times, lists of one template, and quotes. */
const KINDS = `<html><head><title>Two lamps, three shades: a test</title><meta property="og:type" content="article"><meta name="description" content="Two lamps in a test.">
<script type="application/ld+json">{"@type":"Article","articleBody":"Two lamps stood on the table of the workshop, and their light fell on the floor. Oda had lit them."}</script></head>
<body><header class="site-header"><a href="/">Quay</a> <a href="#top">Top</a> <a href="https://other.test/x">Other</a> <a>None</a></header>
<nav role="navigation"><ul><li><a href="/a">Lamps</a></li><li><a href="/b">Shades</a></li><li><a href="/c">Feet</a></li></ul></nav>
<aside class="sidebar widget"><h4>Related articles</h4><h5>More lamps</h5><p>€5, $7 <img src="/a.png"></p><p>€5, $7</p></aside>
<article class="post entry-content"><h1>Two lamps, three shades</h1><address>By Ann Lee</address><time>4 March 2026</time>
<p>Two lamps stood on the table of the workshop, and their light fell on the floor. Oda had lit them.</p>
<div><div><div><p>THE Lamp; the shade, and the foot: 12 parts, 3 kg each! Are they heavy? <a href="/q">They are</a>, as <b>all</b> lamps of 1912.</p></div></div></div>
<p>The first lamp was bought in a shop at the harbour by the old captain, who liked its green shade.</p>
<h2>Parts</h2><table><tr><th>Shade</th><td>1</td></tr><tr><th>Foot</th><td>2</td></tr></table><blockquote>It burns<br><br>and burns.</blockquote><pre>lamp --on</pre>
<div hidden>A hidden text of six words.</div><form><label>Your lamp</label><input><button>Send</button></form><dl><dt>Weight<dd>3 kg</dl>
<figure><img src="/b.png"><figcaption>The lamp at night.</figcaption></figure></article>
<section id="comments"><h3>3 comments</h3><div class="c1 comment">Nice lamp.</div><div class="c2 comment">Nice lamp.</div><div class="c3 comment">A lamp, a lamp and a lamp again.</div></section>
<ul>${["Kettle", "Saw", "Axe", "File"].map((name, at) => `<li class="card"><a href="/p/${at}">${name}</a> <span>$${at}.50</span><p>Made of steel in the year ${1990 + at}.</p></li>`).join("")}</ul>
<footer class="footer">© 2026 Quay 城南的老茶馆</footer></body></html>`;
const PAGES = [
  ACCORDION,
  KINDS,
  "",
  "<p>Word",
  "<h1>!</h1><p>…</p>",
  KINDS.replace(/<title>.*<\/title>/, "").replaceAll("<p>", "<div>"),
];
/**
 * SHA-256 of the features of the project's pages and of those above. If they change, the model's file can no longer be made from the data,
 * and the model reads other features than it has learned: train it again (tools/reader-model/README.md).
 */
const TRAINED_FEATURES = "d7b72246a8e3da414b02f6fcaa645c0b74c9077487e36d0bc5682bcfce44e152";

test("the program computes the features that the model was trained on", () => {
  const { lexicon } = readerModel();
  const digest = new Bun.CryptoHasher("sha256");
  const made = PAGES.map((html) => ({ html, url: "https://www.site.test/lamps/two-lamps_2026" }));
  for (const { html, url } of [...readerCorpus(), ...made]) {
    const tree = parseTree(html);
    showLateText(tree, html, "static");
    const hints = hintsOf(metadataOf(tree), url);
    digest.update(featuresOf(outlineOf(bodyOf(tree)), hints, lexicon).values);
  }
  expect(digest.digest("hex")).toBe(TRAINED_FEATURES);
});
