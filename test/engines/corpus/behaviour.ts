import { type CorpusPage, html, plain, scripted } from "./page.ts";
import { FOOTER, NAV, paragraphs, sentences, times } from "./prose.ts";

const article = (seed: number) => `<main><h1>Part ${seed}</h1>${paragraphs(6, seed)}</main>`;
const doc = (body: string, head = "") => html({ title: "Behaviour", head, body });
const LAZY = '<script src="/js/lazy.js"></script>';

/** Content that appears late, or on demand. */
const LATE: readonly CorpusPage[] = [
  plain(
    "/lazy/fallback-picture",
    doc(
      `${article(21)}<img src="/i/1.jpg" onerror="this.src='/fallback.jpg'" alt="Picture"><script src="/js/site.js"></script>`,
    ),
  ),
  plain(
    "/lazy/small-first",
    doc(
      `${article(4)}${times(4, (n) => `<img src="/i/${n}-small.jpg" data-src="/i/${n}.jpg" alt="Picture ${n}">`)}${LAZY}`,
    ),
  ),
  plain(
    "/lazy/native-images",
    doc(
      `${article(1)}${times(6, (n) => `<img loading="lazy" src="/i/${n}.jpg" alt="Picture ${n}">`)}<script src="/js/site.js"></script>`,
    ),
  ),
  plain(
    "/lazy/data-src",
    doc(`${article(2)}${times(4, (n) => `<img class="lazyload" data-src="/i/${n}.jpg" alt="Picture ${n}">`)}${LAZY}`),
  ),
  plain(
    "/lazy/data-uri",
    doc(
      `${article(3)}${times(4, (n) => `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/i/${n}.jpg" alt="Picture ${n}">`)}${LAZY}`,
    ),
  ),
  plain(
    "/lazy/placeholder-file",
    doc(`${article(4)}${times(4, (n) => `<img src="/blank.gif" data-src="/i/${n}.jpg" alt="Picture ${n}">`)}${LAZY}`),
  ),
  plain(
    "/lazy/noscript-images",
    doc(
      `${article(5)}${times(3, (n) => `<img class="lazy" data-src="/i/${n}.jpg" alt="Picture ${n}"><noscript><img src="/i/${n}.jpg" alt="Picture ${n}"></noscript>`)}${LAZY}`,
    ),
  ),
  plain(
    "/lazy/picture-sources",
    doc(
      `${article(6)}<picture><source srcset="/i/1.avif" type="image/avif"><img src="/i/1.jpg" alt="Picture" srcset="/i/1-2x.jpg 2x"></picture>`,
    ),
  ),
  plain(
    "/lazy/iframe-video",
    doc(`${article(7)}<iframe loading="lazy" src="https://video.invalid/frame" title="Video"></iframe>`),
  ),
  scripted(
    "/lazy/observer-inline",
    doc(
      `${article(8)}<div id="more"></div><script>new IntersectionObserver((seen, o) => { if (seen[0].isIntersecting) { o.disconnect(); document.getElementById("more").innerHTML = "<p>Late words</p>"; } }).observe(document.getElementById("more"));</script>`,
    ),
  ),
  scripted("/lazy/skeleton", doc(`${article(9)}<section class="skeleton"><div></div><div></div></section>${LAZY}`)),
  scripted("/lazy/aria-busy", doc(`${article(10)}<section aria-busy="true">Soon</section>${LAZY}`)),
  scripted("/lazy/loading-text", doc(`${article(11)}<ul data-feed><li>Loading…</li></ul>${LAZY}`)),
  scripted("/lazy/empty-list", doc(`${article(12)}<ul class="related-items" data-feed></ul>${LAZY}`)),
  scripted(
    "/lazy/counters",
    doc(`${article(13)}<p><span class="counter" data-target="1500">0</span> axles</p>${LAZY}`),
  ),
  scripted(
    "/lazy/email",
    doc(
      `${article(14)}<a href="/cdn-cgi/l/email-protection#aa"><span class="__cf_email__" data-cfemail="aa">[email&#160;protected]</span></a>${LAZY}`,
    ),
  ),
  scripted("/lazy/time-ago", doc(`${article(15)}<time class="timeago" datetime="2026-05-04">4 May 2026</time>${LAZY}`)),
  scripted(
    "/lazy/infinite-first-page",
    doc(`${article(16)}<div class="infinite-scroll" data-next="?page=2">More</div>${LAZY}`),
  ),
  scripted(
    "/lazy/infinite-inline",
    doc(
      `${article(17)}<div id="end"></div><script>const o = new IntersectionObserver(() => { fetch("?page=2").then((r) => r.text()).then((t) => document.getElementById("end").insertAdjacentHTML("beforebegin", "<p>second page</p>")); }); o.observe(document.getElementById("end"));</script>`,
    ),
  ),
  plain(
    "/lazy/infinite-by-scroll",
    doc(
      `${article(18)}<div id="pages"><p>First page</p></div><script>window.addEventListener("scroll", () => { document.getElementById("pages").insertAdjacentHTML("beforeend", "<p>More</p>"); });</script>`,
    ),
  ),
  plain(
    "/lazy/more-button",
    doc(
      `${article(19)}<button id="more">More</button><script>document.getElementById("more").addEventListener("click", async () => { const t = await (await fetch("/fragment")).text(); document.querySelector("main").insertAdjacentHTML("beforeend", t); });</script>`,
    ),
  ),
  scripted(
    "/lazy/covered",
    html({ title: "Covered", bodyTag: '<body style="display: none">', body: `${article(20)}${LAZY}` }),
  ),
];

/** Effects of inline scripts. */
const INLINE: readonly CorpusPage[] = [
  scripted(
    "/inline/year",
    doc(`${article(30)}<p>© <script>document.write(new Date().getFullYear() > 2000 ? "this year" : "")</script></p>`),
  ),
  scripted(
    "/inline/text",
    doc(
      `${article(31)}<p id="g">Hello</p><script>document.getElementById("g").textContent = "Hello, reader";</script>`,
    ),
  ),
  scripted(
    "/inline/append",
    doc(
      `${article(32)}<script>const p = document.createElement("p"); p.append("Added"); document.querySelector("main").appendChild(p);</script>`,
    ),
  ),
  scripted(
    "/inline/adjacent",
    doc(
      `${article(33)}<script>document.querySelector("main").insertAdjacentHTML("afterbegin", "<p>First of all</p>");</script>`,
    ),
  ),
  scripted(
    "/inline/unhide",
    doc(
      `${article(34)}<div id="h" hidden><p>Shown by script</p></div><script>document.getElementById("h").hidden = false;</script>`,
    ),
  ),
  scripted(
    "/inline/remove-attribute",
    doc(
      `${article(35)}<div id="h" hidden><p>Shown by script</p></div><script>document.getElementById("h").removeAttribute("hidden");</script>`,
    ),
  ),
  scripted(
    "/inline/hide",
    doc(
      `${article(36)}<div id="h"><p>Hidden by script</p></div><script>document.getElementById("h").style.display = "none";</script>`,
    ),
  ),
  scripted(
    "/inline/remove",
    doc(`${article(37)}<p id="r">Removed by script</p><script>document.getElementById("r").remove();</script>`),
  ),
  scripted(
    "/inline/ready",
    doc(
      `${article(38)}<p id="r">Early</p><script>document.addEventListener("DOMContentLoaded", function () { document.getElementById("r").innerText = "Ready"; });</script>`,
    ),
  ),
  scripted(
    "/inline/jquery-ready",
    doc(
      `${article(39)}<p id="r">Early</p><script src="/js/jquery-3.7.1.min.js"></script><script>$(function () { $("#r").text("Ready"); });</script>`,
    ),
  ),
  scripted(
    "/inline/storage",
    doc(
      `${article(40)}<p id="n"></p><script>document.getElementById("n").textContent = localStorage.getItem("seen") ? "Welcome back" : "Welcome"; localStorage.setItem("seen", 1);</script>`,
    ),
  ),
  scripted(
    "/inline/cookie",
    doc(
      `${article(41)}<p id="n"></p><script>document.cookie = "a=1"; document.getElementById("n").innerHTML = document.cookie ? "with cookies" : "without";</script>`,
    ),
  ),
  scripted(
    "/inline/link-address",
    doc(`${article(42)}<a id="a" href="/wait">Read</a><script>document.getElementById("a").href = "/read";</script>`),
  ),
  scripted(
    "/inline/onload",
    html({
      title: "Onload",
      bodyTag: `<body onload="document.getElementById('r').innerHTML = 'Loaded'">`,
      body: `${article(43)}<p id="r">Early</p>`,
    }),
  ),
  scripted(
    "/inline/eval",
    doc(
      `${article(44)}<p id="r">Early</p><script>eval(decodeURIComponent("document.getElementById('r')%2EinnerHTML%3D'Late'"))</script>`,
    ),
  ),
  scripted(
    "/inline/bracket-name",
    doc(`${article(45)}<p id="r">Early</p><script>document.getElementById("r")["innerHTML"] = "Late";</script>`),
  ),
  scripted(
    "/inline/json-to-table",
    doc(
      `<h1>Prices</h1>${paragraphs(5, 46)}<table><tbody id="rows"></tbody></table><script type="application/json" id="d">[["Oak", 420], ["Ash", 130]]</script><script>for (const [n, p] of JSON.parse(document.getElementById("d").textContent)) { const r = document.getElementById("rows").insertRow(); r.insertCell().textContent = n; r.insertCell().textContent = p; }</script>`,
    ),
  ),
  plain(
    "/inline/classes",
    doc(
      `${article(47)}<script>document.querySelectorAll("p").forEach((p) => p.classList.add("seen")); document.body.dataset.ready = "1";</script>`,
    ),
  ),
  plain(
    "/inline/click-only",
    doc(
      `${article(48)}<button id="b">Show</button><div id="x" hidden><p>Hidden</p></div><script>document.getElementById("b").onclick = function () { document.getElementById("x").hidden = !document.getElementById("x").hidden; };</script>`,
    ),
  ),
  plain(
    "/inline/form-check",
    doc(
      `${article(49)}<form id="f"><input name="a"><p class="e"></p></form><script>document.getElementById("f").addEventListener("submit", function (e) { e.preventDefault(); document.querySelector(".e").textContent = "Wrong"; });</script>`,
    ),
  ),
  plain(
    "/inline/read-only",
    doc(
      `${article(50)}<script>var n = document.querySelectorAll("p").length, t = document.querySelector("h1").textContent; if (location.hash === "#x") console.log(n, t, document.title);</script>`,
    ),
  ),
  plain("/inline/console", doc(`${article(51)}<script>console.log("%cStop!", "color: red");</script>`)),
  plain("/inline/pixel", doc(`${article(52)}<script>new Image().src = "/pixel.gif?r=" + Math.random();</script>`)),
  plain(
    "/inline/beacon",
    doc(`${article(53)}<script>navigator.sendBeacon && navigator.sendBeacon("/count", location.pathname);</script>`),
  ),
  plain(
    "/inline/data-in-strings",
    doc(`${article(54)}<script>window.translations = {"a": "document.write is bad", "b": "x.innerHTML = y"};</script>`),
  ),
  plain("/inline/comments", doc(`${article(55)}<script>/* document.write("x") */ // location.href = "/y"\n</script>`)),
  scripted(
    "/inline/open",
    doc(`<p>before</p><script>document.open(); document.write("<p>A new document</p>"); document.close();</script>`),
  ),
];

/** Redirects and other ways to further pages. */
const WAYS: readonly CorpusPage[] = [
  scripted(
    "/way/meta-refresh",
    html({ title: "Moved", head: '<meta http-equiv="refresh" content="0; url=/news/plain">', body: "<p>Moved</p>" }),
  ),
  scripted(
    "/way/meta-refresh-1s",
    html({ title: "Moved", head: '<META HTTP-EQUIV="Refresh" CONTENT="1;URL=/news/ads">', body: "<p>Moved</p>" }),
  ),
  plain(
    "/way/meta-refresh-late",
    html({ title: "Later", head: '<meta http-equiv="refresh" content="900; url=/news/plain">', body: article(60) }),
  ),
  plain("/way/refresh-field", doc(article(61)), { headers: { refresh: "0; url=/news/jquery" } }),
  scripted("/way/script-href", doc(`<p>Moving</p><script>window.location.href = "/news/plain";</script>`)),
  scripted(
    "/way/script-replace",
    doc(`${article(62)}<script>if (!window.never) location.replace("/news/ads");</script>`),
  ),
  scripted("/way/script-assign", doc(`<script>document.location = "/news/analytics"</script>`)),
  plain(
    "/way/frame-buster",
    doc(`${article(63)}<script>if (top !== self) top.location = self.location.href;</script>`),
  ),
  {
    path: "/way/redirects",
    engine: "static",
    respond: () => new Response(null, { status: 301, headers: { location: "/way/redirects-on" } }),
  },
  {
    path: "/way/redirects-on",
    engine: "static",
    respond: () => new Response(null, { status: 307, headers: { location: "/news/plain" } }),
  },
  {
    path: "/way/redirect-to-shell",
    engine: "browser",
    respond: () => new Response(null, { status: 302, headers: { location: "/spa/react-vite" } }),
  },
  {
    path: "/way/cookie-set",
    engine: "static",
    respond: (request) =>
      new Response(doc(`${article(64)}<p>${request.headers.get("cookie") ?? "No cookie"}</p>`), {
        headers: { "content-type": "text/html", "set-cookie": "a=1" },
      }),
  },
  plain("/way/not-found", doc("<h1>Not found</h1><p>There is no such page.</p>"), { status: 404 }),
  plain("/way/gone-with-analytics", doc(`<h1>Gone</h1><p>Long ago.</p><script async src="/gtag/js"></script>`), {
    status: 410,
  }),
  plain(
    "/way/server-error",
    "<html><body><center><h1>500 Internal Server Error</h1></center><hr><center>nginx</center></body></html>",
    { status: 500 },
  ),
  plain("/way/maintenance", doc("<h1>Back soon</h1><p>We are mending the bridge.</p>"), {
    status: 503,
    headers: { "retry-after": "600" },
  }),
  plain("/way/forbidden", "<h1>Forbidden</h1><p>You don't have permission to access this resource.</p>", {
    status: 403,
  }),
  scripted("/way/not-found-shell", doc('<div id="root"></div><script src="/assets/index-Bx12Zq.js"></script>'), {
    status: 404,
  }),
];

/** Frames and shadow trees. */
const INSIDE: readonly CorpusPage[] = [
  scripted(
    "/shadow/cards-with-slots",
    doc(
      `${article(77)}<valley-card><p slot="title">Light words</p></valley-card><script type="module" src="/js/elements.js"></script>`,
    ),
  ),
  scripted("/frames/same-origin", doc(`${article(70)}<iframe src="/frame" width="400"></iframe>`)),
  scripted("/frames/srcdoc", doc(`${article(71)}<iframe srcdoc="<p>Words in a frame</p>"></iframe>`)),
  scripted(
    "/frames/two-with-script",
    doc(
      `${article(72)}<iframe src="/frame"></iframe><iframe src="/frame" hidden></iframe><script src="/js/site.js"></script>`,
    ),
  ),
  scripted(
    "/frames/object",
    doc(`${article(73)}<object data="/frame" type="text/html">The fallback of an object</object><embed src="/frame">`),
  ),
  scripted(
    "/frames/written",
    doc(
      `${article(74)}<script>var f = document.createElement("iframe"); f.src = "/frame"; document.body.appendChild(f);</script>`,
    ),
  ),
  plain(
    "/shadow/declarative",
    doc(
      `${article(75)}<div><template shadowrootmode="open"><p>Shadow words</p><slot></slot></template><p>Light words</p></div>`,
    ),
  ),
  scripted(
    "/shadow/attached-inline",
    doc(
      `${article(76)}<div id="host"><p>Light words</p></div><script>document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = "<p>Shadow words</p><slot></slot>";</script>`,
    ),
  ),
  plain(
    "/shadow/note-with-light",
    doc(
      `${article(77)}<valley-note><p>Light words</p></valley-note><script type="module" src="/js/elements.js"></script>`,
    ),
  ),
  scripted(
    "/shadow/element-inline",
    doc(
      `${article(78)}<x-clock></x-clock><script>customElements.define("x-clock", class extends HTMLElement { connectedCallback() { this.textContent = "Noon"; } });</script>`,
    ),
  ),
  scripted(
    "/shadow/empty-element",
    doc(`${article(79)}<valley-list></valley-list><script src="/js/elements.js"></script>`),
  ),
  plain(
    "/shadow/template-unused",
    doc(`${article(80)}<template id="row"><tr><td>Unused</td></tr></template><script src="/js/site.js"></script>`),
  ),
];

/** Third-party scripts that change a page which already has its text; no sign shows this. */
const UNTOLD: readonly CorpusPage[] = [
  plain(
    "/untold/consent-banner",
    html({
      title: "Landing",
      body: `${NAV}<section><h1>Benches</h1>${paragraphs(6, 83)}</section>${FOOTER}<script src="/js/consent-manager.js"></script>`,
    }),
  ),
  plain(
    "/untold/landing",
    html({
      title: "Landing",
      body: `${NAV}<section><h1>Benches</h1>${paragraphs(6, 81)}</section>${FOOTER}<script src="/js/landing.js"></script>`,
    }),
  ),
  scripted(
    "/untold/rewritten",
    html({
      title: "Landing",
      body: `${NAV}<section><h1>Benches</h1>${paragraphs(6, 82)}<p>© <span data-year>2019</span> ${sentences(1, 3)}</p></section>${FOOTER}<script src="/js/landing.js"></script>`,
    }),
  ),
];

/** Pages grouped by the effects of their scripts. */
export const BEHAVIOUR: readonly CorpusPage[] = [...LATE, ...INLINE, ...WAYS, ...INSIDE, ...UNTOLD];
