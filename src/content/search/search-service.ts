import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { VERSION } from "../../lib/version.ts";
import { type EgressOptions } from "../egress/guard.ts";
import { type Extractor } from "../extractor/extractor.ts";
import { IndexQueries } from "./index/index-queries.ts";
import { type FoundPage, PageIndex } from "./index/page-index.ts";
import { createProviders, PROVIDER_NAMES, type ProviderDeps, type ProviderName } from "./providers.ts";
import { type LocalIndex } from "./providers/local.ts";
import { Search } from "./search.ts";

/** What the operator says of search: the configuration's `content.search`. */
export interface SearchOptions {
  readonly providers: readonly ProviderName[];
  readonly searxngUrl: string;
  readonly braveKey: string;
  readonly parallel: number;
  readonly providerTimeoutMs: number;
  readonly cacheMs: number;
  /** Empty for our own name. */
  readonly userAgent: string;
  readonly indexFetched: boolean;
  readonly indexMaxBytes: number;
  readonly endpoints?: ProviderDeps["endpoints"];
}

export const SEARCH_DEFAULTS: SearchOptions = {
  providers: PROVIDER_NAMES,
  searxngUrl: "",
  braveKey: "",
  parallel: 2,
  providerTimeoutMs: 8_000,
  cacheMs: 300_000,
  userAgent: "",
  indexFetched: false,
  indexMaxBytes: 1_073_741_824,
};

/** Milliseconds between two looks for an index that is not there yet. */
const LOOK_MS = 2_000;

/** How crawler and search name themselves. */
export const SEARCH_USER_AGENT = `Mozilla/5.0 (compatible; Turnpike/${VERSION})`;

export interface SearchServiceDeps {
  readonly stateDir: string;
  readonly egress: EgressOptions;
  readonly extractor: Extractor;
  readonly log: (message: string) => void;
  /** In milliseconds. */
  readonly now?: () => number;
}

export interface SearchService {
  readonly search: Search;
  /** Puts a page that was read into the index, where the operator wants that. */
  readonly remember: (page: { readonly url: string; readonly title: string; readonly text: string }) => void;
  readonly close: () => void;
}

/** Where the index of a state folder is. */
export function indexPath(stateDir: string): string {
  return join(stateDir, "search-index.db");
}

/** Makes search of the operator's options. */
export function createSearchService(options: SearchOptions, deps: SearchServiceDeps): SearchService {
  const now = deps.now ?? Date.now;
  const file = new IndexFile(indexPath(deps.stateDir), deps.log, now);
  const { egress, extractor } = deps;
  const { searxngUrl, braveKey, endpoints } = options;
  const providers = createProviders({
    egress,
    extractor,
    searxngUrl,
    braveKey,
    ...(endpoints === undefined ? {} : { endpoints }),
    userAgent: options.userAgent === "" ? SEARCH_USER_AGENT : options.userAgent,
    index: file,
  });
  const { parallel, providerTimeoutMs, cacheMs } = options;
  const chosen = [...new Set(options.providers)].map((name) => providers[name]);
  const search = new Search({ providers: chosen, parallel, providerTimeoutMs, cacheMs, log: deps.log, now });
  return {
    search,
    remember(page) {
      if (!options.indexFetched) return;
      try {
        const index = file.make();
        if (index.stats().bytes < options.indexMaxBytes) index.put({ ...page, site: undefined });
      } catch (error) {
        deps.log(`Cannot index a page: ${messageOf(error)}`);
      }
    },
    close: () => file.close(),
  };
}

/** The index, which `turnpike index` may make at any time. */
class IndexFile implements LocalIndex {
  readonly #path: string;
  readonly #log: (message: string) => void;
  readonly #now: () => number;
  readonly #queries: IndexQueries;
  #index: PageIndex | undefined;
  #lookAt = 0;

  constructor(path: string, log: (message: string) => void, now: () => number) {
    this.#path = path;
    this.#log = log;
    this.#now = now;
    this.#queries = new IndexQueries(path);
  }

  /** False where the file cannot be read as well: then other providers answer. */
  hasPages(): boolean {
    try {
      return this.#look()?.hasPages() === true;
    } catch (error) {
      this.#log(`Cannot read the search index: ${messageOf(error)}`);
      return false;
    }
  }

  search(query: string, count: number, offset: number, signal: AbortSignal): Promise<readonly FoundPage[]> {
    return this.#queries.search(query, count, offset, signal);
  }

  make(): PageIndex {
    this.#index ??= PageIndex.open(this.#path, this.#now);
    return this.#index;
  }

  close(): void {
    this.#queries.close();
    this.#index?.close();
    this.#index = undefined;
  }

  #look(): PageIndex | undefined {
    if (this.#index !== undefined || this.#now() < this.#lookAt) return this.#index;
    this.#lookAt = this.#now() + LOOK_MS;
    if (!existsSync(this.#path)) return undefined;
    try {
      return this.make();
    } catch (error) {
      this.#log(messageOf(error));
      return undefined;
    }
  }
}
