import { expect, test } from "bun:test";
import { parse } from "parse5";
import { apiDocument } from "../api/api-document.ts";
import { createApp } from "../app.ts";
import { type PriceList, unknownPrices } from "../api/price-list.ts";
import { type Services } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { docsPage } from "./page.ts";
import { REQUIREMENTS } from "../../payments/testing/payment.ts";

const LIST: PriceList = {
  prices: { "/scrape": "$0.07", "/batch": "up to $0.50" },
  rules: {},
  offers: {},
  testMode: false,
  unserved: [],
  accepts: [REQUIREMENTS],
};

test("each operation has a form if the gateway is known, and the wallet of the page pays only in test mode", () => {
  for (const { path } of OPERATIONS) expect(page).toContain(`data-path="${path}"`);
  expect(docsPage({ document: apiDocument("/"), list: undefined })).not.toContain('class="try"');
  const tested = { ...LIST, testMode: true };
  const form = docsPage({ document: apiDocument("/", tested), list: tested });
  expect([form, page].map((text) => text.includes("a test wallet"))).toEqual([true, false]);
});

test("an operation that the gateway does not serve is not described, nor are its jobs", () => {
  const list = { ...LIST, unserved: ["/crawl", "/qr"] };
  const small = docsPage({ document: apiDocument("/", list), list });
  const ids = [...small.matchAll(/<section class="operation" id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id) => id?.startsWith("crawl") || id === "qr")).toEqual([]);
  expect(ids).toContain("batch_status");
});

const page = docsPage({ document: apiDocument("https://pay.test", LIST), list: LIST });

test("every operation has its price, its fields with their bounds, its errors, and two ways to call it", () => {
  for (const { path, method } of OPERATIONS) {
    const price = LIST.prices[path] ?? "free";
    expect(page).toContain(`<code>${method.toUpperCase()} ${path}</code><span class="price">${price}</span>`);
    expect(page).toContain(`curl https://pay.test${path}`);
  }
  for (const { path } of OPERATIONS.filter(({ method }) => method === "post")) {
    expect([path, page]).toEqual([path, expect.stringContaining(`await pay(&#34;https://pay.test${path}&#34;, {`)]);
  }
  expect(page).toContain("1 to 120; default 30");
  expect(page).toContain("one of html, markdown, text, links; default markdown");
  expect(page).toContain("<code>page-challenge</code>");
});

test("the menu has short prices, and leaves the rules of others to their operations", () => {
  const rules = "with /formats: $0.01 for each of 1; otherwise $0.005";
  const list = { ...LIST, prices: { "/scrape": rules, "/batch": "up to $0.50" } };
  const ruled = docsPage({ document: apiDocument("/", list), list });
  expect(ruled).toContain('<a href="#scrape">/scrape <span>varies</span></a>');
  expect(ruled).toContain('<a href="#batch">/batch <span>up to $0.50</span></a>');
  expect(ruled).toContain(`<span class="price">${rules}</span>`);
});

test("every link within the page has a target, and ids are unique", () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id = ""]) => id);
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  for (const [, id = ""] of page.matchAll(/aria-labelledby="([^"]+)"/g)) expect(ids).toContain(id);
});

test("the page is HTML without errors, loads nothing, and runs only its own script", () => {
  const errors: string[] = [];
  parse(page, { onParseError: ({ code }) => errors.push(code), sourceCodeLocationInfo: true });
  expect(errors).toEqual([]);
  const markup = page.replaceAll(/<script[^]*?<\/script>/g, "");
  expect(markup).not.toMatch(/<(?:script|link|img|iframe|object|embed)\b| style=| on\w+=|\ssrc=|url\(|@import/);
});

test("a host name is plain text on the page", () => {
  const document = apiDocument(`https://"><script>alert(1)</script>`);
  const evil = docsPage({ document, list: undefined });
  expect(evil).not.toContain("<script>alert");
});

test("the page and the description are served for the requested host", async () => {
  const nothing: unknown = undefined;
  // The requests of this test use no service.
  const app = createApp(nothing as Services, { prices: unknownPrices });
  const headers = { host: "api.test:8080", "x-forwarded-proto": "https" };
  const docs = await app(new Request("http://content/docs", { headers }));
  expect(docs.status).toBe(200);
  expect(docs.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = docs.headers.get("content-security-policy") ?? "";
  const text = await docs.text();
  const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`'sha256-${new Bun.CryptoHasher("sha256").update(style).digest("base64")}'`);
  const script = /<script>([^]*?)<\/script>/.exec(text)?.[1] ?? "";
  expect(policy).toContain(`script-src 'sha256-${new Bun.CryptoHasher("sha256").update(script).digest("base64")}'`);
  expect(text).toContain("curl https://api.test:8080/scrape");
  const description = await app(new Request("http://content/openapi.json", { headers }));
  expect(await description.json()).toMatchObject({ servers: [{ url: "https://api.test:8080" }, { url: "/" }] });
  const post = await app(new Request("http://content/docs", { method: "POST" }));
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
