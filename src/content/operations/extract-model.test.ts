import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { madeModelOptions } from "../resolve/testing/made-analyst.ts";
import { startModelServer } from "../resolve/testing/model-server.ts";
import { startContentService } from "../service.ts";
import { Firecrawl } from "firecrawl";
import { baseUrl, call } from "../testing/client.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { startTestService } from "../testing/service.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const WORDS = "A toll is paid once, at the gate, and the road behind it is open to the one who paid. ".repeat(4);
const PAGE = `<!doctype html><html lang="en"><title>Inn</title><h1>The Inn</h1><p>Guests leave their rooms before 11 o'clock, and dogs
pay 12.50 a night.</p><p style="display:none">The owner is Mallory.</p><p>${WORDS}</p></html>`;
const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string" },
    checkoutHour: { type: "integer" },
    dogFee: { type: "number" },
    owner: { type: "string" },
    pool: { type: "string" },
  },
};

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(PAGE, { headers: { "content-type": "text/html" } }),
});
const model = startModelServer();
const state = createStateFolder();
const service = await startContentService({
  listen: { hostname: "127.0.0.1", port: 0 },
  stateDir: state.path,
  allowPrivate: true,
  firecrawl: true,
  log: () => undefined,
  model: madeModelOptions(model.url, { fallback: true }),
});

afterAll(async () => {
  await service.close();
  await model.close();
  await site.stop(true);
  state.remove();
});

const extract = (more: object = {}) =>
  call(service, "/extract", { url: site.url.href, schema: SCHEMA, engine: "static", ...more });
const field = (path: string, value: string, quote: string) => ({ path, value, quote });

test("the format json of scrape and of batch asks the model too, beside other formats", async () => {
  model.answer = () => ({ fields: [field("/checkoutHour", "11", "Guests leave their rooms before 11 o'clock")] });
  const asked = { engine: "static", formats: ["text", { type: "json", schema: SCHEMA }] };
  const page = {
    text: expect.stringContaining("before 11 o'clock"),
    json: { data: { checkoutHour: 11, name: "The Inn", owner: null }, sources: { "/checkoutHour": { from: "model" } } },
  };
  const scraped = await call(service, "/scrape", { url: site.url.href, ...asked });
  expect(scraped.json["results"]).toMatchObject(page);
  const { json } = await call(service, "/batch", { urls: [site.url.href], ...asked });
  expect(json["results"]).toMatchObject([{ results: page }]);
  expect(model.asked.splice(0)).toHaveLength(2);
});

test("a model's values count if the visible text has their quotes, and the quotes have the values", async () => {
  model.answer = () => ({
    fields: [
      field("/checkoutHour", "11", "Guests leave their rooms before 11 o'clock"),
      field("/dogFee", "13", "dogs pay 12.50 a night"),
      field("/owner", "Mallory", "The owner is Mallory."),
      field("/pool", "indoors", "The pool is indoors."),
    ],
  });
  const { json } = await extract({ prompt: "Fees are in euros" });
  expect(json["data"]).toEqual({ name: "The Inn", checkoutHour: 11, dogFee: null, owner: null, pool: null });
  expect(json["sources"]).toMatchObject({
    "/checkoutHour": { from: "model", selector: "html > body > p:nth-of-type(1)" },
  });
  const [asked] = model.asked.splice(0);
  expect(asked?.task).toMatchObject({
    question: "Fees are in euros",
    fields: ["/checkoutHour", "/dogFee", "/owner", "/pool"],
  });
  // A model cannot repeat what it does not see.
  expect(JSON.stringify(asked?.body)).not.toContain("Mallory");
});

test("the prompt of a format reaches the model, also in Firecrawl's form and in an extraction, which is a job", async () => {
  model.answer = () => ({ fields: [field("/checkoutHour", "11", "Guests leave their rooms before 11 o'clock")] });
  const format = { type: "json", schema: SCHEMA };
  await call(service, "/scrape", { url: site.url.href, engine: "static", formats: [{ ...format, prompt: "one" }] });
  const scraped = await call(service, "/v2/scrape", { url: site.url.href, formats: [{ ...format, prompt: "two" }] });
  expect(scraped.json).toMatchObject({ data: { json: { checkoutHour: 11 } } });
  const client = new Firecrawl({ apiKey: "mine", apiUrl: baseUrl(service) });
  const made = await client.extract({ urls: [site.url.href], schema: SCHEMA, prompt: "three", pollInterval: 1 });
  expect(made).toMatchObject({ status: "completed", data: { name: "The Inn", checkoutHour: 11, owner: null } });
  expect(model.asked.splice(0).map(({ task }) => task)).toMatchObject([
    { question: "one" },
    { question: "two" },
    { question: "three" },
  ]);
});

test("an extraction by a prompt alone has the fields that the model names", async () => {
  model.answer = ({ sources }) =>
    sources.length === 0
      ? { fields: [{ name: "checkout_hour", type: "number", description: "Until when guests leave" }] }
      : { fields: [field("/checkout_hour", "11", "Guests leave their rooms before 11 o'clock")] };
  const client = new Firecrawl({ apiKey: "mine", apiUrl: baseUrl(service) });
  const made = await client.extract({ urls: [site.url.href], prompt: "When must I leave?", pollInterval: 1 });
  expect(made).toMatchObject({
    status: "completed",
    data: { checkout_hour: 11 },
    warning: expect.stringContaining("prompt"),
  });
  expect(model.asked.splice(0).map(({ task }) => task.question)).toEqual(["When must I leave?"]);
  expect(model.checks.splice(0).map(({ task }) => task.question)).toEqual(["When must I leave?"]);
  model.answer = () => ({ fields: [] });
  const refused = await call(service, "/v2/extract", { urls: [site.url.href], prompt: "x" });
  expect(refused).toMatchObject({ status: 502, json: { success: false, code: "MODEL_FAILED" } });
  model.checks.splice(0);
});

test("a summary is the model's if a request asks for that, and otherwise sentences of the page", async () => {
  model.answer = () => ({ summary: "An inn with a rule for dogs." });
  const scrape = async (format: unknown, path = "/scrape") =>
    (await call(service, path, { url: site.url.href, engine: "static", formats: [format] })).json["results"];
  expect(await scrape("summary")).toEqual({ summary: expect.stringContaining("Guests"), summary_by: "sentences" });
  expect(model.asked).toEqual([]);
  const asked = { type: "summary", by: "model" };
  expect(await scrape(asked)).toEqual({ summary: "An inn with a rule for dogs.", summary_by: "model" });
  expect(model.asked.splice(0)[0]?.task.sources[0]?.text).toContain("A toll is paid once");
  const client = new Firecrawl({ apiKey: "mine", apiUrl: baseUrl(service) });
  const { summary, metadata } = await client.scrape(site.url.href, { formats: ["summary"] });
  expect([summary, metadata?.["summaryBy"]]).toEqual(["An inn with a rule for dogs.", "model"]);
  model.answer = () => ({ summary: "Read <a href=x>this</a>." });
  expect(await scrape(asked)).toEqual({ summary: expect.stringContaining("Guests"), summary_by: "sentences" });
  expect(model.asked.splice(0)).toHaveLength(2);
  const job = await call(service, "/batch", { urls: [site.url.href], formats: [asked], async: true });
  expect(job).toMatchObject({ status: 400, json: { errors: [{ path: "formats.0.by" }] } });
});

test("a response that cannot be read is asked for once more, and a model that fails leaves the other fields", async () => {
  let turn = 0;
  model.mode = "says";
  model.answer = () =>
    (turn += 1) === 1
      ? "Let me see."
      : JSON.stringify({ fields: [field("/dogFee", "12.50", "dogs pay 12.50 a night")] });
  expect((await extract()).json["data"]).toMatchObject({ name: "The Inn", dogFee: 12.5 });
  expect(model.asked.splice(0)).toHaveLength(2);
  model.mode = "fails";
  expect((await extract()).json["data"]).toMatchObject({ name: "The Inn", dogFee: null });
});

test("a prompt needs a language model, and other jobs ask none", async () => {
  const { service: plain, close } = await startTestService();
  const { json } = await call(plain, "/extract", { url: site.url.href, schema: SCHEMA, prompt: "x" });
  const formats = ["text", { type: "json", schema: SCHEMA, prompt: "x" }];
  const scraped = await call(plain, "/scrape", { url: site.url.href, formats });
  const batched = await call(plain, "/batch", { urls: [site.url.href], formats });
  const summarised = await call(plain, "/scrape", {
    url: site.url.href,
    engine: "static",
    formats: [{ type: "summary", by: "model" }],
  });
  expect(summarised.json["results"]).toMatchObject({ summary_by: "sentences" });
  await close();
  const message = "needs a language model, which this service does not have";
  expect(json["errors"]).toEqual([{ path: "prompt", message }]);
  for (const one of [scraped, batched])
    expect(one).toMatchObject({ status: 400, json: { errors: [{ path: "formats.1.prompt", message }] } });
  for (const [path, more] of [["/batch", { async: true }] as const, ["/crawl", {}] as const]) {
    const refused = await call(service, path, { urls: [site.url.href], formats, ...more });
    expect(refused).toMatchObject({ status: 400, json: { errors: [{ path: "formats.1.prompt" }] } });
  }
});
