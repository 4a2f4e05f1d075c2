import { afterAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { PUBLIC_WEB } from "../egress/guard.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { type Plan } from "./reading/analysis.ts";
import { gather, type Gathered, type GatherRequest } from "./gather.ts";
import { planOf } from "./evidence/plan.ts";
import { article, startMadeWeb } from "./testing/made-web.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_SOURCE_CHARACTERS = 100_000;

setDefaultTimeout(patient(20_000));

const state = createStateFolder();
const web = startMadeWeb(state.path);

afterAll(async () => {
  await web.close();
  state.remove();
});
beforeEach(() => web.reset());

const plan: Plan = {
  ...planOf("Did the ferry sail?", "", 0),
  resolutionSource: undefined,
  queries: ["ferry sailed", "ferry harbour noon"],
};

const asked = new AbortController();
const clock = () => performance.now();

function gathered(request: Partial<GatherRequest> = {}): Promise<Gathered> {
  return gather(
    { plan, hints: [], maxSources: 5, timeMs: patient(10_000), signal: asked.signal, ...request },
    { pages: web.reader, search: web.search, clock },
  );
}

/** Words of a page about its own subject. */
function words(about: string): string {
  return Array.from(
    { length: 12 },
    (_, at) => `The ${about} has a story ${at} that only the ${about} tells, ${about} ${at}.`,
  ).join(" ");
}

/** Publishes pages with different texts, as results in this order. */
function publish(...pages: readonly string[]): void {
  for (const page of pages) web.pages.set(page, words(page.replaceAll("/", " ")));
  web.results = pages;
}

/** The pages of the sources. */
function pagesOf({ sources }: Gathered): string[] {
  return sources.map(
    ({ url }) =>
      Array.from("abcdefghij")
        .map((site) => `/${site}/x`)
        .find((page) => web.address(page) === url) ?? url,
  );
}

test("the best results of all queries are read, up to the maximum number of sources", async () => {
  publish("/a/x", "/b/x", "/c/x", "/d/x");
  web.results = (query) => (query === "ferry sailed" ? ["/a/x", "/b/x"] : ["/b/x", "/c/x", "/d/x"]);
  const found = await gathered({ maxSources: 3 });
  expect(pagesOf(found)).toEqual(["/b/x", "/a/x", "/c/x"]);
  expect([found.searches, found.failedSearches, found.failed, found.copies]).toEqual([2, 0, [], []]);
  expect(web.hits.toSorted()).toEqual(["/a/x", "/b/x", "/c/x"]);
  expect(web.queries.toSorted()).toEqual(["ferry harbour noon", "ferry sailed"]);
});

test("a source has its text, title, language and date", async () => {
  const head = `<meta property="article:published_time" content="2026-03-04T08:00:00Z">`;
  web.pages.set("/a/x", () =>
    article(`${words("ferry")}\nIt <b>left</b> at <a href="/noon">noon</a>.`, { title: "Ferry", head }),
  );
  const { sources } = await gathered({ hints: [`${web.address("/a/x")}#top`] });
  expect(sources).toMatchObject([
    { url: web.address("/a/x"), title: "Ferry", language: "en", published: Date.UTC(2026, 2, 4, 8), isHint: true },
  ]);
  expect(sources[0]?.text).toMatch(/The ferry has a story 0 .*\n\nIt left at noon\.$/s);
});

test("hints are read first, and no page is read twice", async () => {
  publish("/a/x", "/b/x", "/c/x");
  const hints = [web.address("/c/x"), `${web.address("/c/x")}?utm_source=mail`, web.address("/b/x")];
  const found = await gathered({ hints });
  expect(pagesOf(found)).toEqual(["/c/x", "/b/x", "/a/x"]);
  expect(found.sources.map(({ isHint }) => isHint)).toEqual([true, true, false]);
  expect(web.hits.toSorted()).toEqual(["/a/x", "/b/x", "/c/x"]);
});

test("hints beyond the maximum number of sources are read, and nothing is searched then", async () => {
  publish("/a/x", "/b/x", "/c/x", "/d/x");
  const hints = ["/a/x", "/b/x", "/c/x"].map((page) => web.address(page));
  expect(pagesOf(await gathered({ hints, maxSources: 1 }))).toEqual(["/a/x", "/b/x", "/c/x"]);
  expect(web.queries).toEqual([]);
});

test("a result replaces a hint that fails", async () => {
  publish("/a/x", "/b/x");
  const found = await gathered({ hints: [web.address("/c/x")], maxSources: 1 });
  expect(pagesOf(found)).toEqual(["/a/x"]);
  expect(found.failed).toEqual([{ url: web.address("/c/x"), reason: "its server responded with 404" }]);
  expect(found.searches).toBe(2);
});

test("failed pages are reported, and others replace them", async () => {
  publish("/a/x", "/b/x", "/c/x", "/d/x", "/e/x");
  web.pages.delete("/a/x");
  web.pages.set("/b/x", () => new Response("MZ", { headers: { "content-type": "application/octet-stream" } }));
  web.pages.set("/c/x", () => Response.redirect("http://127.0.0.1:1/nowhere", 302));
  const found = await gathered({ maxSources: 2 });
  expect(pagesOf(found)).toEqual(["/d/x", "/e/x"]);
  expect(found.failed).toEqual([
    { url: web.address("/a/x"), reason: "its server responded with 404" },
    { url: web.address("/b/x"), reason: expect.any(String) },
    { url: web.address("/c/x"), reason: "its server does not accept connections" },
  ]);
});

test("replacement pages are bounded", async () => {
  web.results = Array.from({ length: 10 }, (_, at) => `/${"abcdefghij"[at] ?? ""}/gone`);
  const found = await gathered({ maxSources: 1 });
  expect([found.sources.length, found.failed.length, web.hits.length]).toEqual([0, 9, 9]);
});

test("one story on five sites is one source, and others replace the copies", async () => {
  publish("/a/x", "/b/x", "/c/x", "/d/x", "/e/x", "/f/x", "/g/x");
  const wire = `HARBOUR, June 1 (Wire). ${words("wire ferry")}`;
  for (const page of ["/a/x", "/b/x", "/c/x", "/d/x", "/e/x"]) {
    web.pages.set(page, () =>
      article(`${wire}\nOur paper ${page} costs more from Monday on.`, { title: `Paper ${page}` }),
    );
  }
  const found = await gathered({ maxSources: 3 });
  expect(pagesOf(found)).toEqual(["/a/x", "/f/x", "/g/x"]);
  expect(found.copies.toSorted()).toEqual(["/b/x", "/c/x", "/d/x", "/e/x"].map((page) => web.address(page)));
});

test("a hint is kept if a result with the same text arrived first", async () => {
  publish("/a/x", "/b/x");
  web.pages.set("/b/x", async () => {
    await until(() => web.hits.includes("/a/x"));
    return article(words(" a x"));
  });
  const found = await gathered({ hints: [web.address("/b/x")], maxSources: 2 });
  expect(pagesOf(found)).toEqual(["/b/x"]);
  expect(found.copies).toEqual([web.address("/a/x")]);
});

test("the source that the criteria name is read before better results", async () => {
  publish("/a/x", "/b/x", "/c/x");
  const host = new URL(web.address("/c/x")).host;
  const named = { ...plan, resolutionSource: { name: "The harbour", host } };
  expect(pagesOf(await gathered({ plan: named, maxSources: 1 }))).toEqual(["/c/x"]);
});

test("a site with many results leaves room for others", async () => {
  publish("/a/1", "/a/2", "/a/3", "/a/4", "/b/x", "/c/x");
  await gathered({ maxSources: 4 });
  expect(web.hits.toSorted()).toEqual(["/a/1", "/a/2", "/b/x", "/c/x"]);
});

test("a source that never responds and one that never ends do not delay others", async () => {
  publish("/a/x", "/b/x", "/c/x", "/d/x");
  const ended: string[] = [];
  web.pages.set("/a/x", ({ signal }) => {
    signal.addEventListener("abort", () => ended.push("/a/x"));
    return new Promise<Response>(() => undefined);
  });
  web.pages.set("/b/x", ({ signal }) => {
    signal.addEventListener("abort", () => ended.push("/b/x"));
    return trickle();
  });
  const found = await gathered({ timeMs: patient(800) });
  const pages = pagesOf(found);
  expect(pages).toContain("/c/x");
  expect(pages).toContain("/d/x");
  expect(found.failed.map(({ url }) => url)).toContain(web.address("/a/x"));
  // No request continues after the result.
  await until(() => ended.length === 2);
});

test("a gathering that takes all of the time returns the sources so far", async () => {
  web.results = ["/a/x", "/b/x"];
  web.pages.set("/a/x", words("ferry"));
  web.pages.set("/b/x", () => new Promise<Response>(() => undefined));
  const { sources, failed } = await gathered({ timeMs: patient(500) });
  expect(sources.length).toBeLessThanOrEqual(1);
  expect(failed.map(({ url }) => url)).toContain(web.address("/b/x"));
});

test("failed searches are counted, and hints are read nevertheless", async () => {
  publish("/a/x");
  web.searchable = false;
  const found = await gathered({ hints: [web.address("/a/x")] });
  expect([pagesOf(found), found.searches, found.failedSearches]).toEqual([["/a/x"], 0, 2]);
});

test("a client that disconnects ends all requests", async () => {
  let ended = false;
  web.pages.set("/a/x", ({ signal }) => {
    signal.addEventListener("abort", () => (ended = true));
    return new Promise<Response>(() => undefined);
  });
  const client = new AbortController();
  const gathering = gathered({ hints: [web.address("/a/x")], signal: client.signal });
  await until(() => web.hits.length === 1);
  client.abort();
  expect((await gathering).sources).toEqual([]);
  await until(() => ended);
});

test("a document that is too long is not a source, even if its content coding hides its length", async () => {
  const long = Buffer.from(`<p>${words("ferry")}</p>`.repeat(16_000));
  const headers = { "content-type": "text/html" };
  web.pages.set("/a/x", () => new Response(long, { headers }));
  const packed = Bun.gzipSync(long);
  web.pages.set("/b/x", () => new Response(packed, { headers: { ...headers, "content-encoding": "gzip" } }));
  const { sources, failed } = await gathered({ hints: [web.address("/a/x"), web.address("/b/x")], maxSources: 2 });
  expect(sources).toEqual([]);
  expect(failed.map(({ reason }) => reason)).toEqual([
    "it has more than 8388608 bytes",
    expect.stringMatching(/^it has more than 8388608 bytes$|^its content coding hides more than/),
  ]);
});

test("pages at private addresses are not sources, whether hints or results", async () => {
  const outside = startMadeWeb(state.path, PUBLIC_WEB);
  web.pages.set("/a/x", words("ferry"));
  web.results = ["/a/x", "/b/x"];
  outside.results = ["/b/x"];
  const request = {
    plan,
    hints: [web.address("/a/x")],
    maxSources: 2,
    timeMs: patient(10_000),
    signal: asked.signal,
  };
  const reason = "its address is not on the public Internet, or its port is neither 80 nor 443";
  const found = await gather(request, { pages: outside.reader, search: web.search, clock });
  expect(found.failed).toEqual(["/a/x", "/b/x"].map((page) => ({ url: web.address(page), reason })));
  expect([found.sources, found.searches, web.hits]).toEqual([[], 2, []]);
  // Search itself does not return them either.
  const { results } = await outside.search.search({ query: "ferry", count: 5, timeoutMs: patient(10_000) });
  expect(results).toEqual([]);
  await outside.close();
});

test("a long text is cut", async () => {
  web.pages.set("/a/x", words("ferry").repeat(300));
  const { sources } = await gathered({ hints: [web.address("/a/x")] });
  expect(sources[0]?.text).toHaveLength(MAX_SOURCE_CHARACTERS);
});

test("twenty concurrent calls get their own sources, although that is more than the queue can hold", async () => {
  const pages = Array.from("abcdefgh", (site) => `/${site}/x`);
  publish(...pages);
  const all = await Promise.all(
    Array.from({ length: 20 }, () => gathered({ maxSources: pages.length, timeMs: patient(20_000) })),
  );
  const addresses = pages.map((page) => web.address(page)).toSorted();
  for (const { sources, failed } of all) {
    // On a busy machine a page may exceed its time.
    expect([...sources, ...failed].map(({ url }) => url).toSorted()).toEqual(addresses);
  }
  expect(all.flatMap(({ sources }) => sources).length).toBeGreaterThan(0);
  // Equal searches of several callers are joined.
  expect(web.queries.length).toBeLessThan(40);
});

/** An article that never ends. */
function trickle(): Response {
  let sent = 0;
  const stream = new ReadableStream({
    async pull(controller) {
      if (sent > 0) await Bun.sleep(20);
      controller.enqueue(new TextEncoder().encode(`<p>It goes on for paragraph ${sent} of the endless page.</p>`));
      sent += 1;
    },
  });
  return new Response(stream, { headers: { "content-type": "text/html" } });
}
