import type * as z from "zod";
import { type SearchOptions } from "../../content/search/search-service.ts";
import { contentSearch } from "../../gateway/config/schema/content-search.ts";
import { parseJsonOption } from "./json-option.ts";

/** Turns `content.search` into options of the content service. Reads the key from the environment. */
function searchOptions(config: z.output<typeof contentSearch>): SearchOptions {
  return {
    providers: config.providers,
    searxngUrl: config.searxng_url,
    braveKey: config.brave_key_env === "" ? "" : (process.env[config.brave_key_env] ?? "").trim(),
    parallel: config.parallel,
    providerTimeoutMs: config.provider_timeout_ms,
    cacheMs: config.cache_ttl_s * 1000,
    userAgent: config.user_agent,
    indexFetched: config.index_fetched,
    indexMaxBytes: config.index_max_mb * 1024 * 1024,
  };
}

/** The same for JSON text of a configuration file. Throws StartError. */
export function parseSearchOptions(json: string): SearchOptions {
  return searchOptions(parseJsonOption("--search", json, contentSearch));
}
