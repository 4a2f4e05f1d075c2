import { expect, test } from "bun:test";
import { file } from "bun";
import { batchBody, crawlBody, extractBody, mapBody, scrapeBody, searchBody } from "./options.ts";
import {
  REFUSED_BATCH,
  REFUSED_BODY,
  REFUSED_CRAWL,
  REFUSED_EXTRACT,
  REFUSED_MAP,
  REFUSED_PAGE,
  REFUSED_SEARCH,
} from "./refused-options.ts";

/** Options that any body may have: they name the program that calls. */
const NAMES = ["origin", "integration"];

const REQUESTS = [
  { name: "/scrape", body: scrapeBody, refused: { ...REFUSED_PAGE, ...REFUSED_BODY } },
  { name: "/crawl", body: crawlBody, refused: REFUSED_CRAWL },
  { name: "/batch/scrape", body: batchBody, refused: REFUSED_BATCH },
  { name: "/extract", body: extractBody, refused: REFUSED_EXTRACT },
  { name: "/map", body: mapBody, refused: REFUSED_MAP },
  { name: "/search", body: searchBody, refused: REFUSED_SEARCH },
];

test.each(REQUESTS)(
  "the guide lists every option of $name, and the values of refused ones that are accepted",
  async ({ name, body, refused }) => {
    const guide = await file(new URL("../../../docs/guides/firecrawl.md", import.meta.url)).text();
    const item = guide.split("\n- ").find((text) => text.startsWith(`\`${name}\`: `)) ?? "";
    const [options = ""] = item.slice(name.length + 4).split("\n\n");
    const [first = "", second = ""] = options.replaceAll(/\s+/g, " ").split(". Refused: ");
    const others = new Set([...NAMES, ...Object.keys(refused)]);
    // The guide refers to the options of a scrape.
    const known = name === "/batch/scrape" ? Object.keys(scrapeBody.shape) : [];
    const own = first.trim().replace("As `/scrape` without `url`, and ", "").split(", ");
    const supported = Object.keys(body.shape).filter((option) => !others.has(option) && !known.includes(option));
    expect(own.toSorted()).toEqual(supported.map((option) => `\`${option}\``).toSorted());
    const refusals = Object.entries(refused)
      .filter(([option]) => !known.includes(option))
      .map(([option, values]) => {
        const accepted = values.length === 0 ? "" : ` (${values.map((value) => JSON.stringify(value)).join(", ")})`;
        return `\`${option}\`${accepted}`;
      });
    expect(second.trim().replace("As `/scrape`, and ", "")).toBe(refusals.join(", "));
  },
);
