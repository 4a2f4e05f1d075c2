import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { VERSION } from "../../lib/process/version.ts";
import { type EgressOptions } from "../egress/guard.ts";
import { type Extractor } from "../extractor/extractor.ts";
import { IndexQueries } from "./index/index-queries.ts";
import { type FoundPage, type IndexQuery, type NewPage, PageIndex } from "./index/page-index.ts";
import { createProviders, PROVIDER_NAMES, type ProviderDeps, type ProviderName } from "./providers.ts";
import { type LocalIndex } from "./providers/local.ts";
import { Search } from "./search.ts";

/** The operator's settings of search: the configuration's `content.search`. */
export interface SearchOptions {
  readonly providers: readonly ProviderName[];
  readonly searxngUrl: string;
  readonly braveKey: string;
  readonly parallel: number;
  readonly providerTimeoutMs: number;
  readonly cacheMs: number;
  /** Empty for `SEARCH_USER_AGENT`. */
  readonly userAgent: string;
  readonly indexFetched: boolean;
  readonly indexMaxBytes: number;
  readonly endpoints?: ProviderDeps["endpoints"];
}

/** The settings of search without a configuration. */
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

/** Milliseconds between two checks for an index that does not exist yet. */
const LOOK_MS = 2_000;

export const SEARCH_USER_AGENT = `Mozilla/5.0 (compatible; Turnpike/${VERSION})`;

export interface SearchServiceDeps {
  readonly stateDir: string;
  readonly egress: EgressOptions;
  readonly extractor: Extractor;
  readonly log: (message: string) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

export interface SearchService {
  readonly search: Search;
  readonly index: LocalIndex;
  /** The User-Agent of requests that are not for a caller's page. */
  readonly userAgent: string;
  /** Puts a page that was read into the index, if the operator has enabled that. */
  readonly remember: (page: Omit<NewPage, "site">) => void;
  readonly close: () => void;
}

/** The path of the index in a state folder. */
export function indexPath(stateDir: string): string {
  return join(stateDir, "search-index.db");
}

/** Creates search from the operator's settings. */
export function createSearchService(options: SearchOptions, deps: SearchServiceDeps): SearchService {
  const { now = () => performance.now() } = deps;
  const file = new IndexFile(indexPath(deps.stateDir), deps.log, now);
  const { egress, extractor } = deps;
  const { searxngUrl, braveKey, endpoints } = options;
  const userAgent = options.userAgent === "" ? SEARCH_USER_AGENT : options.userAgent;
  const providers = createProviders({
    egress,
    extractor,
    searxngUrl,
    braveKey,
    ...(endpoints === undefined ? {} : { endpoints }),
    userAgent,
    index: file,
  });
  const { parallel, providerTimeoutMs, cacheMs } = options;
  const chosen = [...new Set(options.providers)].map((name) => providers[name]);
  const { policy } = egress;
  const search = new Search({ providers: chosen, policy, parallel, providerTimeoutMs, cacheMs, log: deps.log, now });
  return {
    search,
    index: file,
    userAgent,
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

/** The index. `turnpike index` may create it at any time. */
class IndexFile implements LocalIndex {
  readonly #path: string;
  readonly #log: (message: string) => void;
  readonly #now: () => number;
  readonly #queries: IndexQueries;
  #index: PageIndex | undefined;
  #lookAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, log: (message: string) => void, now: () => number) {
    this.#path = path;
    this.#log = log;
    this.#now = now;
    this.#queries = new IndexQueries(path);
  }

  /** Also false if the file cannot be read. Then other providers are asked. */
  hasPages(): boolean {
    try {
      return this.#look()?.hasPages() === true;
    } catch (error) {
      this.#log(`Cannot read the search index: ${messageOf(error)}`);
      return false;
    }
  }

  search(query: IndexQuery, signal: AbortSignal): Promise<readonly FoundPage[]> {
    return this.#queries.search(query, signal);
  }

  make(): PageIndex {
    this.#index ??= PageIndex.open(this.#path);
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
