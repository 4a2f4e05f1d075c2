import { Extractor } from "../../extractor/extractor.ts";
import { ANYWHERE, type EgressPolicy } from "../../egress/guard.ts";
import { LearnedTemplates } from "../../page-reader/learned-templates.ts";
import { PageReader } from "../../page-reader/page-reader.ts";
import { FairSemaphore } from "../../page/fair-semaphore.ts";
import { createSearchService, SEARCH_DEFAULTS } from "../../search/search-service.ts";
import { type Search } from "../../search/search.ts";
import { fetchDocument } from "../../static/fetch-document.ts";

type Page = string | ((request: Request) => Response | Promise<Response>);

/** Sites and a search engine on loopback addresses, with a page reader without a browser. */
export interface MadeWeb {
  /** A page by site and path: `/a/fire` is the page `/fire` of the site `a`. A string is the words of an article. */
  readonly pages: Map<string, Page>;
  /** Pages that the engine returns, best first: for every query, or as a function of the query. */
  results: readonly string[] | ((query: string) => readonly string[]);
  /** Whether the engine responds. */
  searchable: boolean;
  readonly queries: string[];
  /** Requested pages, with the keys of `pages`. */
  readonly hits: string[];
  readonly reader: PageReader;
  readonly search: Search;
  /** The address of a page. */
  address(page: string): string;
  /** Clears pages, results and hits. */
  reset(): void;
  close(): Promise<void>;
}

const HTML = { "content-type": "text/html; charset=utf-8" };
const SITES = "abcdefghij";

/** An article in the form of a newspaper's. */
export function article(words: string, { title = "News", head = "" } = {}): Response {
  const paragraphs = words.split("\n").map((line) => `<p>${line}</p>`);
  const html = `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body>
    <nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
    <article><h1>${title}</h1>${paragraphs.join("")}</article><footer>All rights reserved</footer></body></html>`;
  return new Response(html, { headers: HTML });
}

/** Starts the sites `a` to `j`, each on its own loopback address. `policy` decides which addresses may be read. */
export function startMadeWeb(stateDir: string, policy: EgressPolicy = ANYWHERE): MadeWeb {
  const hits: string[] = [];
  const queries: string[] = [];
  let now = 0;
  const server = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { hostname, pathname, searchParams } = new URL(request.url);
      if (pathname === "/search") {
        return searchParams.get("pageno") === "1"
          ? found(made, searchParams.get("q") ?? "")
          : Response.json({ results: [] });
      }
      const page = `/${SITES[Number(hostname.split(".")[3]) - 1] ?? ""}${pathname}`;
      hits.push(page);
      const given = made.pages.get(page);
      if (given === undefined) return new Response("<h1>Not here</h1>", { status: 404, headers: HTML });
      return typeof given === "string" ? article(given) : await given(request);
    },
  });
  const extractor = new Extractor();
  const egress = { policy };
  const browser = { visit: () => Promise.reject(new Error("there is no browser")) };
  const service = createSearchService(
    { ...SEARCH_DEFAULTS, providers: ["searxng"], searxngUrl: `http://127.0.0.1:${server.port}/`, cacheMs: 0 },
    { stateDir, egress, extractor, log: () => undefined, now: () => now },
  );
  const made: MadeWeb = {
    pages: new Map(),
    results: [],
    searchable: true,
    queries,
    hits,
    reader: new PageReader({
      browser,
      fetchDocument,
      semaphore: new FairSemaphore(64, 256, 30_000),
      extractor,
      egress,
      learned: new LearnedTemplates({ folder: undefined, log: () => undefined }),
    }),
    search: service.search,
    address(page) {
      const [, site = "", ...path] = page.split("/");
      return `http://127.0.0.${SITES.indexOf(site) + 1}:${server.port}/${path.join("/")}`;
    },
    reset() {
      made.pages.clear();
      made.results = [];
      made.searchable = true;
      hits.length = 0;
      queries.length = 0;
      // A search engine that failed is available again.
      now += 3_600_000;
    },
    async close() {
      service.close();
      extractor.close();
      await server.stop(true);
    },
  };
  return made;
}

function found(web: MadeWeb, query: string): Response {
  web.queries.push(query);
  if (!web.searchable) return new Response("", { status: 500 });
  const pages = typeof web.results === "function" ? web.results(query) : web.results;
  const results = pages.map((page) => ({ url: web.address(page), title: page, content: "" }));
  return Response.json({ query, results, answers: [], unresponsive_engines: [] });
}
