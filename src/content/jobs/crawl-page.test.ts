import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { MOST_TRIES, type Outcome, POSTPONED, type Taken } from "../../store/jobs/job-store.ts";
import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { ANYWHERE, type EgressPolicy, PUBLIC_WEB } from "../egress/guard.ts";
import { LoadStatusError } from "../page/page-errors.ts";
import { RedirectError } from "../page/page-errors.ts";
import { RobotsFiles } from "../sites/robots-files.ts";
import { type CrawlOrder, givenOnly, type LoadedPage } from "./crawl-order.ts";
import { Crawl, unpacked } from "./crawl-page.ts";
import { HostPaces } from "./host-paces.ts";
import { Scope, SITEMAPS } from "./scope.ts";
import { localService } from "./testing/local-jobs.ts";

setDefaultTimeout(patient(20_000));

const NOW = Date.UTC(2026, 5, 1);
const now = () => 1000;

/** A site whose robots.txt has these rules. A number is the status of a site without rules. */
function site(robots: string | number, sitemap = "") {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }): Response => {
      if (url.endsWith("/robots.txt"))
        return typeof robots === "string" ? new Response(robots) : new Response("", { status: robots });
      if (sitemap === "") return new Response("", { status: 404 });
      return new Response(sitemap.replaceAll("ORIGIN", new URL(url).origin));
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return { origin, close: () => server.stop(true) };
}

const plain = site(404);
const closing: (() => unknown)[] = [plain.close];
afterAll(async () => {
  for (const close of closing) await close();
});

interface Case {
  readonly order?: Partial<CrawlOrder>;
  readonly page?: Partial<LoadedPage>;
  readonly error?: Error;
  readonly taken?: Partial<Taken>;
  readonly at?: ReturnType<typeof site>;
  readonly paces?: HostPaces;
  readonly policy?: EgressPolicy;
}

/** The outcome of one address, and what was stored before it. */
async function crawled(options: Case) {
  const {
    order = {},
    page = {},
    error,
    taken = {},
    at = plain,
    paces = new HostPaces(0, now),
    policy = ANYWHERE,
  } = options;
  const store = openSqliteJobs(":memory:", () => NOW);
  const service = localService(store);
  const { id } = await service.add({ urls: [`${at.origin}/a`] });
  const job = await store.find(id);
  if (job === undefined) throw new Error("the job is not there");
  const stored: Outcome[] = [];
  const fetch = { egress: { policy }, userAgent: "test" };
  const whole = { ...givenOnly([`${at.origin}/a`]), given: false, max_depth: 1, ...order };
  const load = async (url: URL): Promise<LoadedPage> => {
    if (error !== undefined) throw error;
    const [text, fields] = ["A page of the harbour", { links: [`${at.origin}/b`] }];
    return { finalUrl: url.href, robotsTag: "", fields, content: text, isCached: false, result: { text }, ...page };
  };
  const crawl = new Crawl(
    {
      store: {
        finish: async (to, outcome) => {
          await new Promise(setImmediate);
          stored.push(outcome);
          return { ...to, isAlike: false };
        },
      },
      paces,
      robots: new RobotsFiles(fetch, now),
      fetch,
      hitPrice: 20,
      now,
      unixNow: () => NOW,
    },
    job,
    { open: { order: whole, load }, scope: new Scope(whole, NOW), signal: AbortSignal.timeout(60_000) },
  );
  const address = { key: "k", host: "127.0.0.1", tries: 1, startMs: 0, url: `${at.origin}/a`, task: 0, depth: 0 };
  const outcome = await crawl.handle({ ...address, ...taken });
  await service.close();
  const [finished] = outcome.finished;
  const result: unknown = finished?.result === undefined ? undefined : JSON.parse(unpacked(finished.result));
  return { outcome, stored, kind: finished?.kind, againMs: finished?.againMs, saved: finished?.saved, result };
}

const paths = (outcome: Outcome): string[] => outcome.found.map(({ url }) => new URL(url).pathname);

test("a page is delivered with its depth, and its links belong to the crawl one below", async () => {
  const { outcome, kind, result, saved, stored } = await crawled({});
  expect([kind, saved, stored]).toEqual(["delivered", 0, []]);
  expect(result).toEqual({ url: `${plain.origin}/a`, depth: 0, text: "A page of the harbour" });
  expect(outcome.found).toEqual([{ url: `${plain.origin}/b`, task: 0, depth: 1 }]);
  expect((await crawled({ page: { isCached: true } })).saved).toBe(80);
});

test.each([
  ["to another page of the crawl", "/c", {}, ["redirect", "/c"]],
  ["to its own address with a fragment", "/a#top", {}, ["delivered", "/b"]],
  ["to a page of the site that the crawl leaves out", "/c", { exclude_paths: ["^/c"] }, ["delivered", "/b"]],
  ["to another site", "http://other.example/", {}, ["redirected-out"]],
] as const)("a page that redirects %s", async (_what, to, order, expected) => {
  const made = await crawled({ order, page: { finalUrl: new URL(to, plain.origin).href } });
  expect([made.kind, ...paths(made.outcome)]).toEqual([...expected]);
});

test.each([
  ["noindex in its text", { meta: "noindex" }, { skip_noindex: true }, ["noindex", undefined, "/b"]],
  ["noindex in its head", { field: "noindex" }, {}, ["delivered", true, "/b"]],
  ["nofollow", { meta: "nofollow" }, {}, ["delivered", undefined]],
  ["nothing, in a crawl of sitemaps", {}, { sitemap: "only" }, ["delivered", undefined]],
] as const)("a page that asks for %s", async (_what, asked: { meta?: string; field?: string }, order, expected) => {
  const fields = { links: [`${plain.origin}/b`], robots: asked.meta ?? "" };
  const made = await crawled({ order, page: { fields, robotsTag: asked.field ?? "" } });
  const { noindex } = made.result as { noindex?: true };
  expect([made.kind, noindex, ...paths(made.outcome)]).toEqual([...expected]);
});

test("a page that has not changed is not delivered, and its links are followed", async () => {
  const { kind, outcome, result } = await crawled({ page: { isUnchanged: true } });
  expect([kind, paths(outcome), result]).toEqual(["unchanged", ["/b"], undefined]);
});

test.each([
  ["its server is gone", new LoadStatusError(410, []), 1, { kind: "not-found", againMs: undefined, pauseMs: 0 }],
  ["its server refuses it", new LoadStatusError(403, []), 1, { kind: "page-failed", againMs: undefined, pauseMs: 0 }],
  ["its server fails", new LoadStatusError(500, []), 1, { kind: "page-failed", againMs: 5000, pauseMs: 0 }],
  [
    "its server fails again",
    new LoadStatusError(500, []),
    POSTPONED + 1,
    { kind: "page-failed", againMs: 30_000, pauseMs: 0 },
  ],
  [
    "its server fails a third time",
    new LoadStatusError(500, []),
    2 * POSTPONED + 1,
    { kind: "page-failed", againMs: undefined, pauseMs: 0 },
  ],
  [
    "its server is busy",
    new LoadStatusError(429, [["Retry-After", "7"]]),
    1,
    { kind: "page-failed", againMs: 5000, pauseMs: 7000 },
  ],
  [
    "its server is busy, for a time that it does not name",
    new LoadStatusError(503, []),
    1,
    { kind: "page-failed", againMs: 5000, pauseMs: 5000 },
  ],
  [
    "it redirects without end",
    new RedirectError("redirects without end"),
    1,
    { kind: "redirect-loop", againMs: undefined, pauseMs: 0 },
  ],
  [
    "it takes too long",
    new TurnpikeError("page-timeout", "late"),
    1,
    { kind: "page-timeout", againMs: 5000, pauseMs: 5000 },
  ],
  ["it is empty", new TurnpikeError("page-empty", "empty"), 1, { kind: "page-empty", againMs: undefined, pauseMs: 0 }],
] as const)("a page ends, or is tried again, if %s", async (_what, error, tries, { kind, againMs, pauseMs }) => {
  const { outcome, ...made } = await crawled({ error, taken: { tries } });
  expect([made.kind, made.againMs]).toEqual([kind, againMs]);
  expect(outcome.paces?.[0]?.pauseMs ?? 0).toBe(pauseMs);
  if (againMs === undefined) expect(made.result).toMatchObject({ depth: 0, kind, error: error.message });
});

test("a failure of this program says nothing about the host, and the result names the page", async () => {
  const { kind, outcome } = await crawled({ error: new Error("a fault") });
  expect([kind, outcome.paces ?? []]).toEqual(["internal", []]);
});

test("an address that ended as many services as a job allows is given up", async () => {
  expect((await crawled({ taken: { tries: POSTPONED + MOST_TRIES } })).kind).toBe("delivered");
  expect((await crawled({ taken: { tries: MOST_TRIES + 1 } })).kind).toBe("abandoned");
});

test("robots.txt is obeyed, except for a page that the client names", async () => {
  const at = site("User-agent: *\nDisallow: /*?q\nCrawl-delay: 0.01");
  closing.push(at.close);
  const url = `${at.origin}/a?q`;
  expect((await crawled({ at, taken: { url } })).kind).toBe("robots-forbidden");
  expect((await crawled({ at, taken: { url }, order: { given: true } })).kind).toBe("delivered");
  // Other services must know the delay before this one's first request.
  const { kind, stored } = await crawled({ at });
  expect([kind, stored]).toEqual([
    "delivered",
    [{ finished: [], found: [], paces: [{ host: "127.0.0.1", intervalMs: 10, pauseMs: 10 }] }],
  ]);
});

test("a page whose rules cannot be fetched is tried again", async () => {
  const at = site(500);
  closing.push(at.close);
  const { kind, againMs } = await crawled({ at });
  expect([kind, againMs]).toEqual(["robots-unreachable", 5000]);
});

test("a page at a refused address fails with this reason, and is not tried again", async () => {
  const { kind, againMs, result } = await crawled({ policy: PUBLIC_WEB });
  expect([kind, againMs]).toEqual(["address-refused", undefined]);
  expect(JSON.stringify(result)).toContain("its address is not on the public Internet");
});

test("the pages of a sitemap are added before the sitemap ends, in pieces", async () => {
  const urls = Array.from({ length: 1001 }, (_, i) => `<url><loc>ORIGIN/s${i}</loc></url>`).join("");
  const at = site(404, `<?xml version="1.0"?><urlset>${urls}<url><loc>http://other.example/</loc></url></urlset>`);
  closing.push(at.close);
  const { kind, stored, outcome } = await crawled({ at, taken: { url: `${at.origin}/`, task: SITEMAPS } });
  expect([kind, outcome.found, stored.flatMap(paths).length]).toEqual(["sitemaps", [], 1001]);
  expect(stored.map(({ found }) => found.length)).toEqual([1000, 1]);
  expect(stored[0]?.found[0]).toEqual({ url: `${at.origin}/s0`, task: 0, depth: 0 });
});

test("equal contents claim one name, and a canonical address counts if the query alone differs", async () => {
  const names = async (canonical: string, order: Partial<CrawlOrder> = {}) => {
    const fields = { canonical: new URL(canonical, plain.origin).href, sketch: ["1", "2"] };
    const { outcome } = await crawled({ order, page: { fields, content: " A  page\n" } });
    return (outcome.claims ?? []).map((claim) => [claim.kind, claim.names.length, claim.names.at(-1)]);
  };
  const text = ["duplicate", 1, `content ${Bun.hash.xxHash64("A page")} 6`];
  expect(await names("/other")).toEqual([text]);
  expect(await names("/a?x=1")).toEqual([text, ["duplicate", 1, `canonical ${plain.origin}/a?x=1`]]);
  expect(await names("/other", { near_duplicates: "same-path" })).toEqual([text, ["near-duplicate", 2, "text 1 2 /a"]]);
});

test("the random address that tells pages that do not exist from others is asked for at the pace of the host, if its rules allow that", async () => {
  const lost = { content: "The page was not found", fields: {} };
  const asked = async (robots: string | number, content = lost.content) => {
    const at = site(robots);
    closing.push(at.close);
    const paces = new HostPaces(7, now);
    const { kind } = await crawled({ at, paces, page: { ...lost, content } });
    return [kind, paces.reserve("127.0.0.1", 0) / 7];
  };
  expect(await asked(404)).toEqual(["soft-404", 2]);
  expect(await asked(404, "A page of the harbour")).toEqual(["delivered", 1]);
  expect(await asked("User-agent: *\nAllow: /a$\nDisallow: /")).toEqual(["delivered", 1]);
  // A site that redirects unknown addresses has no page for them.
  const paces = new HostPaces(7, now);
  const page = { ...lost, finalUrl: `${plain.origin}/a` };
  expect([(await crawled({ paces, page })).kind, paces.reserve("127.0.0.1", 0) / 7]).toEqual(["delivered", 2]);
  const [kind, requests] = await asked("User-agent: *\nCrawl-delay: 0.021");
  expect([kind, requests]).toEqual(["soft-404", 6]);
});
