import { type CorpusPage, html, scripted } from "./page.ts";
import { FOOTER, sentences, times } from "./prose.ts";

/** Data in the form that frameworks embed. */
export const STATE = JSON.stringify({
  props: { pageProps: { items: Array.from({ length: 20 }, (_, n) => ({ id: n, text: sentences(1, n) })) } },
});

const shell = (path: string, body: string, head = ""): CorpusPage =>
  scripted(path, html({ title: "Shop", head, body }));
const BIG_MENU = `<header><nav><ul>${times(60, (n) => `<li><a href="/c/${n}">Category ${n} of the shop</a></li>`)}</ul></nav></header>`;

/** Pages that are empty without their scripts. */
export const SHELLS: readonly CorpusPage[] = [
  shell(
    "/spa/react-cra",
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    '<script defer src="/static/js/main.3f2a9c1b.js"></script>',
  ),
  shell("/spa/react-vite", '<div id="root"></div><script type="module" src="/assets/index-Bx12Zq.js"></script>'),
  shell(
    "/spa/vue-cli",
    "<noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id=app></div>",
    '<script defer="defer" src="/js/app.js"></script>',
  ),
  shell("/spa/vue-vite", '<div id="app"></div><script type="module" src="/assets/index-Bx12Zq.js"></script>'),
  shell(
    "/spa/vue-in-dom",
    '<div id="app"><h1>{{ title }}</h1><ul><li v-for="item in items">{{ . }}</li></ul></div><script src="/js/templates.js"></script>',
  ),
  shell(
    "/spa/petite-vue",
    '<div v-scope="{ n: 0 }"><p v-text="title"></p></div><script src="/js/templates.js" defer></script>',
  ),
  shell("/spa/svelte", "", '<script defer src="/js/app.js"></script>'),
  shell("/spa/svelte-body", '<main></main><script type="module" src="/assets/index-Bx12Zq.js"></script>'),
  shell(
    "/spa/sveltekit",
    '<div id="svelte"></div><div class="view"></div><script type="module">import "/assets/index-Bx12Zq.js";</script>',
  ),
  shell(
    "/spa/next-empty",
    '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{}},"page":"/"}</script><script src="/_next/static/chunks/shell-9d2e.js"></script>',
  ),
  shell(
    "/spa/nuxt",
    '<div id="__nuxt"><div class="nuxt-loading">Loading...</div></div><script src="/_nuxt/spa.77ab.js"></script>',
  ),
  shell("/spa/angular", '<app-root></app-root><script src="/main.4d5e6f.js" type="module"></script>'),
  shell("/spa/angular-loading", '<app-root>Loading...</app-root><script src="/main.4d5e6f.js" type="module"></script>'),
  shell(
    "/spa/angularjs",
    '<div ng-app="shop"><h1 ng-bind="title"></h1><p ng-repeat="item in items">item</p></div><script src="/js/templates.js"></script>',
  ),
  shell("/spa/solid", '<div id="root"></div><script src="/assets/index-Bx12Zq.js" type="module"></script>'),
  shell("/spa/preact", '<div id="app"></div><script type="module">import "/assets/index-Bx12Zq.js"</script>'),
  shell("/spa/lit", '<my-shell></my-shell><script type="module" src="/assets/index-Bx12Zq.js"></script>'),
  shell(
    "/spa/alpine",
    '<div x-data="page"><h1 x-text="title"></h1></div><script defer src="/js/templates.js"></script>',
  ),
  shell("/spa/htmx", '<main hx-get="/fragment" hx-trigger="load"></main><script src="/js/htmx.min.js"></script>'),
  shell(
    "/spa/ember",
    '<div id="ember-app"></div><div class="view"></div><script src="/assets/index-Bx12Zq.js"></script>',
    '<meta name="shop/config/environment" content="%7B%7D">',
  ),
  shell(
    "/spa/backbone",
    '<ul id="list"></ul><script type="text/template" data-target="#list"><li>{{ . }}</li></script><script src="/js/templates.js"></script>',
  ),
  shell("/spa/knockout", '<div data-app><b data-bind="text: title"></b></div><script src="/js/templates.js"></script>'),
  shell(
    "/spa/jquery-json",
    '<ul id="l"></ul><script src="/js/jquery-3.7.1.min.js"></script><script>$(function () { $.getJSON("/api/products.json", function (all) { all.forEach(function (p) { $("#l").append("<li>" + p.name + "</li>"); }); }); });</script>',
  ),
  shell(
    "/spa/xhr",
    '<div id="o"></div><script>var x = new XMLHttpRequest(); x.open("GET", "/api/products.json", false); x.send(); document.getElementById("o").innerHTML = x.responseText;</script>',
  ),
  shell(
    "/spa/fetch-json",
    '<ul id="l"></ul><script>fetch("/api/products.json").then((r) => r.json()).then((all) => { for (const p of all) { const li = document.createElement("li"); li.textContent = p.name; document.getElementById("l").append(li); } });</script>',
  ),
  shell(
    "/spa/react-umd",
    '<div id="root"></div><script src="/js/hydrate.js"></script><script>Mini.render(Mini.h("p", null, "Rendered by an inline call"), document.getElementById("root"));</script>',
  ),
  shell(
    "/spa/vue-inline",
    '<div id="mount"></div><script>const Vue = { createApp: (o) => ({ mount: (s) => { document.querySelector(s).innerHTML = o.template; } }) }; Vue.createApp({ template: "<p>Mounted by an inline call</p>" }).mount("#mount");</script>',
  ),
  shell(
    "/spa/elm",
    '<div id="elm"></div><script>var Elm = { Main: { init: function (o) { o.node.replaceWith("Elm was here, with a sentence or two."); } } }; Elm.Main.init({ node: document.getElementById("elm") });</script>',
  ),
  shell("/spa/web-components", '<valley-list></valley-list><script src="/js/elements.js"></script>'),
  shell(
    "/spa/import-map",
    '<div id="app"></div><script type="importmap">{"imports":{"app":"/assets/index-Bx12Zq.js"}}</script><script type="module">import "app";</script>',
  ),
  shell("/spa/big-menu", `${BIG_MENU}<main id="content"></main>${FOOTER}<script src="/js/app.js"></script>`),
  shell(
    "/spa/big-menu-root",
    `${BIG_MENU}<div id="app"><div class="spinner"></div></div>${FOOTER}<script src="/js/app.js"></script>`,
  ),
  shell(
    "/spa/inertia",
    '<div id="app" data-page="{&quot;component&quot;:&quot;Shop&quot;}"></div><script type="module" src="/assets/index-Bx12Zq.js"></script>',
  ),
  shell(
    "/spa/state-inline",
    `<h1>Prices</h1><div id="content"></div><script>window.__INITIAL_STATE__ = ${STATE}</script><script src="/assets/index-Bx12Zq.js"></script>`,
  ),
  shell(
    "/spa/flutter",
    '<script src="flutter_bootstrap.js" async></script><script>document.body.append("drawn")</script>',
  ),
  shell(
    "/spa/blazor-wasm",
    '<div id="app">Loading...</div><script src="/_framework/blazor.webassembly.js"></script><script src="/js/app.js"></script>',
  ),
  shell("/spa/require-js", '<div id="app"></div><script data-main="/js/app" src="/js/app.js"></script>'),
  shell(
    "/spa/loader-inline",
    '<div id="root"></div><script>var s = document.createElement("script"); s.src = "/assets/index-Bx12Zq.js"; s.async = false; document.head.appendChild(s);</script>',
  ),
  shell("/spa/document-write", '<script>document.write("<h1>Written</h1><p>by the document itself</p>");</script>'),
];
