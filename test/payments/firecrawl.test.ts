/** The unmodified SDK of Firecrawl pays a gateway by a token of prepaid credit, for the pages that it gets. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { Firecrawl, SdkError } from "firecrawl";
import shipped from "../../config/turnpike.json";
import { baseUrl } from "../../src/content/testing/client.ts";
import { startTestService } from "../../src/content/testing/service.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { issueCredit } from "../../src/payments/credit/issue.ts";
import { PAYER, TERMS, USDC } from "../../src/payments/testing/payment.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { serverAt, startGateway } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

/** Atomic units of the price of a page in the shipped configuration. */
const PAGE = 5_000;

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ url }) {
    const { pathname } = new URL(url);
    if (pathname === "/never") return new Promise<Response>(() => undefined);
    if (!pathname.startsWith("/page")) return new Response("", { status: 404 });
    const words = Array.from({ length: 60 }, (_, at) => `${pathname.slice(1)}word${at} is a word.`).join(" ");
    const html = `<!doctype html><title>${pathname}</title><article><h1>${pathname}</h1><p>${words}</p></article>`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  },
});
const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;
const folder = new Folder();
const port = await freePort();
const content = await startTestService({
  firecrawl: true,
  mcp: { gatewayUrl: `http://127.0.0.1:${port}`, hosts: [] },
});
const { price: _price, scheme: _scheme, ...account } = TERMS;
const gateway = await startGateway({
  server: { port },
  state_path: folder.path,
  x402: { enabled: true, test_mode: true, credit: { ...account, min: "$0.01" } },
  upstreams: [{ name: "content", servers: [serverAt(Number(new URL(baseUrl(content.service)).port))] }],
  routes: shipped.routes.filter(({ path_prefix: prefix }) => prefix === "/v2/" || prefix === "/scrape"),
});
const store = openStore(folder.file("turnpike.db"));
await store.ready();
const { id, token } = await issueCredit(
  store.credits,
  {
    owner: PAYER,
    unit: "money",
    name: "",
    network: "eip155:84532",
    token: USDC.toLowerCase(),
    routes: [],
    expiresAt: 0,
  },
  { kind: "issued", amount: "1000000", payment: "" },
  true,
);

afterAll(async () => {
  await gateway.stop();
  await store.close();
  await content.close();
  await site.stop(true);
  folder.remove();
});

/** The error of a call of the SDK. */
async function failure(call: Promise<unknown>): Promise<SdkError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SdkError) return error;
  throw new Error(`the call did not fail as expected: ${String(error)}`);
}

const client = (apiKey: string) => new Firecrawl({ apiKey, apiUrl: `http://127.0.0.1:${gateway.port}` });
const mine = client(token);
const spent = async () => 1_000_000 - Number((await store.credits.find(id))?.balance);

test("the remaining credits are the pages that the balance pays for, and need a valid token", async () => {
  expect((await mine.getCreditUsage()).remainingCredits).toBe(1_000_000 / PAGE);
  for (const authorization of ["Bearer other", `Bearer ${token.slice(0, -1)}`]) {
    const headers = { authorization, "turnpike-balance": "9.00" };
    const response = await fetch(`http://127.0.0.1:${port}/v2/team/credit-usage`, { headers });
    expect(await response.json()).toMatchObject({ success: true, data: { remainingCredits: null } });
  }
});

test("a scrape costs a page, and a failed one nothing", async () => {
  const { markdown } = await mine.scrape(at("/page"));
  expect(markdown).toContain("pageword0 is a word.");
  expect(await failure(mine.scrape(at("/missing")))).toMatchObject({ status: 500, code: "SCRAPE_ALL_ENGINES_FAILED" });
  await until(async () => (await spent()) === PAGE);
});

test("a batch costs its delivered pages, and belongs to the token", async () => {
  const before = await spent();
  const urls = [at("/page1"), at("/page2"), at("/page3"), at("/missing")];
  const { id: job, data, creditsUsed } = await mine.batchScrape(urls, { pollInterval: 1 });
  expect(data.map(({ metadata }) => metadata?.title ?? "").toSorted()).toEqual(["/page1", "/page2", "/page3"]);
  expect(creditsUsed).toBe(3);
  await until(async () => (await spent()) === before + 3 * PAGE);
  expect(await failure(client("other").getBatchScrapeStatus(job))).toMatchObject({ status: 404 });
  const documents: unknown[] = [];
  const watcher = mine.watcher(job, { kind: "batch", pollInterval: 3_600 });
  watcher.on("document", (document: unknown) => documents.push(document));
  await watcher.start();
  expect(documents).toHaveLength(3);
});

test("an extraction costs its delivered pages, and nothing if it failed", async () => {
  const before = await spent();
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const job = await mine.extract({ urls: [at("/page6"), at("/page7"), at("/missing")], schema, pollInterval: 1 });
  expect(job).toMatchObject({ status: "completed", data: { name: "/page6" }, creditsUsed: 2 });
  await until(async () => (await spent()) === before + 2 * PAGE);
  const failed = await mine.extract({ urls: [at("/missing?2")], schema, pollInterval: 1 });
  expect(failed).toMatchObject({ status: "failed", creditsUsed: 0 });
  expect(await failure(mine.startExtract({ urls: [at("/page6")], prompt: "x" }))).toMatchObject({ status: 400 });
  await until(async () => (await store.credits.find(id))?.balance === String(1_000_000 - before - 2 * PAGE));
});

test("a repeated request with one key is one job and one charge", async () => {
  const before = await spent();
  const first = await mine.startBatchScrape([at("/page4")], { idempotencyKey: "one" });
  const second = await mine.startBatchScrape([at("/page4")], { idempotencyKey: "one" });
  expect(second.id).toBe(first.id);
  await until(async () => (await spent()) === before + PAGE);
});

test("a cancelled job costs nothing that was not delivered", async () => {
  const before = await spent();
  const { id: job } = await mine.startBatchScrape([at("/never"), at("/never?2")]);
  expect(await mine.cancelBatchScrape(job)).toBe(true);
  await until(async () => (await spent()) === before);
});

const [url, urls] = [at("/page"), [at("/page1"), at("/page2")]];
test.each([
  ["scrape", { url, formats: ["markdown"] }, 1],
  ["scrape", { url, formats: ["screenshot@fullPage"] }, 2],
  ["batch/scrape", { urls }, 2],
  ["batch/scrape", { urls, formats: [{ type: "screenshot" }] }, 4],
  ["extract", { urls, schema: { type: "object", properties: { name: {} } } }, 2],
  ["crawl", { url, limit: 3 }, 3],
  ["crawl", { url, limit: 3, scrapeOptions: { formats: ["branding"] } }, 6],
  ["crawl", { url, scrapeOptions: { formats: ["screenshot"] } }, 20_000],
  ["search", { query: "x" }, 1],
  ["search", { query: "x", limit: 9, scrapeOptions: {} }, 11],
  ["search", { query: "x", limit: 9, scrapeOptions: { formats: ["screenshot"] } }, 21],
] as const)("the shipped price of %s with %j is that of %d pages", async (path, body, pages) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}/v2/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(402);
  const { accepts } = (await response.json()) as { accepts: readonly { maxAmountRequired: string }[] }; // As x402 states it in bodies.
  expect(accepts.map(({ maxAmountRequired: amount }) => Number(amount) / PAGE)).toEqual(accepts.map(() => pages));
});

test("the error of a client without enough credit has the price", async () => {
  const refused = await failure(client("any").scrape(at("/page")));
  expect(refused).toMatchObject({ status: 402, details: { accepts: expect.any(Array) } });
  const dear = await failure(mine.startCrawl(at("/page"), {}));
  expect(dear).toMatchObject({ status: 402, message: "credit_insufficient" });
  expect(await failure(mine.startAgent({ prompt: "x" }))).toMatchObject({ status: 501 });
});
