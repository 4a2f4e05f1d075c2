import { type HandMadePage, made } from "./hand-made-page.ts";

/**
 * Pages whose scripts request data through functions of their own, from addresses in the page or over a stream, and
 * pages whose scripts only look as if they did.
 */
export const INDIRECT_PAGES: readonly HandMadePage[] = [
  made("browser", "/indirect/helper", {
    body: '<main>ARTICLE<h2>Tides</h2><div><ul class="tides"><li>From the harbour office</li></ul></div></main>',
    script:
      'const ask=async(u)=>{const r=await fetch(u);return r.json()};const h=(t,x)=>Object.assign(document.createElement(t),{textContent:x});ask("/tides/rows").then(a=>a.forEach(x=>document.querySelector("div > ul").append(h("li",x))));',
    must: ["High tide at six"],
  }),
  made("browser", "/indirect/client", {
    body: "<main>ARTICLE<section><h2>Tides</h2><p>From the harbour office</p></section></main>",
    script:
      'const api={get:(u)=>fetch("/tides"+u).then(r=>r.json())};api.get("/rows").then(a=>{for(const x of a){const p=document.createElement("p");p.textContent=x;document.querySelector("main section").append(p)}});',
    must: ["High tide at six"],
  }),
  made("browser", "/indirect/attribute", {
    body: '<main>ARTICLE<figure data-rows="/tides/rows"><figcaption>Tides of the week</figcaption></figure></main>',
    script:
      'for(const f of document.querySelectorAll("figure[data-rows]"))fetch(f.dataset.rows).then(r=>r.json()).then(a=>{const t=document.createElement("div");t.innerHTML=a.map(x=>"<p>"+x+"</p>").join("");f.prepend(t)});',
    must: ["High tide at six"],
  }),
  made("browser", "/indirect/stream", {
    body: "<main>ARTICLE<table><tr><th>Tide</th><th>Time</th></tr><tr data-tide='high'><td>High</td><td>…</td></tr></table></main>",
    script:
      'const s=new EventSource("/tides/stream");s.onmessage=({data})=>{const t=JSON.parse(data);document.querySelector(`[data-tide="${t.tide}"]`).cells[1].textContent=t.time;s.close()};',
    must: ["18:04"],
  }),
  made("browser", "/indirect/visible-task", {
    body: '<main q:base="/indirect/">ARTICLE<div on:qvisible="visible-task.js#s_a"></div></main>',
    script:
      'const run=async(e)=>{const a=await(await fetch("/tides/rows")).json();e.innerHTML=a.map(x=>"<p>"+x+"</p>").join("")};document.querySelectorAll("[on\\\\:qvisible]").forEach(run);',
    must: ["High tide at six"],
  }),
  made("browser", "/indirect/far-place", {
    body: '<main>ARTICLE<div style="height:2400px"></div><section class="lazy" data-part="/tides/rows"></section></main>',
    script:
      'new IntersectionObserver(async([e],o)=>{if(!e.isIntersecting)return;o.disconnect();const a=await(await fetch(e.target.dataset.part)).json();e.target.innerHTML=a.map(x=>"<p>"+x+"</p>").join("")}).observe(document.querySelector("section.lazy"));',
    must: ["High tide at six"],
  }),
  made("browser", "/indirect/own-text", {
    body: "<main>ARTICLE<tide-clock><time>unknown</time></tide-clock></main>",
    script:
      'customElements.define("tide-clock",class extends HTMLElement{connectedCallback(){const p=document.createElement("p");p.append("High water after six");this.replaceChildren(p)}});',
    must: ["High water after six"],
    mustNot: ["unknown"],
  }),
  made("static", "/indirect/search", {
    body: '<main>ARTICLE<input id="q" type="search"><ul id="found"></ul></main>',
    script:
      'let index;fetch("/data/index.json").then(r=>r.json()).then(d=>{index=new Fuse(d,{keys:["title"]})});document.getElementById("q").onkeyup=(e)=>{document.querySelector("#found").innerHTML=index.search(e.target.value).map(i=>"<li>"+i.item.title+"</li>").join("")};',
  }),
  made("static", "/indirect/picker", {
    body: '<main>ARTICLE<p><b class="fare">3 crowns</b></p><fare-picker><select><option value="5">Cart</option></select></fare-picker></main>',
    script:
      'customElements.define("fare-picker",class extends HTMLElement{connectedCallback(){this.addEventListener("change",this.pick.bind(this))}pick(e){this.show(e.target.value)}show(v){document.querySelector(".fare").textContent=v+" crowns"}});',
    must: ["3 crowns"],
  }),
  made("static", "/indirect/dots", {
    body: '<main>ARTICLE<div class="slider"><div class="slides"><p>Fog on the river</p></div><div class="slider-nav"></div></div></main>',
    script:
      'const nav=document.querySelector(".slider-nav");nav.innerHTML="";for(const s of document.querySelectorAll(".slides > *")){const d=document.createElement("div");d.className="dot";nav.append(d)}',
    must: ["Fog on the river"],
  }),
];
