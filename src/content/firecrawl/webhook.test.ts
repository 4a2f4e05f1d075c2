/** Jobs of the unmodified SDK of Firecrawl post their events in its form. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { Firecrawl } from "firecrawl";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { baseUrl } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";

setDefaultTimeout(patient(60_000));

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: {
    readonly success: boolean;
    readonly [name: string]: unknown;
    readonly type: string;
    readonly id: string;
    readonly data: readonly unknown[];
  };
}

const posted: Posted[] = [];
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/in") {
      const text = await request.text();
      // The body of a webhook.
      posted.push({ headers: request.headers.toJSON(), text, body: JSON.parse(text) as Posted["body"] });
      return new Response();
    }
    if (pathname === "/never") return new Promise<Response>(() => undefined);
    if (pathname !== "/" && pathname !== "/long") return new Response("", { status: 404 });
    const content = pathname === "/" ? "Home of the harbour" : `word ${"x ".repeat(700_000)}`;
    const html = `<!doctype html><title>Harbour</title><article><p>${content}</p><a href="/missing">more</a></article>`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  },
});
const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;
const { service, close } = await startTestService({ firecrawl: true });
afterAll(async () => {
  await close();
  await site.stop(true);
});
const client = new Firecrawl({ apiKey: "fc-mine", apiUrl: baseUrl(service) });
const of = (id: string) => posted.filter(({ body }) => body.id === id);
const over = (id: string, type: string) => until(() => of(id).some(({ body }) => body.type === type));

async function secretOf(
  key: string,
): Promise<{ readonly status: number; readonly data?: { readonly secret: string } }> {
  const headers: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${baseUrl(service)}/v2/team/webhook-secret`, { headers });
  return { status: response.status, ...((await response.json()) as object) };
}

test("a crawl posts its start, its pages and failures, and its end, with fields and metadata, signed by the secret of the key", async () => {
  const webhook = { url: at("/in"), headers: { "X-Shop": "7" }, metadata: { order: "7" } };
  const { id } = await client.startCrawl(at("/"), { sitemap: "skip", webhook });
  await over(id, "crawl.completed");
  const secret = (await secretOf("fc-mine")).data?.secret ?? "";
  expect((await secretOf("fc-other")).data?.secret).not.toBe(secret);
  expect((await secretOf("")).status).toBe(401);
  for (const { headers, text } of of(id)) {
    const signature = createHmac("sha256", secret).update(text).digest("hex");
    expect(headers).toMatchObject({ "x-firecrawl-signature": `sha256=${signature}`, "x-shop": "7" });
  }
  const whole = { id, metadata: { order: "7" } };
  expect(of(id).map(({ body }) => body)).toEqual([
    { ...whole, success: true, type: "crawl.started", webhookId: `${id}-0`, data: [] },
    {
      ...whole,
      success: true,
      type: "crawl.page",
      webhookId: `${id}-1`,
      data: [expect.objectContaining({ markdown: expect.stringContaining("Home of the harbour") })],
    },
    {
      ...whole,
      success: false,
      type: "crawl.page",
      webhookId: `${id}-2`,
      data: [{ metadata: { sourceURL: at("/missing"), error: "Cannot load the page: its server responded with 404" } }],
      error: "Cannot load the page: its server responded with 404",
    },
    { ...whole, success: true, type: "crawl.completed", webhookId: `${id}-3`, data: [] },
  ]);
});

test("a batch posts only the events that are wanted, and the end of a cancelled one as failed", async () => {
  const { id } = await client.startBatchScrape([at("/"), at("/never")], {
    webhook: { url: at("/in"), events: ["page", "failed"] },
  });
  await over(id, "batch_scrape.page");
  await client.cancelBatchScrape(id);
  await over(id, "batch_scrape.failed");
  expect(of(id).map(({ body }) => [body.type, body.success])).toEqual([
    ["batch_scrape.page", true],
    ["batch_scrape.failed", false],
  ]);
});

test("a document that is too long for a post is left out, and an address alone is a webhook", async () => {
  const { id } = await client.startBatchScrape([at("/long")], { webhook: at("/in") });
  await over(id, "batch_scrape.completed");
  expect(of(id)[1]?.body.data).toEqual([
    { metadata: expect.objectContaining({ sourceURL: at("/long") }), warning: expect.any(String) },
  ]);
});

test("a service without versions of pages refuses to track changes", async () => {
  const formats = ["markdown", { type: "changeTracking", modes: [] }] as const;
  for (const call of [
    client.scrape(at("/"), { formats: [...formats] }),
    client.startCrawl(at("/"), { scrapeOptions: { formats: [...formats] } }),
  ]) {
    expect(await call.catch((error: unknown) => error)).toMatchObject({ status: 400, details: [{ path: "formats" }] });
  }
});

test("a webhook cannot set the fields of its connection", async () => {
  const headers = { Host: "other.example" };
  const failed = await client
    .startCrawl(at("/"), { webhook: { url: at("/in"), headers } })
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ status: 400, code: "BAD_REQUEST" });
});
