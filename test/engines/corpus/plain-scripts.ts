import { type HandMadePage, made } from "./hand-made-page.ts";

/**
 * Pages with plain scripts: parts that a script uncovers, data whose address the page's own code passes, texts that are
 * replaced when they are seen, and parts that only a user changes.
 */
export const PLAIN_PAGES: readonly HandMadePage[] = [
  made("browser", "/plain/uncovered", {
    body: '<main>ARTICLE<section class="route" style="display:none"><h2>Route</h2><p>Past the ice house to the north quay.</p></section></main>',
    script:
      'const wide=matchMedia("(min-width: 600px)"),route=document.querySelector(".route");const place=()=>{route.style.display=wide.matches?"block":"none"};wide.addEventListener("change",place);place();',
    must: ["Past the ice house"],
  }),
  made("browser", "/plain/inline-call", {
    body: '<main>ARTICLE<div id="tides">See the board at the steps.</div><script>addEventListener("load", () => { Tides.init({ target: "#tides", url: "/tides/rows" }); });</script></main>',
    script:
      '!function(w){function T(o){this.o=o;this.load()}T.prototype.load=function(){var t=this;fetch(t.o.url).then(function(r){return r.json()}).then(function(a){document.querySelector(t.o.target).innerHTML=a.join(", ")})};w.Tides={init:function(o){return new T(o)}}}(window);',
    must: ["High tide at six"],
    mustNot: ["See the board"],
  }),
  made("browser", "/plain/json-script", {
    body: '<main>ARTICLE<p class="tide">Ask at the office.</p><script type="application/json" id="tide-config">{"endpoint":"\\/tides\\/rows","place":".tide"}</script></main>',
    script:
      'const c=JSON.parse(document.getElementById("tide-config").textContent);(async()=>{const a=await(await fetch(c.endpoint)).json();document.querySelector(c.place).textContent=a[0]})();',
    must: ["High tide at six"],
  }),
  made("browser", "/plain/triggered", {
    body: '<main>ARTICLE<select id="size"><option value="m">Medium</option></select><p>Length: <b id="length">choose a size</b></p></main>',
    script:
      'const L={m:"96 fathoms"},s=document.querySelector("#size");s.addEventListener("change",()=>{document.querySelector("#length").textContent=L[s.value]});s.dispatchEvent(new Event("change"));',
    must: ["96 fathoms"],
  }),
  made("browser", "/plain/counted", {
    body: '<main>ARTICLE<div style="height:2000px"></div><p><span class="boats" data-boats="118">0</span> boats</p><p class="saying">A saying.</p></main>',
    script:
      'const o=new IntersectionObserver(all=>{for(const e of all){if(e.isIntersecting)e.target.textContent=e.target.dataset.boats??"Fog has no owner."}});o.observe(document.querySelector(".boats"));o.observe(document.querySelector(".saying"));',
    must: ["118 boats", "Fog has no owner."],
  }),
  made("browser", "/plain/worker", {
    body: '<main>ARTICLE<p>Best: <b id="best">…</b></p></main>',
    script:
      'const w=new Worker(URL.createObjectURL(new Blob(["setTimeout(()=>postMessage(\'the ash rake\'),700)"],{type:"text/javascript"})));w.onmessage=({data})=>{document.getElementById("best").textContent=data};',
    must: ["Best: the ash rake"],
  }),
  made("static", "/plain/shop", {
    body: '<main>ARTICLE<p class="price">31 crowns</p><button class="add">Add</button></main><div class="cart-drawer"><div class="cart-items"></div></div><p class="offline" style="display:none">You are offline, so this may be out of date.</p>',
    script:
      'const q=s=>document.querySelector(s);async function cart(){const c=await(await fetch("/api/cart")).json();q(".cart-items").innerHTML=c.map(x=>"<p>"+x+"</p>").join("")}q(".add").addEventListener("click",async()=>{await fetch("/api/cart",{method:"POST"});await cart()});addEventListener("offline",()=>{q(".offline").style.display="block"});',
    must: ["31 crowns"],
    mustNot: ["You are offline"],
  }),
  made("static", "/plain/blog", {
    body: '<main>ARTICLE<form action="/c"><input name="m"><div class="output"></div></form><audio src="/a.mp3" preload="none"></audio><span class="time">0:00</span></main><footer>© <span id="now">2020</span><script>document.getElementById("now").textContent = new Date().getFullYear();</script></footer>',
    script:
      'document.querySelector("audio").addEventListener("timeupdate",e=>{document.querySelector(".time").textContent=e.target.currentTime});document.querySelector("form").addEventListener("submit",async e=>{e.preventDefault();const r=await fetch("/c",{method:"POST"});document.querySelector(".output").textContent=await r.text()});',
  }),
];
