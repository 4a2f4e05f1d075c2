import * as z from "zod";
import { count, milliseconds, optionalHttpUrl, ours } from "./kinds.ts";

/** `content.search`: where `/search` looks. */
export const contentSearch = z
  .strictObject({
    providers: z
      .array(z.enum(["local", "searxng", "brave", "duckduckgo", "mojeek"]))
      .default(["local", "searxng", "brave", "duckduckgo", "mojeek"])
      .describe(
        "Providers in the order they are asked; those with nothing to ask (no index, address or key) are passed over. Empty switches search off.",
      ),
    parallel: count(2, 1, 5).describe(
      "Providers asked at one time; the next ones are asked where those have too little.",
    ),
    provider_timeout_ms: milliseconds(8000).describe("Time for one provider, all its pages included."),
    searxng_url: optionalHttpUrl
      .default("")
      .describe("Address of a SearXNG or searx server that allows the JSON format; it may be private."),
    brave_key_env: z
      .string()
      .regex(/^(?:[A-Za-z_][A-Za-z0-9_]*)?$/, "expected the name of an environment variable")
      .default("BRAVE_API_KEY")
      .describe("Environment variable that holds the key of Brave Search's API."),
    user_agent: z
      .string()
      .max(512)
      .regex(/^[\x20-\x7e]*$/, "expected visible ASCII characters and spaces")
      .default("")
      .describe("How DuckDuckGo and Mojeek are told who asks; empty names Turnpike and its version."),
    cache_ttl_s: count(300, 0, 3600).describe("Seconds that answers are kept; 0 keeps none."),
    index_fetched: z
      .boolean()
      .default(false)
      .describe(
        "Put pages that clients have read by `/scrape`, `/batch` and `/read`, and the sources of `/resolve`, into the index, for all to find.",
      ),
    index_max_mb: count(1024, 1, 1_048_576).describe("Size of the index in MB beyond which nothing is added."),
  })
  .prefault({})
  .meta(ours("Search providers and the embedded index."));
