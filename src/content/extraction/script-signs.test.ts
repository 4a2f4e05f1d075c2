import { describe, expect, test } from "bun:test";
import { type PageSource } from "../page/page.ts";
import { CODE_SIGNS } from "./signs/code/effects/sign-names.ts";
import { scriptSigns, signOfScripts, SIGNS } from "./script-signs.ts";
import { parseTree } from "./tree/tree.ts";

const TEXT = "A toll road charges each traveller for the stretch that was driven, and for nothing else. ".repeat(30);
const LONG = `<main><h1>Toll roads</h1><p>${TEXT}</p></main>`;

const SOURCE: PageSource = {
  engine: "static",
  body: "",
  contentType: "text/html; charset=utf-8",
  finalUrl: "https://site.test/",
  statusCode: 200,
  headers: [],
  complete: true,
};

function signOf(html: string, source: Partial<PageSource> = {}): string | undefined {
  const { decisive, evidence } = scriptSigns(parseTree(html.replace("~", LONG)), { ...SOURCE, ...source });
  return decisive ?? evidence?.sign;
}

const APP = '<script src="/site-behaviour.js"></script>';

/** A page for each sign. `~` is replaced by a long text. */
const SHOWN: readonly (readonly [sign: string, html: string])[] = [
  ["refresh", `<meta http-equiv="refresh" content="0; url=/there">~`],
  ["refresh", `<meta http-equiv="Refresh" content="1;/there">`],
  ["frame", `~<iframe src="/timetable" width="600" height="400"></iframe>`],
  ["frame", `~<iframe srcdoc="<p>Words</p>"></iframe>`],
  ["no-text", "<body><script>start()</script>"],
  ["no-text", `<div id="x"><img src="spin.gif"></div>${APP}`],
  ["empty-root", `~<div id="root"></div>${APP}`],
  ["empty-root", `<app-root>Starting up</app-root><p>${TEXT}</p>${APP}`],
  ["scripts-with-little-text", `<p>A word or two.</p>${APP}`],
  ["scripts-with-little-text", `<p>A word or two.</p><script type="module">import "./start.js";</script>`],
  ["late-fragment", `~<div hx-get="/news" hx-trigger="load"></div><script src="/htmx.min.js"></script>`],
  ["late-fragment", `~<turbo-frame id="t" src="/tray">Tray</turbo-frame>${APP}`],
  ["client-island", `~<astro-island client="only" uid="1"></astro-island>${APP}`],
  ["template-syntax", `~<p>Hello {{ name }}</p>${APP}`],
  ["template-syntax", `~<p x-text="name">?</p>${APP}`],
  ["template-syntax", `~<div x-data="{ a: 1 }"><p x-show="a === 1">One</p><p x-show="a === 2">Two</p></div>${APP}`],
  ["empty-custom-element", `~<price-table product="7"></price-table>${APP}`],
  ["slotted-text", `~<site-card><h2 slot="title">Card</h2></site-card>${APP}`],
  ["placeholder", `~<p>Loading…</p>${APP}`],
  ["placeholder", `~<p class="card skeleton">.</p>${APP}`],
  ["hidden-page", `~<div style="display:none">${TEXT}${TEXT}</div><script>show()</script>`],
  ["transformed-text", `~<script src="/js/auto-render.min.js"></script>`],
  ["script-writes", `~<script src="/kit.js" onload="document.body.append(kit.notice())"></script>`],
  ["transformed-text", `~<script src="https://cdn.test/mathjax@3/es5/tex-chtml.js"></script>`],
  ["script-redirect", `~<script>window.location.href = "/there"</script>`],
  ["script-redirect", `~<script>if (old) location.replace("/there")</script>`],
  ["late-fragment", `~<amp-list src="/next.json"></amp-list>${APP}`],
  ["script-writes", `~<i id=y></i><script>y.textContent = new Date().getFullYear() - 1950</script>`],
  ["document-write", `~<script>document.write(new Date().getFullYear() - 1950)</script>`],
  [
    "shadow-root",
    "~<a-b>x</a-b><script>customElements.define('a-b', class extends Lit { render() { return html`<p>Words</p>` } })</script>",
  ],
  ["mount-call", `~<div id="widget"></div><script>Vue.createApp(App).mount("#widget")</script>`],
  ["script-writes", `~<i id="a"></i><script>document.getElementById("a").innerHTML = "b"</script>`],
  ["script-writes", `~<p id="p"></p><script>addEventListener("DOMContentLoaded", () => { p.append("late") })</script>`],
  ["script-writes", `~<i id="a"></i><script>$(function () { $("#a").text("b") })</script>`],
  ["script-writes", `~<i id="a"></i><script>a["inner" + "HTML"] = 1</script>`],
  ["script-writes", `<body onload="document.body.append('Other')">~`],
  [
    "data-request",
    `~<script type="module">import { show } from "./view.js"; fetch("/api").then((r) => r.json()).then(show)</script>`,
  ],
  [
    "client-state",
    '~<script type="module">import { h, useState, useEffect } from "./p.js"; function A() { const [t, set] = useState("Calm"); useEffect(() => { setTimeout(() => set("Storm"), 900) }, []); return h("p", t) } start(A)</script>',
  ],
  ["evaluated-code", `~<script>eval(unescape("%61"))</script>`],
];

describe("a page shows its sign", () => {
  test.each(SHOWN)("%s: %s", (sign, html) => {
    expect(signOf(html)).toBe(sign);
  });

  test("in a Refresh field, without a script", () => {
    expect(signOf(LONG, { headers: [["Refresh", "0; url=/there"]] })).toBe("refresh");
  });

  test("each sign has a unique name and a page above", () => {
    const names = [...SIGNS.map(({ name }) => name), ...CODE_SIGNS];
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !SHOWN.some(([sign]) => sign === name))).toEqual([]);
  });
});

test("docs/engines.md describes each sign, and no other", async () => {
  const text = await Bun.file(new URL("../../../docs/engines.md", import.meta.url)).text();
  const told = [...text.matchAll(/^\| `([a-z-]+)` /gm)].map((match) => match[1]);
  expect(told).toEqual([...SIGNS.map(({ name }) => name), ...CODE_SIGNS]);
});

test.each([
  ["hidden texts", `~<div hidden>${TEXT}</div>${APP}`, true],
  ["texts in data", `~<script type="application/json">{"body":"${TEXT}"}</script>${APP}`, true],
  [
    "short texts in data",
    `~<script type="application/json">{"a":"One text","b":"${"another ".repeat(20)}"}</script>${APP}`,
    false,
  ],
  ["data for search engines", `~<script type="application/ld+json">{"articleBody":"${TEXT}"}</script>${APP}`, false],
])("a page with %s holds long texts that it does not show: %#", (_what, html, isSo) => {
  expect(scriptSigns(parseTree(html.replace("~", LONG)), SOURCE).holdsTexts?.()).toBe(isSo);
});

describe("a page without code needs no browser", () => {
  test.each([
    "",
    "<p>hello</p>",
    '<div id="root"></div>',
    "<main></main><noscript>Please enable JavaScript</noscript>",
    "<p>Loading…</p><p>{{ name }}</p>",
    '<script type="application/ld+json">{"@type":"Article"}</script><p>x</p>',
    '<script type="application/json">{"a":1}</script><p>x</p>',
    '<script nomodule src="/old.js"></script><p>x</p>',
    '<meta http-equiv="refresh" content="300"><p>x</p>',
    '<noscript><meta http-equiv="refresh" content="0; url=/plain"></noscript><p>x</p>',
    "<template><script>document.write(1)</script></template><p>x</p>",
  ])("%s", (html) => {
    expect(signOf(html)).toBeUndefined();
  });
});

describe("a page that contains its text needs no browser for", () => {
  test.each([
    ["scripts of its own", `${APP}<script src="/js/theme.js" defer></script>`],
    ["libraries", '<script src="https://code.test/jquery-3.7.1.min.js"></script><script>$(".x").tooltip()</script>'],
    [
      "hydration",
      '<script id="__NEXT_DATA__" type="application/json">{"props":{}}</script><script src="/_next/static/chunks/main-1.js"></script>',
    ],
    [
      "a tag manager",
      `<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});var f=d.getElementsByTagName(s)[0],j=d.createElement(s),dl=l!='dataLayer'?'&l='+l:'';j.async=true;j.src='https://www.googletagmanager.com/gtm.js?id='+i+dl;f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-1');</script>`,
    ],
    [
      "a script that loads a script",
      `<script>var s = document.createElement("script"); s.src = "/more.js"; document.head.appendChild(s)</script>`,
    ],
    [
      "code that waits for a click",
      `<script>b.addEventListener("click", () => { p.innerHTML = "x"; if (a) { location.href = "/" } })</script>`,
    ],
    [
      "code that waits for a click, by jQuery",
      `<script>$("#b").on("click", ".x", function () { $("#p").html("x") }); $("#c").click(function () { $(this).hide() })</script>`,
    ],
    [
      "code that waits for a click, by a property",
      `<script>b.onclick = function (e) { p.textContent = ")" }; c.onclick = () => d.remove()</script>`,
    ],
    [
      "comments and strings with such code",
      `<script>/* a.innerHTML = b */ // location.href = c\nvar s = "document.write('x'); location.replace()", r = /innerHTML = "/;</script>`,
    ],
    [
      "elements in the head",
      `<script>document.head.insertAdjacentHTML("beforeend", fonts); document.head.append(icon)</script>`,
    ],
    ["numbers in a table", `<table><tr><td data-value="7">7</td></tr></table>${APP}`],
    ["a script that takes itself away", "<script>document.currentScript.remove()</script>"],
    ["reading", `<script>if (location.href === a || b.innerHTML == c) count(document.title, x.text())</script>`],
    [
      "classes and data of elements",
      `<script>document.documentElement.classList.remove("no-js"); document.documentElement.setAttribute("data-theme", localStorage.getItem("theme"))</script>`,
    ],
    [
      "its own copy of jQuery",
      `<script>window.jQuery || document.write('<script src="/js/jquery.min.js"><\\/script>')</script>`,
    ],
    [
      "a place for third parties",
      `<div id="disqus_thread"></div><div id="fb-root"></div><div id="div-gpt-ad-1" class="ad-slot"></div>${APP}`,
    ],
    ["code that shows templates", `<pre><code>{{ name }}</code></pre>${APP}`],
    [
      "a shadow tree in its source",
      `<site-card><template shadowrootmode="open"><slot name="a"></slot></template><p slot="a">x</p></site-card>${APP}`,
    ],
    ["small elements", `<header><site-search></site-search></header><theme-toggle></theme-toggle>${APP}`],
    ["a notice to those without scripts", `<noscript>Please enable JavaScript to see the map.</noscript>${APP}`],
    ["the present year", `<footer>© <script>document.write(new Date().getFullYear())</script></footer>${APP}`],
    [
      "words that a script writes into the footer",
      `<footer><script>document.write("All rights")</script></footer>${APP}`,
    ],
    [
      "the present year in a variable",
      "<i id=y></i><script>const now = new Date().getFullYear(); document.getElementById('y').textContent = '© ' + now</script>",
    ],
    ["a basket that a user opens", `<div class="cart-drawer"><div class="cart-items"></div></div>${APP}`],
    ["the target of a button", `<button hx-post="/c" hx-target="#thread">Send</button><div id="thread"></div>${APP}`],
    ["a template in the header", `<header><a data-bind="text: count"></a></header>${APP}`],
    ["a part that is hidden at first", `<div x-data><p x-show="open" style="display: none">One</p></div>${APP}`],
    ["the response to a form", `<form action="/c"><input name="a"><div class="output"></div></form>${APP}`],
    ["a film that waits for a click", `<lite-youtube videoid="a"></lite-youtube>${APP}`],
    [
      "an element that waits for a click",
      "<a-b>One</a-b><script>class B extends HTMLElement{connectedCallback(){this.onclick=()=>this.append(1)}}customElements.define('a-b',B)</script>",
    ],
    ["a state of the history without an address", `<script>history.replaceState({ key: 1 }, "")</script>`],
    [
      "modules that are loaded early",
      `<script type="module">let b=fetch("/q/x-bundle-graph.json");import("/q/y.js").then(({l})=>l("/q/",b));</script><a on:qvisible="q.js#a">One</a>`,
    ],
    ["a refresh after minutes", `<meta http-equiv="refresh" content="300">${APP}`],
    ["late pictures", `<img data-src="/a.jpg"><img src="/small.jpg" data-src="/b.jpg">${APP}`],
  ])("%s", (_what, html) => {
    expect(signOf(`~${html}`)).toBeUndefined();
  });
});

/** The stack of the parser, or that of the search, overflows at one of these depths. */
function nested(codeOf: (times: number) => string): string {
  return `~${Array.from({ length: 12 }, (_, at) => `<script>${codeOf(1_000 * (at + 1))}</script>`).join("")}`;
}

describe("a hostile page is read in linear time", () => {
  const N = 300_000;
  test.each([
    ["open brackets", `<script>${"({[".repeat(N)}`],
    ["slashes", `<script>${"/[".repeat(N)}`],
    ["quotes", `<script>${"'\"`".repeat(N)}`],
    ["handlers in one another", `<script>${".onclick=a=>".repeat(N / 4)}`],
    [
      "events that the code causes",
      `<script>${'x.addEventListener("click",()=>show(1));q(a).click();'.repeat(N / 10)}`,
    ],
    ["calls in one another", `<script>${'addEventListener("click",'.repeat(N / 8)}`],
    ["expressions in one another", nested((times) => `x=${"[".repeat(times)}${"]".repeat(times)}`)],
    ["branches in one another", nested((times) => `${"if(a);else ".repeat(times)};`)],
    ["elements made", `<script>${'createElement("script")'.repeat(N / 8)}`],
    ["starts of tags in a noscript", `<noscript>${"<".repeat(N)}</noscript><script></script>`],
    ["braces", `<p>${"{{".repeat(N)}</p><script></script>`],
    ["elements", `${"<b class='a-b c'>x</b>".repeat(N / 8)}<script></script>`],
    ["spaces", `<script>${"location".padEnd(N)}= document.write${" ".repeat(N)}</script>`],
    ["a script in its own address", `<script src="data:text/javascript,${"a-/.".repeat(N)}.js"></script>`],
    ["words of a notice", `<p>${"loading ".repeat(30)}</p>`.repeat(N / 100) + "<script></script>"],
  ])("%s", (_what, html) => {
    expect(typeof signOf(html)).toMatch(/string|undefined/);
  });
});

test("a module is found by its name in an import map", () => {
  const html = `<script type="importmap">{"imports":{"notes":"/js/n.mjs?v=2"}}</script>${LONG}<script type="module">import add from "notes"; add()</script>`;
  const code = "export default function () { document.querySelector('main').append('Closed today') }";
  const scripts = [{ url: "https://site.test/js/n.mjs", isModule: true, code }];
  expect(signOfScripts(parseTree(html), SOURCE, scripts)).toBe("script-writes");
  expect(signOfScripts(parseTree(html.replace('"notes":', '"others":')), SOURCE, scripts)).toBeUndefined();
});

describe("the functions of a module run", () => {
  const scripts = [
    {
      url: "https://site.test/n.js",
      isModule: true,
      code: `export const add = (to) => to.append("Closed"); export default () => add(document.querySelector("main"))`,
    },
    { url: "https://site.test/again.js", isModule: true, code: `export { default as start } from "./n.js"` },
  ];
  test.each([
    [`import * as notes from "./n.js"; notes.default()`, "script-writes"],
    [`import("./n.js").then((notes) => notes.default())`, "script-writes"],
    [`import("./n.js").then(({ default: start }) => start())`, "script-writes"],
    [`const { add } = await import("./n.js"); add(document.querySelector("main"))`, "script-writes"],
    [`const notes = await import("./n.js"); notes.add(document.querySelector("main"))`, "script-writes"],
    [`const load = () => import("./n.js"); load().then((m) => m.add(document.querySelector("main")))`, "script-writes"],
    [`import { start } from "./again.js"; start()`, "script-writes"],
    [`import * as notes from "./n.js"; notes.add(document.querySelector("nav"))`, undefined],
    [`import("./n.js")`, undefined],
  ])("%s: %p", (code, sign) => {
    const html = `${LONG}<script type="module">${code}</script>`;
    expect(signOfScripts(parseTree(html), SOURCE, scripts)).toBe(sign as string);
  });
});
