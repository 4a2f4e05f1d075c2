import { account } from "./account.ts";
import { active, cancel, concurrency, errors, queue, status } from "./job-status.ts";
import { extraction, startExtract } from "./extract-jobs.ts";
import { map, parse, scrape, searchWeb } from "./pages.ts";
import { startBatch, startCrawl } from "./site-jobs.ts";
import { type Endpoint, type Responder } from "./surface.ts";
import { webhookSecret } from "./webhook.ts";

/** The requests of Firecrawl's API that Turnpike serves, in versions 1 and 2. */
export const ENDPOINTS: readonly Endpoint[] = [
  { ...at("POST", "scrape", scrape), operation: "scrape" },
  { ...at("POST", "parse", parse), operation: "parse", isUpload: true },
  { ...at("POST", "map", map), operation: "map" },
  { ...at("POST", "search", searchWeb), operation: "search" },
  { ...at("POST", "crawl", startCrawl), operation: "crawl" },
  { ...at("POST", "batch/scrape", startBatch), operation: "batch" },
  { ...at("POST", "extract", startExtract), operation: "extract" },
  at("GET", "extract/:id", extraction),
  at("GET", "crawl/active", active),
  ...["crawl", "batch/scrape"].flatMap((path) => [
    at("GET", `${path}/:id`, status),
    at("DELETE", `${path}/:id`, cancel),
    at("GET", `${path}/:id/errors`, errors),
  ]),
  at("GET", "team/credit-usage", account),
  at("GET", "team/webhook-secret", webhookSecret),
  at("GET", "concurrency-check", concurrency),
  at("GET", "team/queue-status", queue),
];

function at(method: Endpoint["method"], path: string, respond: Responder): Endpoint {
  return { method, path, respond };
}
