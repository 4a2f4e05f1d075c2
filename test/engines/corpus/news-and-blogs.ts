import { type CorpusPage, html, plain } from "./page.ts";
import { FOOTER, NAV, paragraphs, sentences, times } from "./prose.ts";
import { ANALYTICS, TAG_MANAGER, ADS, MATOMO, JSON_LD, JQUERY, SITE, NO_JS, article } from "./snippets.ts";

const news = (path: string, head: string, extra = "", seed = 1): CorpusPage =>
  plain(path, html({ title: `A bridge ${seed}`, head, body: `${NAV}<main>${article(seed)}</main>${extra}${FOOTER}` }));

const NEWS: readonly CorpusPage[] = [
  news("/news/plain", ""),
  news("/news/analytics", ANALYTICS + JSON_LD, "", 2),
  news(
    "/news/tag-manager",
    TAG_MANAGER,
    '<noscript><iframe src="/gtm-frame" height="0" width="0" style="display:none;visibility:hidden"></iframe></noscript>',
    3,
  ),
  news("/news/ads", ANALYTICS, ADS, 4),
  news("/news/consent", '<script src="/js/cookieconsent.min.js"></script>', "", 5),
  news("/news/matomo", MATOMO, '<noscript><img src="/matomo.php?idsite=1" alt=""></noscript>', 6),
  news(
    "/news/jquery",
    JQUERY,
    `<script>jQuery(function ($) { $(".carousel").carousel(); $('[data-toggle="tooltip"]').tooltip(); $(".menu").on("click", ".more", function () { $(this).html("less"); }); });</script>`,
    7,
  ),
  news("/news/no-js-class", NO_JS + SITE, "", 8),
  news(
    "/news/theme-inline",
    `<script>(function () { try { var t = localStorage.getItem("theme"); if (t === "dark") document.documentElement.setAttribute("data-theme", "dark"); } catch (e) {} })();</script>${SITE}`,
    "",
    9,
  ),
  news(
    "/news/css-onload",
    `<link rel="preload" href="/s.css" as="style" onload="this.onload=null;this.rel='stylesheet'"><noscript><link rel="stylesheet" href="/s.css"></noscript>`,
    "",
    10,
  ),
  news(
    "/news/speculation",
    `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["/next"]}]}</script>${SITE}`,
    "",
    11,
  ),
  news(
    "/news/disqus",
    "",
    `<div id="disqus_thread"></div><script>var disqus_config = function () { this.page.url = "/canonical"; };</script><noscript>Please enable JavaScript to view the <a href="https://disqus.test/">comments powered by Disqus.</a></noscript>`,
    12,
  ),
  news("/news/noscript-note", SITE, "<noscript><p>Some functions of this site need JavaScript.</p></noscript>", 13),
  news(
    "/news/service-worker",
    `<script>if ("serviceWorker" in navigator) { window.addEventListener("load", function () { navigator.serviceWorker.register("/sw.js").catch(function () {}); }); }</script>`,
    "",
    14,
  ),
  news(
    "/news/html5-boilerplate",
    "",
    `${JQUERY}<script>window.jQuery || document.write('<script src="/js/jquery-3.7.1.min.js"><\\/script>')</script><script src="/js/site.js"></script>`,
    15,
  ),
  news("/news/auto-reload", '<meta http-equiv="refresh" content="600">', "", 16),
  plain(
    "/news/front",
    html({
      title: "The Valley Courier",
      head: ANALYTICS,
      body: `${NAV}<main>${times(12, (n) => `<article class="card"><a href="/news/${n}"><img src="/pictures/${n}.jpg" alt="" loading="lazy"><h2>${sentences(1, n)}</h2></a><p>${sentences(2, n + 3)}</p></article>`)}</main><aside><h3>Most read</h3><ol>${times(5, (n) => `<li><a href="/read/${n}">${sentences(1, n + 9)}</a></li>`)}</ol></aside>${FOOTER}${SITE}`,
    }),
  ),
  plain(
    "/news/live-ticker",
    html({
      title: "Ticker",
      body: `${NAV}<h1>Council meeting, live</h1>${times(15, (n) => `<section><time>19:${10 + n}</time><p>${sentences(2, n)}</p></section>`)}<button class="menu-toggle">Menu</button>${SITE}`,
    }),
  ),
  plain(
    "/news/amp",
    html({
      title: "A bridge",
      head: "<style amp-boilerplate>body{animation:none}</style>",
      body: `<main>${article(17)}<amp-img src="/a.jpg" width="3" height="2" alt="x"></amp-img></main>`,
    }),
  ),
  plain(
    "/news/print",
    html({
      title: "A bridge (print)",
      body: `<h1>A bridge</h1>${paragraphs(8, 18)}<p><a href="javascript:print()">Print</a></p>`,
    }),
  ),
];

const BLOGS: readonly CorpusPage[] = [
  plain(
    "/blog/wordpress",
    html({
      title: "Mill notes",
      head: `<script>window._wpemojiSettings = {"baseUrl":"/emoji/","source":{"concatemoji":"/js/wp-emoji-release.min.js"}}; !function(e,a,t){var n,r,o,i=a.createElement("canvas"),p=i.getContext&&i.getContext("2d");function c(e){var t=a.createElement("script");t.src=e,t.defer=t.type="text/javascript",a.getElementsByTagName("head")[0].appendChild(t)}}(window,document,window._wpemojiSettings);</script>${JQUERY}`,
      body: `${NAV}<main id="content"><article class="post hentry"><h1 class="entry-title">Mill notes</h1><div class="entry-content">${paragraphs(6, 20)}<ul class="wp-block-list"><li>Flour</li><li>Bran</li></ul></div></article><section id="comments"><h2>3 comments</h2><ol class="comment-list">${times(3, (n) => `<li><cite>Reader ${n}</cite><p>${sentences(2, n + 20)}</p></li>`)}</ol><form action="/wp-comments-post.php" method="post"><label>Comment <textarea name="comment"></textarea></label><input type="submit" value="Post"></form></section></main>${FOOTER}<script type="text/template" id="tmpl-variation"><div>{{ data.price }}</div></script>`,
    }),
  ),
  plain(
    "/blog/ghost",
    html({
      title: "Ghost",
      head: '<link rel="alternate" type="application/rss+xml" href="/rss/">',
      body: `<main><article class="gh-article"><h1>On stones</h1>${paragraphs(7, 21)}<figure class="kg-card"><img src="/content/images/stone.jpg" alt="A stone" srcset="/s600.jpg 600w, /s1000.jpg 1000w"></figure><hr>${paragraphs(2, 22)}</article></main><script src="/js/theme.js" defer></script>`,
    }),
  ),
  plain(
    "/blog/jekyll",
    html({
      title: "Jekyll",
      body: `<div class="page-content"><h1>Posts</h1><ul class="post-list">${times(9, (n) => `<li><span class="post-meta">May ${n + 1}, 2026</span><h3><a class="post-link" href="/2026/${n}">${sentences(1, n)}</a></h3><p>${sentences(3, n)}</p></li>`)}</ul></div>${MATOMO}`,
    }),
  ),
  plain(
    "/blog/hugo-theme-toggle",
    html({
      title: "Hugo",
      body: `<header><button id="toggle">Theme</button></header><main>${article(23)}</main><script>document.getElementById("toggle").addEventListener("click", () => { if (document.body.className.includes("dark")) { document.body.classList.remove("dark"); localStorage.setItem("t", "light"); } else { document.body.classList.add("dark"); document.getElementById("toggle").textContent = "Light"; } });</script>`,
    }),
  ),
  plain(
    "/blog/highlighted",
    html({
      title: "Code",
      body: `<main><h1>Counting axles</h1>${paragraphs(6, 24)}<pre><code class="language-js">const toll = axles * 3;
function pay(x) { return x &lt; 3 ? "free" : toll; }</code></pre>${paragraphs(2, 25)}</main><script src="/js/highlight.min.js"></script><script>window.hljs && hljs.highlightAll();</script>`,
    }),
  ),
  plain(
    "/blog/prism",
    html({
      title: "Code",
      body: `<main><h1>Counting</h1>${paragraphs(5, 26)}<pre class="language-python"><code class="language-python">def toll(axles):
    return axles * 3</code></pre></main><script src="/js/prism.js"></script>`,
    }),
  ),
  plain(
    "/blog/highlighted-by-server",
    html({
      title: "Code",
      body: `<main><h1>Counting</h1>${paragraphs(3, 28)}<div class="highlight highlight-source-rust"><pre><span class="pl-k">fn</span> <span class="pl-en">toll</span>() {}</pre></div></main>`,
    }),
  ),
  plain(
    "/blog/mail-html",
    `<html><body bgcolor="#ffffff"><table width="600" align="center"><tr><td><table><tr><td><h1>Letter of May</h1></td></tr><tr><td><font face="Arial">${sentences(4, 29)}</font></td></tr><tr><td><a href="http://letters.test/read?utm_source=mail">Read on</a></td></tr></table></td></tr></table></body></html>`,
  ),
];

/** Articles, front pages and blogs whose servers send all readable content. */
export const NEWS_AND_BLOGS: readonly CorpusPage[] = [...NEWS, ...BLOGS];
