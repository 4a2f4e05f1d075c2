/** Pages of the content bench, with typical contents and sizes, the same in each run. */

/** Pseudo-random numbers, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS = (
  "harbour tide lantern bridge toll road market grain river ledger clock window winter signal engine copper letter " +
  "garden station paper island morning railway council survey measure water timber canal season traveller price"
).split(" ");

function sentence(next: () => number): string {
  const words = Array.from(
    { length: 8 + Math.floor(next() * 14) },
    () => WORDS[Math.floor(next() * WORDS.length)] ?? "",
  );
  const text = words.join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function paragraph(next: () => number): string {
  const sentences = Array.from({ length: 3 + Math.floor(next() * 4) }, () => sentence(next));
  const at = Math.floor(next() * sentences.length);
  sentences[at] = `<a href="/page/${Math.floor(next() * 1000)}">${sentences[at] ?? ""}</a>`;
  return `<p>${sentences.join(" ")}</p>`;
}

function frame(title: string, main: string, next: () => number): string {
  const links = Array.from(
    { length: 60 },
    (_, n) =>
      `<li class="menu-item menu-item-${n}"><a href="/section/${n}" class="nav-link">${sentence(next).slice(0, 24)}</a></li>`,
  ).join("");
  const cards = Array.from(
    { length: 24 },
    (_, n) =>
      `<div class="card"><a href="/more/${n}"><img loading="lazy" src="/picture.png?${n}" width="160" height="90" alt=""><h4>${sentence(next)}</h4></a><span class="meta">${n} min</span></div>`,
  ).join("");
  const style = Array.from(
    { length: 200 },
    (_, n) => `.c${n}{margin:${n}px;color:#${(n * 4001).toString(16).padStart(6, "0").slice(0, 6)}}`,
  ).join("");
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title} | The Daily Toll</title>
<meta name="description" content="${sentence(next)}"><link rel="stylesheet" href="/style.css"><style>${style}</style>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"${title}"}</script>
<script async src="/analytics.js"></script></head>
<body class="page"><header><nav><ul>${links}</ul></nav></header><main>${main}</main>
<aside class="sidebar"><h3>More</h3>${cards}</aside><footer><ul>${links}</ul><p>All rights reserved.</p></footer>
<script>window.dataLayer = window.dataLayer || []; dataLayer.push({ event: "view" });</script></body></html>`;
}

function article(seed: number, paragraphs: number): string {
  const next = numbers(seed);
  const title = sentence(next).slice(0, 60);
  const parts = Array.from({ length: paragraphs }, (_, n) => {
    const heading = n % 5 === 4 ? `<h2 id="s${n}">${sentence(next).slice(0, 40)}</h2>` : "";
    const figure =
      n % 7 === 3
        ? `<figure><img src="/picture.png?a${n}" alt="${sentence(next)}"><figcaption>${sentence(next)}</figcaption></figure>`
        : "";
    return heading + paragraph(next) + figure;
  });
  return frame(title, `<article><h1>${title}</h1><p class="byline">By A. Writer</p>${parts.join("")}</article>`, next);
}

function documentation(seed: number): string {
  const next = numbers(seed);
  const sections = Array.from({ length: 20 }, (_, n) => {
    const list = Array.from(
      { length: 6 },
      () => `<li><code>--${WORDS[Math.floor(next() * WORDS.length)]}</code> ${sentence(next)}</li>`,
    ).join("");
    return `<section id="s${n}"><h2>${sentence(next).slice(0, 30)}</h2>${paragraph(next)}<ul>${list}</ul>
<div class="highlight"><pre><code class="language-js">${`const toll = await road.pay({ amount: ${n} });\n`.repeat(6)}</code></pre></div></section>`;
  });
  return frame("Reference", `<article class="docs"><h1>Reference</h1>${sections.join("")}</article>`, next);
}

function tables(seed: number): string {
  const next = numbers(seed);
  const rows = Array.from(
    { length: 300 },
    (_, n) =>
      `<tr><td>${n}</td><td><a href="/road/${n}">${sentence(next).slice(0, 20)}</a></td><td>${Math.floor(next() * 1e5)}</td><td>${(next() * 9).toFixed(2)}</td><td>${sentence(next)}</td></tr>`,
  ).join("");
  return frame(
    "Tolls by road",
    `<article><h1>Tolls by road</h1>${paragraph(next)}<table class="wikitable"><thead><tr><th>No</th><th>Road</th><th>Vehicles</th><th>Toll</th><th>Notes</th></tr></thead><tbody>${rows}</tbody></table></article>`,
    next,
  );
}

function listing(seed: number): string {
  const next = numbers(seed);
  const items = Array.from(
    { length: 60 },
    (_, n) =>
      `<li class="product"><a href="/product/${n}"><img loading="lazy" src="/picture.png?p${n}" alt="${sentence(next).slice(0, 30)}"><h3>${sentence(next).slice(0, 40)}</h3></a><p class="price">$${(next() * 100).toFixed(2)}</p><p>${sentence(next)}</p></li>`,
  ).join("");
  return frame("Lanterns", `<h1>Lanterns</h1><ul class="products">${items}</ul>`, next);
}

/** Pages with server-rendered content, by path. */
export const STATIC_PAGES: ReadonlyMap<string, string> = new Map([
  ["/static/article-short", article(1, 12)],
  ["/static/article", article(2, 40)],
  ["/static/article-long", article(3, 160)],
  ["/static/docs", documentation(4)],
  ["/static/tables", tables(5)],
  ["/static/listing", listing(6)],
  ["/static/news", article(7, 25)],
  ["/static/essay", article(8, 70)],
]);

/** Pages of a few kilobytes that fetch their content and render it by script, by path; each names its data. */
export const SCRIPT_PAGES: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 6 }, (_, n) => [
    `/script/${n}`,
    `<!DOCTYPE html><html><head><meta charset="utf-8"><title>App ${n}</title><link rel="stylesheet" href="/style.css"></head>
<body><div id="root"></div><script src="/app.js?data=/data/${n}.json"></script></body></html>`,
  ]),
);

/** The data of the script pages, by path. */
export const SCRIPT_DATA: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 6 }, (_, n) => {
    const next = numbers(100 + n);
    const sections = Array.from({ length: 30 }, () => ({
      heading: sentence(next).slice(0, 40),
      text: sentence(next) + sentence(next),
      to: `/page/${Math.floor(next() * 99)}`,
    }));
    return [`/data/${n}.json`, JSON.stringify({ title: `App ${n}`, sections })];
  }),
);

/** A minimal rendering runtime: it makes a tree of nodes, compares it with the current one, and updates the page. */
export const APP_SCRIPT = `(() => {
  const data = new URL(document.currentScript.src).searchParams.get("data");
  const h = (type, props, ...children) => ({ type, props: props ?? {}, children: children.flat() });
  const make = (node) => {
    if (typeof node === "string") return document.createTextNode(node);
    const element = document.createElement(node.type);
    for (const [name, value] of Object.entries(node.props)) element.setAttribute(name, value);
    for (const child of node.children) element.appendChild(make(child));
    return element;
  };
  const App = ({ title, sections }) => h("main", null, h("h1", null, title),
    sections.map((s, n) => h("section", { class: "s" + n }, h("h2", null, s.heading), h("p", null, s.text + " ", h("a", { href: s.to }, "more")), h("img", { src: "/picture.png?s" + n, alt: "" }))));
  fetch(data).then((answer) => answer.json()).then((found) => document.getElementById("root").replaceChildren(make(App(found))));
})();`;

export const STYLE = Array.from(
  { length: 300 },
  (_, n) => `.s${n} > h2 { font-size: ${12 + (n % 9)}px; padding: ${n % 7}px }`,
).join("\n");
