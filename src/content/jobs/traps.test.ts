import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { LoadStatusError } from "../page/page-errors.ts";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { type JobStore, LEASE_MS } from "../../store/jobs/job-store.ts";
import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { givenOnly } from "./crawl-order.ts";
import { Scope } from "./scope.ts";
import { localJobs, localService, pageAt } from "./testing/local-jobs.ts";

// Other work on the machine delays a crawl.
setDefaultTimeout(patient(30_000));

const code = () => randomBytes(16).toString("hex");
/** Three words of letters. */
const slug = () => Array.from({ length: 3 }, () => code().replaceAll(/\d/g, "").slice(0, 6)).join("-");
const mirror = (at: number) => `https://m${at}.site.example/page`;

test("pages that only say that they do not exist are free, and one random address tells them from others", async () => {
  const loaded: string[] = [];
  const pages: Record<string, string> = {
    "/": "Home of the harbour",
    "/help": `Why a page was not found. ${"Tides move boats and pages move too. ".repeat(20)}`,
  };
  await using at = localJobs((path) => {
    loaded.push(path);
    const content = pages[path] ?? `Sorry, ${path} was not found. Go home or search. Request ${code()}`;
    return { content, links: path === "/" ? ["/help", "/old/boat", "/old/sail", "/new"] : ["/endless"] };
  });
  const { id } = await at.add("/");
  const job = await at.ended(id);
  expect([job.delivered, job.kinds]).toEqual([2, { "soft-404": 4 }]);
  const known = ["/", "/help", "/old/boat", "/old/sail", "/new", "/endless"];
  expect(loaded.filter((path) => !known.includes(path))).toHaveLength(1);
});

test("pages that do not exist are free if each suggests other ones that do not exist", async () => {
  const pages: Record<string, string> = {
    "/": "Home of the harbour",
    "/help": `Why a page was not found. ${"Tides move boats and pages move too. ".repeat(20)}`,
  };
  await using at = localJobs((path) => {
    const content = pages[path];
    if (content !== undefined) return { content, links: path === "/" ? ["/help", "/lost", "/gone"] : [] };
    const links = Array.from({ length: 5 }, () => `/${slug()}`);
    const suggested = links.map((link) => link.slice(1).replaceAll("-", " ")).join(" or ");
    return { content: `Sorry, this page was not found. Maybe you want ${suggested}`, links };
  });
  const { id } = await at.add("/");
  const job = await at.ended(id);
  expect([job.delivered, job.kinds]).toEqual([2, { "soft-404": 2 }]);
});

test("a page that says so is delivered if random addresses of its host fail", async () => {
  await using at = localJobs((path) => {
    if (path !== "/" && path !== "/lost") throw new Error("not there");
    return { content: path === "/" ? "Home" : "Lost and not found", links: ["/lost"] };
  });
  const { id } = await at.add("/");
  const job = await at.ended(id);
  expect([job.delivered, job.kinds]).toEqual([2, {}]);
});

test("a site whose links have another code on each visit ends, each page once", async () => {
  await using at = localJobs((path) => {
    const links = ["a", "b", "c"].map((name) => `/${code()}/${name}`);
    return { content: `Page ${path.split("/").at(-1)} with ${links.join(" and ")}`, links };
  });
  const { id } = await at.add("/");
  const job = await at.ended(id);
  expect([job.state, job.reason, job.delivered]).toEqual(["completed", "", 4]);
  expect(job.kinds["session-ids"]).toBeGreaterThan(0);
  expect(job.kinds["duplicate"]).toBeGreaterThanOrEqual(30);
  expect(job.known).toBeLessThan(500);
});

test("a crawl leaves out hosts and folders that are mirrors without end, and the names of visits", () => {
  const scope = new Scope({ ...givenOnly(["https://site.example/"]), subdomains: true, max_depth: 5 }, Date.now());
  const chosen = (link: string) => {
    const leftOut = {};
    const [address] = scope.choose([link], "https://site.example/", 1, leftOut);
    return address?.url ?? leftOut;
  };
  for (let at = 0; at < 10; at += 1) {
    expect(chosen(mirror(at))).toBe(mirror(at));
    scope.learn(new URL(mirror(at)), true);
  }
  expect(chosen(mirror(10))).toEqual({ mirrors: 1 });
  expect(chosen("https://m1.site.example/other")).toBe("https://m1.site.example/other");
  for (let at = 0; at < 11; at += 1) {
    scope.learn(new URL(`https://site.example/copy${at}/docs/page`), true);
    scope.learn(new URL(`https://site.example/area${at}/start`), at > 5);
  }
  expect(chosen("https://site.example/copy11/docs/page")).toEqual({ mirrors: 1 });
  for (const other of ["copy11/docs/other", "area11/start", "page"]) {
    expect(chosen(`https://site.example/${other}`)).toBe(`https://site.example/${other}`);
  }
  for (let at = 0; at < 11; at += 1) scope.learn(new URL(`https://site.example/item/${code()}`), at > 5);
  const item = `https://site.example/item/${code()}`;
  expect(chosen(item)).toBe(item);
  const session = ["/a;jsessionid=1F", "/a?PHPSESSID=4b&sid=2", "/(S(lit3py55t21z5v55vlm25s55))/a"];
  for (const link of session) expect(chosen(link)).toBe("https://site.example/a");
});

/** The store as one service sees it that cannot store this page. Its end leaves the store open. */
function without(path: string, store: JobStore) {
  const failed = Promise.withResolvers<void>();
  const own: Pick<JobStore, "finish" | "close"> = {
    close: () => Promise.resolve(),
    finish(job, outcome) {
      if (outcome.finished[0]?.taken.url.endsWith(path) !== true) return store.finish(job, outcome);
      failed.resolve();
      return Promise.reject(new Error("the service dies"));
    },
  };
  const seen = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(name in own ? own : target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { failed: failed.promise, store: seen };
}

test("the copy of a page is delivered if the service of the page died, and the page has gone at the next visit", async () => {
  const clock = { skippedMs: 0 };
  const store = openSqliteJobs(":memory:", () => Date.now() + clock.skippedMs);
  let visits = 0;
  const load = (url: URL) => {
    if (url.pathname === "/page" && (visits += 1) > 1) return Promise.reject(new LoadStatusError(404, []));
    const content = url.pathname === "/" ? "Home" : "The same text";
    return Promise.resolve(pageAt(url, { content, links: ["/page", "/copy"] }));
  };
  const first = without("/page", store);
  const dying = localService(first.store, load);
  using site = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("", { status: 404 }) });
  const { id } = await dying.add({ urls: [site.url.href], concurrency: 1 });
  await first.failed;
  await dying.close();
  const other = localService(store, load);
  clock.skippedMs += LEASE_MS;
  await until(async () => (await store.find(id))?.state !== "running");
  expect(await store.find(id)).toMatchObject({ state: "completed", delivered: 2, kinds: { "not-found": 1 } });
  await other.close();
});
