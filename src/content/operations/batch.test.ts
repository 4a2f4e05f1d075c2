import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { baseUrl, call } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";
import { startSite } from "../testing/site.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

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
  readonly format: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly error_type?: string;
}

// The API's description defines this shape.
const resultsOf = (json: Readonly<Record<string, unknown>>) => json["results"] as Result[];

test("returns every page in the requested order, with an error in place of those that fail", async () => {
  const urls = [page("/article"), "http://127.0.0.1:1/", page("/emoji"), "ftp://127.0.0.1/", page("/missing")];
  const { status, headers, json } = await batch({ urls, format: "text" });
  expect(status).toBe(200);
  const results = resultsOf(json);
  expect(results.map(({ url }) => url)).toEqual(urls);
  expect(results.map(({ content }) => content.slice(0, 4))).toEqual(["Home", "", "a😀b", "", ""]);
  expect(results.map((result) => result.error_type)).toEqual([
    undefined,
    "urn:turnpike:error:page-failed",
    undefined,
    "urn:turnpike:error:address-refused",
    "urn:turnpike:error:page-failed",
  ]);
  expect(results[1]?.error).toBe("Cannot load the page: its server does not accept connections");
  expect(results[4]).toEqual({
    url: page("/missing"),
    format: "text",
    content: "",
    metadata: { content_length: 0, elapsed_ms: expect.any(Number), truncated: false, status: 404 },
    error: "Cannot load the page: its server responded with 404",
    error_type: "urn:turnpike:error:page-failed",
  });
  expect(results.map(({ metadata }) => metadata["truncated"])).toEqual([false, false, false, false, false]);
  expect(headers.get("settlement-overrides")).toBeNull();
  expect(json["total_time_ms"]).toBeNumber();
});

test("cuts each result separately, and returns the script's result for each page", async () => {
  const cut = await batch({ urls: [page("/emoji"), page("/article")], format: "text", max_length: 2 });
  expect(resultsOf(cut.json).map(({ content }) => content)).toEqual(["a😀", "Ho"]);
  const urls = [page("/article"), page("/emoji")];
  const evaluated = await batch({ urls, evaluate: "document.title" });
  expect(resultsOf(evaluated.json).map(({ content }) => content)).toEqual(["Toll roads - The Daily", "Test"]);
});

test("a URL that is listed twice is loaded once, and has two results", async () => {
  const urls = ["/twice", "/once", "/./twice"].map(page);
  const { json } = await batch({ urls, format: "text" });
  expect(resultsOf(json).map(({ url, content }) => [url, content])).toEqual([
    [urls[0] ?? "", "/twice"],
    [urls[1] ?? "", "/once"],
    [urls[2] ?? "", "/twice"],
  ]);
  expect(site.hits.filter((hit) => hit === "/twice")).toHaveLength(1);
});

test("pages that never end delay neither the others nor another client's page", async () => {
  const stuck = Array.from({ length: 19 }, (_, n) => page(`/never?${n}`));
  const loaded = async (timeout: number) => {
    const response = batch({ urls: [page("/emoji"), ...stuck], format: "text", timeout, engine: "browser" });
    await site.hit("/never");
    const shape = { format: "text", engine: "browser", timeout: 60 };
    const other = await call(service, "/scrape", { url: page("/emoji"), ...shape });
    expect([other.status, other.json["content"]]).toEqual([200, "a😀b😀"]);
    const results = resultsOf((await response).json);
    expect(new Set(results.slice(1).map((result) => result.error_type))).toEqual(
      new Set(["urn:turnpike:error:page-timeout"]),
    );
    return results[0]?.content;
  };
  // The timeout of a batch is that of all its pages, and a busy machine may not load any within a second.
  const seconds = [1, 4, 16].values();
  let content = "";
  for (const timeout of seconds) if ((content = (await loaded(timeout)) ?? "") !== "") break;
  expect(content).toBe("a😀b😀");
});

test.each<[what: string, body: Record<string, unknown>, types: string[]]>([
  ["one way", { urls: ["http://127.0.0.1:1/"] }, ["page-failed"]],
  ["another", { urls: [page("/never?a"), page("/never?b")], timeout: 1 }, ["page-timeout", "page-timeout"]],
  ["several ways", { urls: ["http://127.0.0.1:1/", "ftp://127.0.0.1/"] }, ["page-failed", "address-refused"]],
  ["their script", { urls: [page("/emoji"), page("/article")], evaluate: "((" }, Array(2).fill("invalid-parameters")],
])("if every page fails %s, the response has a result for each and is free of charge", async (...given) => {
  const [, body, types] = given;
  const { status, headers, json } = await batch(body);
  expect([status, headers.get("settlement-overrides")]).toEqual([200, '{"amount":"0"}']);
  const results = resultsOf(json);
  expect(results.map(({ error_type: type }) => type)).toEqual(types.map((type) => `urn:turnpike:error:${type}`));
  expect(results.map(({ content, metadata }) => [content, metadata["content_length"]])).toEqual(
    types.map(() => ["", 0]),
  );
});

test("accepts error statuses for all pages of a batch", async () => {
  const { json } = await batch({ urls: [page("/missing")], format: "text", accept_status: [404] });
  expect(resultsOf(json)).toMatchObject([{ content: "Gone", metadata: { status: 404 } }]);
});

test("parameters that suit no page are rejected", async () => {
  const { status, json } = await batch({ urls: [page("/emoji")], engine: "static", selector: "p" });
  expect([status, json["errors"]]).toEqual([
    400,
    [{ path: "selector", message: 'is not allowed with "engine": "static"' }],
  ]);
});

test("twenty results of the longest content that can be requested fit, in any JSON form", async () => {
  const urls = Array.from({ length: 20 }, () => page("/emoji"));
  // JSON writes each of these characters in six bytes.
  const evaluate = String.raw`"\u0001".repeat(1_000_001)`;
  const { status, json } = await batch({ urls, evaluate, max_length: 1_000_000 });
  expect(status).toBe(200);
  const results = resultsOf(json);
  expect(results.map(({ error, content }) => [error, content.length])).toEqual(urls.map(() => [undefined, 1_000_000]));
});

test("a client that leaves cancels all its pages", async () => {
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
  // All places are free again at once.
  const next = await batch({ urls: [page("/emoji"), page("/article")], engine: "browser", timeout: 10 });
  expect(resultsOf(next.json).map(({ error }) => error)).toEqual([undefined, undefined]);
  const asked = site.hits.filter((hit) => hit.startsWith("/never?leaving")).length;
  expect(asked).toBeLessThan(20);
});

test("with async, loads many addresses as a job that only its secret can read and cancel", async () => {
  const urls = Array.from({ length: 21 }, (_, at) => `${page("/article")}?${at}`);
  const failing = [page("/missing"), "ftp://127.0.0.1/"];
  const started = await batch({ urls: [...urls, ...failing, page("/article?0")], async: true, format: "text" });
  expect(started.status).toBe(202);
  const [id, secret] = [String(started.json["id"]), String(started.json["secret"])];
  expect(started.json).toMatchObject({ status: `/batch/${id}`, results: `/batch/${id}/results` });
  const headers = { accept: "application/x-ndjson", "x-job-secret": secret };
  const text = await (await fetch(`${baseUrl(service)}/batch/${id}/results`, { headers })).text();
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Result & { job?: unknown; kind?: string });
  expect(lines.pop()?.job).toMatchObject({
    state: "completed",
    limit: 23,
    delivered: 21,
    failed: 2,
    not_delivered: { "not-found": 1, "address-refused": 1 },
  });
  const [bad, good] = [lines.filter(({ error }) => error !== undefined), lines.filter(({ content }) => content)];
  expect(good.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
  expect(good.map(({ content }) => content.slice(0, 4))).toEqual(urls.map(() => "Home"));
  expect(new Map(bad.map(({ url, kind }) => [url, kind]))).toEqual(
    new Map([
      [page("/missing"), "not-found"],
      ["ftp://127.0.0.1/", "address-refused"],
    ]),
  );
  const other = await fetch(`${baseUrl(service)}/batch/${id}`, { headers: { "x-job-secret": `${secret}x` } });
  expect(other.status).toBe(404);
  expect((await batch({ urls, format: "text" })).status).toBe(400);
});
