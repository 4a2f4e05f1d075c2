import { expect, test } from "bun:test";
import { type Evidence, type ExtractionOutcome, type ExtractionTask } from "../extraction/tree/extraction.ts";
import { pageRequestOf } from "../testing/visit.ts";
import { chooseEngine, type Fetched } from "./engine-choice.ts";
import { LearnedTemplates } from "./learned-templates.ts";

const SCRIPTS = [{ url: "https://site.test/a.js", isModule: false }];

function inMemory(): LearnedTemplates {
  return new LearnedTemplates({ folder: undefined, log: () => undefined });
}

function content(text: string, evidence?: Partial<Evidence>): ExtractionOutcome {
  const extraction = { content: text, title: "" };
  if (evidence === undefined) return { outcome: "content", extraction };
  return { outcome: "content", extraction, evidence: { sign: undefined, scripts: [], template: "t", ...evidence } };
}

function fetched(outcome: ExtractionOutcome, more: Partial<Fetched> = {}): Fetched {
  const request = pageRequestOf("https://site.test/a");
  return { request, task: { kind: "text" }, outcome, searchScripts: () => Promise.resolve(false), ...more };
}

function selecting(selector: string): ExtractionTask {
  return { kind: "fields", selectors: { found: selector }, attributes: {} };
}

test("a certain sign needs a browser, and a page without code needs none", async () => {
  const learned = inMemory();
  const certain: ExtractionOutcome = { outcome: "needs-browser", sign: "no-text" };
  expect((await chooseEngine(learned, fetched(certain))).engine).toBe("browser");
  expect((await chooseEngine(learned, fetched(content("words")))).engine).toBe("static");
});

test("a page with a sign is compared, and its next visit needs no browser if its words were the same", async () => {
  const learned = inMemory();
  const page = fetched(content("The boat\nleaves at seven.", { sign: "script-writes" }));
  const choice = await chooseEngine(learned, page);
  if (choice.engine !== "browser") throw new Error("The page was not compared");
  expect(choice.isOptional).toBe(false);
  choice.compare({ content: "The boat leaves at seven.", title: "" });
  expect((await chooseEngine(learned, page)).engine).toBe("static");
  choice.compare({ content: "The boat leaves at eight.", title: "" });
  expect((await chooseEngine(learned, page)).engine).toBe("browser");
});

test("external scripts are searched only if nothing is known of the template", async () => {
  const learned = inMemory();
  let searched = 0;
  const searchScripts = () => {
    searched += 1;
    return Promise.resolve(true);
  };
  const page = fetched(content("words", { scripts: SCRIPTS }), { searchScripts });
  const choice = await chooseEngine(learned, page);
  if (choice.engine !== "browser") throw new Error("The page was not compared");
  choice.compare({ content: "words", title: "" });
  expect((await chooseEngine(learned, page)).engine).toBe("static");
  expect(searched).toBe(1);
});

test("the hundredth visit of a page is compared, and its document is the result if the browser fails", async () => {
  const learned = inMemory();
  const page = fetched(content("words", { scripts: SCRIPTS }));
  const choices = [];
  for (let visit = 0; visit < 100; visit += 1) choices.push(await chooseEngine(learned, page));
  expect(choices.slice(0, 99).every(({ engine }) => engine === "static")).toBe(true);
  expect(choices[99]).toMatchObject({ engine: "browser", isOptional: true });
});

test("the browser's failure is an error at the check of a template whose scripts change its pages", async () => {
  const learned = inMemory();
  const page = fetched(content("words", { scripts: SCRIPTS }), { searchScripts: () => Promise.resolve(true) });
  const choice = await chooseEngine(learned, page);
  if (choice.engine !== "browser") throw new Error("The page was not compared");
  choice.compare({ content: "other words", title: "" });
  const choices = [];
  for (let visit = 2; visit <= 100; visit += 1) choices.push(await chooseEngine(learned, page));
  expect(choices.at(-1)).toMatchObject({ engine: "browser", isOptional: false });
});

test("equal results of one selector, or of an earlier event, teach nothing of others", async () => {
  const learned = inMemory();
  const outcome = content("", { sign: "script-writes" });
  const title = fetched(outcome, { task: selecting("h1") });
  const choice = await chooseEngine(learned, title);
  if (choice.engine !== "browser") throw new Error("The page was not compared");
  choice.compare({ content: "", title: "" });
  expect((await chooseEngine(learned, title)).engine).toBe("static");
  const price = fetched(outcome, { task: selecting(".price") });
  expect((await chooseEngine(learned, price)).engine).toBe("browser");
  const request = { ...title.request, waitUntil: "domcontentloaded" } as const;
  expect((await chooseEngine(learned, { ...title, request })).engine).toBe("browser");
});

test("results with a million opening brackets are compared", async () => {
  const learned = inMemory();
  const brackets = "<".repeat(1_000_000);
  const page = fetched(content(`a ${brackets}`, { sign: "script-writes" }));
  const choice = await chooseEngine(learned, page);
  if (choice.engine !== "browser") throw new Error("The page was not compared");
  choice.compare({ content: `${brackets} a`, title: "" });
  expect((await chooseEngine(learned, page)).engine).toBe("static");
});

test("a page of one user teaches nothing", async () => {
  const learned = inMemory();
  const request = pageRequestOf("https://name:word@site.test/a");
  const page = fetched(content("words", { sign: "script-writes" }), { request });
  const choice = await chooseEngine(learned, page);
  if (choice.engine !== "browser") throw new Error("The page needs a browser");
  choice.compare({ content: "words", title: "" });
  expect((await chooseEngine(learned, page)).engine).toBe("browser");
});
