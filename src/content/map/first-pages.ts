import { type ExtractionOutcome } from "../extraction/tree/extraction.ts";
import { type Extractor } from "../extractor/extractor.ts";
import { type Pages } from "../page-reader/page-reader.ts";
import { fetchedSource, fetchPage } from "../sites/fetch-page.ts";
import { type SiteFetch } from "../sites/robots-file.ts";
import { robotsDirectives } from "../sites/robots-directives.ts";
import { type Robots } from "../sites/robots.ts";
import { type WebResponse } from "../sites/web-get.ts";
import { type MapLink } from "./link-list.ts";

/** Redirects before the first page that are followed, each by the rules of its host. */
const MAX_REDIRECTS = 10;

/** The share of the time left that a browser may take for the first page. */
const BROWSER_SHARE = 0.5;

/** The services that read pages, and the rules of a map. */
export interface FirstPagesDeps extends SiteFetch {
  readonly pages: Pages;
  readonly extractor: Extractor;
  readonly robots: (url: URL) => Promise<Robots>;
  /** Whether an address belongs to the site. */
  readonly isOwn: (url: URL) => boolean;
  /** Milliseconds until the map must end. */
  readonly leftMs: () => number;
}

/** The page and its links, or why it has no content: robots.txt, its status, a redirect to another site, or an error. */
export type PageLinks =
  | { readonly links: readonly MapLink[] }
  | { readonly forbidden: true }
  | { readonly status: number }
  | { readonly movedTo: string }
  | { readonly failure: unknown };

/** Fetches pages of a site for their links, as a crawler that respects robots.txt, `nofollow` and X-Robots-Tag. */
export class FirstPages {
  readonly #deps: FirstPagesDeps;

  constructor(deps: FirstPagesDeps) {
    this.#deps = deps;
  }

  /** The links of a page. With `mayBrowse`, a browser opens a page whose scripts make its links. Fails with a WebError. */
  async links(start: URL, mayBrowse: boolean): Promise<PageLinks> {
    let url = start;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      if (!(await this.#deps.robots(url)).allows(url.pathname + url.search)) return { forbidden: true };
      const response = await fetchPage(url, this.#deps);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : undefined;
      const next = location === undefined ? null : URL.parse(location, url.href);
      if (next === null) {
        return response.status === 200
          ? { links: await this.#linksOf(response, mayBrowse) }
          : { status: response.status };
      }
      if (!this.#deps.isOwn(next)) return { movedTo: next.origin };
      url = next;
    }
    return { links: [] };
  }

  async #linksOf(response: WebResponse, mayBrowse: boolean): Promise<MapLink[]> {
    const { url } = response;
    const job = { source: fetchedSource(response), task: { kind: "index" } } as const;
    const read = (mayNeedBrowser: boolean) =>
      this.#deps.extractor.extract({ ...job, mayNeedBrowser }).catch(() => undefined);
    const outcome = await read(mayBrowse);
    const needsBrowser =
      outcome?.outcome === "needs-browser" || (outcome?.outcome === "content" && outcome.evidence?.sign !== undefined);
    const shown = needsBrowser ? await this.#browse(url) : undefined;
    const made = shown ?? (outcome?.outcome === "needs-browser" ? await read(false) : outcome);
    const self = { url, title: made?.outcome === "content" ? made.extraction.title : "" };
    return [self, ...linksIn(made, response.headers.get("x-robots-tag"))];
  }

  /** Undefined if the browser shows no content. */
  async #browse(url: string): Promise<ExtractionOutcome | undefined> {
    const { pages, userAgent, signal, leftMs } = this.#deps;
    const request = {
      url: new URL(url),
      engine: "browser",
      timeoutMs: Math.max(1, Math.round(leftMs() * BROWSER_SHARE)),
      waitMs: 0,
      waitUntil: "load",
      selector: undefined,
      userAgent,
      stealth: false,
      partial: true,
      signal,
    } as const;
    const read = await pages.read(request, { kind: "index" }).catch(() => undefined);
    return read === undefined ? undefined : { outcome: "content", extraction: read.extraction };
  }
}

function linksIn(outcome: ExtractionOutcome | undefined, field: string | undefined): MapLink[] {
  if (outcome?.outcome !== "content") return [];
  const { fields = {} } = outcome.extraction;
  const { links = [], texts = [], robots } = fields;
  if (!Array.isArray(links) || robotsDirectives(String(robots ?? ""), field).nofollow) return [];
  return links.map((url: string, at) => ({ url, title: texts?.[at] ?? "" }));
}
