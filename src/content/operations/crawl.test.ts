import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { patient } from "../../lib/testing/patience.ts";
import { baseUrl, call } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let made: TestService;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  made = await startTestService();
});
afterAll(() => made.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Pages = Readonly<Record<string, string | ((request: Request) => Response)>>;

const html = (title: string, ...links: string[]) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><article><h1>${title}</h1>
  <p>${`The page ${title} tells of high water at the harbour, which comes twice a day. `.repeat(6)}</p>
  ${links.map((href) => `<a href="${href}">to ${href}</a>`).join(" ")}</article></body></html>`;

const head = (robots: string, body: string) => body.replace("<head>", `<head><meta name="robots" content="${robots}">`);
const redirect = (to: string) => () => new Response(null, { status: 302, headers: { location: to } });

const story = (seed: number) =>
  Array.from({ length: 200 }, (_, n) => `word${Math.imul(n + seed, 2_654_435_761) >>> 20}`).join(" ");
const menu = (from: number) => Array.from({ length: 20 }, (_, n) => `<a href="/a">item ${from + n}</a>`).join(" ");
const told = (from: number, text: string) => html(text.slice(0, 9), "/a", "/b", "/c", "/?sort=age") + menu(from) + text;

/** A site with these pages. `ORIGIN` in a text is its address. */
function serve(pages: Pages, otherwise?: (path: string) => string | undefined) {
  const hits: string[] = [];
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request): Response {
      const { pathname, search } = new URL(request.url);
      hits.push(pathname + search);
      const file = pages[pathname + search] ?? pages[pathname] ?? otherwise?.(pathname + search);
      if (file === undefined) return new Response("", { status: 404 });
      if (typeof file === "function") return file(request);
      const type = file.startsWith("<!doctype") ? "text/html" : "text/plain";
      return new Response(file.replaceAll("ORIGIN", origin), { headers: { "content-type": type } });
    },
  });
  const origin: string = `http://127.0.0.1:${server.port}`;
  closing.push(() => server.stop(true));
  return { origin, hits };
}

interface Started {
  readonly id: string;
  readonly secret: string;
  readonly status: string;
  readonly results: string;
}

interface State {
  readonly state: string;
  readonly reason?: string;
  readonly delivered: number;
  readonly failed: number;
  readonly waiting: number;
  readonly not_delivered: Readonly<Record<string, number>>;
}

interface Result {
  readonly number: number;
  readonly url: string;
  readonly depth: number;
  readonly content?: string;
  readonly metadata?: { readonly title?: string; readonly status?: number };
  readonly kind?: string;
  readonly error?: string;
}

async function start(body: object): Promise<Started> {
  const response = await call(made.service, "/crawl", { sitemap: "skip", ...body });
  expect(response.status).toBe(202);
  return response.json as unknown as Started;
}

function about(job: Started, path = job.status, init: RequestInit = {}): Promise<Response> {
  const headers = { "x-job-secret": job.secret, ...(init.headers as Record<string, string> | undefined) };
  return fetch(baseUrl(made.service) + path, { ...init, headers });
}

/** Follows the job to its end: its results in order, and its state. */
async function finished(job: Started): Promise<{ results: Result[]; state: State }> {
  const response = await about(job, job.results, { headers: { accept: "application/x-ndjson" } });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const lines = (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Result & { job?: State });
  const state = lines.pop()?.job;
  if (state === undefined) throw new Error("the stream ended before its job");
  return { results: lines, state };
}

const pathsOf = (results: readonly Result[]): string[] =>
  results
    .filter(({ content }) => content !== undefined)
    .map(({ url }) => new URL(url).pathname + new URL(url).search)
    .toSorted();

/** Says as the gateway what is paid, and returns the response. */
const say = async (path: string, paid: string, end: object = {}) =>
  (await call(made.service, path, { paid, ...end })).json;

const crawl = async (body: object) => finished(await start(body));

describe("a crawl", () => {
  test("delivers every page that links lead to, once, in the requested format", async () => {
    const { origin } = serve({
      "/": html("Home", "/a", "/b", "/a#part", "https://elsewhere.example/", "/picture.png"),
      "/a": html("A", "/", "/c"),
      "/b": html("B", "/c?utm_source=x"),
      "/c": html("C"),
    });
    const { results, state } = await crawl({ urls: [origin], format: "text" });
    expect(pathsOf(results)).toEqual(["/", "/a", "/b", "/c"]);
    expect(state).toMatchObject({ state: "completed", delivered: 4, failed: 0, waiting: 0, not_delivered: {} });
    expect(results.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    const home = results.find(({ url }) => url === `${origin}/`);
    expect(home).toMatchObject({
      depth: 0,
      format: "text",
      metadata: { title: "Home", status: 200, engine: "static" },
    });
    expect(home?.content).toContain("The page Home tells of high water");
    expect(results.find(({ url }) => url === `${origin}/c`)?.depth).toBe(2);
  });

  test("keeps its limit, its depth, and its patterns", async () => {
    const { origin, hits } = serve({}, (path) =>
      html(path, `${path === "/" ? "" : path}/x`, "/docs/1", "/docs/2", "/blog/1"),
    );
    const few = await crawl({ urls: [origin], limit: 2 });
    expect(few.state).toMatchObject({ state: "completed", reason: "limit", delivered: 2 });
    const patterns = { include_paths: ["^/docs/"], exclude_paths: ["2$"], max_depth: 1 };
    const docs = await crawl({ urls: [origin], ...patterns });
    expect(pathsOf(docs.results)).toEqual(["/", "/docs/1"]);
    // The page links to itself and to one below it.
    expect(docs.state.not_delivered).toEqual({ depth: 2 });
    hits.splice(0);
    const trap = await crawl({ urls: [origin], exclude_paths: ["^/(?:docs|blog)"] });
    expect(pathsOf(trap.results)).toEqual(["/", "/x", "/x/x"]);
    expect(trap.state.not_delivered["repeated-segments"]).toBe(1);
  });

  test("asks robots.txt, and reports the pages that it forbids", async () => {
    const { origin, hits } = serve({
      "/robots.txt": "User-agent: turnpike\nDisallow: /private",
      "/": html("Home", "/private/a", "/open"),
      "/open": html("Open"),
      "/private/a": html("Private"),
    });
    const { results, state } = await crawl({ urls: [origin] });
    expect(pathsOf(results)).toEqual(["/", "/open"]);
    expect(state.not_delivered).toEqual({ "robots-forbidden": 1 });
    expect(results).toContainEqual(expect.objectContaining({ url: `${origin}/private/a`, kind: "robots-forbidden" }));
    expect(hits).not.toContain("/private/a");
    expect(hits.filter((path) => path === "/robots.txt")).toHaveLength(1);
  });

  test("follows no link that a page or a link asks not to follow, and leaves out pages without an index if asked", async () => {
    const { origin } = serve({
      "/": `${html("Home", "/no-follow", "/no-index")}<a rel="nofollow" href="/hidden">hidden</a>`,
      "/no-follow": head("nofollow", html("No follow", "/hidden")),
      "/no-index": head("noindex", html("No index", "/behind")),
      "/behind": html("Behind"),
      "/hidden": html("Hidden"),
    });
    const all = await crawl({ urls: [origin] });
    expect(pathsOf(all.results)).toEqual(["/", "/behind", "/no-follow", "/no-index"]);
    expect(all.results).toContainEqual(expect.objectContaining({ url: `${origin}/no-index`, noindex: true }));
    const { results, state } = await crawl({ urls: [origin], skip_noindex: true });
    expect(pathsOf(results)).toEqual(["/", "/behind", "/no-follow"]);
    expect(state.not_delivered).toEqual({ noindex: 1 });
  });

  test("finds the pages of sitemaps, and with them alone if asked", async () => {
    const { origin } = serve({
      "/robots.txt": "Sitemap: ORIGIN/map.txt",
      "/map.txt": "ORIGIN/listed\nhttps://elsewhere.example/",
      "/": html("Home", "/linked"),
      "/linked": html("Linked"),
      "/listed": html("Listed", "/from-listed"),
      "/from-listed": html("From listed"),
    });
    const both = await crawl({ urls: [origin], sitemap: "include" });
    expect(pathsOf(both.results)).toEqual(["/", "/from-listed", "/linked", "/listed"]);
    const only = await crawl({ urls: [origin], sitemap: "only" });
    expect(pathsOf(only.results)).toEqual(["/listed"]);
    expect(only.state.not_delivered).toEqual({});
  });

  test("delivers equal pages once, follows redirects as pages of their own, and ends in loops of them", async () => {
    const soft404 = html("This page does not exist");
    const { origin } = serve({
      "/": html("Home", "/old", "/loop", "/missing-1", "/missing-2", "/a?sort=up&view=1", "/a?sort=down&view=1"),
      "/old": redirect("/new"),
      "/new": html("New"),
      "/loop": redirect("/loop-2"),
      "/loop-2": redirect("/loop"),
      "/missing-1": soft404,
      "/missing-2": soft404,
      "/a": html("A").replace("<head>", '<head><link rel="canonical" href="/a">'),
    });
    const { results, state } = await crawl({ urls: [origin] });
    expect(state).toMatchObject({ state: "completed", delivered: 4 });
    const paths = pathsOf(results);
    expect(paths).toContain("/new");
    expect(paths.filter((path) => path.startsWith("/missing"))).toHaveLength(1);
    expect(paths.filter((path) => path.startsWith("/a?"))).toHaveLength(1);
    expect(state.not_delivered).toMatchObject({ redirect: 1, duplicate: 2, "redirect-loop": 1 });
  });

  test("delivers pages whose own text is nearly equal once if the query alone differs, or as the client wants it", async () => {
    const { origin } = serve({
      "/": told(0, story(1)),
      "/?sort=age": told(300, `${story(1)} Seen 17 times.`),
      "/a": told(300, `${story(1)} Seen 18 times.`),
      "/b": told(0, story(500)),
      "/c": told(0, `${story(1)} ${story(900)}`),
    });
    const { results, state } = await crawl({ urls: [origin] });
    expect(state.not_delivered).toEqual({ "near-duplicate": 1 });
    for (const path of ["/a", "/b", "/c"]) expect(pathsOf(results)).toContain(path);
    const skipping = await crawl({ urls: [origin], near_duplicates: "skip" });
    expect(skipping.state).toMatchObject({ delivered: 3, not_delivered: { "near-duplicate": 2 } });
    expect((await crawl({ urls: [origin], near_duplicates: "deliver" })).state).toMatchObject({ delivered: 5 });
  });

  test("waits as long as a busy host asks, and then delivers its pages", async () => {
    let refusals = 1;
    const { origin, hits } = serve({
      "/": html("Home", "/busy"),
      "/busy": () =>
        refusals-- > 0
          ? new Response("later", { status: 503, headers: { "retry-after": "1" } })
          : new Response(html("Busy"), { headers: { "content-type": "text/html" } }),
    });
    const { results, state } = await crawl({ urls: [origin] });
    expect(pathsOf(results)).toEqual(["/", "/busy"]);
    expect(state.not_delivered).toEqual({});
    expect(hits.filter((path) => path === "/busy")).toHaveLength(2);
  });

  test("leaves out the months of a calendar and the combinations of a filter, and names the bounds", async () => {
    const year = new Date().getUTCFullYear();
    const links = Array.from({ length: 5 }, (_, at) => `/calendar/${year + at}-01`);
    const filters = Array.from({ length: 250 }, (_, at) => `/list?color=${at}&size=1`);
    const { origin } = serve({
      "/": html(
        "Home",
        ...links,
        ...filters,
        `/list?${"abcdefghi"
          .split("")
          .map((key) => `${key}=1`)
          .join("&")}`,
      ),
    });
    const { state } = await crawl({ urls: [origin], limit: 1 });
    expect(state.state).toBe("completed");
    expect(state.not_delivered).toMatchObject({ calendar: 2, "query-combinations": 50, "query-keys": 1 });
  });
});

describe("a job", () => {
  test("is read and cancelled only with its secret", async () => {
    const { origin } = serve({}, (path) => html(path, `/${Math.random()}`, `/${Math.random()}`));
    const job = await start({ urls: [origin], limit: 1_000 });
    for (const [path, method] of [
      [job.status, "GET"],
      [job.results, "GET"],
      [job.status, "DELETE"],
      [`${job.status}x`, "GET"],
    ] as const) {
      const secret = path === `${job.status}x` ? job.secret : "another";
      const response = await fetch(baseUrl(made.service) + path, { method, headers: { "x-job-secret": secret } });
      expect([path, response.status]).toEqual([path, 404]);
    }
    expect(await (await about(job)).json()).toMatchObject({ id: job.id, state: "running", limit: 1_000 });
    const cancelled = await about(job, job.status, { method: "DELETE" });
    expect(await cancelled.json()).toMatchObject({ state: "cancelled", waiting: 0 });
    const { state, results } = await finished(job);
    expect(state).toMatchObject({ state: "cancelled", delivered: results.filter(({ content }) => content).length });
    expect(new Date((state as unknown as { expires_at: string }).expires_at).getTime()).toBeGreaterThan(Date.now());
  });

  test("gives its results in pieces, and names the next one only if it is there", async () => {
    const { origin } = serve({ "/": html("Home", "/a", "/b"), "/a": html("A"), "/b": html("B") });
    const job = await start({ urls: [origin] });
    await finished(job);
    const read = async (query: string) =>
      (await (await about(job, `${job.results}?${query}`)).json()) as { results: Result[]; next?: number };
    const first = await read("count=2");
    expect([first.results.map(({ number }) => number), first.next]).toEqual([[1, 2], 2]);
    const rest = await read("after=2&count=2");
    expect([rest.results.map(({ number }) => number), rest.next]).toEqual([[3], undefined]);
    expect(await read("after=3")).toMatchObject({ state: "completed", results: [] });
    expect((await about(job, `${job.results}?after=x`)).status).toBe(400);
  });

  test("whose payment is deferred begins when the payment is recorded, and is read as far as it is paid", async () => {
    const { origin, hits } = serve({ "/": html("Home", "/a", "/b", "/no"), "/a": html("A"), "/b": html("B") });
    const fields = {
      "settlement-deferral": JSON.stringify({ until: Math.ceil(Date.now() / 1_000) + 3_600 }),
      "turnpike-amount": "50000",
      "turnpike-asset": "0xtoken",
      "turnpike-network": "eip155:84532",
      "turnpike-payer": "0xpayer",
      "turnpike-payment-id": "0x1",
    };
    const order = { urls: [origin], limit: 10, sitemap: "skip" };
    const begin = async () => {
      const { status, headers, json } = await call(made.service, "/crawl", order, fields);
      const { path } = JSON.parse(headers.get("settlement-deferral") ?? "{}") as { path: string };
      return { status, path, job: json as unknown as Started };
    };
    const lost = await begin();
    const { status, path, job } = await begin();
    expect([status, job.id]).toEqual([202, lost.job.id]);
    // The response was made again, so the first secrets are not valid.
    expect((await about(lost.job)).status).toBe(404);
    for (const forged of [lost.path, `/charges/${job.id}/${job.secret}`, `/charges/${job.id}/x`]) {
      expect(await say(forged, "50000")).toMatchObject({ status: 404 });
    }
    expect(hits).toEqual([]);
    expect(await say(path, "0")).toMatchObject({ due: "0", ended: false });
    await until(async () => (await say(path, "0"))["ended"] === true);
    expect(await say(path, "0")).toEqual({ due: "15000", ended: true });
    const read = async () =>
      (await (await about(job, `${job.results}?count=10`)).json()) as { results: Result[]; next?: number };
    const numbers = async () => (await read()).results.filter(({ content }) => content !== undefined).length;
    expect(await numbers()).toBe(0);
    // A word that is sent again, or late, changes nothing.
    for (const paid of ["10000", "5000", "10000", "14999"]) await say(path, paid);
    expect(await numbers()).toBe(2);
    const cost = { due: "15000", paid: "14999", quote: "50000", paid_pages: 2, open: true };
    expect(await (await about(job)).json()).toMatchObject({ state: "completed", cost });
    expect(await say(path, "15000", { closed: true, transaction: "0xtx" })).toEqual({ due: "15000", ended: true });
    const { results, state } = await finished(job);
    expect(pathsOf(results)).toEqual(["/", "/a", "/b"]);
    expect(state).toMatchObject({
      state: "completed",
      cost: { paid: "15000", paid_pages: 3, open: false, transaction: "0xtx" },
    });
  });

  test("names invalid parameters", async () => {
    const response = await call(made.service, "/crawl", { urls: ["https://a.example/"], include_paths: ["("] });
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ errors: [{ path: "include_paths" }] });
    const other = await call(made.service, "/crawl", { urls: ["ftp://a.example/"] });
    expect(other.status).toBe(400);
  });
});
