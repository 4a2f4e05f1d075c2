import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PUBLIC_WEB } from "../egress/guard.ts";
import { Extractor } from "../extractor/extractor.ts";
import { createSearchService, indexPath, SEARCH_DEFAULTS, type SearchOptions } from "./search-service.ts";

const PAGE = {
  url: "https://a.test/",
  title: "Tides",
  text: "The tides of the sea.",
  language: "en",
  published: undefined,
};
/** Milliseconds between two checks for an index that does not exist yet. */
const LOOK_MS = 2000;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Search with the index of a new state folder, or of that of another one. */
function open(change: Partial<SearchOptions> = {}, stateDir = mkdtempSync(join(tmpdir(), "turnpike-search-"))) {
  const clock = { now: 0 };
  const log: string[] = [];
  const extractor = new Extractor();
  const service = createSearchService(
    { ...SEARCH_DEFAULTS, providers: ["local"], ...change },
    { stateDir, egress: { policy: PUBLIC_WEB }, extractor, log: (text) => log.push(text), now: () => clock.now },
  );
  closing.push(
    service.close,
    () => extractor.close(),
    () => rmSync(stateDir, { recursive: true, force: true }),
  );
  return { service, clock, log, stateDir };
}

test("a page that was read is put into the index, and found", async () => {
  const { service } = open({ indexFetched: true });
  expect(service.index.hasPages()).toBe(false);
  service.remember(PAGE);
  expect(service.index.hasPages()).toBe(true);
  const { results } = await service.search.search({ query: "tides", count: 5, timeoutMs: 10_000 });
  expect(results).toMatchObject([{ url: PAGE.url, title: "Tides" }]);
});

test.each([
  ["is not enabled", { indexFetched: false }, false],
  ["is full", { indexFetched: true, indexMaxBytes: 0 }, true],
])("no page is put into an index that %s", (_what, change, isMade) => {
  const { service, stateDir, log } = open(change);
  service.remember(PAGE);
  expect([service.index.hasPages(), existsSync(indexPath(stateDir)), log]).toEqual([false, isMade, []]);
});

test("an index that another program creates is found two seconds after the last look", () => {
  const { service, clock, stateDir } = open();
  expect(service.index.hasPages()).toBe(false);
  open({ indexFetched: true }, stateDir).service.remember(PAGE);
  clock.now += LOOK_MS - 1;
  expect(service.index.hasPages()).toBe(false);
  clock.now += 1;
  expect(service.index.hasPages()).toBe(true);
});

test("an index that cannot be read has no pages, and each failure is reported", () => {
  const { service, clock, log, stateDir } = open({ indexFetched: true });
  writeFileSync(indexPath(stateDir), "this file is not a database, and is longer than a header of one".repeat(20));
  expect(service.index.hasPages()).toBe(false);
  expect(log).toHaveLength(1);
  expect(service.index.hasPages()).toBe(false);
  expect(log).toHaveLength(1);
  clock.now += LOOK_MS;
  expect(service.index.hasPages()).toBe(false);
  expect(log).toHaveLength(2);
  service.remember(PAGE);
  expect(log[2]).toStartWith("Cannot index a page: ");
});

test("requests that are not for a caller's page name the program, unless the operator chooses another name", () => {
  expect(open().service.userAgent).toMatch(/^Mozilla\/5\.0 \(compatible; Turnpike\//);
  expect(open({ userAgent: "Own/1" }).service.userAgent).toBe("Own/1");
});
