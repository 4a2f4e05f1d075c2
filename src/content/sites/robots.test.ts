import { describe, expect, test } from "bun:test";
import { parseRobots } from "./robots.ts";

function allowed(text: string, path: string, agent = "turnpike"): boolean {
  return parseRobots(text, agent).allows(path);
}

describe("RFC 9309", () => {
  const RULES: readonly (readonly [rules: string, path: string, allowed: boolean])[] = [
    ["", "/x", true],
    ["Disallow:", "/x", true],
    ["Disallow: /", "/x", false],
    ["Disallow: /", "/robots.txt", true],
    ["Disallow: /a", "/abc", false],
    ["Disallow: /a/", "/a", true],
    ["Disallow: /A", "/a", true],
    // §2.2.2: the longest rule counts. Of two equally long rules, the permission counts.
    ["Disallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["Allow: /a/b\nDisallow: /a", "/a/x", false],
    ["Disallow: /a\nAllow: /a", "/a", true],
    // §2.2.3
    ["Disallow: /*.gif$", "/x/y.gif", false],
    ["Disallow: /*.gif$", "/x/y.gif?z", true],
    ["Disallow: /*.gif", "/x/y.gif?z", false],
    ["Disallow: /a*b*c", "/a1b2c3", false],
    ["Disallow: /a*b*c", "/a1c2b3", true],
    ["Disallow: /a$", "/a", false],
    ["Disallow: /a$", "/ab", true],
    ["Disallow: /*$", "/anything", false],
    ["Disallow: *", "/x", false],
    ["Disallow: /a*a$", "/a", true],
    // Rule and path are normalized.
    ["Disallow: /%7ejoe", "/~joe", false],
    ["Disallow: /a%3cd", "/a%3Cd", false],
    ["Disallow: /\u30c4", "/%E3%83%84", false],
    ["Disallow: /a%2fb", "/a/b", true],
    ["Disallow: /x # the rest", "/x", false],
    ["  disallow :  /x  ", "/x", false],
    ["Disallow: x", "/x", true],
    ["Nonsense\nDisallow: /x\n:\n", "/x", false],
  ];
  test.each(RULES)("%j makes %s %j", (rules, path, expected) => {
    expect(allowed(`User-agent: *\n${rules}`, path)).toBe(expected);
  });

  const GROUPS: readonly (readonly [text: string, allowed: boolean])[] = [
    ["User-agent: other\nDisallow: /", true],
    ["User-agent: TurnPike/2.0\nDisallow: /", false],
    ["User-agent: *\nDisallow: /\n\nUser-agent: turnpike\nDisallow: /y", true],
    ["User-agent: a\nUser-agent: turnpike\nUser-agent: b\nDisallow: /", false],
    ["User-agent: turnpike\nDisallow: /y\nUser-agent: *\nDisallow: /\nUser-agent: turnpike\nDisallow: /x", false],
    ["User-agent: turnpike\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", true],
    ["User-agent: *\nSitemap: https://a.test/s.xml\nDisallow: /", false],
    ["Disallow: /", true],
    ["\ufeffUser-agent: *\rDisallow: /", false],
    ["User-agent: turnpike-news\nDisallow: /", true],
  ];
  test.each(GROUPS)("%j allows /x: %j", (text, expected) => {
    expect(allowed(text, "/x")).toBe(expected);
  });
});

test("returns the sitemaps of the whole file, and the delay of this crawler's group", () => {
  const text =
    "Sitemap: https://a.test/1.xml\nUser-agent: *\nCrawl-delay: 9\nUser-agent: turnpike\nCrawl-delay: 2.5\nSitemap: https://a.test/2.xml";
  const { sitemaps, crawlDelay } = parseRobots(text, "turnpike");
  expect([sitemaps, crawlDelay]).toEqual([["https://a.test/1.xml", "https://a.test/2.xml"], 2.5]);
  expect(
    parseRobots("User-agent: *\nCrawl-delay: -1\nCrawl-delay: NaN\nCrawl-delay: 1e9", "turnpike").crawlDelay,
  ).toBeUndefined();
});

test.each([
  `User-agent: *\nDisallow: /${"*a".repeat(1_000)}$`,
  `User-agent: *\n${"Disallow: /*a*a*a*a*a*a*b\n".repeat(50_000)}`,
  "User-agent: x\n".repeat(500_000),
  "\n".repeat(1_000_000),
  ":".repeat(1_000_000),
])("a hostile file is parsed and matched in linear time", (text) => {
  const robots = parseRobots(text, "turnpike");
  expect(robots.allows(`/${"a".repeat(2_000)}`)).toBe(true);
});
