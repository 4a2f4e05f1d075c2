import { array, oneOf, string } from "./recorded-schema.ts";
import { count, flag, milliseconds, optionalHttpUrl, ours, section } from "./kinds.ts";

/** In the order in which they are tried by default. */
const PROVIDERS = ["local", "searxng", "brave", "duckduckgo", "mojeek"] as const;

export const contentSearch = section({
  providers: array(oneOf(PROVIDERS))
    .default([...PROVIDERS])
    .describe("Providers in order. Empty: search is off."),
  parallel: count(2, 1, PROVIDERS.length).describe("Providers that are queried at the same time."),
  provider_timeout_ms: milliseconds(8000).describe("Time for one provider, for all its pages."),
  searxng_url: optionalHttpUrl
    .default("")
    .describe("URL of a SearXNG or searx server that allows the JSON format. It may be private."),
  brave_key_env: string()
    .regex(/^(?:[A-Za-z_][A-Za-z0-9_]*)?$/, "expected the name of an environment variable")
    .default("BRAVE_API_KEY")
    .describe("Environment variable with the key of Brave Search's API."),
  user_agent: string()
    .max(512)
    .regex(/^[\x20-\x7e]*$/, "expected visible ASCII characters and spaces")
    .default("")
    .describe(
      "User agent for DuckDuckGo, Mojeek, crawls and maps. Name an address at which owners of sites reach you.",
    ),
  cache_ttl_s: count(300, 0, 3600).describe("Seconds for which results are cached. 0: no cache."),
  index_fetched: flag().describe("Add the pages that clients read to the index. All clients can then find them."),
  index_max_mb: count(1024, 1, 1_048_576).describe("Maximum size of the index in MB."),
}).meta(ours("Search providers and the embedded index."));
