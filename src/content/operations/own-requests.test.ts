/** Pages that are requested as their owner would: fields, cookies, bodies, places and proxies. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { type CallerProxy, startCallerProxy } from "../testing/caller-proxy.ts";
import { baseUrl, call, outcomeOf, type Reply } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

setDefaultTimeout(patient(30_000));

const SECRET = "s3cret";

interface Seen {
  readonly at: string;
  readonly headers: Headers;
  readonly body: string;
}

let made: TestService;
let house: CallerProxy;
let site: Bun.Server<undefined>;
let other: Bun.Server<undefined>;
let seen: Seen[] = [];

const html = (text: string): Response => new Response(text, { headers: { "content-type": "text/html" } });

async function note(name: string, request: Request): Promise<string> {
  const { pathname } = new URL(request.url);
  seen.push({ at: `${name} ${request.method} ${pathname}`, headers: request.headers, body: await request.text() });
  return pathname;
}

/** Redirects to these names lead to the other site. */
const FOREIGN = new Set(["other", "evil"]);

const redirect = (status: number, location: string): Response => new Response(null, { status, headers: { location } });

function serve(fetch: (request: Request) => Promise<Response>): Bun.Server<undefined> {
  return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
}

beforeAll(async () => {
  other = serve(async (request) => {
    const path = await note("other", request);
    const page = new URL("/page", site.url).href;
    if (path === "/evil")
      return html(`<p>evil</p><iframe src="${page}" width="300" height="300"></iframe><script>
      fetch("${new URL("/own", site.url).href}", { mode: "no-cors" }).finally(() => document.body.append("all"))</script>`);
    return path === "/back" ? redirect(302, page) : html("<p>words of the other site</p>");
  });
  site = serve(async (request) => {
    const path = await note("site", request);
    const [, status = "", to = ""] = /^\/redirect\/(\d+)\/(.*)$/.exec(path) ?? [];
    if (status !== "") return redirect(Number(status), FOREIGN.has(to) ? new URL(to, other.url).href : `/${to}`);
    if (path === "/round") return redirect(302, new URL("/back", other.url).href);
    if (path === "/place")
      return html(`<p>place</p><script>navigator.geolocation.getCurrentPosition(({ coords }) =>
      document.body.append([navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, innerWidth, devicePixelRatio,
      coords.latitude, navigator.maxTouchPoints > 0, document.cookie].join(" ")))</script>`);
    if (path === "/parts")
      return html(`<p>parts</p><script>
      const get = (url) => fetch(url, { mode: "no-cors" }).catch(() => undefined);
      Promise.all([get("/own"), get("${new URL("/foreign", other.url).href}")]).then(() => document.body.append("all"))</script>`);
    return html(`<title>${path}</title><p>words of ${path} for ${request.headers.get("cookie") ?? "all"}</p>`);
  });
  house = await startCallerProxy("socks5");
  const proxy = { protocol: "socks5", host: "127.0.0.1", port: house.port, user: undefined, isTrusted: true } as const;
  const pageCache = { maxBytes: 10_000_000, hitPrice: 100, versionBytes: 1_000_000 };
  made = await startTestService({ pageCache, proxies: new Map([["house", proxy]]) });
});

afterAll(async () => {
  await made.close();
  house.close();
  await Promise.all([site.stop(true), other.stop(true)]);
});

function scrape(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  seen = [];
  return call(made.service, "/scrape", { url: new URL(path, site.url).href, format: "text", ...body }, headers);
}

async function read(path: string, body: object): Promise<string> {
  const reply = await scrape(path, body);
  expect([path, outcomeOf(reply)]).toEqual([path, "200"]);
  return String(reply.json["content"]);
}

/** The requests for documents, in order. A browser also asks for icons. */
function visits(): readonly string[] {
  return seen.map(({ at }) => at).filter((at) => !at.endsWith("favicon.ico"));
}

function valueAt(at: string, name: string): string | null | undefined {
  return seen.find((one) => one.at === at)?.headers.get(name);
}

const OWN = {
  headers: { "X-Key": SECRET, "Accept-Language": "fr" },
  basic_auth: { username: "ann", password: SECRET },
};

for (const engine of ["static", "browser"]) {
  test(`fields and cookies reach the page, and fields no other origin: ${engine}`, async () => {
    const cookies = [
      { name: "a", value: "1" },
      { name: "b", value: "2", path: "/elsewhere" },
    ];
    await read("/page", { ...OWN, cookies, engine });
    expect(valueAt("site GET /page", "x-key")).toBe(SECRET);
    expect(valueAt("site GET /page", "authorization")).toBe(`Basic ${btoa(`ann:${SECRET}`)}`);
    expect(valueAt("site GET /page", "accept-language")).toBe("fr");
    expect(valueAt("site GET /page", "cookie")).toBe("a=1");
    await read("/redirect/302/other", { ...OWN, engine });
    expect(visits()).toEqual(["site GET /redirect/302/other", "other GET /other"]);
    for (const name of ["x-key", "authorization"]) expect(valueAt("other GET /other", name)).toBeNull();
    await read("/redirect/302/page", { ...OWN, engine });
    expect(valueAt("site GET /page", "x-key")).toBe(SECRET);
  });

  test(`a body is sent with its method, and redirects change them as in browsers: ${engine}`, async () => {
    const post = { method: "POST", body: "a=b", engine };
    await read("/page", post);
    expect(seen[0]).toMatchObject({ at: "site POST /page", body: "a=b" });
    expect(valueAt("site POST /page", "content-type")).toBe("application/x-www-form-urlencoded");
    await read("/redirect/307/page", { ...post, headers: { "Content-Type": "application/json" } });
    expect(visits()).toEqual(["site POST /redirect/307/page", "site POST /page"]);
    expect([seen[1]?.body, valueAt("site POST /page", "content-type")]).toEqual(["a=b", "application/json"]);
    for (const status of [301, 302, 303]) {
      await read(`/redirect/${status}/page`, post);
      expect(visits().at(-1)).toBe("site GET /page");
      expect(seen.at(-1)?.body).toBe("");
    }
    await read("/page", { method: "PUT", engine });
    expect(valueAt("site PUT /page", "content-length")).toBe("0");
  });
}

for (const engine of ["static", "browser"]) {
  test(`a redirect back does not get the fields again: ${engine}`, async () => {
    await read("/round", { ...OWN, engine });
    expect(visits()).toEqual(["site GET /round", "other GET /back", "site GET /page"]);
    expect(valueAt("site GET /page", "x-key")).toBeNull();
  });
}

test("a page of another origin to which the tab goes cannot send requests with the fields", async () => {
  const { json } = await scrape("/redirect/302/evil", { ...OWN, engine: "browser" });
  expect(json["content"]).toContain("all");
  expect(valueAt("site GET /redirect/302/evil", "x-key")).toBe(SECRET);
  for (const path of ["/own", "/page"]) expect(valueAt(`site GET ${path}`, "x-key")).toBeNull();
});

test("requests of a page's scripts have the fields for its own origin alone", async () => {
  const { json } = await scrape("/parts", { ...OWN, engine: "browser" });
  expect(json["content"]).toContain("all");
  expect(valueAt("site GET /own", "x-key")).toBe(SECRET);
  for (const name of ["x-key", "authorization"]) expect(valueAt("other GET /foreign", name)).toBeNull();
});

test("a browser has the language, time zone, position and screen of the request", async () => {
  const text = await read("/place", {
    engine: "browser",
    language: "de-AT",
    timezone: "Asia/Tokyo",
    geolocation: { latitude: 48.2, longitude: 16.4 },
    viewport: { width: 1000, height: 700, scale: 2, mobile: true },
    cookies: [{ name: "a", value: "1" }],
  });
  expect(text).toContain("de-AT Asia/Tokyo 1000 2 48.2 true a=1");
  expect(valueAt("site GET /place", "accept-language")).toBe("de-AT,de;q=0.9");
  expect(valueAt("site GET /place", "user-agent")).toContain("Mobile");
});

test("what one caller sees, no other one gets: pages, and versions of pages", async () => {
  expect(await read("/mine", { headers: { Cookie: `who=${SECRET}` }, max_age: 60 })).toContain(SECRET);
  expect(await read("/mine", { max_age: 60 })).not.toContain(SECRET);
  expect(await read("/mine", { max_age: 60, cookies: [{ name: "who", value: "bob" }] })).toContain("bob");
  const changes = { changes: {}, cookies: [{ name: "who", value: "bob" }] };
  expect(outcomeOf(await scrape("/mine", changes))).toBe("400 invalid-parameters");
  const states = [];
  for (const [who, payer] of [
    ["bob", "0xa"],
    ["bob", "0xa"],
    ["eve", "0xa"],
    ["bob", "0xb"],
  ] as const) {
    const own = { changes: {}, cookies: [{ name: "who", value: who }] };
    const { json } = await scrape("/mine", own, { "turnpike-payer": payer });
    states.push((json["changes"] as { state: string }).state);
  }
  expect(states).toEqual(["new", "same", "new", "new"]);
});

test("a user agent and a cookie among the fields have the effect of their parameters", async () => {
  await read("/page", { headers: { "User-Agent": "Reader/1", Cookie: "x=1; y=2" } });
  expect([valueAt("site GET /page", "user-agent"), valueAt("site GET /page", "cookie")]).toEqual([
    "Reader/1",
    "x=1; y=2",
  ]);
});

const REFUSED: readonly (readonly [path: string, body: object])[] = [
  ...[
    "Host",
    "Content-Length",
    "Connection",
    "Proxy-Authorization",
    "Transfer-Encoding",
    "X-PAYMENT",
    "PAYMENT-SIGNATURE",
    "Upgrade",
    "TE",
  ].map((name) => [`headers.${name}`, { headers: { [name]: "x" } }] as const),
  ["headers.X-Line", { headers: { "X-Line": "a\r\nX-Other: b" } }],
  ["headers.X Space", { headers: { "X Space": "a" } }],
  ["headers", { headers: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`X-${at}`, "a"])) }],
  ["cookies.0.value", { cookies: [{ name: "a", value: "b; c=d" }] }],
  ["cookies.0.domain", { cookies: [{ name: "a", value: "b", domain: "other.example" }] }],
  ["", { body: "x" }],
  ["headers.Authorization", { ...OWN, headers: { Authorization: "Bearer x" } }],
  ["language", { language: "not a language" }],
  ["timezone", { timezone: "Moon/Crater" }],
  ["geolocation.latitude", { geolocation: { latitude: 91, longitude: 0 } }],
  ["viewport.width", { viewport: { width: 0, height: 10 } }],
  ["proxy", { proxy: "ftp://127.0.0.1" }],
  ["proxy", { proxy: "unknown" }],
];

for (const [path, body] of REFUSED) {
  test(`what a caller cannot set is refused by its name: ${path} ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const reply = await scrape("/page", body);
    expect(outcomeOf(reply)).toBe("400 invalid-parameters");
    expect((reply.json["errors"] as readonly { path: string }[]).map((error) => error.path)).toEqual([path]);
    expect(seen).toEqual([]);
  });
}

test("a job keeps no secret of its caller", async () => {
  const urls = [new URL("/page", site.url).href];
  const secrets = { ...OWN, cookies: [{ name: "a", value: SECRET }], proxy: "http://u:p@127.0.0.1:1" };
  for (const [path, order] of [
    ["/batch", { urls, async: true }],
    ["/crawl", { urls }],
  ] as const) {
    const reply = await call(made.service, path, { ...order, ...secrets });
    expect(outcomeOf(reply)).toBe("400 invalid-parameters");
    const paths = (reply.json["errors"] as readonly { path: string }[]).map((error) => error.path);
    expect(paths.toSorted()).toEqual(["basic_auth", "cookies", "headers", "proxy"]);
    expect(JSON.stringify(reply.json)).not.toContain(SECRET);
  }
});

for (const protocol of ["http", "socks5"] as const) {
  for (const engine of ["static", "browser"]) {
    test(`a page is loaded through the caller's proxy: ${protocol}, ${engine}`, async () => {
      const proxy: CallerProxy = await startCallerProxy(protocol, `ann:${SECRET}`);
      const at = `127.0.0.1:${proxy.port}`;
      try {
        await read("/page", { engine, proxy: `${protocol}://ann:${SECRET}@${at}` });
        expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${site.port}`]));
        expect(visits()).toEqual(["site GET /page"]);
        const refused = await scrape("/page", { engine, proxy: `${protocol}://ann:wrong@${at}` });
        expect(outcomeOf(refused)).toBe("500 page-failed");
        expect(refused.json["detail"]).toBe("Cannot load the page: its proxy refuses the user name or the password");
      } finally {
        proxy.close();
      }
      const gone = await scrape("/page", { engine, proxy: `${protocol}://${at}` });
      expect(gone.json["detail"]).toBe("Cannot load the page: its proxy makes no connection to its server");
      expect(visits()).toEqual([]);
    });
  }
}

test("a proxy of the operator is chosen by its name", async () => {
  await read("/page", { proxy: "house" });
  expect(house.asked).toEqual([`127.0.0.1:${site.port}`]);
});

test("no secret is in the metrics or the state of the service", async () => {
  await read("/page", { ...OWN, cookies: [{ name: "a", value: SECRET }] });
  const health = await (await fetch(`${baseUrl(made.service)}/health`)).text();
  expect(health).not.toContain(SECRET);
  const files = await Array.fromAsync(
    new Bun.Glob("**/*.{db,sqlite,db-wal,sqlite-wal}").scan({ cwd: made.state.path, absolute: true }),
  );
  expect(files).not.toBeEmpty();
  for (const file of files) expect((await Bun.file(file).bytes()).toBase64()).not.toContain(btoa(SECRET).slice(0, 6));
});
