import { ANYWHERE } from "../../src/content/egress/guard.ts";
import { Extractor } from "../../src/content/extractor/extractor.ts";
import { LearnedTemplates } from "../../src/content/page-reader/learned-templates.ts";
import { PageReader } from "../../src/content/page-reader/page-reader.ts";
import { FairSemaphore } from "../../src/content/page/fair-semaphore.ts";
import { type GatherDeps } from "../../src/content/resolve/gather.ts";
import { PageIndex } from "../../src/content/search/index/page-index.ts";
import { createSearchService, indexPath, SEARCH_DEFAULTS } from "../../src/content/search/search-service.ts";
import { fetchDocument } from "../../src/content/static/fetch-document.ts";
import { type Claim, type ClaimPage } from "./claims.ts";

/** The layout of a page's answers: each below its question, or without questions. */
export type PageStyle = "questions" | "answers";

/** For each claim, pages about the same names that do not mention the claim. */
const DISTRACTORS = 2;
const FILLER = [
  "The city council meets on the first Monday of each month, and its minutes are kept in the archive.",
  "Visitors find the opening hours at the entrance; guided tours take about an hour.",
  "The collection was catalogued in several volumes, which the library lends to readers.",
  "A series of lectures goes with the exhibition, and the programme is printed each spring.",
  "The bus stops in front of the building, and there is room for bicycles behind it.",
];

/**
 * The claims' pages and distractors on loopback addresses, one for each host, with the reader and the search that find
 * them.
 */
export interface Sites extends GatherDeps {
  /** The addresses of a claim's pages. */
  addresses(claim: Claim): string[];
  close(): Promise<void>;
}

interface Page {
  readonly title: string;
  readonly paragraphs: readonly { readonly heading?: string; readonly text: string }[];
}

export function startSites(claims: readonly Claim[], style: PageStyle, stateDir: string): Sites {
  const pages: Page[] = [];
  const hosts: string[] = [];
  const ofClaim = new Map<Claim, number[]>();
  const add = (page: Page, host: string): number => {
    hosts.push(host);
    return pages.push(page) - 1;
  };
  for (const claim of claims) {
    ofClaim.set(
      claim,
      claim.pages.map((page) => add(pageOf(page, style), page.host)),
    );
    for (let n = 0; n < DISTRACTORS; n += 1) add(distractor(claim, n), `distractor-${pages.length}.test`);
  }
  const server = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      const page = pages[Number(new URL(request.url).pathname.slice("/page/".length))];
      if (page === undefined) return new Response("Not found", { status: 404 });
      return new Response(html(page), { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  });
  const addressOf = (index: number): string => `http://${loopback(hosts[index] ?? "")}:${server.port}/page/${index}`;
  fillIndex(pages, stateDir, addressOf);
  const reading = readersOf(stateDir);
  return {
    ...reading,
    addresses: (claim) => (ofClaim.get(claim) ?? []).map(addressOf),
    close: async () => {
      reading.close();
      await server.stop(true);
    },
  };
}

function readersOf(stateDir: string): GatherDeps & { close(): void } {
  const extractor = new Extractor();
  const egress = { policy: ANYWHERE };
  const browser = { visit: () => Promise.reject(new Error("there is no browser")) };
  const service = createSearchService(
    { ...SEARCH_DEFAULTS, providers: ["local"], cacheMs: 0 },
    { stateDir, egress, extractor, log: () => undefined },
  );
  return {
    pages: new PageReader({
      browser,
      fetchDocument,
      semaphore: new FairSemaphore(64, 256, 30_000),
      extractor,
      egress,
      learned: new LearnedTemplates({ folder: undefined, log: () => undefined }),
    }),
    search: service.search,
    clock: () => performance.now(),
    close: () => {
      service.close();
      extractor.close();
    },
  };
}

function fillIndex(pages: readonly Page[], stateDir: string, addressOf: (index: number) => string): void {
  const index = PageIndex.open(indexPath(stateDir));
  for (const [at, { title, paragraphs }] of pages.entries()) {
    const text = paragraphs.map(({ heading, text: words }) => `${heading ?? ""}\n${words}`).join("\n");
    index.put({ url: addressOf(at), title, text, site: undefined });
  }
  index.close();
}

/** An address of 127.0.0.0/8 for each host. */
function loopback(host: string): string {
  const hash = Bun.hash.crc32(host);
  return `127.${1 + (hash % 254)}.${(hash >>> 8) % 256}.${1 + ((hash >>> 16) % 254)}`;
}

function pageOf({ host, answers }: ClaimPage, style: PageStyle): Page {
  if (style === "answers") return { title: host, paragraphs: answers.map(({ text }) => ({ text })) };
  return {
    title: answers[0]?.question ?? host,
    paragraphs: answers.map(({ question, text }) => ({ heading: question, text })),
  };
}

function distractor({ text }: Claim, n: number): Page {
  const names = (text.match(/\p{Lu}[\p{L}\d]+/gu) ?? []).slice(n, n + 3).join(" ");
  return {
    title: `${names} in the town museum`,
    paragraphs: FILLER.slice(n).map((words) => ({ text: `${names}: ${words}` })),
  };
}

function html({ title, paragraphs }: Page): string {
  const body = paragraphs
    .map(({ heading, text }) => `${heading === undefined ? "" : `<h2>${escapeHtml(heading)}</h2>`}${paragraph(text)}`)
    .join("");
  return `<!doctype html><html lang="en"><head><title>${escapeHtml(title)}</title></head><body>
<nav><a href="/">Home</a></nav><article><h1>${escapeHtml(title)}</h1>${body}</article></body></html>`;
}

function paragraph(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((part) => `<p>${escapeHtml(part)}</p>`)
    .join("");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
