/** Programs of libraries that render in the browser alone, by their names; `body` is what the server sends. */
const words = `import { PARAGRAPHS, TITLE } from "./text.js";`;
const SHELL = '<div id="app"></div>';

const angular = (fields, more = "") => `import "@angular/compiler";
import { Component, provideZonelessChangeDetection, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
${words}
class App { title = TITLE; paragraphs = PARAGRAPHS; ${fields} }
Component({ selector: "app-root", template: \`${more.startsWith("@") ? "" : "<main><h1>{{ title }}</h1>@for (text of paragraphs; track text) {<p>{{ text }}</p>}"}${more}${more.startsWith("@") ? "" : "</main>"}\` })(App);
bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });`;

const lit = (define, render) => `import { html, LitElement } from "lit";
${words}
customElements.define("ferry-page", class extends LitElement {
  static properties = { data: { state: true } };
  ${define}
  render() { return ${render}; }
});`;
const litArticle = (more = "") =>
  `html\`<main><h1>\${TITLE}</h1>\${PARAGRAPHS.map((text) => html\`<p>\${text}</p>\`)}${more}</main>\``;

const mithril = (setup, view) => `import m from "mithril";
${words}
${setup}
m.mount(document.getElementById("app"), { view: () => ${view} });`;
const mithrilArticle = (more = "") => `m("main", m("h1", TITLE), PARAGRAPHS.map((text) => m("p", text))${more})`;

export const PROGRAMS = {
  "angular/plain": { body: "<app-root></app-root>", code: angular("") },
  "angular/late": {
    body: "<app-root></app-root>",
    code: angular(
      "here = signal(false); constructor() { setTimeout(() => this.here.set(true), 1500); }",
      "@if (here()) {<main><h1>{{ title }}</h1>@for (text of paragraphs; track text) {<p>{{ text }}</p>}</main>}",
    ),
  },
  "angular/data": {
    body: "<app-root>Loading…</app-root>",
    code: angular(
      'data = signal({ note: "" }); constructor() { fetch("/api/slow").then((r) => r.json()).then((d) => this.data.set(d)); }',
      "<p>{{ data().note }}</p>",
    ),
  },
  "lit/plain": { body: "<ferry-page></ferry-page>", code: lit("", litArticle()) },
  "lit/closed": {
    body: "<ferry-page></ferry-page>",
    code: lit('createRenderRoot() { return this.attachShadow({ mode: "closed" }); }', litArticle()),
  },
  "lit/data": {
    body: "<ferry-page></ferry-page>",
    code: lit(
      'connectedCallback() { super.connectedCallback(); fetch("/api/note").then((r) => r.json()).then((d) => { this.data = d; }); }',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in a template of the program
      litArticle("<p>${this.data?.note}</p>"),
    ),
  },
  "lit/slow": {
    body: "<ferry-page></ferry-page>",
    code: lit(
      'connectedCallback() { super.connectedCallback(); fetch("/api/slow").then((r) => r.json()).then((d) => { this.data = d; }); }',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in a template of the program
      `this.data ? ${litArticle("<p>${this.data.note}</p>")} : ""`,
    ),
  },
  "mithril/plain": { body: SHELL, code: mithril("", mithrilArticle()) },
  "mithril/data": {
    body: SHELL,
    code: mithril(
      'let data; m.request("/api/note").then((d) => { data = d; });',
      mithrilArticle(', data && m("p", data.note)'),
    ),
  },
  "mithril/late": {
    body: SHELL,
    code: mithril(
      "let here = false; setTimeout(() => { here = true; m.redraw(); }, 1500);",
      `here ? ${mithrilArticle()} : null`,
    ),
  },
  "alpine/plain": {
    body: '<main x-data="page"><h1 x-text="title"></h1><template x-for="text in paragraphs"><p x-text="text"></p></template></main>',
    code: `import Alpine from "alpinejs"; ${words} Alpine.data("page", () => ({ title: TITLE, paragraphs: PARAGRAPHS })); Alpine.start();`,
  },
  "alpine/note": {
    body: '<main x-data="page">ARTICLE<p x-text="note"></p></main>',
    code: 'import Alpine from "alpinejs"; Alpine.data("page", () => ({ note: "", async init() { this.note = (await (await fetch("/api/note")).json()).note; } })); Alpine.start();',
  },
  "petite-vue/plain": {
    body: '<div id="app" v-scope v-cloak><main><h1>{{ title }}</h1><p v-for="text in paragraphs">{{ text }}</p></main></div>',
    code: `import { createApp } from "petite-vue"; ${words} createApp({ title: TITLE, paragraphs: PARAGRAPHS }).mount("#app");`,
  },
  "jquery/rows": {
    body: '<main>ARTICLE<table id="piers"><thead><tr><th>Pier</th><th>Time</th></tr></thead><tbody></tbody></table></main>',
    code: 'import $ from "jquery"; $(() => { $.getJSON("/api/rows", (all) => { for (const [pier, time] of all) $("#piers tbody").append($("<tr>").append($("<td>").text(pier), $("<td>").text(time))); }); });',
  },
  "jquery/price": {
    body: '<main>ARTICLE<p>A ticket today: <span id="price">--</span></p></main>',
    code: 'import $ from "jquery"; $.get("/api/price").done((data) => $("#price").text(data.price));',
  },
  "jquery/appended": {
    body: '<main>ARTICLE<ul class="news"><li>The first notice of the board</li></ul></main>',
    code: 'import $ from "jquery"; $(() => $.getJSON("/api/items", (all) => all.forEach((item) => $(".news").append($("<li>").text(item)))));',
  },
  "jquery/toggle": {
    body: '<main>ARTICLE<button class="menu-button">Menu</button><nav class="menu"><a href="/a">Galley</a></nav></main>',
    code: 'import $ from "jquery"; $(() => { $(".menu-button").on("click", () => $(".menu").slideToggle()); $(window).on("scroll", () => $("body").toggleClass("far", scrollY > 50)); });',
  },
  "jquery/login": {
    body: '<main><h1>Members of the crew</h1><p>Log in to read the captain\'s diary.</p><form id="login"><input name="name"><input type="password" name="password"><button>Log in</button></form></main>',
    code: 'import $ from "jquery"; $("#login").on("submit", (event) => { event.preventDefault(); $.post("/api/login", $("#login").serialize()).fail(() => $("#login").append("<p>That is not right.</p>")); });',
  },
};
