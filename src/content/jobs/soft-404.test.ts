import { expect, test } from "bun:test";
import { PAGE, type Taken } from "../../store/jobs/job-store.ts";
import { type LoadedPage } from "./crawl-order.ts";
import { Soft404 } from "./soft-404.ts";

const MISSING = "This page could not be found.";

function page(finalUrl: string, content = MISSING): LoadedPage {
  return { finalUrl, content, isCached: false, robotsTag: "", fields: undefined, result: {} };
}

function taken(url: string): Taken {
  const { host } = new URL(url);
  return { url, key: url, host, task: PAGE, depth: 0, tries: 1, startMs: 0 };
}

/** Asks whether each page says that it does not exist. Returns the responses, and the requested random addresses. */
async function askedFor(urls: readonly string[], content = MISSING, probe = MISSING) {
  const requested: string[] = [];
  const soft = new Soft404("job", async (url) => {
    requested.push(url.href);
    return page(url.href, probe);
  });
  const responses: boolean[] = [];
  for (const url of urls) responses.push(await soft.is(taken(url), page(url, content)));
  return { responses, requested };
}

test("each host is asked for one random address beside the first page that says so", async () => {
  const { responses, requested } = await askedFor(["https://a.test/x/1", "https://a.test/y/2", "https://b.test/3"]);
  expect(responses).toEqual([true, true, true]);
  expect(requested).toEqual([
    expect.stringMatching(/^https:\/\/a\.test\/x\/\w+$/),
    expect.stringMatching(/^https:\/\/b\.test\/\w+$/),
  ]);
});

test("1,000 hosts of a job are asked, and pages of further hosts are delivered", async () => {
  const { responses, requested } = await askedFor(
    Array.from({ length: 1_001 }, (_, at) => `https://host${at}.test/page`),
  );
  expect(requested).toHaveLength(1_000);
  expect(responses.map(String).lastIndexOf("true")).toBe(999);
});

test.each([
  ["a home page", "https://a.test/", MISSING, MISSING, false],
  ["a page that does not say so", "https://a.test/1", "Toll roads", MISSING, false],
  ["a page that says so late", "https://a.test/1", `${" ".repeat(20_000)}${MISSING}`, MISSING, false],
  ["a page of a site that says so of no address", "https://a.test/1", MISSING, "Toll roads", false],
  ["a page with three other words", "https://a.test/1", `${MISSING} one two three`, MISSING, true],
  ["a page with four other words", "https://a.test/1", `${MISSING} one two three four`, MISSING, false],
  [
    "a page with the words of its address",
    "https://a.test/one-two/three/four",
    `${MISSING} one two three four`,
    MISSING,
    true,
  ],
  ["a page with other numbers", "https://a.test/1", `${MISSING} 11 12 13 14`, MISSING, true],
  ["a page without four words of the other", "https://a.test/1", MISSING, `${MISSING} one two three four`, false],
])("%s", async (...[, url, content, probe, isMissing]) => {
  expect((await askedFor([url], content, probe)).responses).toEqual([isMissing]);
});
