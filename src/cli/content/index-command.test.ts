import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND } from "../../../test/support/program.ts";
import { ARTICLES, type MadeSite, startMadeSite } from "../../content/search/testing/made-site.ts";
import { patient } from "../../lib/testing/patience.ts";

// Each run is a process of its own, on a busy machine.
setDefaultTimeout(patient(60_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-index-command-"));
let site: MadeSite;

beforeAll(() => {
  site = startMadeSite();
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

function spawn(state: string, ...args: string[]) {
  const flags = ["--state-dir", join(folder, state)];
  return Bun.spawn([...COMMAND, "index", ...args, ...flags], { stdout: "pipe", stderr: "pipe" });
}

async function run(state: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(state, ...args);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

const QUICK = ["--allow-private", "--delay", "0"];

test("a site is added, listed, searched, refreshed and removed", async () => {
  const added = await run("life", "add", `${site.url}/`, "--max-pages", "30", "--no-sitemap", ...QUICK);
  // Some pages of the test site fail; each is printed with the reason.
  expect(added.err.split("\n").toSorted()).toEqual([
    "",
    `failed          ${site.url}/broken: the server responded with 500`,
    `failed          ${site.url}/drops: the server cannot be reached`,
  ]);
  expect([added.code, added.out]).toEqual([
    0,
    expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:\d+\/: 30 pages; .*30 indexed.*\nstopped: the site has reached its number of pages/,
    ),
  ]);
  expect((await run("life", "list")).out).toMatch(/^http\S+ {2}30 of 30 pages, depth 3, 20\d\d-/);
  expect((await run("life", "stats")).out).toMatch(/^1 sites, 30 pages, \d+\.\d MB\n$/);
  expect((await run("life", "search", "section0")).out).toContain(`Section 0\n${site.url}/section/0\n`);
  expect((await run("life", "refresh", `${site.url}/`, ...QUICK)).out).toContain("30 unchanged");
  expect(await run("life", "remove", `${site.url}/`)).toEqual({ code: 0, out: "removed 30 pages\n", err: "" });
  expect((await run("life", "list")).out).toBe("");
});

test("a killed crawl continues where it stopped", async () => {
  const child = spawn("killed", "add", `${site.url}/`, "--verbose", "--no-sitemap", "--depth", "2", ...QUICK);
  let lines = 0;
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) {
    lines += decoder.decode(chunk).split("\n").length - 1;
    if (lines >= 40) break;
  }
  child.kill("SIGKILL");
  await child.exited;
  const before = Number(/ (\d+) pages/.exec((await run("killed", "stats")).out)?.[1]);
  expect(before).toBeGreaterThan(10);
  const hits = site.hits.get("/section/0") ?? 0;
  const { code, out } = await run("killed", "refresh", ...QUICK);
  expect([code, site.hits.get("/section/0")]).toEqual([0, hits]);
  expect(out).not.toContain("stopped");
  expect(Number(/: (\d+) pages/.exec(out)?.[1])).toBeGreaterThan(ARTICLES);
});

test("private addresses are refused unless they are allowed", async () => {
  const hits = site.hits.get("/robots.txt");
  const { code, out, err } = await run("private", "add", `${site.url}/`);
  expect(err).toContain("--allow-private");
  expect([code, out.includes(": 0 pages;"), site.hits.get("/robots.txt")]).toEqual([1, true, hits]);
});

const WRONG: readonly (readonly [args: readonly string[], code: number, err: string])[] = [
  [[], 2, "turnpike index: Name a subcommand: add, refresh, list, stats, remove, search."],
  [["add"], 2, "turnpike index: Missing argument URL."],
  [["search"], 2, "turnpike index: Missing argument QUERY."],
  [["list", "more"], 2, 'turnpike index: Unexpected argument "more".'],
  [["nothing"], 2, 'turnpike index: "nothing" is not one of add, refresh'],
  [["list", "--colour"], 2, "turnpike index: Unknown option '--colour'."],
  [["add", "ftp://a.test/"], 1, 'Cannot use "ftp://a.test/": it is not an http:// or https:// address'],
  [["add", "http://a.test/", "--depth", "x"], 1, 'Cannot use --depth "x": it must be a number up to 100'],
  [["add", "http://a.test/", "--delay", "61"], 1, 'Cannot use --delay "61": it must be a number up to 60'],
  [["refresh", "http://a.test/"], 1, "it is not a site of the index"],
  [["remove", "http://a.test/"], 1, "it is neither a site nor a page of the index"],
];
test.each(WRONG)("%j is wrong", async (args, code, err) => {
  const result = await run("wrong", ...args);
  expect([result.code, result.out]).toEqual([code, ""]);
  expect(result.err).toContain(err);
});
