import { escape, type Layout, LAYOUTS } from "./layouts.ts";
import { Dice, type Fact, KINDS, type Thing, written } from "./records.ts";
import { type Language, LANGUAGES } from "./words.ts";

/** A generated page, the schema that is asked of it, and what is right. */
export interface MadePage {
  readonly group: string;
  readonly name: string;
  readonly isHeldOut: boolean;
  readonly html: string;
  readonly url: string;
  readonly schema: object;
  /** By JSON pointer: the right value, or undefined if the page does not state it. */
  readonly truth: ReadonlyMap<string, unknown>;
  /** Values that only hidden parts have. None of them may be returned. */
  readonly planted: readonly unknown[];
}

interface Plan {
  readonly dice: Dice;
  readonly language: Language;
  readonly layout: Layout;
  readonly thing: Thing;
}

/** A schema of a thing's facts, with a field that no page states. */
function schemaOf({ facts }: Thing): object {
  const properties = Object.fromEntries([
    ...facts.map(({ name, schema }) => [name, schema]),
    ["warranty_months", { type: "integer" }],
  ]);
  return { type: "object", properties };
}

function dataOf(thing: Thing): Record<string, unknown> {
  const data: Record<string, unknown> = { "@context": "https://schema.org", "@type": thing.type };
  for (const { path, data: value } of thing.facts) {
    const steps = path?.split(".") ?? [];
    const own = steps.pop();
    if (own === undefined) continue;
    let at = data;
    for (const step of steps) {
      const next = at[step] ?? {};
      at[step] = next;
      at = next as Record<string, unknown>; // Made one line above.
    }
    at[own] = value;
  }
  return data;
}

const NOISE = { "@type": "WebSite", name: "The site", url: "https://site.example/" };

function scriptOf(thing: Thing, how: Layout["hasData"]): string {
  if (how === undefined || how === "no") return "";
  const data = dataOf(thing);
  const json =
    how === "graph"
      ? JSON.stringify({
          "@context": "https://schema.org",
          "@graph": [NOISE, { "@type": "Organization", name: "The company", logo: "/logo.png" }, data],
        })
      : JSON.stringify(data, undefined, 2);
  const text = how === "broken" ? json.replace(/\n\}$/, ",\n}") : json;
  return `<script type="application/ld+json">${text.replaceAll("</", "<\\/")}</script>`;
}

/** Other things beside the page's own: a navigation, prices of related products, a footer with an address. */
function around(body: string, { dice, language, thing }: Plan): string {
  const related = Array.from({ length: 3 }, () => {
    const amount = language.money(written(10 + dice.roll(500), language), "EUR");
    return `<li><a href="/p/${dice.roll(999)}">${dice.of(language.words)} ${dice.of(language.words)}</a> <span class="price">${amount}</span></li>`;
  });
  const nav = `<nav><a href="/">Home</a> <a href="/help">Help</a> <a href="/about">${dice.of(language.words)}</a></nav>`;
  const text = `<p class="intro">${Array.from({ length: 40 }, () => dice.of(language.words).toLowerCase()).join(" ")}.</p>`;
  const more =
    thing.kind === "product" || thing.kind === "recipe"
      ? `<section class="related"><h2>More</h2><ul>${related.join("")}</ul></section>`
      : "";
  return `${nav}<main>${body}${text}</main>${more}<footer><p>© 2026 ${dice.of(language.words)} GmbH · info@site.example</p></footer>`;
}

function pageOf(
  plan: Plan,
  name: string,
  body = plan.layout.body(plan),
  head = scriptOf(plan.thing, plan.layout.hasData),
): MadePage {
  const { thing, layout, language } = plan;
  const states = (fact: Fact): boolean => {
    const hasData = layout.hasData !== undefined && layout.hasData !== "no" && fact.path !== undefined;
    if (hasData || fact === thing.facts[0]) return true;
    // The currency is part of the price's text.
    if (fact.label === "") return thing.facts.some((one) => one.label === "price") && layout.name !== "data-only";
    return layout.states?.(fact) ?? true;
  };
  const truth = new Map<string, unknown>([["/warranty_months", undefined]]);
  for (const fact of thing.facts) truth.set(`/${fact.name}`, states(fact) ? fact.truth : undefined);
  return {
    group: thing.kind,
    name: `${name} ${language.tag}`,
    isHeldOut: layout.isHeldOut === true,
    html: `<!doctype html><html lang="${language.tag}"><head><title>${escape(thing.title)} | Site</title>${head}</head><body>${around(body, plan)}</body></html>`,
    url: "https://site.example/page",
    schema: schemaOf(thing),
    truth,
    planted: [],
  };
}

function cell(fact: Fact): string {
  return escape(String(fact.shown));
}

/** Lists of things as cards, rows or structured data. */
const LISTS = ["cards", "links", "table", "item-list", "hashed"] as const;

function listPage(seed: number, how: (typeof LISTS)[number], language: Language): MadePage {
  const dice = new Dice(seed);
  const make = dice.of(KINDS.slice(0, 2));
  const count = 3 + dice.roll(8);
  const things = Array.from({ length: count }, () => make({ dice, language }));
  const fields = ["name", "price", "brand", "jobTitle", "company", "location"];
  const factsOf = (thing: Thing): readonly Fact[] => thing.facts.filter((fact) => fields.includes(fact.name));
  const html: Readonly<Record<typeof how, () => string>> = {
    cards: () =>
      `<div class="results">${things
        .map(
          (thing) =>
            `<article class="card">${factsOf(thing)
              .map((fact, at) =>
                at === 0 ? `<h3><a href="/x">${cell(fact)}</a></h3>` : `<p class="${fact.className}">${cell(fact)}</p>`,
              )
              .join("")}</article>`,
        )
        .join("")}</div>`,
    links: () =>
      `<ul class="list">${things
        .map(
          (thing) =>
            `<li class="item">${factsOf(thing)
              .map((fact, at) =>
                at === 0
                  ? `<a href="/x">${cell(fact)}</a>`
                  : `<span class="item__${fact.className}">${cell(fact)}</span>`,
              )
              .join(" ")}</li>`,
        )
        .join("")}</ul>`,
    table: () => {
      const head = factsOf(things[0] ?? make({ dice, language })).map(
        (fact, at) => `<th>${at === 0 ? "Name" : (language.labels[fact.label] ?? "")}</th>`,
      );
      const rows = things.map(
        (thing) =>
          `<tr>${factsOf(thing)
            .map((fact) => `<td>${cell(fact)}</td>`)
            .join("")}</tr>`,
      );
      return `<table><thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
    },
    "item-list": () => {
      const items = things.map((thing, at) => ({ "@type": "ListItem", position: at + 1, item: dataOf(thing) }));
      const data = JSON.stringify({ "@context": "https://schema.org", "@type": "ItemList", itemListElement: items });
      return `<script type="application/ld+json">${data}</script><ol>${things.map((thing) => `<li>${factsOf(thing).map(cell).join(" – ")}</li>`).join("")}</ol>`;
    },
    hashed: () =>
      `<div class="x1">${things
        .map(
          (thing) =>
            `<div class="x2"><h2>${cell(factsOf(thing)[0] ?? emptyFact)}</h2>${factsOf(thing)
              .slice(1)
              .map((fact) => `<div><span>${language.labels[fact.label]}</span> <span>${cell(fact)}</span></div>`)
              .join("")}</div>`,
        )
        .join("")}</div>`,
  };
  const [first] = things;
  const itemSchema = {
    type: "object",
    properties: Object.fromEntries(
      (first === undefined ? [] : factsOf(first)).map(({ name, schema }) => [name, schema]),
    ),
  };
  const truth = new Map<string, unknown>();
  for (const [at, thing] of things.entries())
    for (const fact of factsOf(thing)) truth.set(`/items/${at}/${fact.name}`, fact.truth);
  const plan = {
    dice,
    language,
    layout: LAYOUTS[0] ?? unreachable(),
    thing: { ...(first ?? unreachable()), kind: "list" },
  };
  return {
    group: "list",
    name: `list ${how} ${language.tag}`,
    isHeldOut: how === "hashed",
    html: `<!doctype html><html lang="${language.tag}"><head><title>Results</title></head><body>${around(`<h1>Results</h1>${html[how]()}`, plan)}</body></html>`,
    url: "https://site.example/list",
    schema: { type: "object", properties: { items: { type: "array", items: itemSchema } } },
    truth,
    planted: [],
  };
}

const emptyFact: Fact = { name: "", schema: {}, truth: "", label: "", shown: "", className: "" };

function unreachable(): never {
  throw new Error("Cannot make a page without a thing");
}

/** Ways to hide a part of a page from its readers. */
const HIDDEN: readonly ((html: string) => string)[] = [
  (html) => `<div style="display:none">${html}</div>`,
  (html) => `<div hidden>${html}</div>`,
  (html) => `<style>.zz{position:absolute;left:-9999px}</style><div class="zz">${html}</div>`,
  (html) => `<div style="font-size:0">${html}</div>`,
  (html) => `<div style="color:#fff;background:#fefefe">${html}</div>`,
  (html) => `<style>@media screen{#q{opacity:0}}</style><div id="q">${html}</div>`,
  (html) => `<div style="height:0;overflow:hidden">${html}</div>`,
  (html) => `<template>${html}</template>`,
  (html) => `<div class="sr-only">${html}</div>`,
  (html) => `<!-- ${html} -->`,
  (html) => `<div style="text-indent:-5000px">${html}</div>`,
  (html) => `<div style="visibility:hidden">${html}</div>`,
  (html) => `<div style="transform:scale(0)">${html}</div>`,
  (html) => `<div style="clip-path:inset(100%)">${html}</div>`,
];

/** A page with values that its readers do not see, before its true ones, and in its structured data. */
function hostilePage(seed: number, language: Language): MadePage {
  const dice = new Dice(seed);
  const make = dice.of(KINDS);
  const [thing, false_] = [make({ dice, language }), make({ dice, language })];
  const layout = dice.of(
    LAYOUTS.filter(({ name }) =>
      ["definition-list", "table", "bold-labels", "lines", "rows", "label-spans"].includes(name),
    ),
  );
  const plan = { dice, language, layout: { ...layout, hasData: "no" as const }, thing };
  const decoy = LAYOUTS[dice.roll(5)]?.body({ thing: false_, language, dice }) ?? "";
  const hide = HIDDEN[seed % HIDDEN.length] ?? unreachable();
  const lie = seed % 3 === 0 ? scriptOf(false_, "whole") : "";
  const made = pageOf(plan, `hostile ${seed % HIDDEN.length}`, hide(decoy) + layout.body(plan), lie);
  return { ...made, group: "hostile", planted: false_.facts.map(({ truth }) => truth) };
}

/** All pages: every kind in every layout, lists, and hostile pages. */
export function madePages(seed: number): readonly MadePage[] {
  const pages: MadePage[] = [];
  let at = seed * 10_000;
  for (const make of KINDS) {
    for (const layout of LAYOUTS) {
      for (let copy = 0; copy < 2; copy += 1) {
        at += 1;
        const dice = new Dice(at);
        const language = dice.of(LANGUAGES);
        const thing = make({ dice, language });
        pages.push(pageOf({ dice, language, layout, thing }, `${thing.kind} ${layout.name}`));
      }
    }
  }
  for (const how of LISTS)
    for (let copy = 0; copy < 8; copy += 1)
      pages.push(listPage((at += 1), how, LANGUAGES[copy % LANGUAGES.length] ?? unreachable()));
  for (let copy = 0; copy < 56; copy += 1)
    pages.push(hostilePage((at += 1), LANGUAGES[copy % LANGUAGES.length] ?? unreachable()));
  return pages;
}
