import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { baseUrl } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let made: TestService;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  made = await startTestService({ pageCache: { maxBytes: 0, hitPrice: 100, versionBytes: 10_000_000 } });
});
afterAll(() => made.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const html = (text: string, links = "") =>
  `<!doctype html><html lang="en"><head><title>Tides</title></head><body><article><h1>Tides</h1><p>${text}</p><p>${WORDS}</p>${links}</article></body></html>`;

/** A site whose pages a test changes. An address without a page is not found. */
function serve(pages: Record<string, string>, headers: Record<string, string> = {}) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const body = pages[new URL(request.url).pathname];
      const type = body?.startsWith("{") === true ? "application/json" : "text/html";
      return body === undefined
        ? new Response("", { status: 404 })
        : new Response(body, { headers: { "content-type": type, ...headers } });
    },
  });
  closing.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

interface Report {
  readonly state: string;
  readonly compared_with?: string;
  readonly diff?: string;
  readonly fields?: unknown;
}

async function call(path: string, body: object, payer = "") {
  const response = await fetch(baseUrl(made.service) + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(payer === "" ? {} : { "turnpike-payer": payer }) },
    body: JSON.stringify({ engine: "static", timeout: 120, ...body }),
  });
  // The API's description defines these shapes.
  const json = (await response.json()) as Record<string, unknown> & { changes?: Report };
  return { status: response.status, charge: response.headers.get("settlement-overrides"), json, changes: json.changes };
}

test("says whether a page is new, the same, changed or removed, and what has changed", async () => {
  const pages: Record<string, string> = { "/": html("Low water at noon.") };
  const url = `${serve(pages)}/`;
  const watched = (changes: object = {}) => call("/scrape", { url, changes });
  expect((await watched()).changes).toEqual({ state: "new" });
  const same = (await watched()).changes;
  expect(same).toEqual({ state: "same", compared_with: expect.any(String) });
  pages["/"] = html("Low water at six.");
  const { changes } = await watched();
  expect(changes).toMatchObject({ state: "changed", compared_with: same?.compared_with });
  expect(changes?.diff).toContain("\n-Low water at noon.\n+Low water at six.\n");
  expect((await watched()).changes?.state).toBe("same");
  expect((await watched({ since: same?.compared_with })).changes?.state).toBe("changed");
  expect((await watched({ since: "2020-01-01T00:00:00Z" })).changes).toEqual({ state: "new" });
  expect((await call("/scrape", { url, format: "text", changes: {} })).changes).toEqual({ state: "new" });
  delete pages["/"];
  const gone = await watched();
  expect([gone.status, gone.json["content"], gone.charge, gone.changes?.state]).toEqual([
    200,
    "",
    '{"amount":"0%"}',
    "removed",
  ]);
  expect((await call("/scrape", { url })).status).toBe(500);
});

test("clients with names have versions of their own, and others get none of a page that is not for all", async () => {
  const pages: Record<string, string> = { "/": html("One.") };
  const open = `${serve(pages)}/`;
  const closed = `${serve(pages, { "cache-control": "no-store" })}/`;
  const states = async (url: string, payer: string) => {
    const [first, second] = [
      await call("/read", { url, changes: {} }, payer),
      await call("/read", { url, changes: {} }, payer),
    ];
    return [first.changes?.state, second.changes?.state];
  };
  expect(await states(open, "0xa")).toEqual(["new", "same"]);
  expect(await states(open, "0xb")).toEqual(["new", "same"]);
  expect(await states(open, "")).toEqual(["new", "same"]);
  expect(await states(closed, "")).toEqual(["new", "new"]);
  expect(await states(closed, "0xa")).toEqual(["new", "same"]);
  expect((await call("/read", { url: open, changes: {}, private: true }, "0xa")).changes?.state).toBe("same");
  expect((await call("/read", { url: open, changes: {}, private: true })).status).toBe(400);
});

test("lists the changed members of JSON", async () => {
  const pages: Record<string, string> = { "/": '{"price":{"eur":5},"tags":["a"],"old":1}' };
  const url = `${serve(pages)}/`;
  const watched = () => call("/scrape", { url, format: "text", changes: { mode: "fields" } });
  await watched();
  pages["/"] = '{"price":{"eur":6},"tags":["a","b/c"],"~/":null}';
  expect((await watched()).changes?.fields).toEqual([
    { path: "/price/eur", before: 5, after: 6 },
    { path: "/tags/1", after: "b/c" },
    { path: "/old", before: 1 },
    { path: "/~0~1", after: null },
  ]);
});

test("each page of a batch is compared, and a removed one stays an error", async () => {
  const pages: Record<string, string> = { "/a": html("A."), "/b": html("B.") };
  const origin = serve(pages);
  const states = async () => {
    const { json } = await call("/batch", { urls: [`${origin}/a`, `${origin}/b`], changes: {} });
    const results = json["results"] as { changes?: Report; error?: string }[];
    return results.map(({ changes, error }) => [changes?.state, error !== undefined]);
  };
  expect(await states()).toEqual([
    ["new", false],
    ["new", false],
  ]);
  pages["/a"] = html("Another.");
  delete pages["/b"];
  expect(await states()).toEqual([
    ["changed", false],
    ["removed", true],
  ]);
});

test("a crawl with only_changed delivers new and changed pages, and counts the others", async () => {
  const links = '<a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>';
  const pages: Record<string, string> = { "/": html("Home.", links), "/a": html("A page."), "/b": html("B page.") };
  const origin = serve(pages);
  const crawl = async (more: object) => {
    const order = { urls: [origin], sitemap: "skip", near_duplicates: "deliver", only_changed: true, ...more };
    const { json: job } = await call("/crawl", order, "0xa");
    const headers = { accept: "application/x-ndjson", "x-job-secret": String(job["secret"]) };
    const lines = await (await fetch(`${baseUrl(made.service)}${String(job["results"])}`, { headers })).text();
    const results = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown> & { changes?: Report });
    const { not_delivered: counts } = (results.pop() ?? {})["job"] as { not_delivered: unknown };
    const pathsOf = (all: typeof results) =>
      all.map(({ url, changes }) => `${new URL(String(url)).pathname} ${changes?.state ?? ""}`).toSorted();
    return {
      counts,
      delivered: pathsOf(results.filter((result) => "content" in result)),
      removed: pathsOf(results.filter(({ kind }) => kind === "removed")),
    };
  };
  const first = await crawl({});
  expect(first).toEqual({ counts: { "not-found": 1 }, delivered: ["/ ", "/a ", "/b "], removed: [] });
  pages["/b"] = html("B page, which is longer now.");
  pages["/c"] = html("C page.");
  expect(await crawl({ changes: {} })).toEqual({
    counts: { unchanged: 2 },
    delivered: ["/b changed", "/c new"],
    removed: [],
  });
  expect(await crawl({})).toEqual({ counts: { unchanged: 4 }, delivered: [], removed: [] });
  delete pages["/b"];
  const last = await crawl({});
  expect(last).toEqual({ counts: { unchanged: 3, removed: 1 }, delivered: [], removed: ["/b removed"] });
});
