import { type CorpusPage, html, plain, scripted } from "./page.ts";
import { FOOTER, NAV, paragraphs, sentences, table, times } from "./prose.ts";
import { ANALYTICS, TAG_MANAGER, ADS, MATOMO, JSON_LD, JQUERY, SITE, article } from "./snippets.ts";

const DOCS: readonly CorpusPage[] = [
  plain(
    "/docs/mkdocs",
    html({
      title: "Guide",
      head: `<script>__md_scope=new URL(".",location),__md_hash=e=>[...e].reduce((e,_)=>(e<<5)-e+_.charCodeAt(0),0),__md_get=(e,_=localStorage,t=__md_scope)=>JSON.parse(_.getItem(t.pathname+"."+e))</script>`,
      body: `<nav class="md-nav"><ul>${times(8, (n) => `<li><a href="#s${n}">Section ${n}</a></li>`)}</ul></nav><article class="md-content__inner">${times(6, (n) => `<h2 id="s${n}">Section ${n}<a class="headerlink" href="#s${n}" title="Permanent link">¶</a></h2>${paragraphs(2, n)}<pre><code class="language-sh">toll --axles ${n}</code></pre>`)}</article><script src="/js/bundle.min.js"></script>`,
    }),
  ),
  plain(
    "/docs/sphinx",
    html({
      title: "API",
      body: `<div class="document"><h1>toll — counting axles</h1><dl class="py function"><dt id="toll.count"><code>toll.count(axles, *, free=2)</code></dt><dd><p>${sentences(2, 30)}</p><dl class="field-list"><dt>Parameters</dt><dd><ul><li><strong>axles</strong> (<em>int</em>) – how many</li><li><strong>free</strong> – not charged</li></ul></dd><dt>Returns</dt><dd><p>The toll in cents.</p></dd></dl></dd></dl>${paragraphs(4, 31)}</div><script src="/_static/documentation_options.js"></script><script src="/_static/doctools.js"></script>`,
    }),
  ),
  plain(
    "/docs/reference-tables",
    html({
      title: "Options",
      body: `<main><h1>Options</h1>${table(12, 3)}${table(4, 9)}${paragraphs(2, 32)}</main>${SITE}`,
    }),
  ),
  plain(
    "/docs/man-page",
    html({
      title: "toll(1)",
      body: `<table class="head"><tr><td>TOLL(1)</td><td>General Commands</td><td>TOLL(1)</td></tr></table><section><h1>NAME</h1><p>toll — count axles</p></section><section><h1>SYNOPSIS</h1><pre>toll [-f] [-n count] file ...</pre></section><section><h1>DESCRIPTION</h1>${paragraphs(4, 33)}<dl><dt><b>-f</b></dt><dd>Free of charge.</dd><dt><b>-n</b> <i>count</i></dt><dd>Count.</dd></dl></section>`,
    }),
  ),
  plain(
    "/docs/rfc",
    `<!DOCTYPE html><html><head><title>RFC</title></head><body><pre>${times(60, (n) => `${n}.  ${sentences(1, n).slice(0, 66)}\n`)}</pre></body></html>`,
  ),
  plain(
    "/docs/templates-shown",
    html({
      title: "Templates",
      body: `<main><h1>Templates</h1>${paragraphs(4, 34)}<p>Write <code>{{ name }}</code> for a name.</p><pre><code class="language-html">&lt;p&gt;{{ name }}&lt;/p&gt;</code></pre></main>${SITE}`,
    }),
  ),
  plain(
    "/docs/katex-server",
    html({
      title: "Formulas",
      body: `<main><h1>Formulas</h1>${paragraphs(4, 35)}<p>The toll is <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>t</mi><mo>=</mo><mn>3</mn><mi>a</mi></mrow><annotation encoding="application/x-tex">t = 3a</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">t=3a</span></span>.</p></main>`,
    }),
  ),
  scripted(
    "/docs/mathjax-client",
    html({
      title: "Formulas",
      body: `<main><h1>Formulas</h1>${paragraphs(4, 36)}<p>The toll is \\(t = 3a\\) cents.</p></main><script async src="/js/mathjax/tex-chtml.js"></script>`,
    }),
  ),
  plain(
    "/docs/tabs",
    html({
      title: "Install",
      body: `<main><h1>Install</h1>${paragraphs(3, 37)}<div role="tablist"><button data-tab="npm" role="tab">npm</button><button data-tab="yarn" role="tab">yarn</button></div><div class="panel active" id="npm"><pre><code>npm install toll</code></pre></div><div class="panel" id="yarn"><pre><code>yarn add toll</code></pre></div></main>${SITE}`,
    }),
  ),
  plain(
    "/docs/details",
    html({
      title: "Questions",
      body: `<main><h1>Questions</h1>${times(8, (n) => `<details${n === 0 ? " open" : ""}><summary>Question ${n}?</summary><p>${sentences(3, n)}</p></details>`)}</main>`,
    }),
  ),
  plain(
    "/docs/docusaurus",
    html({
      title: "Docs",
      head: '<script src="/assets/js/runtime~main.1a2b.js" defer></script><script src="/assets/js/main.3c4d.js" defer></script>',
      body: `<script>!function(){function t(t){document.documentElement.setAttribute("data-theme",t)}var e=function(){try{return window.localStorage.getItem("theme")}catch(t){}}();null!==e?t(e):t("light")}()</script><div id="__docusaurus"><div role="region"><a href="#c">Skip to main content</a></div><main id="c"><article>${article(38)}</article></main></div>`,
    }),
  ),
  plain(
    "/docs/vitepress",
    html({
      title: "Docs",
      head: '<link rel="modulepreload" href="/assets/chunks/framework.js"><script type="module" src="/assets/app.9f8e.js"></script>',
      body: `<div id="app"><div class="Layout"><main class="main"><div class="vp-doc">${paragraphs(7, 39)}<div class="language-ts"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki"><code><span class="line"><span>let toll = 3</span></span></code></pre></div></div></main></div></div><script>window.__VP_HASH_MAP__=JSON.parse("{}");window.__VP_SITE_DATA__=JSON.parse("{\\"lang\\":\\"en\\"}");</script>`,
    }),
  ),
  plain(
    "/docs/mediawiki",
    html({
      title: "Alder",
      head: `<script>document.documentElement.className="client-js";RLCONF={"wgPageName":"Alder","wgArticleId":7};RLSTATE={"site.styles":"ready"};</script><script>(RLQ=window.RLQ||[]).push(function(){mw.loader.impl(function(){return["user.options@1",function($,jQuery){mw.user.tokens.set({});}];});});</script><script async src="/w/load.php?modules=startup"></script>`,
      body: `<div id="mw-content-text"><table class="infobox"><tbody><tr><th colspan="2">Alder</th></tr><tr><th>Length</th><td>96 km</td></tr></tbody></table>${paragraphs(4, 40)}<div id="toc" class="toc"><ul><li><a href="#H">History</a></li></ul></div><h2><span class="mw-headline" id="H">History</span></h2>${paragraphs(4, 41)}<sup id="cite_ref-1"><a href="#cite_note-1">[1]</a></sup><ol class="references"><li id="cite_note-1">Lund, <i>Rivers</i>, 1987.</li></ol></div>`,
    }),
  ),
  plain(
    "/docs/changelog",
    html({
      title: "Changes",
      body: `<main>${times(10, (n) => `<h2>1.${20 - n}.0</h2><ul><li>${sentences(1, n)}</li><li>${sentences(1, n + 5)}<ul><li>nested <code>x${n}</code></li></ul></li></ul>`)}</main>`,
    }),
  ),
];

/** Generators that leave parts of their pages to scripts. */
const GENERATED: readonly CorpusPage[] = [
  scripted(
    "/docs/mdbook",
    html({
      title: "Book",
      head: '<script>const path_to_root = ""; window.path_to_searchindex_js = "s.js";</script><script src="/toc-ebf7fde9.js"></script>',
      body: `<script>const html = document.documentElement; html.classList.remove("light"); html.classList.add("js");</script><nav id="sidebar"><mdbook-sidebar-scrollbox class="sidebar-scrollbox"></mdbook-sidebar-scrollbox></nav><main><h1>Piers</h1>${paragraphs(6, 58)}</main><script src="/book-a0b12cfe.js"></script>`,
    }),
  ),
  scripted(
    "/docs/rustdoc",
    html({
      title: "toll - Rust",
      head: '<script>if(window.location.protocol!=="file:")document.head.insertAdjacentHTML("beforeend","a,b".split(",").map(f=>`<link rel="preload" href="${f}">`).join(""))</script><script defer src="/static.files/main-5013f961.js"></script>',
      body: `<main><div class="main-heading"><h1>Crate <span>toll</span></h1><rustdoc-toolbar></rustdoc-toolbar></div><details class="toggle top-doc" open><summary><span>Expand description</span></summary>${paragraphs(6, 59)}</details></main>`,
    }),
  ),
  plain(
    "/docs/javadoc",
    html({
      title: "Toll (API)",
      head: '<script type="text/javascript" src="/script-dir/jquery-3.7.1.min.js"></script><script type="text/javascript" src="/script.js"></script>',
      body: `<script type="text/javascript">var pathtoroot = "./"; loadScripts(document, 'script');</script><main><div class="header"><h1 class="title">Class Toll</h1></div>${paragraphs(5, 60)}<dl><dt>Returns:</dt><dd>the toll</dd></dl></main>`,
    }),
  ),
  plain(
    "/docs/doxygen",
    html({
      title: "Toll",
      head: '<script src="/jquery.js"></script><script src="/dynsections.js"></script><script src="/search/search.js"></script>',
      body: `<div id="top"></div><div class="contents"><a id="details"></a><h2 class="groupheader">Detailed Description</h2>${paragraphs(5, 61)}<table class="memberdecls"><tr><td>int</td><td>axles()</td></tr></table></div>`,
    }),
  ),
  plain(
    "/docs/gtk-doc",
    html({
      title: "Reference",
      body: `<table class="navigation"><tr><td><a href="index.html">Home</a></td></tr></table><div class="refsect1">${paragraphs(4, 62)}<pre class="programlisting">gint toll (void);</pre></div>`,
    }),
  ),
];

const COMMUNITY: readonly CorpusPage[] = [
  plain(
    "/forum/thread",
    html({
      title: "Thread",
      body: `<div id="wrap"><h2 class="topic-title"><a href="/t/1">Axles of caravans</a></h2>${times(10, (n) => `<div class="post bg${n % 2}" id="p${n}"><p class="author">by <strong>member${n}</strong> » 4 May 2026</p><div class="postcontent">${sentences(3, n)}${n % 3 === 0 ? `<blockquote><cite>member${n} wrote:</cite>${sentences(1, n + 2)}</blockquote>` : ""}</div></div>`)}<div class="pagination">Page 1 of 4 <a href="/t/1?page=2">2</a></div></div><script src="/styles/forum_fn.js"></script>`,
    }),
  ),
  plain(
    "/forum/questions",
    html({
      title: "How to count axles?",
      head: `<script>StackExchange.ready(function () { StackExchange.using("postValidation", function () { StackExchange.postValidation.initOnBlurAndSubmit($('#post-form')); }); });</script>`,
      body: `<div id="question"><h1>How to count axles?</h1>${paragraphs(2, 43)}<pre class="lang-py s-code-block"><code>axles = 3</code></pre></div><div id="answers"><h2>2 Answers</h2>${times(2, (n) => `<div class="answer"><div class="js-vote-count">${n * 7}</div>${paragraphs(2, n + 44)}</div>`)}</div>${JQUERY}`,
    }),
  ),
  plain(
    "/forum/old-table",
    `<html><head><title>Items</title></head><body><center><table id="hnmain" border="0"><tr><td bgcolor="#ff6600"><b><a href="/">Valley Items</a></b></td></tr>${times(20, (n) => `<tr class="athing"><td align="right">${n + 1}.</td><td><a href="/item/${n}">${sentences(1, n)}</a> <span class="score">${n * 3} points</span></td></tr>`)}</table></center><script src="/hn.js"></script></body></html>`,
  ),
  plain(
    "/forum/mail-archive",
    html({
      title: "[toll] axles",
      body: `<h1>[toll] axles</h1><b>Ida Lund</b> <a href="mailto:ida@valley.test">ida at valley.test</a><pre>${times(20, (n) => `> ${sentences(1, n).slice(0, 70)}`)}\n\nI agree.\n</pre>`,
    }),
  ),
  plain(
    "/shop/product",
    html({
      title: "Oak table",
      head: `${JSON_LD}${ANALYTICS}`,
      body: `${NAV}<main><h1>Oak table</h1><img src="/p/1.jpg" alt="Oak table, front"><img src="/p/2.jpg" alt="Oak table, side"><p class="price"><del>480 €</del> <ins>420 €</ins></p>${paragraphs(4, 46)}<form action="/cart" method="post"><select name="size"><option>120 cm</option><option selected>160 cm</option></select><button>Add to cart</button></form><table><tr><th>Wood</th><td>Oak</td></tr><tr><th>Weight</th><td>38 kg</td></tr></table></main>${FOOTER}${SITE}`,
    }),
  ),
  plain(
    "/shop/category",
    html({
      title: "Tables",
      head: TAG_MANAGER,
      body: `${NAV}<main><h1>Tables</h1><ul class="products">${times(16, (n) => `<li class="product"><a href="/p/${n}"><img src="/p/${n}.jpg" alt="Table ${n}"><h2>Table ${n}</h2></a><span class="price">${n * 30 + 90} €</span><p>${sentences(1, n)}</p></li>`)}</ul><nav class="pagination"><a href="?page=2">Next</a></nav></main>${FOOTER}`,
    }),
  ),
  plain(
    "/shop/shopify",
    html({
      title: "Elm bench",
      head: `<script>window.performance && window.performance.mark && window.performance.mark('start');</script><script id="shopify-features" type="application/json">{"shopId":1}</script><script>var Shopify = Shopify || {}; Shopify.shop = "valley.test"; Shopify.theme = {"name":"Dawn"};</script>`,
      body: `<main id="MainContent"><h1>Elm bench</h1>${paragraphs(6, 47)}<script type="application/json">{"id":7}</script></main><script src="/cdn/theme.js" defer></script>`,
    }),
  ),
  plain(
    "/shop/carousel",
    html({
      title: "Home",
      body: `${NAV}<div id="slides" class="carousel slide">${times(4, (n) => `<div class="carousel-item${n === 0 ? " active" : ""}"><img src="/s/${n}.jpg" alt="Slide ${n}"><p>${sentences(1, n)}</p></div>`)}</div>${paragraphs(6, 48)}${FOOTER}${JQUERY}<script src="/js/bootstrap.bundle.min.js"></script><script>$(function () { $(".carousel").carousel({ interval: 5000 }); });</script>`,
    }),
  ),
  plain(
    "/recipe/bread",
    html({
      title: "Mill bread",
      head: JSON_LD,
      body: `<main><h1>Mill bread</h1>${paragraphs(3, 49)}<h2>Ingredients</h2><ul>${times(7, (n) => `<li><input type="checkbox" id="i${n}"><label for="i${n}">${n * 50 + 50} g of item ${n}</label></li>`)}</ul><h2>Method</h2><ol>${times(6, (n) => `<li>${sentences(2, n)}</li>`)}</ol></main>${ADS}${SITE}`,
    }),
  ),
  plain(
    "/gov/notice",
    html({
      title: "Notice",
      lang: "de",
      body: `<header><a href="#inhalt">Zum Inhalt springen</a></header><main id="inhalt"><h1>Bekanntmachung über die Brücke</h1><p>Die Brücke über die Erle wird ab dem 4. Mai für Fahrzeuge über 7,5 t gesperrt.</p>${times(6, (n) => `<h2>§ ${n + 1}</h2><p>Absatz ${n + 1}: Die Gebühr beträgt ${n + 2},50 Euro je Achse und Überfahrt.</p>`)}<address>Landratsamt<br>Mühlweg 3</address></main>${MATOMO}`,
    }),
  ),
  plain(
    "/gov/law",
    html({
      title: "Act",
      body: `<main><h1>Toll Act</h1>${times(12, (n) => `<section id="s${n}"><h3>${n + 1}. Heading</h3><ol type="a"><li>${sentences(1, n)}</li><li>${sentences(1, n + 4)}</li></ol></section>`)}</main>`,
    }),
  ),
  plain(
    "/sport/results",
    html({ title: "Results", body: `${NAV}<h1>Regatta</h1>${table(25, 5)}${paragraphs(3, 50)}${SITE}` }),
  ),
  plain(
    "/company/home",
    html({
      title: "Workshop",
      head: ANALYTICS,
      body: `${NAV}<section class="hero"><h1>We build benches</h1><p>${sentences(2, 51)}</p><a class="btn" href="/contact">Write to us</a></section>${times(3, (n) => `<section class="feature"><h3>Feature ${n}</h3><p>${sentences(3, n)}</p></section>`)}<section>${paragraphs(2, 52)}</section>${FOOTER}<script src="/js/bootstrap.bundle.min.js"></script>`,
    }),
  ),
  plain(
    "/company/preloader",
    html({
      title: "Workshop",
      body: `<div id="preloader"></div>${NAV}<main>${paragraphs(9, 53)}</main>${JQUERY}${SITE}`,
    }),
  ),
  plain(
    "/company/drupal",
    html({
      title: "Node",
      head: `<script type="application/json" data-drupal-selector="drupal-settings-json">{"path":{"baseUrl":"/"},"user":{"uid":0}}</script>`,
      body: `<main role="main"><div class="layout-content">${article(54)}</div></main><script src="/core/assets/vendor/jquery/jquery.min.js?v=3.7.1"></script><script src="/core/misc/drupal.js"></script>`,
    }),
  ),
  plain(
    "/company/faq-accordion",
    html({
      title: "FAQ",
      body: `<main><h1>FAQ</h1>${times(8, (n) => `<h3 class="q">Question ${n}</h3><div class="a">${sentences(3, n)}</div>`)}</main>${JQUERY}<script>$(function () { $(".q").on("click", function () { $(this).next().slideToggle(); $(this).toggleClass("open"); }); });</script>`,
    }),
  ),
  plain(
    "/company/job",
    html({
      title: "Job",
      head: JSON_LD,
      body: `<main><h1>Joiner</h1>${paragraphs(5, 56)}<h2>We offer</h2><ul><li>Wood</li><li>Tea</li></ul><a href="mailto:jobs@valley.test">Apply</a></main>`,
    }),
  ),
  scripted("/company/small-with-script", html({ title: "Contact", body: `<h1>Contact</h1><p>Mill Lane 3</p>${SITE}` })),
  plain(
    "/company/small",
    html({ title: "Contact", body: "<h1>Contact</h1><p>Mill Lane 3, open from ten to four</p>" }),
  ),
  plain(
    "/company/login",
    html({
      title: "Log in",
      body: '<form method="post" action="/login"><h1>Log in</h1><label>Name <input name="n"></label><label>Word <input type="password" name="p"></label><button>Log in</button></form>',
    }),
  ),
  plain(
    "/files/index",
    `<html><head><title>Index of /pub</title></head><body><h1>Index of /pub</h1><hr><pre><a href="../">../</a>\n${times(20, (n) => `<a href="file-${n}.tar.gz">file-${n}.tar.gz</a>    04-May-2026 10:0${n % 10}    ${n * 1031}`)}</pre><hr></body></html>`,
  ),
  plain("/book/chapter", html({ title: "Chapter 1", body: `<h2>CHAPTER I.</h2>${paragraphs(40, 57)}` })),
];

/** Documentation, forums, shops and offices. */
export const DOCS_AND_SHOPS: readonly CorpusPage[] = [...DOCS, ...GENERATED, ...COMMUNITY];
