import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { type ContentService } from "../service.ts";
import { baseUrl, call } from "../testing/client.ts";
import { startLocalService, startTestService, type TestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const pageCache = { maxBytes: 10_000_000, hitPrice: 20 };
const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const html = (text: string) =>
  `<!doctype html><html lang="en"><head><title>Tides</title></head><body><article><h1>Tides</h1><p>${text}</p><p>${WORDS}</p></article></body></html>`;

let made: TestService;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  made = await startTestService({ pageCache });
});
afterAll(() => made.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Answer = (request: Request, count: number) => Response | Promise<Response>;

/** A site whose page has the number of the request in its text, with the fields of `answer`. */
function serve(answer: Answer) {
  const seen: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      seen.push(request);
      return answer(request, seen.length);
    },
  });
  closing.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}/`, seen };
}

const numbered =
  (headers: Readonly<Record<string, string>> = {}, status = 200): Answer =>
  (_, count) =>
    new Response(html(`Number${count}.`), { status, headers: { "content-type": "text/html", ...headers } });

async function read(url: string, more: Readonly<Record<string, unknown>> = {}, service: ContentService = made.service) {
  const { status, headers, json } = await call(service, "/read", {
    url,
    max_age: 3_600,
    engine: "static",
    timeout: 120,
    ...more,
  });
  // The API's description defines this shape.
  const { content, metadata = {} } = json as { content?: string; metadata?: Readonly<Record<string, unknown>> };
  const number = /Number(\d+)/.exec(content ?? "")?.[1];
  return { status, headers, metadata, number: number === undefined ? undefined : Number(number) };
}

describe("max_age", () => {
  test("serves a page that was loaded for another, says its age, and charges the price of a hit", async () => {
    const { url, seen } = serve(numbered());
    const first = await read(url);
    expect([first.number, first.metadata["cached"], first.headers.get("settlement-overrides")]).toEqual([
      1,
      undefined,
      null,
    ]);
    const { number, metadata, headers } = await read(`${url}#part`);
    expect(number).toBe(1);
    expect(metadata).toMatchObject({ cached: true, age: expect.any(Number), engine: "static", title: "Tides" });
    expect(headers.get("settlement-overrides")).toBe('{"amount":"20%"}');
    expect(seen).toHaveLength(1);
    expect((await read(url, { max_age: undefined })).number).toBe(2);
    // Pages of calls without max_age are not shared.
    expect((await read(url)).number).toBe(1);
    expect((await read(url, { max_age: 0 })).number).toBe(3);
    expect((await read(url)).number).toBe(3);
  });

  test("shares pages of scrape and batch, each format by itself", async () => {
    const { url, seen } = serve(numbered());
    const shape = { format: "text", max_age: 60, engine: "static", timeout: 120 };
    await call(made.service, "/scrape", { url, ...shape });
    const { json } = await call(made.service, "/batch", { urls: [url, `${url}other`], ...shape });
    const results = json["results"] as { metadata: Readonly<Record<string, unknown>>; content: string }[];
    expect(results.map(({ metadata }) => metadata["cached"])).toEqual([true, undefined]);
    expect(results[0]?.content).toContain("Number1.");
    expect(seen).toHaveLength(2);
  });

  test("shares pages of crawls, which still ask robots.txt", async () => {
    const { url, seen } = serve((request, count) =>
      request.url.endsWith("/robots.txt") ? new Response("", { status: 404 }) : numbered()(request, count),
    );
    const crawled = async (more: object) => {
      const order = { urls: [url], sitemap: "skip", engine: "static", max_age: 60, ...more };
      const { json: job } = await call(made.service, "/crawl", order);
      const headers = { accept: "application/x-ndjson", "x-job-secret": String(job["secret"]) };
      const results = await fetch(`${baseUrl(made.service)}${String(job["results"])}`, { headers });
      const [result = ""] = (await results.text()).split("\n");
      const { content, metadata } = JSON.parse(result) as { content: string; metadata: object };
      return [/Number(\d+)/.exec(content)?.[1], "cached" in metadata];
    };
    expect(await crawled({ private: true })).toEqual(["2", false]);
    // The first crawl also asked for robots.txt and tdmrep.json.
    expect(await crawled({})).toEqual(["4", false]);
    expect(await crawled({})).toEqual(["4", true]);
    expect(seen).toHaveLength(4);
  });

  test("a crawl that is paid by its pages costs the price of hits for pages of the cache", async () => {
    const { url } = serve((request, count) =>
      request.url.endsWith("/robots.txt") ? new Response("", { status: 404 }) : numbered()(request, count),
    );
    const fields = {
      "settlement-deferral": JSON.stringify({ until: Math.ceil(Date.now() / 1_000) + 3_600 }),
      "turnpike-amount": "10000",
      "turnpike-asset": "0xtoken",
      "turnpike-network": "eip155:84532",
      "turnpike-payer": "0xpayer",
      "turnpike-payment-id": "0x1",
    };
    const order = { urls: [url], limit: 10, sitemap: "skip", engine: "static", max_age: 60, timeout: 120 };
    const { json: first } = await call(made.service, "/crawl", order);
    const ask = async (
      { json, path }: { json: typeof first; path: "results" | "status" },
      more: Record<string, string> = {},
    ) => {
      const asked = { headers: { ...more, "x-job-secret": String(json["secret"]) } };
      return await fetch(`${baseUrl(made.service)}${String(json[path])}`, asked);
    };
    // The stream ends with the job.
    await (await ask({ json: first, path: "results" }, { accept: "application/x-ndjson" })).text();
    const { headers, json } = await call(made.service, "/crawl", order, fields);
    const { path } = JSON.parse(headers.get("settlement-deferral") ?? "{}") as { path: string };
    const say = async (paid: string) => (await call(made.service, path, { paid })).json;
    await until(async () => (await say("0"))["ended"] === true);
    expect(await say("0")).toEqual({ due: "200", ended: true });
    await say("199");
    expect(await (await ask({ json, path: "results" })).json()).toMatchObject({ results: [] });
    await say("200");
    expect(await (await ask({ json, path: "results" })).json()).toMatchObject({
      results: [{ metadata: { cached: true } }],
    });
    expect(await (await ask({ json, path: "status" })).json()).toMatchObject({
      delivered: 1,
      cost: { due: "200", paid: "200", saved: "800", paid_pages: 1 },
    });
  });

  test("a page of the browser is shared with what its scripts made", async () => {
    const { url, seen } = serve(({ url: asked }) => {
      if (!asked.endsWith("/")) return new Response("", { status: 404 });
      const script = `document.querySelector("p").textContent = "Number" + 7 + ". ${WORDS}"`;
      return new Response(html("").replace("</body>", `<script>${script}</script></body>`), {
        headers: { "content-type": "text/html" },
      });
    });
    const first = await read(url, { engine: "auto" });
    expect([first.number, first.metadata["engine"]]).toEqual([7, "browser"]);
    const before = seen.length;
    const second = await read(url, { engine: "auto" });
    expect([second.number, second.metadata["engine"], second.metadata["cached"]]).toEqual([7, "browser", true]);
    expect(seen).toHaveLength(before);
  });

  const NEVER: readonly (readonly [what: string, answer: Answer, more?: object])[] = [
    ["sets a cookie", numbered({ "set-cookie": "a=b" })],
    ["says no-store", numbered({ "cache-control": "max-age=60, No-Store" })],
    ["says private", numbered({ "cache-control": 'private="x"' })],
    ["varies with everything", numbered({ vary: "Accept, *" })],
    ["varies with cookies", numbered({ vary: "Cookie" })],
    ["varies with a field that is not in the key", numbered({ vary: "X-Forwarded-For" })],
    ["is an error that the caller accepts", numbered({}, 404), { accept_status: "any" }],
    ["is private to the caller", numbered(), { private: true }],
  ];
  test.each(NEVER)("never shares a page that %s", async (_, answer, more = {}) => {
    const { url } = serve(answer);
    expect([(await read(url, { ...more })).number, (await read(url, { ...more })).number]).toEqual([1, 2]);
  });

  test("never shares a page behind a redirect that sets a cookie or is private", async () => {
    for (const headers of [{ "set-cookie": "a=b" }, { "cache-control": "private" }]) {
      const { url, seen } = serve((request, count) =>
        request.url.endsWith("/to")
          ? numbered()(request, count)
          : new Response("", { status: 302, headers: { location: "/to", ...headers } }),
      );
      await read(url);
      await read(url);
      expect(seen.length).toBe(4);
    }
  });

  test("a redirect leaves no page at its target, nor another user agent's page at the same address", async () => {
    const target = serve(numbered());
    const { url } = serve(() => new Response("", { status: 302, headers: { location: target.url } }));
    expect((await read(url)).number).toBe(1);
    expect((await read(url)).metadata).toMatchObject({ cached: true, final_url: target.url });
    expect((await read(target.url)).number).toBe(2);
    expect((await read(target.url, { user_agent: "evil" })).number).toBe(3);
    expect((await read(target.url)).number).toBe(2);
  });

  test("loads a page once for callers at once, and for each if it is not for all", async () => {
    for (const [headers, hits] of [
      [{}, 1],
      [{ "set-cookie": "a=b" }, 5],
    ] as const) {
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const { url, seen } = serve(async (request, count) => {
        begun.resolve();
        await gate.promise;
        return await numbered(headers)(request, count);
      });
      const first = read(url);
      await begun.promise;
      const others = Array.from({ length: 4 }, () => read(url));
      gate.resolve();
      expect((await Promise.all([first, ...others])).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(seen).toHaveLength(hits);
    }
  });

  test("asks the server whether an old page has changed", async () => {
    let edition = '"one"';
    const { url, seen } = serve((request, count) =>
      request.headers.get("if-none-match") === edition
        ? new Response(null, { status: 304 })
        : numbered({ etag: edition, "last-modified": "Mon, 01 Jun 2026 10:00:00 GMT" })(request, count),
    );
    expect((await read(url)).number).toBe(1);
    const confirmed = await read(url, { max_age: 0 });
    expect([confirmed.number, confirmed.metadata["cached"], seen.length]).toEqual([1, undefined, 2]);
    expect(seen[1]?.headers.get("if-modified-since")).toBe("Mon, 01 Jun 2026 10:00:00 GMT");
    edition = '"two"';
    expect((await read(url, { max_age: 0 })).number).toBe(3);
    expect((await read(url)).number).toBe(3);
  });

  const ONE = { etag: 'W/"one"', "last-modified": "Mon, 01 Jun 2026 10:00:00 GMT" };
  const LIARS: readonly (readonly [
    what: string,
    fields: Readonly<Record<string, string>>,
    number: number,
    requests: number,
  ])[] = [
    ["confirms a weak ETag as a strong one", { etag: '"one"' }, 1, 2],
    ["names no version", {}, 1, 2],
    ["names another ETag", { etag: '"two"', "last-modified": ONE["last-modified"] }, 3, 3],
    ["names a later date", { "last-modified": "Mon, 01 Jun 2026 10:00:01 GMT" }, 3, 3],
  ];
  test.each(LIARS)("loads a page again only if its response 304 is about another one: it %s", async (...given) => {
    const [, fields, number, requests] = given;
    const { url, seen } = serve((request, count) =>
      request.headers.has("if-none-match")
        ? new Response(null, { status: 304, headers: fields })
        : numbered(ONE)(request, count),
    );
    await read(url);
    expect([(await read(url, { max_age: 0 })).number, seen.length]).toEqual([number, requests]);
    expect((await read(url)).number).toBe(number);
  });

  test("an unconditional request that gets 304 is an error, even if an old page is known", async () => {
    const { url, seen } = serve((request, count) =>
      count === 1 ? numbered()(request, count) : new Response(null, { status: 304 }),
    );
    expect((await read(url)).number).toBe(1);
    const { status, number } = await read(url, { max_age: 0 });
    expect([status, number, seen.length]).toEqual([500, undefined, 2]);
    const target = serve(() => new Response(null, { status: 304 }));
    const moving = serve((request, count) =>
      count === 1
        ? numbered(ONE)(request, count)
        : new Response(null, { status: 302, headers: { location: target.url } }),
    );
    expect((await read(moving.url)).number).toBe(1);
    expect((await read(moving.url, { max_age: 0 })).status).toBe(500);
  });

  test("a confirmed page gets the fields of the response 304, and leaves the cache if it is no longer for all", async () => {
    const { url, seen } = serve((request, count) =>
      request.headers.has("if-none-match")
        ? new Response(null, { status: 304, headers: count === 2 ? { etag: '"one"' } : { vary: "Cookie" } })
        : numbered(ONE)(request, count),
    );
    await read(url);
    await read(url, { max_age: 0 });
    await read(url, { max_age: 0 });
    expect(seen[2]?.headers.get("if-none-match")).toBe('"one"');
    expect((await read(url)).number).toBe(4);
  });

  test("a page that is no longer for all leaves the cache", async () => {
    const { url } = serve((request, count) =>
      numbered(count === 1 ? {} : { "cache-control": "no-store" })(request, count),
    );
    expect((await read(url)).number).toBe(1);
    expect((await read(url, { max_age: 0 })).number).toBe(2);
    expect((await read(url)).number).toBe(3);
  });

  test("another service with the same state folder serves the same pages", async () => {
    const { url } = serve(numbered());
    expect((await read(url)).number).toBe(1);
    const other = await startLocalService(made.state.path, { pageCache });
    closing.push(() => other.close());
    expect((await read(url, {}, other)).metadata).toMatchObject({ cached: true });
    const without = await startLocalService(made.state.path);
    closing.push(() => without.close());
    expect((await read(url, {}, without)).number).toBe(2);
  });
});
