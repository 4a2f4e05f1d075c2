import { type PathFilter } from "../sites/path-filter.ts";
import { type Robots } from "../sites/robots.ts";
import { hostWithoutWww, isOfSite, resultUrl, urlKey } from "../search/web/result-url.ts";

/** Addresses that a map compares. Further ones are not found. */
const MAX_ADDRESSES = 200_000;
/** Characters of the addresses and titles of a map. @operator Further ones are not found. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_TITLE = 300;

export interface MapLink {
  readonly url: string;
  readonly title?: string;
  /** The date of its last change, from the site. */
  readonly modified?: string;
}

export interface MapScope {
  readonly start: URL;
  /** Whether hosts below the site's belong to it. */
  readonly subdomains: boolean;
  /** Whether addresses that differ in their query are one, without a query. */
  readonly ignoreQuery: boolean;
  readonly wants: PathFilter;
  /** The rules of the host of `start`. */
  readonly robots: Robots;
}

/** The addresses of a map, each once. */
export class LinkList {
  readonly #scope: MapScope;
  readonly #site: string;
  readonly #known = new Set<string>();
  #characters = 0;
  #forbidden = 0;

  constructor(scope: MapScope) {
    this.#scope = scope;
    this.#site = hostWithoutWww(scope.start.hostname);
  }

  /** Number of addresses that robots.txt forbids. They are left out. */
  get forbidden(): number {
    return this.#forbidden;
  }

  get isFull(): boolean {
    return this.#known.size >= MAX_ADDRESSES || this.#characters >= MAX_CHARACTERS;
  }

  /** Whether a host belongs to the site. */
  has({ hostname, port }: URL): boolean {
    const { start, subdomains } = this.#scope;
    const isOwn = subdomains ? isOfSite(hostname, this.#site) : hostWithoutWww(hostname) === this.#site;
    return isOwn && port === start.port;
  }

  /** Adds an address. Undefined if it is known, not of the site, or not wanted. */
  add({ url: text, title = "", modified }: MapLink): MapLink | undefined {
    const { start, ignoreQuery, wants, robots } = this.#scope;
    const href = resultUrl(text, start.href);
    if (href === undefined || this.isFull) return undefined;
    const url = new URL(href);
    url.hash = "";
    if (ignoreQuery) url.search = "";
    if (!this.has(url) || !wants(url)) return undefined;
    const key = urlKey(url.href);
    if (this.#known.has(key)) return undefined;
    this.#known.add(key);
    if (url.host === start.host && !robots.allows(url.pathname + url.search)) {
      this.#forbidden += 1;
      return undefined;
    }
    const name = title.slice(0, MAX_TITLE).toWellFormed();
    this.#characters += 2 * url.href.length + name.length;
    return {
      url: url.href,
      ...(name === "" ? {} : { title: name }),
      ...(modified === undefined ? {} : { modified }),
    };
  }
}
