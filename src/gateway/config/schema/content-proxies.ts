import { array, strictObject, string } from "./recorded-schema.ts";
import { environmentName, ours } from "./kinds.ts";

/** `content.proxies`: proxies by which callers may load pages. */
export const contentProxies = array(
  strictObject({
    name: string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "expected small letters, digits and hyphens")
      .describe("Name for `proxy`, or the code of a country for Firecrawl's `location`."),
    url_env: environmentName.describe(
      "Environment variable with its URL: `http://USER:PASSWORD@HOST:PORT` or `socks5://HOST:PORT`. Its address may be private.",
    ),
  }),
)
  .max(256)
  .refine((proxies) => new Set(proxies.map(({ name }) => name)).size === proxies.length, "expected names that differ")
  .default([])
  .meta(ours("Proxies by which callers may load pages."));
