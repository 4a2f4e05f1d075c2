import { ANYWHERE, PUBLIC_WEB } from "../../content/egress/guard.ts";
import { Extractor } from "../../content/extractor/extractor.ts";
import { cleanText, MAX_SNIPPET_LENGTH, MAX_TITLE_LENGTH } from "../../content/search/clean-text.ts";
import {
  crawl,
  type CrawlDeps,
  type CrawlOutcome,
  type CrawlReport,
  REFUSED,
} from "../../content/search/index/crawl.ts";
import { PageIndex } from "../../content/search/index/page-index.ts";
import { type Site, Sites } from "../../content/search/index/sites.ts";
import { indexPath, SEARCH_USER_AGENT } from "../../content/search/search-service.ts";
import { atBoundary } from "../common/boundary.ts";
import { flagsText, flagTable, parseFlags } from "../common/flags.ts";
import { showProgress } from "../common/progress.ts";
import { printLine } from "../common/standard-output.ts";
import { stateFolder } from "../common/state-folder.ts";
import { stopSignal } from "../common/stop-signal.ts";
import { say, sayNote, sayWarning } from "../common/terminal.ts";
import { unknownSubcommand, UsageError } from "../common/usage-error.ts";

const ADD_FLAGS = flagTable({
  "depth N": {
    default: "3",
    text: "follow links up to N steps from the first page (3); 0: only that page and those of the sitemap",
  },
  "max-pages N": { default: "500", text: "maximum number of pages of this site in the index (500)" },
  sitemap: "read the site's sitemaps (the default); --no-sitemap does not",
  "no-sitemap": { text: undefined },
  "same-host": "stay on the host of URL (the default); --no-same-host follows links anywhere",
  "no-same-host": { text: undefined },
});

const CRAWL_FLAGS = flagTable({
  "delay SECONDS": {
    default: "0.2",
    text: "pause between two requests to a host (0.2); robots.txt can ask for a longer one",
  },
  "max-size MB": { default: "1024", text: "stop when the index would be larger (1024)" },
  "allow-private": "allow pages on private and loopback addresses",
  verbose: "print the result for each address, not only for those that failed",
  "state-dir DIR": "state folder of turnpike start",
});

const FLAGS = { ...ADD_FLAGS, ...CRAWL_FLAGS } as const;

const USAGE = `usage: turnpike index add URL [--depth N] [--max-pages N] [--no-sitemap] [--no-same-host] [CRAWL FLAGS]
       turnpike index refresh [URL] [CRAWL FLAGS]
       turnpike index list | stats | remove URL | search QUERY

Manages the index of pages that /search uses as the provider "local". It works without a network.

  add        crawl the site of URL, and add its pages
  refresh    crawl the sites of the index again, or that of URL
  list       print the sites
  stats      print the number of sites and pages, and the size
  remove     remove the site of URL with its pages, or one page
  search     print the pages that QUERY finds

${flagsText(ADD_FLAGS)}

crawl flags:
${flagsText(CRAWL_FLAGS)}`;

const COMMANDS = ["add", "refresh", "list", "stats", "remove", "search"];

const MAX_DEPTH = 100;
const MAX_PAGES = 1_000_000;
const MAX_DELAY_SECONDS = 60;
const MAX_SIZE_MB = 1_048_576;
/** Failed URLs that a crawl prints without --verbose. */
const MAX_FAILURES_SHOWN = 20;
/** Results that `index search` prints. */
const RESULTS = 10;

type Values = ReturnType<typeof parseFlags<typeof FLAGS>>["values"];

/** `turnpike index`: fills, searches and lists the index of pages. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export function index(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
    const [command = "", subject, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError(`Unexpected argument "${rest[0] ?? ""}"`);
    const delayMs = decimal("--delay", values.delay, MAX_DELAY_SECONDS) * 1000;
    const maxBytes = whole("--max-size", values["max-size"], MAX_SIZE_MB) * 1024 * 1024;
    const pages = PageIndex.open(indexPath(stateFolder(values["state-dir"])));
    try {
      return await run({ pages, sites: new Sites(pages), values, delayMs, maxBytes }, command, subject);
    } finally {
      pages.close();
    }
  });
}

interface Context {
  readonly pages: PageIndex;
  readonly sites: Sites;
  readonly values: Values;
  readonly delayMs: number;
  readonly maxBytes: number;
}

async function run(context: Context, command: string, subject: string | undefined): Promise<number> {
  const { pages, sites } = context;
  if (command === "list" && subject === undefined) return await list(sites);
  if (command === "stats" && subject === undefined) return await stats(pages);
  if (command === "search" && subject !== undefined) {
    for (const { title, url, snippet } of pages.search({ query: subject, count: RESULTS })) {
      // A page's text may contain control characters that steer a terminal.
      await printLine(
        `${cleanText(title, MAX_TITLE_LENGTH, false)}\n${url}\n${cleanText(snippet, MAX_SNIPPET_LENGTH, false)}\n`,
      );
    }
    return 0;
  }
  if (command === "remove" && subject !== undefined) return remove(context, subject);
  if (command === "refresh") {
    const wanted = subject === undefined ? undefined : addressOf(subject);
    const chosen = sites.list().filter(({ url }) => wanted === undefined || url === wanted);
    if (chosen.length > 0 || subject === undefined) return await crawlAll(context, chosen);
    throw new Error(`Cannot refresh ${subject}: it is not a site of the index; see turnpike index list`);
  }
  if (command !== "add" || subject === undefined) {
    if (!COMMANDS.includes(command)) throw unknownSubcommand(command, COMMANDS);
    if (subject !== undefined) throw new UsageError(`Unexpected argument "${subject}"`);
    throw new UsageError(`Missing argument ${command === "search" ? "QUERY" : "URL"}`);
  }
  const { values } = context;
  const site = sites.add({
    url: addressOf(subject),
    depth: whole("--depth", values.depth, MAX_DEPTH),
    maxPages: whole("--max-pages", values["max-pages"], MAX_PAGES),
    sitemap: values["no-sitemap"] !== true,
    sameHost: values["no-same-host"] !== true,
  });
  return await crawlAll(context, [site]);
}

async function crawlAll(context: Context, chosen: readonly Site[]): Promise<number> {
  const { pages, sites, values, delayMs, maxBytes } = context;
  if (!sites.lock(process.pid)) throw new Error("Cannot crawl: another process is crawling; wait until it ends");
  const extractor = new Extractor();
  const interrupt = new AbortController();
  void stopSignal().then(() => interrupt.abort());
  let failed = false;
  try {
    for (const site of chosen) {
      const startedAt = performance.now();
      const reporter = crawlReporter(site, values.verbose === true);
      const report = await crawl(site, {
        index: pages,
        sites,
        extractor,
        egress: { policy: values["allow-private"] === true ? ANYWHERE : PUBLIC_WEB },
        userAgent: SEARCH_USER_AGENT,
        delayMs,
        maxBytes,
        now: () => performance.now(),
        signal: interrupt.signal,
        progress: reporter.tell,
      }).finally(() => reporter.end());
      const count = sites.pages(site.id);
      console.log(reportText(site, report, { pages: count, seconds: (performance.now() - startedAt) / 1000 }));
      failed ||= count === 0;
      if (interrupt.signal.aborted) return 1;
    }
  } finally {
    extractor.close();
    sites.unlock();
  }
  return failed ? 1 : 0;
}

interface CrawlReporter {
  readonly tell: CrawlDeps["progress"];
  end(): void;
}

/** Reports the progress of a crawl, then why URLs failed: unless `isVerbose`, only the first ones. */
function crawlReporter(site: Site, isVerbose: boolean): CrawlReporter {
  let count = 0;
  let failures = 0;
  let isRefused = false;
  const progress = showProgress(() => `${site.url}: ${count} ${count === 1 ? "address" : "addresses"} done`);
  return {
    tell(url, outcome, reason) {
      count += 1;
      if (outcome === "failed") failures += 1;
      if (!isVerbose && (outcome !== "failed" || failures > MAX_FAILURES_SHOWN)) return;
      progress.clear();
      const line = `${outcome.padEnd(15)} ${url}${reason === undefined ? "" : `: ${reason}`}`;
      if (outcome === "failed") sayWarning(line);
      else sayNote(line);
      isRefused ||= reason === REFUSED;
    },
    end() {
      progress.stop();
      if (isRefused) say("--allow-private permits private and loopback addresses");
      const more = failures - MAX_FAILURES_SHOWN;
      if (!isVerbose && more > 0) say(`${more} more failed; --verbose lists them`);
    },
  };
}

const STOPPED = {
  full: "stopped: the index has reached its size (--max-size)",
  "page limit": "stopped: the site has reached its number of pages (--max-pages)",
  "fetch limit": "stopped: too many addresses of the site are not pages",
  interrupted: "interrupted: the next refresh continues from here",
} as const;

function manyOf(outcome: CrawlOutcome): string {
  return outcome === "dead link" || outcome === "duplicate" || outcome === "redirect" ? `${outcome}s` : outcome;
}

function reportText(
  site: Site,
  { outcomes, stopped }: CrawlReport,
  { pages, seconds }: { readonly pages: number; readonly seconds: number },
): string {
  const counted = [...outcomes]
    .map(([outcome, count]) => `${count} ${count === 1 ? outcome : manyOf(outcome)}`)
    .join(", ");
  const lines = [
    `${site.url}: ${pages} pages; ${counted === "" ? "nothing fetched" : counted}; ${seconds.toFixed(1)} s`,
  ];
  if (stopped !== undefined) lines.push(STOPPED[stopped]);
  return lines.join("\n");
}

async function list(sites: Sites): Promise<number> {
  for (const { url, pages, depth, maxPages, crawledAt } of sites.list()) {
    const when = crawledAt === undefined ? "never finished" : new Date(crawledAt).toISOString();
    await printLine(`${url}  ${pages} of ${maxPages} pages, depth ${depth}, ${when}`);
  }
  return 0;
}

async function stats(pages: PageIndex): Promise<number> {
  const { sites, pages: count, bytes } = pages.stats();
  await printLine(`${sites} sites, ${count} pages, ${(bytes / 1024 / 1024).toFixed(1)} MB`);
  return 0;
}

function remove({ pages, sites }: Context, subject: string): number {
  const url = addressOf(subject);
  const removed = sites.remove(url) ?? (pages.remove(url) ? 1 : undefined);
  if (removed === undefined) throw new Error(`Cannot remove ${subject}: it is neither a site nor a page of the index`);
  console.log(`removed ${removed} pages`);
  return 0;
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`Cannot use "${text}": it is not an http:// or https:// address`);
  }
  url.hash = "";
  return url.href;
}

function whole(flag: string, text: string, most: number): number {
  return /^\d{1,9}$/.test(text) && Number(text) <= most ? Number(text) : refuse(flag, text, most);
}

function decimal(flag: string, text: string, most: number): number {
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(text) && Number(text) <= most ? Number(text) : refuse(flag, text, most);
}

function refuse(flag: string, text: string, most: number): never {
  throw new Error(`Cannot use ${flag} "${text}": it must be a number up to ${most}`);
}
