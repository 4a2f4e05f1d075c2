/** Scripts of the corpus's pages, by path; they do the same as similar scripts elsewhere, and nothing else. */

/** Replaces an element's content by DOM calls, as the renderers of frameworks do. */
const RUNTIME = `
(function (root) {
  function h(tag, props) {
    var children = [].slice.call(arguments, 2).flat(Infinity);
    return { tag: tag, props: props || {}, children: children };
  }
  function make(node) {
    if (node === null || node === undefined || node === false) return document.createTextNode("");
    if (typeof node !== "object") return document.createTextNode(String(node));
    if (typeof node.tag === "function") return make(node.tag(node.props));
    var element = document.createElement(node.tag);
    Object.keys(node.props).forEach(function (name) {
      var value = node.props[name];
      if (name.slice(0, 2) === "on") element.addEventListener(name.slice(2).toLowerCase(), value);
      else element.setAttribute(name === "className" ? "class" : name, value);
    });
    node.children.forEach(function (child) { element.appendChild(make(child)); });
    return element;
  }
  root.Mini = {
    h: h,
    render: function (node, target) { target.replaceChildren(make(node)); },
    hydrate: function (target) { target.querySelectorAll("button").forEach(function (b) { b.addEventListener("click", function () { b.classList.toggle("on"); }); }); },
  };
})(window);`;

const PRODUCTS = `[{ id: 1, name: "Oak table", price: 420 }, { id: 2, name: "Ash chair", price: 130 }, { id: 3, name: "Beech shelf", price: 95 }, { id: 4, name: "Elm bench", price: 210 }]`;

/** An application that shows a list of products in the first of some elements. */
function shopApp(targets: string): string {
  return `${RUNTIME}
(function () {
  var h = Mini.h;
  function Product(p) { return h("li", { className: "product" }, h("a", { href: "/products/" + p.id }, p.name), " costs ", h("strong", null, p.price, " €")); }
  function App() {
    return h("div", { className: "shop" }, h("h1", null, "Furniture of the valley"), h("p", null, "Made by four workshops between the mill and the bridge."),
      h("ul", null, ${PRODUCTS}.map(Product)), h("button", { onClick: function () { alert("sold"); } }, "Order"));
  }
  var target = document.querySelector(${JSON.stringify(targets)});
  if (target) Mini.render(h(App), target);
})();`;
}

/** A script for server-rendered pages: it adds listeners, and does not change the words. */
const HYDRATION = `${RUNTIME}
(function () {
  var root = document.querySelector("#__next, #__nuxt, #root, #app, #___gatsby, #svelte, app-root, main") || document.body;
  Mini.hydrate(root);
  root.setAttribute("data-hydrated", "true");
})();`;

const SITE = `
(function () {
  document.documentElement.classList.add("js");
  var toggle = document.querySelector(".menu-toggle");
  if (toggle) toggle.addEventListener("click", function () { document.querySelector("nav").classList.toggle("open"); });
  document.querySelectorAll("[data-tab]").forEach(function (tab) {
    tab.addEventListener("click", function () { document.querySelectorAll(".panel").forEach(function (p) { p.classList.toggle("active", p.id === tab.dataset.tab); }); });
  });
  window.addEventListener("scroll", function () { document.body.classList.toggle("scrolled", scrollY > 50); });
})();`;

/** The part of jQuery that these pages use. */
const JQUERY = `
(function (root) {
  function $(what) {
    if (typeof what === "function") { if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", what); else what($); return $; }
    var all = what instanceof Node ? [what] : typeof what === "string" && what.charAt(0) === "<" ? make(what) : [].slice.call(document.querySelectorAll(what));
    var set = {
      each: function (f) { all.forEach(function (e, n) { f.call(e, n, e); }); return set; },
      on: function (type, second, third) { return set.each(function () { this.addEventListener(type, third || second); }); },
      click: function (f) { return set.on("click", f); },
      addClass: function (c) { return set.each(function () { this.classList.add(c); }); },
      toggleClass: function (c) { return set.each(function () { this.classList.toggle(c); }); },
      html: function (h) { return set.each(function () { this.innerHTML = h; }); },
      text: function (t) { return set.each(function () { this.textContent = t; }); },
      append: function (h) { return set.each(function () { this.insertAdjacentHTML("beforeend", h); }); },
      hide: function () { return set.each(function () { this.style.display = "none"; }); },
      tooltip: function () { return set; },
      carousel: function () { return set.each(function () { this.classList.add("carousel-ready"); }); },
      length: all.length,
    };
    return set;
  }
  function make(text) { var t = document.createElement("template"); t.innerHTML = text; return [].slice.call(t.content.children); }
  $.getJSON = function (url, f) { var x = new XMLHttpRequest(); x.open("GET", url, false); x.send(); f(JSON.parse(x.responseText)); };
  $.fn = {};
  root.$ = root.jQuery = $;
})(window);`;

const LISTENS_ONLY = `window.dataLayer = window.dataLayer || []; window.dataLayer.push({ event: "seen", at: Date.now() });`;

/** Like text/x-template files and reactive attributes. */
const TEMPLATES = `
(function () {
  var scope = window.pageData || { title: "Timetable", items: ["07:10 Mill", "07:40 Bridge", "08:15 Harbour"] };
  function fill(text, data) { return text.replace(/\\{\\{\\s*([\\w.]+)\\s*\\}\\}/g, function (_, name) { return name === "." ? data : name in Object(data) ? data[name] : ""; }); }
  function bind(element, data) {
    ["v-for", "x-for", "ng-repeat"].forEach(function (name) {
      element.querySelectorAll("[" + name + "]").forEach(function (model) {
        var list = scope[model.getAttribute(name).split(" in ")[1]] || [];
        var source = model.content ? model.content.firstElementChild : model;
        list.forEach(function (item) { var copy = source.cloneNode(true); copy.removeAttribute(name); copy.textContent = fill(copy.textContent.replace(/\\bitem\\b/, "."), item) || item; model.parentNode.insertBefore(copy, model); });
        model.remove();
      });
    });
    ["v-text", "x-text", "ng-bind"].forEach(function (name) { element.querySelectorAll("[" + name + "]").forEach(function (e) { e.textContent = data[e.getAttribute(name)]; }); });
    element.querySelectorAll("[data-bind]").forEach(function (e) { e.textContent = data[e.getAttribute("data-bind").split(":")[1].trim()]; });
    var walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), node;
    while ((node = walker.nextNode())) if (node.data.includes("{{")) node.data = fill(node.data, data);
  }
  document.querySelectorAll("[v-scope],[x-data],[ng-app],[data-app],#app").forEach(function (e) { bind(e, scope); });
  document.querySelectorAll("script[type*=template], script[type*=handlebars]").forEach(function (s) {
    var target = document.querySelector(s.dataset.target); if (target) target.innerHTML = scope.items.map(function (i) { return fill(s.textContent, i); }).join("");
  });
})();`;

const HTMX = `document.querySelectorAll("[hx-get][hx-trigger]").forEach(function (e) { if (!/load|revealed|intersect/.test(e.getAttribute("hx-trigger"))) return; var x = new XMLHttpRequest(); x.open("GET", e.getAttribute("hx-get"), false); x.send(); e.innerHTML = x.responseText; });
document.querySelectorAll("turbo-frame[src], [data-include], [w3-include-html], [data-load-url]").forEach(function (e) { var x = new XMLHttpRequest(); x.open("GET", e.getAttribute("src") || e.dataset.include || e.dataset.loadUrl || e.getAttribute("w3-include-html"), false); x.send(); e.innerHTML = x.responseText; });`;

const ELEMENTS = `
customElements.define("price-tag", class extends HTMLElement { connectedCallback() { this.textContent = "€ " + this.getAttribute("amount"); } });
customElements.define("valley-list", class extends HTMLElement { connectedCallback() { this.innerHTML = "<ul><li>Mill</li><li>Bridge</li><li>Harbour</li></ul>"; } });
customElements.define("valley-card", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<h2>Shown in the shadow</h2><slot></slot>"; } });
customElements.define("valley-note", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<div class=note><slot></slot></div>"; } });
customElements.define("theme-toggle", class extends HTMLElement { connectedCallback() { this.addEventListener("click", function () { document.body.classList.toggle("dark"); }); } });`;

const LAZY = `
document.querySelectorAll("img[data-src]").forEach(function (i) { i.src = i.dataset.src; });
document.querySelectorAll("[data-feed]").forEach(function (e) { e.innerHTML = "<li>Late one</li><li>Late two</li>"; });
document.querySelectorAll(".counter").forEach(function (e) { e.textContent = e.dataset.target; });
document.querySelectorAll("[data-cfemail]").forEach(function (e) { e.replaceWith("editor@valley.test"); });
document.querySelectorAll(".timeago").forEach(function (e) { e.textContent = "3 hours ago"; });
document.querySelectorAll(".skeleton, [aria-busy]").forEach(function (e) { e.className = ""; e.removeAttribute("aria-busy"); e.innerHTML = "<p>It came late.</p>"; });
document.querySelectorAll(".infinite-scroll").forEach(function (e) { e.insertAdjacentHTML("beforebegin", "<p>The next page of the list.</p>"); });
document.querySelectorAll("body, main").forEach(function (e) { if (e.style.display === "none") e.style.display = ""; });`;

/** Highlights code: it keeps the words, and adds the language if it is missing. */
const HIGHLIGHT = `document.querySelectorAll("pre code").forEach(function (c) {
  if (!/language-/.test(c.className)) c.classList.add("language-javascript");
  c.classList.add("hljs"); c.innerHTML = c.innerHTML.replace(/\\b(const|let|return|function)\\b/g, '<span class="hljs-keyword">$1</span>');
});`;

const MATH = `document.body.innerHTML = document.body.innerHTML.replace(/\\\\\\((.+?)\\\\\\)/g, '<mjx-container class="MathJax"><mjx-math aria-hidden="true">$1</mjx-math></mjx-container>');`;

const LANDING = `(function(){ var t = document.querySelector("[data-year]"); if (t) t.textContent = "2026"; })();`;

const CONSENT = `document.body.insertAdjacentHTML("beforeend", '<div id="onetrust-banner-sdk" role="dialog"><p>We value your privacy.</p><button>Accept all</button></div>');`;

const BOOK = `
customElements.define("mdbook-sidebar-scrollbox", class extends HTMLElement { connectedCallback() { this.innerHTML = '<ol class="chapter"><li><a href="a.html">1. Piers</a></li><li><a href="b.html">2. Axles</a></li></ol>'; } });
customElements.define("rustdoc-toolbar", class extends HTMLElement { connectedCallback() { this.innerHTML = '<a href="settings.html">Settings</a> <a href="help.html">Help</a>'; } });`;

/** Scripts by path; queries are ignored. */
export const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ["/js/site.js", SITE],
  ["/js/theme.js", SITE],
  ["/js/landing.js", LANDING],
  ["/toc-ebf7fde9.js", BOOK],
  ["/static.files/main-5013f961.js", BOOK],
  ["/js/consent-manager.js", CONSENT],
  ["/js/jquery-3.7.1.min.js", JQUERY],
  ["/js/bootstrap.bundle.min.js", SITE],
  ["/js/analytics.js", LISTENS_ONLY],
  ["/gtm.js", LISTENS_ONLY],
  ["/gtag/js", LISTENS_ONLY],
  ["/js/matomo.js", LISTENS_ONLY],
  ["/js/adsbygoogle.js", LISTENS_ONLY],
  ["/js/cookieconsent.min.js", LISTENS_ONLY],
  ["/_next/static/chunks/main-4f1c2b.js", HYDRATION],
  ["/_next/static/chunks/shell-9d2e.js", shopApp("#__next")],
  ["/_nuxt/entry.5b8a1c.js", HYDRATION],
  ["/_nuxt/spa.77ab.js", shopApp("#__nuxt")],
  ["/app-3c9d.js", HYDRATION],
  ["/build/entry.client-AB12.js", HYDRATION],
  ["/assets/index-Bx12Zq.js", shopApp("#root, #app, app-root, #mount, my-shop, main, .view, #content, body > div")],
  ["/static/js/main.3f2a9c1b.js", shopApp("#root, #app")],
  ["/main.4d5e6f.js", shopApp("app-root")],
  ["/js/app.js", shopApp("#app, .product-list, main, [data-app]")],
  ["/js/hydrate.js", HYDRATION],
  ["/js/templates.js", TEMPLATES],
  ["/js/htmx.min.js", HTMX],
  ["/js/elements.js", ELEMENTS],
  ["/js/lazy.js", LAZY],
  ["/js/highlight.min.js", HIGHLIGHT],
  [
    "/js/prism.js",
    HIGHLIGHT.replace('if (!/language-/.test(c.className)) c.classList.add("language-javascript");', ""),
  ],
  ["/js/mathjax/tex-chtml.js", MATH],
]);

/** Fragments and data that scripts request. */
export const DATA: ReadonlyMap<string, readonly [type: string, body: string]> = new Map([
  ["/api/products.json", ["application/json", JSON.stringify([{ name: "Oak table" }, { name: "Ash chair" }])]],
  ["/fragment", ["text/html", "<p>A fragment that came by itself.</p>"]],
  ["/frame", ["text/html", "<!doctype html><title>Frame</title><p>The words of a frame.</p>"]],
]);
