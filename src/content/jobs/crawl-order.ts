import { type Job } from "../../store/jobs/job-store.ts";
import { type PageVersions } from "../changes/page-versions.ts";
import { type Extraction } from "../extraction/tree/extraction.ts";
import { type Pages } from "../page-reader/page-reader.ts";

/** The parameters of a job that decide which pages it loads. */
export interface CrawlOrder {
  /** True: the job loads only these addresses, as the client named them. False: a crawl of their sites begins with them. */
  readonly given?: boolean;
  readonly urls: readonly string[];
  /** Maximum number of pages that it delivers. */
  readonly limit: number;
  /** Links from a start page to the deepest page. */
  readonly max_depth: number;
  readonly include_paths?: readonly string[] | undefined;
  readonly exclude_paths?: readonly string[] | undefined;
  readonly subdomains: boolean;
  /** Whether pages of other sites that are linked from the site are loaded too. Their links are not followed. */
  readonly external: boolean;
  /** Only pages below the path of a start page. */
  readonly below?: boolean;
  readonly ignore_query: boolean;
  readonly sitemap: "include" | "only" | "skip";
  readonly skip_noindex: boolean;
  /** The pages whose text is nearly that of another page: all are delivered, those with its path are skipped, or all are. */
  readonly near_duplicates?: "deliver" | "same-path" | "skip";
  /** Seconds between two requests to a host at least. */
  readonly delay: number;
  /** Pages that one service loads at the same time. */
  readonly concurrency: number;
}

/** The order of a job that loads given addresses. */
export function givenOnly(urls: readonly string[]): CrawlOrder {
  const nothingElse = {
    subdomains: false,
    external: false,
    ignore_query: false,
    sitemap: "skip",
    max_depth: 0,
  } as const;
  return { ...nothingElse, given: true, urls, limit: urls.length, skip_noindex: false, delay: 0, concurrency: 8 };
}

export interface LoadedPage {
  readonly finalUrl: string;
  /** Whether it was loaded for an earlier request, and no request was sent to its host. */
  readonly isCached: boolean;
  /** `X-Robots-Tag` of its response. */
  readonly robotsTag: string;
  /** The parts of the page that a crawler needs: `links`, `canonical`, `robots` and `sketch`. */
  readonly fields: Extraction["fields"];
  /** The result for the client, without its number. */
  readonly result: Readonly<Record<string, unknown>>;
  /** Whether the client wants only pages that changed, and this one has not. */
  readonly isUnchanged?: boolean;
  /** The content, by which equal pages are found. */
  readonly content: string;
}

/** A crawl that is under way in this service. */
export interface OpenCrawl {
  readonly order: CrawlOrder;
  /** Loads a page. Fails with a TurnpikeError. */
  load(url: URL, signal: AbortSignal): Promise<LoadedPage>;
}

/** The job, and the settings of a service with which it opens stored orders. `now` gives monotonic milliseconds. */
export interface OpenOptions extends Pick<Job, "payer" | "createdAt"> {
  /** Reads pages, and asks a language model for their fields. */
  readonly asking: Pages;
  readonly versions: PageVersions | undefined;
  readonly userAgent: string;
  readonly now: () => number;
}
