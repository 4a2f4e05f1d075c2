import { ANYWHERE } from "../../egress/guard.ts";
import { crawl, type CrawlDeps, type CrawlReport } from "../index/crawl.ts";
import { type SiteOptions } from "../index/sites.ts";
import { type MadeSite } from "./made-site.ts";

type Deps = Pick<CrawlDeps, "index" | "sites" | "extractor"> & Partial<CrawlDeps>;

/** Crawls a test site from its first page. By default there is no pause between requests. */
export async function crawlMadeSite(
  site: Pick<MadeSite, "url">,
  deps: Deps,
  options: Partial<SiteOptions> = {},
): Promise<CrawlReport> {
  const added = deps.sites.add({
    url: `${site.url}/`,
    depth: 3,
    maxPages: 1_000,
    sitemap: true,
    sameHost: true,
    ...options,
  });
  return await crawl(added, {
    egress: { policy: ANYWHERE },
    userAgent: "Test/1",
    delayMs: 0,
    maxBytes: 1e9,
    now: () => performance.now(),
    signal: new AbortController().signal,
    progress: () => undefined,
    ...deps,
  });
}
