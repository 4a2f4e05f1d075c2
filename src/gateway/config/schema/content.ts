import { array, oneOf, string } from "./recorded-schema.ts";
import { contentBrowser } from "./content-browser.ts";
import { contentBrowsers } from "./content-browsers.ts";
import { contentFiles } from "./content-files.ts";
import { contentJobs } from "./content-jobs.ts";
import { contentPageCache } from "./content-page-cache.ts";
import { contentProxies } from "./content-proxies.ts";
import { contentResolve } from "./content-resolve.ts";
import { contentSearch } from "./content-search.ts";
import { flag, names, ours, section } from "./kinds.ts";

const NO_SOCKET =
  "expected no path: turnpike start makes this socket in its state folder (for a service of your own, list its socket in the upstream content and run turnpike --config FILE)";

export const content = section({
  allow_private: flag().describe("Allow pages on private and loopback addresses."),
  browser_path: string()
    .meta(names("program"))
    .default("")
    .describe("Browser program. Empty: an installed one, otherwise the packaged one."),
  browser: contentBrowser,
  browsers: contentBrowsers,
  socket: string()
    .refine((path) => path === "", NO_SOCKET)
    .default("")
    .describe("Must be empty: `turnpike start` makes the socket."),
  charge_timeouts: flag().describe("Charge for a failed page whose scripts took too much time."),
  firecrawl: flag(true).describe("Serve the API of Firecrawl too, at `/v2/` and `/v1/`."),
  discovery: flag(true).describe("Serve `/llms.txt`, and with MCP its server card and catalogue."),
  ai_uses: array(oneOf(["search", "ai-input", "ai-train", "tdm"]))
    .default([])
    .describe("Uses of pages. A page is refused if the terms of its site deny one of them."),
  files: contentFiles,
  proxies: contentProxies,
  page_cache: contentPageCache,
  jobs: contentJobs,
  search: contentSearch,
  resolve: contentResolve,
}).meta(ours("The content service, started by `turnpike start`."));
