import { count, flag, section } from "./kinds.ts";

export const contentPageCache = section({
  max_mb: count(256, 0, 1_000_000).describe(
    "Size in MiB of the pages that callers share by `max_age`. 0: none are shared.",
  ),
  versions_mb: count(256, 0, 1_000_000).describe(
    "Size in MiB of the versions of pages that `changes` compares. 0: `changes` is refused.",
  ),
  shared: flag().describe("Keep them in the database of `content.jobs.postgres`, for all its content services."),
  hit_price_percent: count(100, 0, 100).describe(
    "Percentage of its price for a page from the cache. Under `exact` only 0 has an effect.",
  ),
}).describe("Pages that callers share.");
