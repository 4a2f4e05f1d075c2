import { describe, expect, test } from "bun:test";
import { type PageSource } from "../../page/page.ts";
import { scriptSigns } from "../script-signs.ts";
import { parseTree } from "../tree/tree.ts";

const TEXT = "A toll road charges each traveller for the stretch that was driven, and for nothing else. ".repeat(30);
const LONG = `<main><h1>Toll roads</h1><p>${TEXT}</p></main>`;
const APP = '<script src="/site-behaviour.js"></script>';
const SOURCE: PageSource = {
  engine: "static",
  body: "",
  contentType: "text/html; charset=utf-8",
  finalUrl: "https://site.test/news/a",
  statusCode: 200,
  headers: [],
  complete: true,
};

const signsOf = (html: string, source: Partial<PageSource> = {}) =>
  scriptSigns(parseTree(html), { ...SOURCE, ...source });
function signOf(html: string, source: Partial<PageSource> = {}): string | undefined {
  const { decisive, evidence } = signsOf(html, source);
  return decisive ?? evidence?.sign;
}
const words = (length: number): string => "x".repeat(length);

describe("a frame shows content", () => {
  test.each<[string, string, boolean]>([
    ["of its site", "<iframe src=/a></iframe>", true],
    ["of its site with its whole address", "<iframe src=' https://site.test/a '></iframe>", true],
    ["not of another site", "<iframe src=https://other.test/a></iframe>", false],
    ["not without an address", "<iframe></iframe>", false],
    ["not with an address that is not valid", "<iframe src='http://['></iframe>", false],
    ["in its source", "<iframe srcdoc='<p>x'></iframe>", true],
    ["not in an empty source", "<iframe srcdoc=' ' src=/a></iframe>", false],
    ["100 pixels wide", "<iframe src=/a width=100></iframe>", true],
    ["not 99 pixels wide", "<iframe src=/a width=' 99px '></iframe>", false],
    ["50 pixels high", "<iframe src=/a height=50></iframe>", true],
    ["not 49 pixels high", "<iframe src=/a height=49></iframe>", false],
    ["of a part of the width", "<iframe src=/a width=50%></iframe>", true],
    ["not in a header", "<header><iframe src=/a></iframe></header>", false],
    ["not if it is hidden", "<iframe src=/a hidden></iframe>", false],
    ["as an object of HTML", "<object data=/a.mp4 type=' Text/HTML; charset=utf-8'></object>", true],
    ["as an object of XHTML", "<object data=/a type=application/xhtml+xml></object>", true],
    ["not as an object of another type", "<object data=/a.html type=video/mp4></object>", false],
    ["as an object whose address has no extension", "<object data=/a type=''></object>", true],
    ["as an object of a document", "<object data=/a.PHP?b.mp4></object>", true],
    ["not as an object of a film", "<object data=/a.mp4#b.html></object>", false],
    ["not as an object whose address is that of a frame", "<object src=/a></object>", false],
    ["as an embedded document", "<embed src=/a.html>", true],
  ])("%s: %#", (_how, html, isSo) => {
    expect(signOf(LONG + html)).toBe(isSo ? "frame" : undefined);
  });
});

describe("a refresh is soon", () => {
  test.each<[string, boolean]>([
    ["0", true],
    ["1", true],
    ["2", false],
    ["0; url=/a", true],
    [" 1,/a", true],
    ["0.9", true],
    [".5", true],
    ["1.9 /a", true],
    ["", false],
    ["; url=/a", false],
    ["0url", false],
    ["soon", false],
  ])("after %p: %p", (content, isSo) => {
    const sign = isSo ? "refresh" : undefined;
    expect(signOf(`<meta http-equiv=" REFRESH " content="${content}">${LONG}`)).toBe(sign);
    expect(
      signOf(LONG, {
        headers: [
          ["x", "0"],
          ["REFRESH", content],
        ],
      }),
    ).toBe(sign);
  });

  test("only in a meta element of its kind", () => {
    expect(
      signOf(`<p http-equiv=refresh content=0></p><meta http-equiv=x content=0><meta http-equiv=refresh>${LONG}`),
    ).toBeUndefined();
  });
});

describe("a page with code has too little text", () => {
  test.each<[string, string, string | undefined]>([
    ["none", APP, "no-text"],
    ["299 characters", `<p>${words(299)}</p>${APP}`, "scripts-with-little-text"],
    ["300 characters", `<p>${words(300)}</p>${APP}`, undefined],
    [
      "299 characters beside navigation",
      `<nav>${words(99)}</nav><p>${words(299)}</p>${APP}`,
      "scripts-with-little-text",
    ],
    ["299 characters and known scripts", `<p>${words(299)}</p><script src=/jquery.js></script>`, undefined],
    [
      "299 characters and a script that loads another",
      `<p>${words(299)}</p><script>a.createElement ( 'script')</script>`,
      "scripts-with-little-text",
    ],
    [
      "299 characters and an import",
      `<p>${words(299)}</p><script>x = import("/a.js")</script>`,
      "scripts-with-little-text",
    ],
    ["299 characters and a login form", `<p>${words(299)}</p><input type=PASSWORD>${APP}`, undefined],
    [
      "299 characters and a hidden login form",
      `<p>${words(299)}</p><input type=password hidden>${APP}`,
      "scripts-with-little-text",
    ],
    ["40 characters with a link to log in", `<p>${words(38)}</p><a href=/log-in>in</a>${APP}`, undefined],
    [
      "39 characters with a link to log in",
      `<p>${words(37)}</p><a href=/log-in>in</a>${APP}`,
      "scripts-with-little-text",
    ],
    [
      "40 characters with such a link in a header",
      `<p>${words(40)}</p><header><a href=/login>in</a></header>${APP}`,
      "scripts-with-little-text",
    ],
    [
      "40 characters with another link",
      `<p>${words(38)}</p><a href=/catalogin>in</a>${APP}`,
      "scripts-with-little-text",
    ],
  ])("with %s", (_what, html, sign) => {
    expect(signOf(html)).toBe(sign);
  });
});

describe("the root of an application is empty", () => {
  test.each<[string, string, boolean]>([
    ["with 119 characters", `<div id=root>${words(119)}</div>`, true],
    ["not with 120 characters", `<div id=root>${words(120)}</div>`, false],
    ["with two pictures", "<div id=ROOT><img><input></div>", true],
    ["not with three", "<div id=root><img><input><img></div>", false],
    ["not as the body", `<body id=root><p>${TEXT}`, false],
    ["not as a link", "<a id=root></a>", false],
    ["not with another id", "<div id=roots></div>", false],
    ["as an element of a framework", "<app-root>x</app-root>", true],
    ["not as such an element with text", `<app-root>${words(120)}</app-root>`, false],
    ["not beside a login form", "<div id=root></div><input type=password>", false],
  ])("%s: %#", (_how, html, isSo) => {
    expect(signOf(`${html.startsWith("<body") ? "" : LONG}${html}${APP}`)).toBe(isSo ? "empty-root" : undefined);
  });
});

describe("a sign of a page with code", () => {
  test.each<[string, string, string | undefined]>([
    ["a notice that it loads", "<p>Loading the news...</p>", "placeholder"],
    ["no notice in code", "<pre>Loading…</pre>", undefined],
    ["no hidden notice", "<p hidden>Loading…</p>", undefined],
    ["no notice in a longer text", `<p>Loading…</p>`.replace("Loading", "The loading of ships"), undefined],
    ["a busy part", "<p aria-busy=true>x</p>", "placeholder"],
    ["no part that is not busy", "<p aria-busy=false>x</p>", undefined],
    ["no busy part in navigation", "<nav><p aria-busy=true>x</p></nav>", undefined],
    ["no hidden busy part", "<p aria-busy=true hidden>x</p>", undefined],
    ["a skeleton", "<p class='x SKELETON-y'>x</p>", "placeholder"],
    ["no skeleton of another name", "<p class=skeletal>x</p>", undefined],
    ["no skeleton in a footer", "<footer class=shimmer>x</footer>", undefined],
    ["a part that is loaded at once", "<p hx-trigger='click, load'>x</p>", "late-fragment"],
    ["a part that is loaded in view", "<p data-hx-trigger=revealed>x</p>", "late-fragment"],
    ["no part that is loaded by a click", "<p hx-trigger=click>x</p>", undefined],
    ["a part that hyperscript loads at once", "<p _='on load fetch /a put it into me'>x</p>", "late-fragment"],
    ["no part that hyperscript loads by a click", "<p _='on click fetch /a put it into me'>x</p>", undefined],
    ["a part with an address", "<include-fragment src=/a>x</include-fragment>", "late-fragment"],
    ["an attribute of its library", "<p sse-connect=/a>x</p>", "late-fragment"],
    ["a boundary that failed", "<!--$!--><template></template>", "client-island"],
    ["no other boundary", "<!--$--><template></template>", undefined],
    ["a part for the browser", "<p client=only>x</p>", "client-island"],
    ["no part for both", "<p client=load>x</p>", undefined],
    ["a template's attribute", "<p v-text=a>x</p>", "template-syntax"],
    ["no such attribute in a header", "<header><p v-text=a>x</p></header>", undefined],
    ["a part that a script may hide", "<p x-show=a>x</p>", "template-syntax"],
    ["no such part in navigation", "<nav><p x-show=a>x</p></nav>", undefined],
    ["a placeholder of a server", "<p><%= name %></p>", "template-syntax"],
    ["no braces of a formula", "<p>{{}}</p>", undefined],
    ["a component without text", "<price-table><i></i></price-table>", "empty-custom-element"],
    ["no component with more elements", "<price-table><i></i><i></i><i></i></price-table>", undefined],
    ["no component with a picture", "<price-table><img></price-table>", undefined],
    ["a diagram that a module draws", "<script type=module>import m from '/mermaid.mjs'</script>", "transformed-text"],
    ["no diagram that waits", "<script>q.onclick = () => import('/mermaid.mjs')</script>", undefined],
    ["no hidden component", "<price-table hidden></price-table>", undefined],
    ["no router", "<router-outlet></router-outlet>", undefined],
    ["no icon", "<my-icon></my-icon><ion-row></ion-row>", undefined],
    ["text in a slot", "<site-card>x<b slot=a>y</b></site-card>", "slotted-text"],
    [
      "no text in a slot of a shadow tree",
      "<site-card><template shadowrootmode=open><slot></slot></template><b slot=a>y</b></site-card>",
      undefined,
    ],
    ["no text in a slot of another element", "<div><b slot=a>y</b></div>", undefined],
    ["no hidden text in a slot", "<site-card>x<b slot=a hidden>y</b></site-card>", undefined],
    ["no text in a slot of a header", "<header><site-card>x<b slot=a>y</b></site-card></header>", undefined],
    ["more hidden text than visible text", `<p hidden>${TEXT}${TEXT}</p>`, "hidden-page"],
    ["no hidden text that is shorter", `<p hidden>${TEXT}</p>`, undefined],
  ])("is %s", (_what, html, sign) => {
    expect(signOf(LONG + html + APP)).toBe(sign);
  });
});

const holds = (html: string) => signsOf(LONG + html + APP).holdsTexts?.();

const data = (text: string) => `<script type="application/json">{"a":"${text}"}</script>`;

const hidden = (length: number) => holds(`<p hidden>${words(length)}</p>`);

describe("a page holds long texts that it does not show", () => {
  test("if the hidden one is longer than half of the visible text", () => {
    const visible = "Toll roads".length + TEXT.trim().length;

    expect([hidden(Math.floor(visible / 2)), hidden(Math.floor(visible / 2) + 1)]).toEqual([false, true]);
  });

  test("if a text in data has 60 words", () => {
    expect([holds(data("a ".repeat(58) + "a")), holds(data("a ".repeat(59) + "a"))]).toEqual([false, true]);
  });
});

describe("code is", () => {
  const CODE = 'document.querySelector("main p").textContent = "New"';
  test.each<[string, string, boolean]>([
    ["a script", `<script>${CODE}</script>`, true],
    ["a module", `<script type=module>${CODE}</script>`, true],
    ["a script of a language", `<script language=JavaScript>${CODE}</script>`, true],
    ["a script that a proxy runs later", `<script type=0af3-text/javascript>${CODE}</script>`, true],
    ["no script of another type", `<script type=text/plain>${CODE}</script>`, false],
    ["no script for old browsers", `<script nomodule>${CODE}</script>`, false],
    ["what runs when the body is shown", `<body onpageshow='${CODE}'>${LONG}`, true],
    ["what runs when a script has loaded", `<script src=/jquery.js onload='${CODE}'></script>`, true],
    ["no long script of data", `<script>window.a = {"b": "${words(10_000)}"}; ${CODE}</script>`, false],
    ["a shorter script that begins with data", `<script>window.a = {"b": "x"}; ${CODE}</script>`, true],
    ["no script of Astro", `<script>self.Astro||(self.Astro={}); ${CODE}</script>`, false],
    ["no code beyond 1,000,000 characters", `<script>${" ".repeat(1_000_000)}</script><script>${CODE}</script>`, false],
    ["code up to 1,000,000 characters", `<script>${" ".repeat(900_000)}</script><script>${CODE}</script>`, true],
  ])("%s", (_what, html, isSo) => {
    expect(signOf(html.startsWith("<body") ? html : LONG + html)).toBe(isSo ? "script-writes" : undefined);
  });
});

const addresses = (html: string) =>
  signsOf(LONG + html).evidence?.scripts.map(({ url, isModule, isComponent }) => [
    url.replace("https://site.test", ""),
    isModule,
    isComponent === true,
  ]);

describe("the scripts that may change a page are", () => {
  test.each<[string, string, (string | boolean)[][]]>([
    [
      "external ones",
      "<script src='a.js#x'></script><script type=module src=/b.js></script>",
      [
        ["/news/a.js", false, false],
        ["/b.js", true, false],
      ],
    ],
    [
      "not the known ones",
      "<script src=/jquery.min.js></script><script src=/a.js></script>",
      [["/a.js", false, false]],
    ],
    ["not highlighters", "<script src=/prism-core.js></script><script src=/a.js></script>", [["/a.js", false, false]]],
    ["not of other schemes", "<script src=blob:x></script><script src=/a.js></script>", [["/a.js", false, false]]],
    ["each once", "<script src=/a.js></script><script src=/a.js#b></script>", [["/a.js", false, false]]],
    [
      "those of the page before shared ones",
      "<script src=/vendor.js></script><script src=/a.js></script><script src=/pages/b.js></script>",
      [
        ["/pages/b.js", false, false],
        ["/a.js", false, false],
        ["/vendor.js", false, false],
      ],
    ],
    [
      "those of RequireJS",
      "<script src=/require.js data-main=js/start></script>",
      [
        ["/require.js", false, false],
        ["/news/js/start.js", false, false],
      ],
    ],
    [
      "components",
      `${APP}<astro-island component-url=/a.js>x</astro-island>`,
      [
        ["/site-behaviour.js", false, false],
        ["/a.js", true, true],
      ],
    ],
    [
      "those of Qwik that run without a user's event",
      `${APP}<div q:base=/q/><p on:qvisible=a.js#s>x</p><p on:click=b.js#t>x</p></div>`,
      [
        ["/site-behaviour.js", false, false],
        ["/q/a.js", true, true],
      ],
    ],
    [
      "modules that are loaded early",
      `${APP}<link rel=modulepreload href=/a.mjs><link rel=preload href=/b.js>`,
      [
        ["/site-behaviour.js", false, false],
        ["/a.mjs", true, false],
      ],
    ],
    [
      "in import maps",
      `${APP}<script type=importmap>{"imports":{"a":"/a.js"}}</script>`,
      [
        ["/site-behaviour.js", false, false],
        ["/a.js", true, false],
      ],
    ],
    [
      "in inline code",
      "<script>load('/a.js?b')</script><script type=module>import '/b.js'; x('c.txt')</script>",
      [
        ["/a.js?b", false, false],
        ["/b.js", true, false],
      ],
    ],
  ])("%s", (_which, html, expected) => {
    expect(addresses(html)).toEqual(expected);
  });

  test("the first twelve", () => {
    const all = Array.from({ length: 13 }, (_, at) => `<script src=/${at}.js></script>`).join("");
    expect(addresses(all)).toHaveLength(12);
  });
});

const template = (html: string, path = "/news/a") =>
  signsOf(LONG + html, { finalUrl: `https://site.test${path}` }).evidence?.template;

describe("pages have the same template", () => {
  test.each<[string, string, string, string, string]>([
    [
      "with scripts of the same addresses",
      "<script src=/a.js?1></script>",
      "<script src=/a.js?2#x></script>",
      "/news/a",
      "/news/b",
    ],
    [
      "with the same code apart from data",
      "<script>f('a', 1)</script>",
      '<script>f("b", 22)</script>'.replaceAll('"', "'"),
      "/news/a",
      "/news/a",
    ],
    ["with the same components", `${APP}<a-b>x</a-b>`, `${APP}<p>y</p><a-b>z</a-b>`, "/news/a", "/news/a"],
    [
      "with the same directives",
      `${APP}<p x-data="{ a: 1 }">x</p>`,
      `${APP}<p x-data="{ a: 2 }">x</p>`,
      "/news/a",
      "/news/a",
    ],
    ["in folders with numbers", APP, APP, "/2026/05/a", "/2025/11/b"],
    ["in folders of several words", APP, APP, "/a-b-c/x", "/d-e-f/y"],
    ["in folders with long names", APP, APP, `/${words(24)}/x`, `/${"y".repeat(30)}/y`],
  ])("%s", (...[, one, other, path, otherPath]) => {
    expect(template(one, path)).toBe(template(other, otherPath) as string);
  });

  test.each<[string, string, string, string, string]>([
    ["with other scripts", "<script src=/a.js></script>", "<script src=/b.js></script>", "/news/a", "/news/a"],
    ["with other code", "<script>f('a')</script>", "<script>g('a')</script>", "/news/a", "/news/a"],
    ["with other components", `${APP}<a-b>x</a-b>`, `${APP}<a-c>x</a-c>`, "/news/a", "/news/a"],
    ["with other directives", `${APP}<p :a="b">x</p>`, `${APP}<p :a="c">x</p>`, "/news/a", "/news/a"],
    ["in another folder", APP, APP, "/news/a", "/olds/a"],
    ["of another kind of file", APP, APP, "/a.html", "/a.php"],
    ["at another depth", APP, APP, "/a/b", "/a/"],
  ])("but not %s", (...[, one, other, path, otherPath]) => {
    expect(template(one, path)).not.toBe(template(other, otherPath) as string);
  });
});
