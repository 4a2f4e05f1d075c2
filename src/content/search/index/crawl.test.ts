import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PUBLIC_WEB } from "../../egress/guard.ts";
import { Extractor } from "../../extractor/extractor.ts";
import { crawlMadeSite } from "../testing/crawl-made-site.ts";
import { ARTICLES, type MadeSite, startMadeSite } from "../testing/made-site.ts";
import { type CrawlDeps, type CrawlOutcome, type CrawlReport } from "./crawl.ts";
import { PageIndex } from "./page-index.ts";
import { type SiteOptions, Sites } from "./sites.ts";
import { patient } from "../../../lib/testing/patience.ts";

// Many pages, on a machine that may be busy.
setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-crawl-"));
const extractor = new Extractor();
const closing: (() => void | Promise<void>)[] = [];

afterAll(() => {
  extractor.close();
  rmSync(folder, { recursive: true });
});

interface Crawled {
  readonly site: MadeSite;
  readonly index: PageIndex;
  readonly sites: Sites;
  readonly outcomes: Map<string, CrawlOutcome>;
  readonly crawl: (options?: Partial<SiteOptions>, deps?: Partial<CrawlDeps>) => Promise<CrawlReport>;
}

let files = 0;

function setUp(): Crawled {
  const site = startMadeSite();
  files += 1;
  const index = PageIndex.open(join(folder, `${files}.db`));
  const sites = new Sites(index);
  const outcomes = new Map<string, CrawlOutcome>();
  closing.push(async () => {
    await site.close();
    index.close();
  });
  return {
    site,
    index,
    sites,
    outcomes,
    crawl: (options, deps) =>
      crawlMadeSite(
        site,
        {
          index,
          sites,
          extractor,
          progress: (url, outcome) => outcomes.set(url.slice(site.url.length), outcome),
          ...deps,
        },
        options,
      ),
  };
}

async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

describe("a crawl of a site", () => {
  let made: Crawled;
  let report: CrawlReport;
  const found = (query: string) =>
    made.index.search({ query, count: 5 }).map(({ url }) => url.slice(made.site.url.length));

  beforeAll(async () => {
    made = setUp();
    report = await made.crawl();
  });
  afterAll(closeAll);

  test("finishes with every article in the index", () => {
    expect(report.stopped).toBeUndefined();
    for (let n = 0; n < ARTICLES; n += 1) {
      // Of two pages with the same words, one is enough, whichever came first.
      if (n !== 1) expect([n, made.outcomes.get(`/article/${n}`)]).toEqual([n, "indexed"]);
    }
    expect(found("Article42")[0]).toBe("/article/42");
  });

  test("requests each address once, and one at a time", () => {
    const twice = [...made.site.hits].filter(([path, count]) => count > 1 && path !== "/print");
    expect(twice).toEqual([]);
    expect(made.site.mostAtOnce()).toBe(1);
  });

  const OUTCOMES: readonly (readonly [path: string, outcome: CrawlOutcome | undefined])[] = [
    ["/", "indexed"],
    ["/lonely", "indexed"],
    ["/mailing", "indexed"],
    ["/mailing?utm_source=home", undefined],
    ["/print?of=5", "duplicate"],
    ["/noindex", "noindex"],
    ["/noindex-field", "noindex"],
    ["/behind", "indexed"],
    ["/nofollow", "indexed"],
    ["/never", undefined],
    ["/broken", "failed"],
    ["/drops", "failed"],
    ["/gone", "dead link"],
    ["/old", "redirect"],
    ["/away", "redirect"],
    ["/loop", "redirect"],
    ["/file.zip", "not a page"],
    ["/picture.png", "not a page"],
    ["/shell", "needs a browser"],
    ["/late", "needs a browser"],
    ["/private/x", "forbidden"],
    ["/private/y", "forbidden"],
    ["/calendar/2", "indexed"],
    ["/calendar/3", undefined],
  ];
  test.each(OUTCOMES)("%s is %s", (path, outcome) => {
    expect(made.outcomes.get(path)).toBe(outcome);
  });

  test("requests nothing that robots.txt forbids, and never another host", () => {
    expect([...made.site.hits.keys()].filter((path) => path.startsWith("/private"))).toEqual([]);
    expect([...made.outcomes.keys()].filter((path) => path.includes("127.0.0.2") || path === "")).toEqual([]);
  });

  test("keeps one of two pages with the same words, and one of two that name each other as canonical", () => {
    expect([made.outcomes.get("/article/1"), made.outcomes.get("/copy")].map(String).toSorted()).toEqual([
      "duplicate",
      "indexed",
    ]);
    expect([made.outcomes.get("/mutual/a"), made.outcomes.get("/mutual/b")].map(String).toSorted()).toEqual([
      "duplicate",
      "indexed",
    ]);
  });

  test("indexes the article without navigation and footer", () => {
    const body = made.index.database.query("SELECT group_concat(body) AS all_text FROM pages").get();
    expect(JSON.stringify(body)).not.toContain("All rights reserved");
  });

  test("fetches changed pages again, and removes deleted pages", async () => {
    made.outcomes.clear();
    made.site.edit(4);
    made.site.edit(10);
    made.site.drop(6);
    const again = await made.crawl();
    expect(again.outcomes.get("indexed")).toBe(2);
    expect(again.outcomes.get("unchanged")).toBeGreaterThan(150);
    expect(made.outcomes.get("/article/4")).toBe("indexed");
    expect(made.outcomes.get("/article/6")).toBe("removed");
    expect([found("Article4 edition1")[0], found("Article10 edition1")[0]]).toEqual(["/article/4", "/article/10"]);
    expect(made.index.page(`${made.site.url}/article/6`)).toBeUndefined();
  });

  test("and removes pages that robots.txt now forbids; if robots.txt cannot be fetched, it requests nothing and keeps all", async () => {
    made.site.robots = () => new Response("User-agent: turnpike\nDisallow: /article/8\nDisallow: /section");
    await made.crawl();
    expect(made.index.page(`${made.site.url}/article/8`)).toBeUndefined();
    const before = made.sites.pages(1);
    const asked = made.site.hits.get("/article/20");
    made.site.robots = () => new Response("busy", { status: 503 });
    await made.crawl();
    expect([made.sites.pages(1), made.site.hits.get("/article/20")]).toEqual([before, asked]);
  });
});

describe("a crawl", () => {
  afterEach(closeAll);

  test("that is interrupted continues where it was", async () => {
    const { site, crawl: run, sites } = setUp();
    const controller = new AbortController();
    let seen = 0;
    const options = { sitemap: false, depth: 2 };
    const first = await run(options, {
      signal: controller.signal,
      progress: () => {
        seen += 1;
        if (seen === 30) controller.abort();
      },
    });
    expect(first.stopped).toBe("interrupted");
    const second = await run(options);
    expect(second.stopped).toBeUndefined();
    expect(sites.pages(1)).toBeGreaterThan(ARTICLES);
    const twice = [...site.hits].filter(([path, count]) => path.startsWith("/article") && count > 1);
    expect(twice.length).toBeLessThanOrEqual(1);
  });

  test("stops at the site's number of pages, and fetches the others when the number is raised", async () => {
    const { crawl: run, sites, site } = setUp();
    expect((await run({ maxPages: 25, sitemap: false })).stopped).toBe("page limit");
    expect(sites.pages(1)).toBe(25);
    const asked = [...site.hits.values()].reduce((sum, count) => sum + count, 0);
    expect(asked).toBeLessThan(60);
    await run({ maxPages: 40, sitemap: false });
    expect(sites.pages(1)).toBe(40);
  });

  test("stops when the index is full", async () => {
    const { crawl: run, sites } = setUp();
    expect((await run({}, { maxBytes: 400_000 })).stopped).toBe("full");
    expect(sites.pages(1)).toBeLessThan(ARTICLES);
  });

  test("fetches only one page if its depth is zero", async () => {
    const { crawl: run, sites, site } = setUp();
    await run({ depth: 0, sitemap: false });
    expect([sites.pages(1), [...site.hits.keys()].toSorted()]).toEqual([1, ["/", "/robots.txt"]]);
  });

  test("cannot reach a private address through the guard", async () => {
    const { crawl: run, site, sites } = setUp();
    const report = await run({}, { egress: { policy: PUBLIC_WEB } });
    expect([sites.pages(1), site.hits.size, report.stopped]).toEqual([0, 0, undefined]);
  });

  test("waits as long as robots.txt requests", async () => {
    const { crawl: run, site } = setUp();
    site.robots = () => new Response("User-agent: *\nCrawl-delay: 0.05");
    const clock = { now: 0 };
    const times: number[] = [];
    const ticking = setInterval(() => (clock.now += 10), 1);
    await run({ maxPages: 4, sitemap: false }, { now: () => clock.now, progress: () => times.push(clock.now) });
    clearInterval(ticking);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
  });

  test("stops requests to a host that fails ten times in a row", async () => {
    const { crawl: run, site, outcomes } = setUp();
    const addresses = Array.from({ length: 40 }, (_, n) => `${site.url}/drops?${n}`);
    site.robots = () => new Response("User-agent: *\nAllow: /");
    const report = await run({ depth: 0, sitemap: false });
    expect(report.stopped).toBeUndefined();
    const failing = setUp();
    const added = failing.sites.add({ url: `${site.url}/`, depth: 1, maxPages: 100, sitemap: false, sameHost: true });
    failing.sites.discover(added, addresses, 0);
    await failing.crawl({ url: `${site.url}/`, sitemap: false, depth: 0 });
    expect(site.hits.get("/drops")).toBe(10);
    expect(outcomes.size).toBe(1);
  });

  test("stops requests to an overloaded host at once", async () => {
    const { crawl: run, site, sites } = setUp();
    const added = sites.add({ url: `${site.url}/busy`, depth: 1, maxPages: 100, sitemap: false, sameHost: true });
    sites.discover(added, [`${site.url}/article/1`, `${site.url}/lonely`], 1);
    await run({ url: `${site.url}/busy`, sitemap: false });
    expect([...site.hits.keys()]).toEqual(["/robots.txt", "/busy"]);
  });

  test("follows links to other hosts if allowed, by the rules of each host", async () => {
    const { crawl: run, site, sites, index } = setUp();
    const other = setUp();
    other.site.robots = () => new Response("User-agent: *\nDisallow: /lonely");
    const options = { url: `${site.url}/lonely`, depth: 0, maxPages: 10, sitemap: false };
    const elsewhere = [`${other.site.url}/lonely`, `${other.site.url}/mailing`];
    sites.discover(sites.add({ ...options, sameHost: false }), elsewhere, 0);
    await run({ ...options, sameHost: false });
    expect(index.page(`${other.site.url}/mailing`)).toBeDefined();
    expect([other.site.hits.get("/lonely"), site.hits.get("/lonely")]).toEqual([undefined, 1]);
  });

  test("runs once at a time for an index, and a crawler without a sign of life does not count", () => {
    const { index } = setUp();
    const clock = { now: 1_000 };
    const sites = new Sites(index, () => clock.now);
    expect(sites.lock(process.pid)).toBe(true);
    expect(sites.lock(process.ppid)).toBe(false);
    clock.now += 299_999;
    sites.done(1, "https://a.test/");
    clock.now += 299_999;
    expect(sites.lock(process.ppid)).toBe(false);
    clock.now += 1;
    expect(sites.lock(process.ppid)).toBe(true);
    clock.now -= 86_400_000;
    expect(sites.lock(process.pid)).toBe(true);
    sites.unlock();
    expect(sites.lock(process.pid)).toBe(true);
  });
});
