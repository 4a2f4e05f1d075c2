import { count, flag, ours, section } from "./kinds.ts";

/** `content.browsers`: browsers that are sold by the minute. */
export const contentBrowsers = section({
  enabled: flag().describe(
    "Sell browsers by the minute, on routes `/browsers` and `/browser`. Needs user namespaces and the program `unshare`.",
  ),
  max: count(2, 1, 100).describe("Browsers that run at the same time. Each takes some hundred MB of memory."),
  max_minutes: count(60, 1, 1440).describe("Minutes for which a browser can be paid, counted from now."),
}).meta(ours("Browsers that are sold by the minute."));
