import { ANYWHERE } from "../../src/content/egress/guard.ts";
import { Extractor } from "../../src/content/extractor/extractor.ts";
import { LearnedTemplates } from "../../src/content/page-reader/learned-templates.ts";
import { PageReader } from "../../src/content/page-reader/page-reader.ts";
import { FairSemaphore } from "../../src/content/page/fair-semaphore.ts";
import { createResolver } from "../../src/content/resolve/create-resolver.ts";
import { type ModelOptions } from "../../src/content/resolve/model/model-options.ts";
import { type Resolver } from "../../src/content/resolve/resolver.ts";
import { Search } from "../../src/content/search/search.ts";
import { type SearchProvider } from "../../src/content/search/web/provider.ts";
import { fetchDocument } from "../../src/content/static/fetch-document.ts";
import { type MarketPage, type MarketQuestion, timeOf } from "./market.ts";

const SNIPPET_LENGTH = 160;

/** The pages of one question at a time, at their own host names on a loopback port. Each search returns all of them. */
export interface MarketWeb {
  /** Serves and finds the pages of this question instead of those before. The resolver's time is the question's. */
  show(question: MarketQuestion): Resolver;
  close(): Promise<void>;
}

/** Starts a server for all hosts, and the reader and the search that find it. The model is the analyst, if there is one. */
export function startMarketWeb(model?: ModelOptions): MarketWeb {
  let shown: MarketQuestion | undefined;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      const { hostname, pathname } = new URL(request.url);
      const page = shown?.pages.find(
        ({ url }) => new URL(url).hostname === hostname && new URL(url).pathname === pathname,
      );
      if (page === undefined) return new Response("Not found", { status: 404 });
      return new Response(html(page, shown?.language ?? ""), {
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    },
  });
  const extractor = new Extractor();
  const egress = { policy: ANYWHERE, resolve: async () => await Promise.resolve(["127.0.0.1"]) };
  const browser = { visit: () => Promise.reject(new Error("there is no browser")) };
  const provider = providerOf(() => shown?.pages ?? [], server.port ?? 0);
  const semaphore = new FairSemaphore(64, 256, 30_000);
  const resolver = createResolver(model, {
    pages: new PageReader({
      browser,
      fetchDocument,
      semaphore,
      extractor,
      egress,
      learned: new LearnedTemplates({ folder: undefined, log: () => undefined }),
    }),
    search: new Search({
      providers: [provider],
      policy: ANYWHERE,
      parallel: 1,
      providerTimeoutMs: 10_000,
      cacheMs: 0,
      log: console.error,
      now: () => performance.now(),
    }),
    log: console.error,
    now: () => (shown === undefined ? Number.NaN : timeOf(shown)),
  });
  return {
    show: (question) => {
      shown = question;
      return resolver;
    },
    close: async () => {
      resolver.close();
      extractor.close();
      await server.stop(true);
    },
  };
}

function providerOf(pages: () => readonly MarketPage[], port: number): SearchProvider {
  return {
    name: "market",
    markup: false,
    base: "http://market.example/",
    maxPages: 1,
    maxResults: 100,
    filters: new Set(),
    available: () => true,
    page: async () =>
      await Promise.resolve({
        results: pages().map(({ url, title, body }) => ({
          title,
          url: addressOf(url, port),
          snippet: (body[0] ?? "").slice(0, SNIPPET_LENGTH),
        })),
        next: undefined,
      }),
  };
}

function addressOf(url: string, port: number): string {
  const address = new URL(url);
  address.protocol = "http:";
  address.port = String(port);
  return address.href;
}

function html({ owner, title, published, body }: MarketPage, language: string): string {
  const date =
    published === undefined ? "" : `<meta property="article:published_time" content="${published}T09:00:00Z">`;
  const byline = published === undefined ? "" : `, <time datetime="${published}">${dateIn(language, published)}</time>`;
  const paragraphs = body.map(block).join("\n");
  return `<!doctype html><html lang="${language}"><head><title>${escapeHtml(title)}</title>
<meta property="og:site_name" content="${escapeHtml(owner)}">${date}</head><body>
<nav><a href="/">${escapeHtml(owner)}</a></nav><main><article><h1>${escapeHtml(title)}</h1>
<p class="byline">${escapeHtml(owner)}${byline}</p>
${paragraphs}</article></main></body></html>`;
}

/** A paragraph, or the table or list that its lines show as Markdown. */
function block(text: string): string {
  const lines = escapeHtml(text).split("\n");
  if (text.startsWith("* ")) return `<ul>${lines.map((line) => `<li>${line.slice(2)}</li>`).join("")}</ul>`;
  if (!text.startsWith("| ")) return `<p>${lines.join(" ")}</p>`;
  return `<table>${lines.map((line, at) => rowOf(line, at === 0 ? "th" : "td")).join("")}</table>`;
}

function rowOf(line: string, tag: string): string {
  const cells = line.slice(2).replace(/ \|$/u, "").split(" | ");
  return `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
}

function dateIn(language: string, published: string): string {
  const locale = language === "en" ? "en-GB" : language;
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(published));
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
