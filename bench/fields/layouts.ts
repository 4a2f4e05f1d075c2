import { type Dice, type Fact, type Thing } from "./records.ts";
import { type Language } from "./words.ts";

/** A layout writes the facts of a thing. It returns the names of the facts that it states. */
export interface Layout {
  readonly name: string;
  /** True: the layout is kept for the measurement, and was not looked at while rules were written. */
  readonly isHeldOut?: boolean;
  /** True: the page also has JSON-LD. */
  readonly hasData?: "whole" | "broken" | "graph" | "no";
  readonly body: (page: LayoutPage) => string;
  /** False for facts that the layout leaves out. */
  readonly states?: (fact: Fact) => boolean;
}

export interface LayoutPage {
  readonly thing: Thing;
  readonly language: Language;
  readonly dice: Dice;
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function texts({ shown }: Fact): readonly string[] {
  return typeof shown === "string" ? [shown] : shown;
}

function list(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${escape(item)}</li>`).join("")}</ul>`;
}

function valueOf(fact: Fact): string {
  return typeof fact.shown === "string" ? escape(fact.shown) : list(fact.shown);
}

/** The facts with a label, by their labels in the page's language. */
function labelled({ thing, language }: LayoutPage): readonly { readonly fact: Fact; readonly label: string }[] {
  return thing.facts
    .filter(({ label }) => label !== "")
    .map((fact) => ({ fact, label: language.labels[fact.label] ?? fact.label }));
}

const h1 = ({ thing }: LayoutPage): string => `<h1>${escape(thing.title)}</h1>`;

function microdata(page: LayoutPage, tag: (fact: Fact) => string): string {
  const { thing } = page;
  const groups = Map.groupBy(
    thing.facts.filter(({ path, label }) => path !== undefined && label !== ""),
    ({ path = "" }) => path.split(".").slice(0, -1).join("."),
  );
  const inner = [...groups].map(([around, facts]) => {
    const own = facts.map(tag).join("\n");
    return around
      .split(".")
      .filter(Boolean)
      .reduceRight(
        (html, step) => `<div itemprop="${step}" itemscope itemtype="https://schema.org/Thing">${html}</div>`,
        own,
      );
  });
  return `<div itemscope itemtype="https://schema.org/${thing.type}"><h1 itemprop="${thing.facts[0]?.path}">${escape(thing.title)}</h1>${inner.join("\n")}</div>`;
}

const last = (path = ""): string => path.split(".").at(-1) ?? "";

export const LAYOUTS: readonly Layout[] = [
  {
    name: "definition-list",
    body: (page) =>
      `${h1(page)}<dl>${labelled(page)
        .map(
          ({ fact, label }) =>
            `<dt>${label}</dt>${texts(fact)
              .map((one) => `<dd>${escape(one)}</dd>`)
              .join("")}`,
        )
        .join("")}</dl>`,
  },
  {
    name: "table",
    hasData: "whole",
    body: (page) =>
      `${h1(page)}<table class="specs">${labelled(page)
        .map(({ fact, label }) => `<tr><th>${label}</th><td>${valueOf(fact)}</td></tr>`)
        .join("")}</table>`,
  },
  {
    name: "table-cells",
    body: (page) =>
      `<table width="100%"><tr><td>${h1(page)}<table>${labelled(page)
        .map(({ fact, label }) => `<tr><td><b>${label}:</b></td><td>${valueOf(fact)}</td></tr>`)
        .join("")}</table></td></tr></table>`,
  },
  {
    name: "bold-labels",
    body: (page) =>
      `${h1(page)}${labelled(page)
        .map(({ fact, label }) =>
          typeof fact.shown === "string"
            ? `<p><strong>${label}:</strong> ${escape(fact.shown)}</p>`
            : `<h3>${label}</h3>${valueOf(fact)}`,
        )
        .join("\n")}`,
  },
  {
    name: "lines",
    hasData: "broken",
    body: (page) =>
      `${h1(page)}<p>${labelled(page)
        .map(({ fact, label }) => `${label}: ${escape(texts(fact).join(", "))}`)
        .join("<br>\n")}</p>`,
  },
  {
    name: "microdata",
    body: (page) =>
      microdata(page, (fact) =>
        texts(fact)
          .map((one) =>
            fact.data === fact.shown || typeof fact.shown !== "string"
              ? `<span itemprop="${last(fact.path)}">${escape(one)}</span>`
              : `<span itemprop="${last(fact.path)}" content="${escape(String(fact.data))}">${escape(one)}</span>`,
          )
          .join(" "),
      ),
    states: ({ path, label }) => path !== undefined && label !== "",
  },
  {
    name: "rows",
    hasData: "graph",
    body: (page) =>
      `${h1(page)}<div class="facts">${labelled(page)
        .map(
          ({ fact, label }) =>
            `<div class="css-${page.dice.roll(9)}x"><span>${label}</span><span>${valueOf(fact)}</span></div>`,
        )
        .join("")}</div>`,
  },
  {
    name: "classes",
    body: (page) =>
      `${h1(page)}${page.thing.facts
        .filter(({ label }) => label !== "")
        .map((fact) =>
          typeof fact.shown === "string"
            ? `<div class="${page.thing.kind}-${fact.className}">${escape(fact.shown)}</div>`
            : `<ul class="${page.thing.kind}-${fact.className}">${fact.shown.map((one) => `<li>${escape(one)}</li>`).join("")}</ul>`,
        )
        .join("\n")}`,
  },
  {
    name: "data-only",
    hasData: "whole",
    body: (page) => `${h1(page)}<p>${page.thing.facts.flatMap(texts).filter(Boolean).map(escape).join(" · ")}</p>`,
    states: ({ path }) => path !== undefined,
  },
  {
    name: "label-spans",
    body: (page) =>
      `${h1(page)}<ul class="meta">${labelled(page)
        .map(
          ({ fact, label }) =>
            `<li><span class="label">${label}</span> <span class="value">${escape(texts(fact).join(", "))}</span></li>`,
        )
        .join("")}</ul>`,
  },
  {
    name: "rdfa",
    isHeldOut: true,
    body: (page) =>
      microdata(page, (fact) =>
        texts(fact)
          .map(
            (one) =>
              `<b itemprop="${last(fact.path)}"${fact.data === fact.shown || typeof fact.shown !== "string" ? "" : ` content="${escape(String(fact.data))}"`}>${escape(one)}</b>`,
          )
          .join(" "),
      )
        .replaceAll(/itemscope itemtype="https:\/\/schema.org\//g, 'vocab="https://schema.org/" typeof="')
        .replaceAll("itemprop=", "property="),
    states: ({ path, label }) => path !== undefined && label !== "",
  },
  {
    name: "headings",
    isHeldOut: true,
    body: (page) =>
      `<header>${h1(page)}</header>${labelled(page)
        .map(
          ({ fact, label }) =>
            `<section><h2>${label}</h2>${typeof fact.shown === "string" ? `<p>${escape(fact.shown)}</p>` : valueOf(fact)}</section>`,
        )
        .join("\n")}`,
  },
  {
    name: "grid",
    isHeldOut: true,
    hasData: "graph",
    body: (page) =>
      `<div class="grid"><div>${h1(page)}</div>${labelled(page)
        .map(
          ({ fact, label }) => `<div class="cell"><small>${label}</small><div class="b">${valueOf(fact)}</div></div>`,
        )
        .join("")}</div>`,
  },
  {
    name: "test-ids",
    isHeldOut: true,
    body: (page) =>
      `${h1(page)}${page.thing.facts
        .filter(({ label }) => label !== "")
        .map((fact) => `<div data-testid="${fact.className}">${valueOf(fact)}</div>`)
        .join("\n")}`,
  },
  {
    name: "inline-sentence",
    isHeldOut: true,
    body: (page) =>
      `${h1(page)}<p class="facts">${labelled(page)
        .map(({ fact, label }) => `<em>${label}:</em> ${escape(texts(fact).join(", "))}`)
        .join(" | ")}</p>`,
  },
  {
    name: "four-cells",
    isHeldOut: true,
    hasData: "broken",
    body: (page) => {
      const cells = labelled(page).map(({ fact, label }) => `<th>${label}</th><td>${valueOf(fact)}</td>`);
      const rows = cells.flatMap((cell, at) => (at % 2 === 0 ? [`<tr>${cell}${cells[at + 1] ?? ""}</tr>`] : []));
      return `${h1(page)}<table>${rows.join("")}</table>`;
    },
  },
];
