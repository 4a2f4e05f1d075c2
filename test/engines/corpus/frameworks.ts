import { type CorpusPage, html, plain, scripted } from "./page.ts";
import { FOOTER, NAV, paragraphs } from "./prose.ts";
import { STATE } from "./shells.ts";

const article = (seed: number) =>
  `<main><h1>Rendered on the server ${seed}</h1>${paragraphs(6, seed)}<button>Like</button></main>`;
/** Pages of frameworks that the server sends complete; their scripts only add listeners. */
const RENDERED: readonly CorpusPage[] = [
  plain(
    "/ssr/next-pages",
    html({
      title: "Next",
      head: '<script src="/_next/static/chunks/main-4f1c2b.js" defer></script>',
      body: `<div id="__next">${article(1)}</div><script id="__NEXT_DATA__" type="application/json">${STATE}</script>`,
    }),
  ),
  plain(
    "/ssr/next-app",
    html({
      title: "Next",
      head: '<script src="/_next/static/chunks/main-4f1c2b.js" async></script>',
      body: `${article(2)}<script>(self.__next_f=self.__next_f||[]).push([0])</script><script>self.__next_f.push([1,"1:[\\"$\\",\\"main\\",null,{\\"dangerouslySetInnerHTML\\":{\\"__html\\":\\"a.innerHTML = b; location.href = c\\"}}]\\n"])</script>`,
    }),
  ),
  plain(
    "/ssr/nuxt2",
    html({
      title: "Nuxt",
      body: `<div data-server-rendered="true" id="__nuxt"><div id="__layout">${article(3)}</div></div><script>window.__NUXT__=function(a,b){return{layout:"default",data:[{title:a}],serverRendered:b}}("x",!0);</script><script src="/_nuxt/entry.5b8a1c.js" defer></script>`,
    }),
  ),
  plain(
    "/ssr/nuxt3",
    html({
      title: "Nuxt",
      head: '<script type="module" src="/_nuxt/entry.5b8a1c.js" crossorigin></script>',
      body: `<div id="__nuxt">${article(4)}</div><div id="teleports"></div><script type="application/json" data-nuxt-data="nuxt-app" id="__NUXT_DATA__">[{"data":1}]</script><script>window.__NUXT__={};window.__NUXT__.config={public:{},app:{baseURL:"/"}}</script>`,
    }),
  ),
  plain(
    "/ssr/gatsby",
    html({
      title: "Gatsby",
      body: `<div id="___gatsby"><div tabindex="-1" id="gatsby-focus-wrapper">${article(5)}</div><div id="gatsby-announcer" aria-live="assertive"></div></div><script>/*<![CDATA[*/window.pagePath="/";/*]]>*/</script><script src="/app-3c9d.js" async></script>`,
    }),
  ),
  plain(
    "/ssr/remix",
    html({
      title: "Remix",
      body: `${article(6)}<script>window.__remixContext = {"url":"/","state":{"loaderData":{}}};</script><script type="module" async>import * as route0 from "/build/entry.client-AB12.js"; window.__remixRouteModules = { root: route0 };</script>`,
    }),
  ),
  plain(
    "/ssr/sveltekit",
    html({
      title: "SvelteKit",
      head: '<link rel="modulepreload" href="/build/entry.client-AB12.js">',
      body: `<div style="display: contents">${article(7)}<script>{ __sveltekit_1a2b = { base: "" }; const element = document.currentScript.parentElement; Promise.all([import("/build/entry.client-AB12.js")]).then(([kit]) => { kit.start?.(element); }); }</script></div>`,
    }),
  ),
  plain(
    "/ssr/angular",
    html({
      title: "Angular",
      body: `<app-root ng-version="19.0.0" ng-server-context="ssr"><app-article _nghost-ng-c1="">${article(8)}</app-article></app-root><script src="/js/hydrate.js" type="module"></script><script id="ng-state" type="application/json">{"a":1}</script>`,
    }),
  ),
  plain(
    "/ssr/astro",
    html({
      title: "Astro",
      body: `${article(9)}<astro-island uid="Z1" component-url="/_astro/Counter.js" client="visible" ssr=""><button>0 likes</button></astro-island><script type="module" src="/js/hydrate.js"></script>`,
    }),
  ),
  plain(
    "/ssr/astro-plain",
    html({
      title: "Astro",
      head: '<meta name="generator" content="Astro v5">',
      body: `${article(10)}<script type="module">document.querySelectorAll(".menu").forEach((m) => m.addEventListener("click", () => m.classList.toggle("open")));</script>`,
    }),
  ),
  plain(
    "/ssr/vue",
    html({
      title: "Vue",
      body: `<div id="app" data-server-rendered="true">${article(11)}</div><script>window.__INITIAL_STATE__={"user":null}</script><script type="module" src="/js/hydrate.js"></script>`,
    }),
  ),
  plain(
    "/ssr/react-hydrate",
    html({
      title: "React",
      body: `<div id="root">${article(12)}</div><script>window.__PRELOADED_STATE__ = ${STATE}</script><script src="/js/hydrate.js"></script>`,
    }),
  ),
  plain(
    "/ssr/react-reactroot",
    html({
      title: "React 15",
      body: `<div id="content"><div data-reactroot="" data-reactid="1">${article(13)}</div></div><script src="/js/hydrate.js"></script>`,
    }),
  ),
  plain(
    "/ssr/solid",
    html({
      title: "Solid",
      head: '<script>window._$HY||(e=>{let t=e=>e&&e.hasAttribute&&(e.hasAttribute("data-hk")?e:t(e.host&&e.host.nodeType?e.host:e.parentNode));["click","input"].forEach((o=>document.addEventListener(o,(o=>{let s=o.composedPath&&o.composedPath()[0]||o.target,a=t(s)}))))})(_$HY={events:[],completed:new WeakSet,r:{}});</script>',
      body: `<div id="app"><div data-hk="0">${article(14)}</div></div><script type="module" src="/js/hydrate.js" async></script>`,
    }),
  ),
  plain(
    "/ssr/qwik",
    html({
      title: "Qwik",
      body: `<div q:container="paused" q:version="1">${article(15)}</div><script type="qwik/json">{"refs":{}}</script><script id="qwikloader">((e,t)=>{const n="__q_context__";window.addEventListener("click",()=>0)})(document);</script>`,
    }),
  ),
  plain(
    "/ssr/ember-fastboot",
    html({
      title: "Ember",
      head: '<meta name="app/config/environment" content="%7B%7D">',
      body: `<script type="x/boundary" id="fastboot-body-start"></script><div class="ember-view">${article(16)}</div><script type="x/boundary" id="fastboot-body-end"></script><script type="fastboot/shoebox" id="shoebox-data">{}</script><script src="/js/hydrate.js"></script>`,
    }),
  ),
  plain(
    "/ssr/turbo",
    html({
      title: "Rails",
      head: '<meta name="csrf-token" content="x"><script type="importmap">{"imports":{"application":"/js/site.js"}}</script><script type="module">import "application"</script>',
      body: `${article(17)}<turbo-frame id="messages"><p>Two messages</p></turbo-frame><div data-controller="clipboard"><button data-action="clipboard#copy">Copy</button></div>`,
    }),
  ),
  plain(
    "/ssr/htmx-click",
    html({
      title: "htmx",
      body: `${article(18)}<button hx-get="/fragment" hx-target="#more">More</button><div id="more" hidden></div><script src="/js/htmx.min.js"></script>`,
    }),
  ),
  plain(
    "/ssr/livewire",
    html({
      title: "Livewire",
      body: `<div wire:id="a1" wire:snapshot="{}">${article(19)}<button wire:click="more">More</button></div><script src="/livewire/livewire.js" data-csrf="x"></script>`,
    }),
  ),
  plain(
    "/ssr/phoenix",
    html({
      title: "LiveView",
      body: `<div data-phx-main id="phx-1" data-phx-session="x">${article(20)}</div><script defer src="/js/site.js"></script>`,
    }),
  ),
  plain(
    "/ssr/lit-declarative",
    html({
      title: "Lit",
      body: `${article(21)}<valley-note><template shadowrootmode="open"><p>In the shadow</p></template><p>In the light</p></valley-note><script type="module" src="/js/site.js"></script>`,
    }),
  ),
  plain(
    "/ssr/apollo-state",
    html({
      title: "Stories",
      body: `<div id="root">${article(22)}</div><script>window.__APOLLO_STATE__ = ${STATE}</script><script src="/js/hydrate.js"></script>`,
    }),
  ),
  plain(
    "/ssr/blazor-server",
    html({
      title: "Blazor",
      body: `<!--Blazor:{"type":"server","prerenderId":"1","sequence":0}-->${article(23)}<!--Blazor:{"prerenderId":"1"}--><script src="/_framework/blazor.web.js"></script>`,
    }),
  ),
  plain(
    "/ssr/custom-elements-with-light",
    html({
      title: "Elements",
      body: `${NAV}<valley-article><h1>Light</h1>${paragraphs(6, 24)}</valley-article>${FOOTER}<theme-toggle></theme-toggle><script type="module" src="/js/elements.js"></script>`,
    }),
  ),
  plain(
    "/ssr/preact-islands",
    html({
      title: "Fresh",
      body: `${article(25)}<!--frsh-counter:0--><div class="flex"><button>-1</button><span>3</span><button>+1</button></div><!--/frsh-counter:0--><script type="module">import "/js/hydrate.js";</script>`,
    }),
  ),
];

/** Pages that the server sends incomplete, or with parts at the end. */
const HOLES: readonly CorpusPage[] = [
  plain(
    "/ssr/next-streamed",
    html({
      title: "Next",
      body: `${article(30)}<div><!--$?--><template id="B:0"></template><p>Loading comments…</p><!--/$--></div><div hidden id="S:0"><p>Comments that came late.</p></div><script>$RC=function(b,s){var t=document.getElementById(b),c=document.getElementById(s);c.remove();t.nextElementSibling.remove();t.replaceWith(...c.childNodes)};$RC("B:0","S:0")</script>`,
    }),
  ),
  scripted(
    "/ssr/next-bailout",
    html({
      title: "Next",
      body: `${article(31)}<div class="map"><!--$!--><template data-dgst="BAILOUT_TO_CLIENT_SIDE_RENDERING"></template><!--/$--></div><script src="/_next/static/chunks/main-4f1c2b.js" async></script>`,
    }),
  ),
  scripted(
    "/ssr/astro-client-only",
    html({
      title: "Astro",
      body: `${article(32)}<astro-island client="only" component-url="/x.js"></astro-island><script>document.querySelector("astro-island").append("An island that came late.")</script>`,
    }),
  ),
  scripted(
    "/ssr/react-rails",
    html({
      title: "Rails",
      body: `${article(33)}<div data-react-class="ProductList" data-react-props="{}" class="product-list"></div><script src="/js/app.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/htmx-load",
    html({
      title: "htmx",
      body: `${article(34)}<div hx-get="/fragment" hx-trigger="load" hx-swap="innerHTML"></div><script src="/js/htmx.min.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/turbo-frame-src",
    html({
      title: "Turbo",
      body: `${article(35)}<turbo-frame id="tray" src="/fragment" loading="lazy"></turbo-frame><script src="/js/htmx.min.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/include-html",
    html({
      title: "Include",
      body: `${article(36)}<div w3-include-html="/fragment"></div><script src="/js/htmx.min.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/alpine-list",
    html({
      title: "Alpine",
      body: `${article(37)}<ul x-data="{ items: [] }"><template x-for="item in items"><li>item</li></template></ul><script defer src="/js/templates.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/vue-in-dom",
    html({
      title: "Vue",
      body: `${article(38)}<div id="app"><h2>{{ title }}</h2><ul><li v-for="item in items">{{ . }}</li></ul></div><script src="/js/templates.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/handlebars",
    html({
      title: "Handlebars",
      body: `${article(39)}<ul id="list"></ul><script type="text/x-handlebars-template" data-target="#list"><li>{{ . }}</li></script><script src="/js/templates.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/knockout",
    html({
      title: "Knockout",
      body: `${article(40)}<p data-app>Next: <b data-bind="text: title">…</b></p><script src="/js/templates.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/price-elements",
    html({
      title: "Prices",
      body: `${article(41)}<p>Price: <price-tag amount="420"></price-tag></p><script src="/js/elements.js"></script>`,
    }),
  ),
  scripted(
    "/ssr/comments-container",
    html({
      title: "Comments",
      body: `${article(42)}<h2>Comments</h2><ul class="comment-list" data-feed></ul><script src="/js/lazy.js"></script>`,
    }),
  ),
];

/** Pages of frameworks with server rendering, complete and incomplete. */
export const FRAMEWORKS: readonly CorpusPage[] = [...RENDERED, ...HOLES];
