import { type HandMadePage, made } from "./hand-made-page.ts";
import { INDIRECT_PAGES } from "./indirect-requests.ts";
import { PLAIN_PAGES } from "./plain-scripts.ts";

const part = (path: string, html: string): HandMadePage => ({ path, html, must: [], mustNot: [] });

/**
 * Pages without a framework: elements that scripts fill, frames, closed shadow trees, and scripts that fill nothing.
 */
export const HAND_MADE: readonly HandMadePage[] = [
  made("browser", "/hand/widget", {
    body: '<main>ARTICLE<div data-widget="reviews"></div></main>',
    script:
      'document.querySelectorAll("[data-widget]").forEach(async (place) => { const all = await (await fetch("/api/items")).json(); place.innerHTML = all.map((item) => "<p>" + item + "</p>").join(""); });',
    must: ["A notice that came late"],
  }),
  made("browser", "/hand/price", {
    body: '<main>ARTICLE<p>Price: <span id="price">--</span></p></main>',
    script:
      'var request = new XMLHttpRequest(); request.open("GET", "/api/price"); request.onload = function () { document.getElementById("price").textContent = JSON.parse(request.responseText).price; }; request.send();',
    must: ["3.40 crowns"],
    mustNot: ["Price: --"],
  }),
  made("browser", "/hand/price-local", {
    body: '<main>ARTICLE<p>Price: <b class="price-now"></b></p></main>',
    script: 'document.querySelector(".price-now").textContent = (17 * 0.2).toFixed(2) + "0 crowns";',
    must: ["3.400 crowns"],
  }),
  made("browser", "/hand/rows", {
    body: "<main>ARTICLE<table><thead><tr><th>Pier</th><th>Time</th></tr></thead><tbody></tbody></table></main>",
    script:
      'fetch("/api/rows").then((r) => r.json()).then((rows) => { const body = document.querySelector("tbody"); for (const row of rows) { const tr = body.insertRow(); for (const cell of row) tr.insertCell().textContent = cell; } });',
    must: ["Granary pier", "08:15"],
  }),
  made("browser", "/hand/appended", {
    body: '<main>ARTICLE<ul id="notices"><li>The first notice</li><li>The second notice</li></ul></main>',
    script:
      'const ADDRESS = "/api/items";\nfetch(ADDRESS).then((r) => r.json()).then((all) => { for (const item of all) { const li = document.createElement("li"); li.textContent = item; document.getElementById("notices").appendChild(li); } });',
    must: ["The first notice", "A notice that came late"],
  }),
  made("browser", "/hand/timer", {
    body: '<main>ARTICLE<div class="forecast"></div></main>',
    script:
      'setTimeout(() => { document.querySelector(".forecast").innerHTML = "<p>Fog until nine, then wind.</p>"; }, 1200);',
    must: ["Fog until nine"],
  }),
  made("browser", "/hand/late-all", {
    body: "<main></main>",
    script:
      'setTimeout(() => { document.querySelector("main").innerHTML = "<h1>Timetable</h1><p>The boat leaves at seven.</p>"; }, 1800);',
    must: ["The boat leaves at seven."],
  }),
  made("browser", "/hand/late-loading", {
    body: '<main><p class="state">Loading…</p></main>',
    script:
      'setTimeout(() => { document.querySelector("main").innerHTML = "<h1>Timetable</h1><p>The boat leaves at eight.</p>"; }, 1500);',
    must: ["The boat leaves at eight."],
    mustNot: ["Loading"],
  }),
  made("browser", "/hand/frame", {
    body: '<main><h1>Timetable</h1><iframe src="/hand/frame-part" width="700" height="400"></iframe></main>',
    must: ["Timetable", "The words within the frame"],
  }),
  part(
    "/hand/frame-part",
    "<!doctype html><title>Frame</title><p>The words within the frame of the page.</p><iframe src='/hand/inner-part' width=300 height=200></iframe>",
  ),
  part("/hand/inner-part", "<!doctype html><title>Inner</title><p>The innermost words.</p>"),
  made("browser", "/hand/frame-nested", {
    body: '<main>ARTICLE<iframe src="/hand/frame-part" style="width: 100%; height: 500px"></iframe></main>',
    must: ["The words within the frame", "The innermost words."],
  }),
  made("browser", "/hand/frame-written", {
    body: '<main>ARTICLE<iframe srcdoc="&lt;p&gt;Words of a document in an attribute.&lt;/p&gt;" width="500" height="300"></iframe></main>',
    must: ["Words of a document in an attribute."],
  }),
  made("static", "/hand/frame-small", {
    body: '<main>ARTICLE<iframe src="/hand/frame-part" width="1" height="1"></iframe><iframe src="/hand/frame-part" hidden></iframe></main>',
    mustNot: ["within the frame"],
  }),
  made("browser", "/hand/closed", {
    body: "<main>ARTICLE<tide-table></tide-table></main>",
    script:
      'customElements.define("tide-table", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<p>High water at four in the afternoon.</p>"; } });',
    must: ["High water at four in the afternoon."],
  }),
  made("browser", "/hand/closed-div", {
    body: '<main>ARTICLE<div id="tide"></div></main>',
    script:
      'const root = document.getElementById("tide").attachShadow({ mode: "closed" }); root.innerHTML = "<p>Low water at ten.</p><div></div>"; root.querySelector("div").attachShadow({ mode: "closed" }).innerHTML = "<p>Neap tide on Friday.</p>";',
    must: ["Low water at ten.", "Neap tide on Friday."],
  }),
  made("static", "/hand/toggle", {
    body: '<main>ARTICLE<button id="more">More</button><div id="rest" class="closed"><p>The rest of it.</p></div></main>',
    script:
      'document.getElementById("more").addEventListener("click", function () { document.getElementById("rest").classList.toggle("closed"); });',
    must: ["The rest of it."],
  }),
  made("static", "/hand/toggle-attribute", {
    body: '<main>ARTICLE<button onclick="flip()">More</button><p id="rest">The rest of it.</p><script>function flip() { var rest = document.getElementById("rest"); rest.style.display = rest.style.display === "none" ? "block" : "none"; }</script></main>',
    must: ["The rest of it."],
  }),
  made("static", "/hand/theme", {
    body: '<main>ARTICLE<button id="theme">Theme</button></main>',
    script:
      'const theme = localStorage.getItem("theme"); if (theme) document.documentElement.dataset.theme = theme; document.getElementById("theme").onclick = () => { document.documentElement.dataset.theme = "dark"; localStorage.setItem("theme", "dark"); };',
  }),
  made("static", "/hand/login-wall", {
    body: '<main><h1>The captain\'s diary</h1><p>Log in to read on.</p><form id="login" action="/login" method="post"><input name="name"><input name="password" type="password"><button>Log in</button></form></main>',
    script:
      'document.getElementById("login").addEventListener("submit", async function (event) { event.preventDefault(); const answer = await fetch("/api/login", { method: "POST", body: new FormData(this) }); if (!answer.ok) document.body.append("Wrong"); });',
    must: ["Log in to read on."],
  }),
  made("static", "/hand/year", {
    body: "<main>ARTICLE</main>",
    script: 'document.getElementById("year").textContent = new Date().getFullYear();',
  }),
  made("static", "/hand/search-box", {
    body: '<main>ARTICLE<form role="search"><input type="search" name="q"></form><div class="search-suggestions"></div></main>',
    script:
      'const box = document.querySelector("input[type=search]"); box.addEventListener("input", async () => { const all = await (await fetch("/api/suggest?q=" + box.value)).json(); document.querySelector(".search-suggestions").innerHTML = all.join(); });',
  }),
  made("static", "/hand/panels", {
    body: '<main>ARTICLE<section><h2><button aria-expanded="false" aria-controls="a1">What does a ticket cost?</button></h2><div id="a1" role="region" hidden><p>As much as a loaf of bread.</p></div></section></main>',
    script:
      'document.querySelectorAll("[aria-controls]").forEach((button) => button.addEventListener("click", () => { const panel = document.getElementById(button.getAttribute("aria-controls")); panel.hidden = !panel.hidden; }));',
    must: ["What does a ticket cost?", "As much as a loaf of bread."],
  }),
  made("browser", "/hand/notice-in-place", {
    body: '<main>ARTICLE<p>Fee: <em id="fee">please wait</em></p></main>',
    script: 'setTimeout(() => { document.querySelector("#fee").textContent = "six coins"; }, 900);',
    must: ["six coins"],
    mustNot: ["please wait"],
  }),
  made("browser", "/hand/stand-in-class", {
    body: '<main>ARTICLE<p>Next sailing in <span class="minutes">--</span> minutes</p></main>',
    script: 'document.querySelector(".minutes").textContent = "47"; setInterval(() => {}, 1000);',
    must: ["in 47 minutes"],
  }),
  made("browser", "/hand/appended-local", {
    body: '<main>ARTICLE<ul id="notes"><li>The first note</li></ul></main>',
    script:
      'for (const text of ["A note from Mary"]) { const li = document.createElement("li"); li.append(text); document.getElementById("notes").append(li); }',
    must: ["The first note", "A note from Mary"],
  }),
  made("browser", "/hand/appended-section", {
    body: "<main>ARTICLE</main>",
    script:
      'const part = document.createElement("section"); part.innerHTML = "<h2>Finds</h2><p>The anchor was raised in spring.</p>"; document.querySelector("main").append(part);',
    must: ["The anchor was raised in spring."],
  }),
  made("browser", "/hand/loader", {
    body: '<main>ARTICLE<div class="weather"></div></main>',
    script:
      'const script = document.createElement("script"); script.src = "/hand/loader-part.js"; document.head.appendChild(script);',
    must: ["Gale from the north."],
  }),
  {
    ...part("/hand/loader-part", ""),
    script: 'document.querySelector(".weather").innerHTML = "<p>Gale from the north.</p>";',
  },
  made("browser", "/hand/modules", {
    body: '<main>ARTICLE<div id="panel"></div></main><script type="module" src="/hand/modules-entry.js"></script>',
    must: ["Filled by a module."],
  }),
  { ...part("/hand/modules-entry", ""), script: 'import { fill } from "./modules-part.js"; fill("panel");' },
  {
    ...part("/hand/modules-part", ""),
    script: 'export const fill = (id) => { document.getElementById(id).innerHTML = "<p>Filled by a module.</p>"; };',
  },
  made("browser", "/hand/frame-lazy", {
    body: '<main>ARTICLE<iframe loading="lazy" src="/hand/inner-part" width="600" height="300"></iframe></main>',
    must: ["The innermost words."],
  }),
  made("browser", "/hand/element-fallback", {
    body: "<main>ARTICLE<wind-table>The wind needs scripts.</wind-table></main>",
    script:
      'customElements.define("wind-table", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<p>A gale at nine.</p>"; } });',
    must: ["A gale at nine."],
    mustNot: ["needs scripts"],
  }),
  made("browser", "/hand/inline-late", {
    body: '<main>ARTICLE<div id="late"></div><script>addEventListener("load", () => setTimeout(async () => { document.getElementById("late").textContent = (await (await fetch("/api/note")).json()).note; }, 800));</script></main>',
    must: ["The captain is on leave"],
  }),
  made("browser", "/hand/base-address", {
    body: '<main>ARTICLE<section class="x1"></section></main>',
    script:
      'const base = document.body.dataset.base || "/api"; fetch(base + "/items").then((r) => r.json()).then((all) => { document.querySelector("main").lastElementChild.innerHTML = all.map((one) => "<p>" + one + "</p>").join(""); });',
    must: ["A notice that came late"],
  }),
  made("browser", "/hand/object", {
    body: '<main>ARTICLE<object data="/hand/frame-part" type="text/html" width="600" height="300"></object></main>',
    must: ["The words within the frame"],
  }),
  made("browser", "/hand/two-places", {
    body: '<main>ARTICLE<p>Price: <span id="price">--</span></p><section id="visitors"></section></main>',
    script:
      'document.getElementById("price").textContent = "seven coins"; setTimeout(() => { document.getElementById("visitors").innerHTML = "<p>Worth the climb, says Ida.</p>"; }, 1_200);',
    must: ["seven coins", "Worth the climb, says Ida."],
  }),
  made("browser", "/hand/short-name", {
    body: '<main>ARTICLE<p id="tz"></p></main>',
    script: 'document.getElementById("tz").textContent = "The clock of the keeper shows noon.";',
    must: ["The clock of the keeper shows noon."],
  }),
  made("browser", "/hand/mounted", {
    body: "<main>ARTICLE</main>",
    script:
      'let kept = false; const useState = () => [kept, (value) => { kept = value; render(); }]; const useEffect = (run) => { if (!kept) setTimeout(run); }; const make = (tag, { children }) => Object.assign(document.createElement(tag), { textContent: children }); function App() { const [on, setOn] = useState(false); useEffect(() => { setOn(true); }, []); return on && make("p", { children: "Known only after the start." }); } function render() { const made = App(); if (made) document.querySelector("main").append(made); } render();',
    must: ["Known only after the start."],
  }),
  made("static", "/hand/noscript-map", {
    body: '<main>ARTICLE<div id="map"></div><noscript><p>Enable JavaScript to see the map.</p></noscript></main>',
    script: 'document.getElementById("map").addEventListener("click", () => import("/map.js"));',
  }),
  made("static", "/hand/wall-with-link", {
    body: '<main><h1>Members only</h1><p>This page is for members of the circle of friends.</p><a href="/login">Log in</a></main>',
    script: 'fetch("/api/auth/session").then((r) => r.json()).then((s) => { if (s.user) location.reload(); });',
    must: ["This page is for members"],
  }),
  made("static", "/hand/load-more", {
    body: '<main>ARTICLE<ul id="ships"><li>Anna</li></ul><button id="more">More</button></main>',
    script:
      'const list = document.getElementById("ships"); let page = 1; function show(items) { list.insertAdjacentHTML("beforeend", items.map((t) => "<li>" + t + "</li>").join("")); } async function loadMore() { page += 1; show(await (await fetch("/api/items?page=" + page)).json()); } document.querySelector("#more").addEventListener("click", loadMore);',
    must: ["Anna"],
    mustNot: ["came late"],
  }),
  made("static", "/hand/banner", {
    body: "<main>ARTICLE</main>",
    script:
      'if (!document.cookie.includes("seen=")) { const box = document.createElement("div"); box.className = "cookie-banner"; box.innerHTML = "<p>Cookies are used.</p><button>Close</button>"; document.body.append(box); }',
    mustNot: ["Cookies are used."],
  }),
  made("static", "/hand/panel-under-heading", {
    body: '<main>ARTICLE<h2><button aria-expanded="false" aria-controls="lift">Is there a lift?</button></h2><div id="lift" hidden><p>There are two hundred steps.</p></div></main>',
    script:
      'document.querySelectorAll("[aria-controls]").forEach((b) => b.addEventListener("click", () => { const p = document.getElementById(b.getAttribute("aria-controls")); p.hidden = !p.hidden; }));',
    must: ["There are two hundred steps."],
  }),
  made("static", "/hand/copy-buttons", {
    body: "<main>ARTICLE<pre><code>let keeper = 1;</code></pre></main>",
    script:
      'for (const pre of document.querySelectorAll("pre")) { const b = document.createElement("button"); b.textContent = "Copy"; pre.appendChild(b); }',
    must: ["let keeper = 1;"],
  }),
  made("browser", "/hand/timer-part", {
    body: "<main>ARTICLE</main>",
    script:
      'setTimeout(function () { document.querySelector("main").insertAdjacentHTML("beforeend", "<h2>Wind</h2><p>Force five, and backing.</p>"); }, 1800);',
    must: ["Force five, and backing."],
  }),
  made("browser", "/hand/timer-chain", {
    body: '<main>ARTICLE<ul class="sayings"><li>Salt is patience.</li></ul></main>',
    script:
      'let n = 0; const all = ["Wind does the work.", "The sea keeps accounts."]; function next() { if (n >= all.length) return; const li = document.createElement("li"); li.textContent = all[n++]; document.querySelector(".sayings").appendChild(li); setTimeout(next, 1100); } setTimeout(next, 1100);',
    must: ["The sea keeps accounts."],
  }),
  made("browser", "/hand/timer-request", {
    body: '<main>ARTICLE<section id="book"><h2>Visitors</h2><p>Be the first to write.</p></section></main>',
    script:
      'addEventListener("load", () => setTimeout(async () => { const { note } = await (await fetch("/api/note")).json(); const line = document.createElement("blockquote"); line.innerText = note; document.getElementById("book").appendChild(line); }, 1000));',
    must: ["The captain is on leave"],
  }),
  made("browser", "/hand/embed", {
    body: '<main>ARTICLE<embed src="/hand/inner-part" type="text/html" width="600" height="300"></main>',
    must: ["The innermost words."],
  }),
  made("browser", "/hand/object-untyped", {
    body: '<main>ARTICLE<object data="/hand/inner-part" width="600" height="300"></object></main>',
    must: ["The innermost words."],
  }),
  made("static", "/hand/object-picture", {
    body: '<main>ARTICLE<object data="/plan.svg" width="600" height="300"></object></main>',
  }),
  made("browser", "/hand/frame-made", {
    body: '<main>ARTICLE<div id="f"></div></main>',
    script:
      'var i=document.createElement("iframe");i.src="/hand/inner-part";i.width=600;i.height=300;document.getElementById("f").appendChild(i);',
    must: ["The innermost words."],
  }),
  made("browser", "/hand/output", {
    body: "<main>ARTICLE<p>Yield: <output></output></p></main>",
    script:
      'const w = new Worker(URL.createObjectURL(new Blob(["onmessage = (e) => postMessage(e.data + 9)"]))); w.onmessage = (e) => { document.querySelector("output").value = e.data + " baskets"; }; w.postMessage(40);',
    must: ["49 baskets"],
  }),
  made("browser", "/hand/replaced-text", {
    body: '<main>ARTICLE<p>Write to <a class="em" data-u="mill">our office</a>.</p></main>',
    script:
      'document.querySelectorAll("a.em").forEach(a=>{const m=a.dataset.u+"@valley.example";a.href="mailto:"+m;a.textContent=m});',
    must: ["mill@valley.example"],
  }),
  made("browser", "/hand/global-name", {
    body: '<main>ARTICLE<p>Next walk: <time id="walk"></time></p></main>',
    script:
      '(()=>{const d=new Date(Date.UTC(2031,4,17));walk.textContent=d.toLocaleDateString("en-GB",{day:"numeric",month:"long",year:"numeric",timeZone:"UTC"})})();',
    must: ["17 May 2031"],
  }),
  made("browser", "/hand/document-write", {
    body: "<main>ARTICLE</main>",
    script: 'document.write("<section><h2>Notice</h2><p>Rakes are lent on Fridays.</p></section>");',
    must: ["Rakes are lent on Fridays."],
  }),
  made("browser", "/hand/beside-script", {
    body: "<main>ARTICLE</main>",
    script:
      '(function(){var me=document.currentScript,box=document.createElement("div");box.innerHTML="<h3>Dike</h3><p>Dry with a breeze.</p>";me.parentNode.insertBefore(box,me)})();',
    must: ["Dry with a breeze."],
  }),
  made("browser", "/hand/helper-made", {
    body: '<main>ARTICLE<div class="board"><p>Board</p></div></main>',
    script:
      'const el=(t,...k)=>{const n=document.createElement(t);n.append(...k);return n};document.querySelector(".board").append(el("table",el("tr",el("td","Friday"),el("td","Barrows"))));',
    must: ["Barrows"],
  }),
  made("browser", "/hand/into-body", {
    body: "<main>ARTICLE</main>",
    script:
      'requestIdleCallback(()=>{const s=document.createElement("section");s.innerHTML="<h2>Readers ask</h2><p>May I bring a dog?</p>";document.body.insertBefore(s,document.querySelector("footer"))});',
    must: ["May I bring a dog?"],
  }),
  made("browser", "/hand/counts-up", {
    body: '<main>ARTICLE<p><b class="num" data-end="1840">0</b> visitors</p></main>',
    script:
      'document.querySelectorAll(".num").forEach(function(n){var e=+n.dataset.end;(function f(t){var k=Math.min(1,t/1500);n.textContent=Math.round(k*e);k<1&&requestAnimationFrame(f)})(0)});',
    must: ["1840 visitors"],
  }),
  made("static", "/hand/handler-async", {
    body: '<main>ARTICLE<ul id="posts"><li>Post one</li></ul><button class="next">Older</button></main>',
    script:
      'let p=1;document.querySelector(".next").onclick=async()=>{const h=await(await fetch("/posts?page="+ ++p)).text();document.getElementById("posts").insertAdjacentHTML("beforeend",h)};',
    must: ["Post one"],
  }),
  made("static", "/hand/letter", {
    body: "<main>ARTICLE</main>",
    script:
      'setTimeout(function(){var d=document.createElement("div");d.className="nl-modal";d.innerHTML="<h2>Join our newsletter</h2><p>One letter a month.</p>";document.body.appendChild(d)},8000);',
    mustNot: ["Join our newsletter"],
  }),
  made("static", "/hand/form-message", {
    body: '<main>ARTICLE<form id="trip"><input name="mail"><p class="message"></p><button>Book</button></form></main>',
    script:
      'document.getElementById("trip").addEventListener("submit",async e=>{e.preventDefault();const m=document.querySelector(".message");m.textContent="Sending";const r=await fetch("/api/book",{method:"POST",body:new FormData(e.target)});m.textContent=r.ok?"Booked.":"Sorry."});',
  }),
  made("static", "/hand/to-top", {
    body: "<main>ARTICLE</main>",
    script:
      'document.querySelector("footer").append(" "+new Date().getFullYear());const t=document.createElement("button");t.textContent="Top";t.hidden=true;t.addEventListener("click",()=>scrollTo(0,0));document.body.append(t);addEventListener("scroll",()=>{t.hidden=scrollY<600});',
  }),
  ...INDIRECT_PAGES,
  ...PLAIN_PAGES,
];
