import { type Address, PAGE } from "../../store/jobs/job-store.ts";
import { hostWithoutWww, isOfSite, resultUrl } from "../search/web/result-url.ts";
import { type PathFilter, pathFilter } from "../sites/path-filter.ts";
import { type CrawlOrder } from "./crawl-order.ts";

/** Task of an address that stands for the sitemaps of its site. */
export const SITEMAPS = 1;
/** The kind of its end. It says nothing about a page. */
export const SITEMAPS_KIND = "sitemaps";

/** Path segments of an address, and parameters of its query. @operator A crawl leaves out longer ones. */
const MAX_PATH_SEGMENTS = 20;
const MAX_QUERY_KEYS = 8;
/** Times that a segment is in a path. @operator Relative links that are wrong make paths that repeat themselves. */
const MAX_EQUAL_SEGMENTS = 3;
/** Years from now of a date in an address. @operator Calendars have links to all months that there will ever be. */
const MAX_CALENDAR_YEARS = 2;
/**
 * Addresses of a job with one path and the same parameters, if there are at least two: the combinations of a list's filters.
 * @operator
 */
const MAX_COMBINATIONS = 200;
/** Paths and parameters whose addresses one service counts for a job. */
const MAX_COUNTED = 10_000;
/**
 * Pages that are equal to another one and whose addresses differ from each other only in codes, in hosts below the site, or
 * in the first folder of the path: names of visits, and mirrors.
 * Further ones are left out, if most of these pages were equal.
 */
const MAX_EQUAL_PAGES = 10;

/** Parameters that name a visitor, and change nothing of the page. */
const SESSION = /^(?:phpsessid|jsessionid|aspsessionid\w*|sid|sessid|session_?id|cfid|cftoken)$/i;
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?]*|\/\((?:[a-z]\([^()/]*\))+\)(?=\/)/i;
/** A part of an address that may be the name of a visit: a long number or code. */
const CODE = /(?<![\da-z])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=[a-z]*\d)[\da-z]{20,64})(?![\da-z])/gi;
/** A year and a month in an address, as calendars have it. */
const MONTH = /[/=](\d{4})[-/](?:0?[1-9]|1[0-2])(?=[-/&]|$)/;
/** The part of a path below its first folder. */
const BELOW_FOLDER = /(?<=^\/[^/]+)\/.+/;
/** Files that no format of a crawl can show. */
const NOT_A_PAGE =
  /\.(?:7z|avi|avif|bmp|bz2|css|dmg|eot|exe|flac|gif|gz|ico|iso|jpe?g|js|m4a|mkv|mov|mp3|mp4|mpe?g|msi|ogg|otf|png|rar|svg|tar|tgz|tiff?|ttf|wav|webm|webp|wmv|woff2?|zip)$/i;

/** Decides which addresses belong to a crawl, and leaves out traps. */
export class Scope {
  readonly #order: CrawlOrder;
  readonly #hosts: readonly string[];
  readonly #wanted: PathFilter;
  readonly #paths: readonly string[] | undefined;
  readonly #year: number;
  readonly #combinations = new Map<string, number>();
  readonly #counts = new Map<string, { equal: number; other: number }>();

  /** `now` is in Unix milliseconds. */
  constructor(order: CrawlOrder, now: number) {
    this.#order = order;
    this.#hosts = order.urls.map((url) => hostWithoutWww(new URL(url).hostname));
    this.#wanted = pathFilter(order.include_paths ?? [], order.exclude_paths ?? []);
    this.#paths = order.below === true ? order.urls.map((url) => new URL(url).pathname) : undefined;
    this.#year = new Date(now).getUTCFullYear();
  }

  /** The addresses at which the crawl begins. */
  seeds(): Address[] {
    const { urls, sitemap, given = false } = this.#order;
    if (given) return urls.map((url) => ({ url, task: PAGE, depth: 0 }));
    const pages = urls.flatMap((text) => {
      const url = this.normal(text, text);
      return url === undefined ? [] : [url.href];
    });
    const origins = new Set(pages.map((url) => new URL("/", url).href));
    return [
      ...(sitemap === "skip" ? [] : [...origins].map((url) => ({ url, task: SITEMAPS, depth: 0 }))),
      ...(sitemap === "only" ? [] : pages.map((url) => ({ url, task: PAGE, depth: 0 }))),
    ];
  }

  /** Whether an address is of the crawled site. */
  isOwn = ({ hostname }: URL): boolean => {
    const host = hostWithoutWww(hostname);
    return this.#hosts.some((site) => host === site || (this.#order.subdomains && isOfSite(host, site)));
  };

  /**
   * The addresses of `links` that belong to the crawl. `leftOut` counts those that exceed a bound. Links to pages that are
   * simply not of the crawl are not counted.
   */
  choose(links: readonly string[], base: string, depth: number, leftOut: Record<string, number>): Address[] {
    const chosen = new Map<string, Address>();
    for (const link of links) {
      const url = this.normal(link, base);
      if (url === undefined || chosen.has(url.href)) continue;
      if (!this.isOwn(url) && !this.#order.external) continue;
      if (NOT_A_PAGE.test(url.pathname) || !this.#wanted(url) || !this.#isBelow(url)) continue;
      const bound = depth > this.#order.max_depth ? "depth" : this.#trap(url);
      if (bound === undefined) chosen.set(url.href, { url: url.href, task: PAGE, depth });
      else leftOut[bound] = (leftOut[bound] ?? 0) + 1;
    }
    return [...chosen.values()];
  }

  /** The one spelling of an address. Undefined if it is not one of the web, or too long. */
  normal(link: string, base: string): URL | undefined {
    const href = resultUrl(link, base);
    if (href === undefined) return undefined;
    const url = new URL(href.replace(SESSION_IN_PATH, ""));
    url.hash = "";
    if (this.#order.ignore_query) url.search = "";
    const names = [...url.searchParams.keys()].filter((name) => SESSION.test(name));
    // Deleting a parameter re-encodes the whole query, so it is only done if necessary.
    for (const name of names) url.searchParams.delete(name);
    return url;
  }

  /** Learns whether a page was equal to another one of the crawl. */
  learn(url: URL, isEqual: boolean): void {
    const { bound, form } = this.#copies(url);
    if (bound === undefined) return;
    const known = this.#counts.get(form) ?? { equal: 0, other: 0 };
    known[isEqual ? "equal" : "other"] += 1;
    if (this.#counts.size < MAX_COUNTED) this.#counts.set(form, known);
  }

  /** The addresses that differ from an address only in codes, hosts or first folders, and the name of their bound. */
  #copies({ pathname, search, hostname }: URL): { readonly bound: string | undefined; readonly form: string } {
    const form = withoutCodes(pathname + search);
    if (form !== pathname + search) return { bound: "session-ids", form };
    if (!this.#hosts.includes(hostWithoutWww(hostname))) return { bound: "mirrors", form };
    const rest = BELOW_FOLDER.exec(pathname)?.[0];
    return rest === undefined ? { bound: undefined, form } : { bound: "mirrors", form: `/*${rest}${search}` };
  }

  /** Whether an address is below the path of a start page, if the order asks for that. */
  #isBelow({ pathname }: URL): boolean {
    return this.#paths === undefined || this.#paths.some((path) => pathname.startsWith(path));
  }

  /** The name of the bound that an address exceeds. */
  #trap(url: URL): string | undefined {
    const segments = url.pathname.split("/").filter((segment) => segment !== "");
    if (segments.length > MAX_PATH_SEGMENTS) return "path-depth";
    const equal = Map.groupBy(segments, (segment) => segment).values();
    if (equal.some(({ length }) => length >= MAX_EQUAL_SEGMENTS)) return "repeated-segments";
    const keys = [...new Set(url.searchParams.keys())];
    if (keys.length > MAX_QUERY_KEYS) return "query-keys";
    const year = Number(MONTH.exec(url.pathname + url.search)?.[1] ?? this.#year);
    // The past of an archive has an end.
    if (year > this.#year + MAX_CALENDAR_YEARS && year < 3_000) return "calendar";
    const { bound, form } = this.#copies(url);
    const seen = this.#counts.get(form);
    if (seen !== undefined && seen.equal >= MAX_EQUAL_PAGES && seen.equal > seen.other && bound !== undefined)
      return bound;
    return keys.length > 1 ? this.#combination(`${url.origin}${url.pathname}?${keys.toSorted().join("&")}`) : undefined;
  }

  #combination(form: string): string | undefined {
    const count = (this.#combinations.get(form) ?? 0) + 1;
    if (count > MAX_COMBINATIONS) return "query-combinations";
    if (count > 1 || this.#combinations.size < MAX_COUNTED) this.#combinations.set(form, count);
    return undefined;
  }
}

/** An address or a text without the codes that may name a visit. */
export function withoutCodes(text: string): string {
  return text.replace(CODE, "*");
}
