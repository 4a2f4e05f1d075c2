import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { baseUrl, call } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";
import { startSite } from "../testing/site.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(60_000);

const site = startSite();
const { service, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.close();
});

const batch = (body: Record<string, unknown>) => call(service, "/batch", body);
const page = (path: string) => `${site.url}${path}`;

interface Result {
  readonly url: string;
  readonly content?: string;
  readonly error?: string;
  readonly error_type?: string;
}

// What the API's description says of the answer.
const resultsOf = (json: Readonly<Record<string, unknown>>) => json["results"] as Result[];

test("gives every page in the order asked for, with an error in place of those that fail", async () => {
  const urls = [page("/article"), "http://127.0.0.1:1/", page("/emoji"), "ftp://127.0.0.1/", page("/missing")];
  const { status, json } = await batch({ urls, format: "text" });
  expect(status).toBe(200);
  const results = resultsOf(json);
  expect(results.map(({ url }) => url)).toEqual(urls);
  expect(results.map(({ content }) => content?.slice(0, 4))).toEqual(["Home", undefined, "a😀b", undefined, "Gone"]);
  expect(results.map((result) => result.error_type)).toEqual([
    undefined,
    "urn:turnpike:error:page-failed",
    undefined,
    "urn:turnpike:error:address-refused",
    undefined,
  ]);
  expect(results[1]?.error).toBe("Cannot load the page: its server does not accept connections");
  expect(results[4]).toMatchObject({ format: "text", metadata: { status_code: 404, truncated: false } });
  expect(json["total_time_ms"]).toBeNumber();
});

test("cuts each result by itself, and gives what a script finds on each page", async () => {
  const cut = await batch({ urls: [page("/emoji"), page("/article")], format: "text", max_length: 2 });
  expect(resultsOf(cut.json).map(({ content }) => content)).toEqual(["a😀", "Ho"]);
  const urls = [page("/article"), page("/emoji")];
  const evaluated = await batch({ urls, evaluate: "document.title" });
  expect(resultsOf(evaluated.json).map(({ content }) => content)).toEqual(["Toll roads - The Daily", "Test"]);
});

test("an address that is named twice is loaded once, and answered twice", async () => {
  const urls = ["/twice", "/once", "/./twice"].map(page);
  const { json } = await batch({ urls, format: "text" });
  expect(resultsOf(json).map(({ url, content }) => [url, content])).toEqual([
    [urls[0] ?? "", "/twice"],
    [urls[1] ?? "", "/once"],
    [urls[2] ?? "", "/twice"],
  ]);
  expect(site.hits.filter((hit) => hit === "/twice")).toHaveLength(1);
});

test("pages that never end hold up neither the others nor another client's page", async () => {
  const stuck = Array.from({ length: 19 }, (_, n) => page(`/never?${n}`));
  const answer = batch({ urls: [page("/emoji"), ...stuck], format: "text", timeout: 3, engine: "browser" });
  await site.hit("/never");
  const other = await call(service, "/scrape", { url: page("/emoji"), format: "text", engine: "browser", timeout: 2 });
  expect([other.status, other.json["content"]]).toEqual([200, "a😀b😀"]);
  const results = resultsOf((await answer).json);
  expect(results[0]?.content).toBe("a😀b😀");
  expect(new Set(results.slice(1).map((result) => result.error_type))).toEqual(
    new Set(["urn:turnpike:error:page-timeout"]),
  );
});

test("where every page fails the answer is an error, of their kind or of all kinds", async () => {
  const one = await batch({ urls: ["http://127.0.0.1:1/"] });
  expect([one.status, one.json["detail"]]).toEqual([
    502,
    "Cannot load the page: its server does not accept connections",
  ]);
  const late = await batch({ urls: [page("/never?a"), page("/never?b")], timeout: 1 });
  expect(late.json).toMatchObject({ type: "urn:turnpike:error:page-timeout", status: 504 });
  const mixed = await batch({ urls: ["http://127.0.0.1:1/", "ftp://127.0.0.1/"] });
  expect(mixed.json).toMatchObject({
    type: "urn:turnpike:error:page-failed",
    detail: "Cannot load any of the 2 pages",
    errors: [{ path: "urls.0" }, { path: "urls.1" }],
  });
  const script = await batch({ urls: [page("/emoji"), page("/article")], evaluate: "((" });
  expect(script.json).toMatchObject({ status: 400, errors: [{ path: "evaluate" }] });
});

test("a client that leaves takes all its pages along", async () => {
  const leaving = new AbortController();
  const urls = Array.from({ length: 20 }, (_, n) => page(`/never?leaving${n}`));
  const left = fetch(`${baseUrl(service)}/batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ urls, engine: "browser", timeout: 60 }),
    signal: leaving.signal,
  }).catch(() => "left");
  await site.hit("/never?leaving");
  leaving.abort();
  expect(await left).toBe("left");
  // Every place is free again at once.
  const next = await batch({ urls: [page("/emoji"), page("/article")], engine: "browser", timeout: 10 });
  expect(resultsOf(next.json).map(({ error }) => error)).toEqual([undefined, undefined]);
  const asked = site.hits.filter((hit) => hit.startsWith("/never?leaving")).length;
  expect(asked).toBeLessThan(20);
});
