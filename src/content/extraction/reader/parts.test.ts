import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { readArticle } from "./read-article.ts";

const links = (names: readonly string[]): string =>
  `<ul>${names.map((name) => `<li><a href="/${name.toLowerCase()}">${name}</a></li>`).join("")}</ul>`;
const HEADER = `<header><a class="logo" href="/">Northwind</a><nav>${links(["Product", "Pricing", "Docs", "Blog"])}</nav></header>`;
const FOOTER =
  `<footer><div><h4>Company</h4>${links(["Jobs", "Press"])}</div><p>© 2026 Northwind Ltd. ` +
  '<a href="/privacy">Privacy</a></p></footer>';

const PLANS = [
  ["", "Free", "Team", "Business"],
  ["Projects", "3", "25", "Unlimited"],
  ["Storage", "5 GB", "100 GB", "100 GB"],
  ["Custom domains", "–", "✓", "✓"],
  ["Audit log", "–", "30 days", "90 days"],
  ["Uptime promise", "–", "99.9 %", "99.99 %"],
  ["Support", "Community", "E-mail", "Phone, day and night"],
];
const SERVICES = [
  ["Root canal treatment", "We remove the inflamed nerve under a microscope and fill the canals in one session."],
  ["Dental implants", "A titanium root replaces the missing tooth and carries a ceramic crown."],
  ["Whitening", "Gentle gel brightens your teeth by several shades within an hour."],
  ["Night guards", "A guard of soft plastic protects your teeth if you grind them at night."],
];
const QUESTIONS = [
  [
    "How long does a transfer take?",
    "A transfer within Europe arrives within two working days, and mostly on the same day.",
  ],
  [
    "Which documents do you need?",
    "We need a photograph of your passport or of your identity card, and a short video.",
  ],
  ["Is there a limit?", "New accounts have a limit of 5,000 euros a month, which we raise after your first salary."],
];
const JOBS = [
  ["Night nurse", "You look after twelve patients with a colleague, and you have every second weekend off."],
  ["Tram driver", "We train you for four months, with full pay, and you choose your depot."],
  ["Baker", "You bake sourdough from four to nine in the morning in a team of five."],
  ["Gardener", "You care for the courtyards of sixty houses, with an electric van."],
];
const STORY =
  "The harbour master wrote that the ferry had left the quay before the tide turned, and that its passengers had to wait. ";

const row = (cells: readonly string[]): string =>
  `<div class="row">${cells.map((cell) => `<div class="cell">${cell}</div>`).join("")}</div>`;

const PAGES: Readonly<
  Record<string, { title: string; body: string; kept: readonly string[]; dropped: readonly string[] }>
> = {
  "the cells of a comparison": {
    title: "Plans and pricing",
    body: `<p>Start free and pay as your team grows.</p><section><h2>Compare plans</h2>${PLANS.map(row).join("")}</section>`,
    kept: PLANS.flat(),
    dropped: ["Press"],
  },
  "cards of services, below pictures": {
    title: "Our services",
    body:
      '<div class="slider"><img src="a.jpg" alt=""><img src="b.jpg" alt=""></div>' +
      SERVICES.map(
        ([name, text]) =>
          `<div class="card"><h3>${name}</h3><p>${text}</p><a class="btn" href="/x">Learn more</a></div>`,
      ).join(""),
    kept: SERVICES.flat(),
    dropped: ["Press"],
  },
  "hidden answers to questions": {
    title: "Frequently asked questions",
    body: QUESTIONS.map(
      ([question, answer]) =>
        `<div class="item"><div class="title">${question}</div><div class="body" style="display:none">${answer}</div></div>`,
    ).join(""),
    kept: QUESTIONS.flat(),
    dropped: ["Press"],
  },
  "the entries of a listing, without its filters": {
    title: "Jobs in Berlin",
    body:
      `<div class="filters"><h4>Categories</h4>${links(["Health (212)", "Transport (98)", "Food (77)"])}</div>` +
      JOBS.map(([name, text]) => `<div class="job"><h2><a href="/job/x">${name}</a></h2><p>${text}</p></div>`).join(""),
    kept: JOBS.flat(),
    dropped: ["Health (212)", "Press"],
  },
  "text that a button opens": {
    title: "The ferry that left too early",
    body: `<p>${STORY}</p><div class="js_readmore" hidden><p>Later, ${STORY.repeat(3)}</p></div><a href="#" class="js_readmore_button">Read more</a>`,
    kept: ["Later, The harbour master"],
    dropped: ["Press"],
  },
};

test.each(Object.entries(PAGES))("the content has %s", (_what, { title, body, kept, dropped }) => {
  const html = `<html lang="en"><head><title>${title} | Northwind</title></head><body>${HEADER}<main><h1>${title}</h1>${body}</main>${FOOTER}</body></html>`;
  const { content } = readArticle(parseTree(html), "https://www.northwind.test/page");
  const places = new Map<string, number>();
  const missing = kept.filter((text) => {
    const at = content.indexOf(text, places.get(text) ?? 0);
    places.set(text, at + text.length);
    return at === -1;
  });
  expect(missing).toEqual([]);
  expect(dropped.filter((text) => content.includes(text))).toEqual([]);
});
