import { afterAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ANYWHERE, type EgressPolicy, PUBLIC_WEB } from "../egress/guard.ts";
import { WebError, type WebFailure, webGet, type WebRequest } from "./web-get.ts";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";

const BOMB = gzipSync(Buffer.alloc(5_000_000, 32));

/** Requests to /hangs whose client has closed the connection. */
let left = 0;

const PAGES: Readonly<Record<string, (request: Request, url: URL) => Response | Promise<Response>>> = {
  "/": () => new Response("plain"),
  "/echo": async (request) =>
    Response.json({ method: request.method, headers: Object.fromEntries(request.headers), body: await request.text() }),
  "/gzip": () => new Response(gzipSync("zipped"), { headers: { "content-encoding": "gzip" } }),
  "/br": () => new Response(brotliCompressSync("brotli"), { headers: { "content-encoding": "br" } }),
  "/odd": () => new Response("odd", { headers: { "content-encoding": "snappy" } }),
  "/broken": () => new Response("not gzip at all", { headers: { "content-encoding": "gzip" } }),
  "/bomb": () => new Response(BOMB, { headers: { "content-encoding": "gzip" } }),
  "/long": () => new Response("x".repeat(100_000)),
  "/to": (_request, url) =>
    new Response(null, { status: 302, headers: { location: url.searchParams.get("url") ?? "" } }),
  "/raw": () => new Response(null, { status: 302, headers: { location: Buffer.from("/café").toString("latin1") } }),
  "/loop": () => new Response(null, { status: 302, headers: { location: "/loop" } }),
  "/hangs": (request) => {
    request.signal.addEventListener("abort", () => (left += 1));
    return new Promise<Response>(() => undefined);
  },
};

function serve(hostname: string) {
  return Bun.serve({
    hostname,
    port: 0,
    idleTimeout: 60,
    fetch(request) {
      const url = new URL(request.url);
      return PAGES[url.pathname]?.(request, url) ?? new Response("none", { status: 404 });
    },
  });
}

const server = serve("127.0.0.1");
const other = serve("127.0.0.2");
afterAll(async () => {
  await Promise.all([server.stop(true), other.stop(true)]);
});

const HERE = `http://127.0.0.1:${server.port}`;
const THERE = `http://127.0.0.2:${other.port}`;
/** Allows the address of one server only, as if the other were in a private network. */
const HERE_ONLY: EgressPolicy = { allowsAddress: (address) => address === "127.0.0.1", allowsPort: () => true };

/** No server listens on the first address. */
const resolveTwo = () => Promise.resolve(["127.0.0.3", "127.0.0.1"]);

async function get(
  path: string,
  more: Partial<WebRequest> = {},
): Promise<{ status: number; text: string; url: string }> {
  const { status, body, url } = await webGet({
    url: new URL(path, HERE),
    headers: {},
    maxBytes: 50_000,
    egress: { policy: ANYWHERE },
    redirects: "same-origin",
    signal: AbortSignal.timeout(patient(10_000)),
    ...more,
  });
  return { status, text: new TextDecoder().decode(body), url };
}

async function failure(promise: Promise<unknown>): Promise<WebFailure | undefined> {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return error instanceof WebError ? error.reason : undefined;
}

describe("a response", () => {
  test.each([
    ["/", "plain"],
    ["/gzip", "zipped"],
    ["/br", "brotli"],
  ])("of %s is %s", async (path, text) => {
    expect((await get(path)).text).toBe(text);
  });

  test("has no body if the caller does not want it", async () => {
    expect(await get("/long", { wants: (status) => status !== 200 })).toMatchObject({ status: 200, text: "" });
  });

  const FAILURES: readonly (readonly [path: string, reason: WebFailure])[] = [
    ["/odd", "unreachable"],
    ["/broken", "unreachable"],
    ["/bomb", "too-large"],
    ["/long", "too-large"],
    ["/loop", "redirects"],
    ["/to?url=file:///etc/passwd", "refused"],
    [`/to?url=${THERE}/`, "redirects"],
  ];
  test.each(FAILURES)("of %s is the failure %s", async (path, reason) => {
    expect(await failure(get(path))).toBe(reason);
  });

  test("that does not arrive ends when the signal aborts, as does a slow name lookup", async () => {
    expect(await failure(get("/hangs", { signal: AbortSignal.timeout(30) }))).toBe("timeout");
    await until(() => left === 1);
    const egress = { policy: ANYWHERE, resolve: () => new Promise<string[]>(() => undefined) };
    const url = new URL("http://slow.test/");
    expect(await failure(get("/", { url, egress, signal: AbortSignal.timeout(30) }))).toBe("timeout");
  });
});

describe("a request", () => {
  test("sends a form once, and the caller's own fields to their own origin only", async () => {
    const headers = { "x-key": "secret", "user-agent": "Test/1" };
    const form = new URLSearchParams({ q: "a b" });
    const posted: unknown = JSON.parse((await get("/echo", { form, headers })).text);
    expect(posted).toMatchObject({ method: "POST", body: "q=a+b", headers: { "x-key": "secret" } });
    const away = await get(`/to?url=${THERE}/echo`, { form, headers, redirects: "any-origin" });
    expect(away.url).toBe(`${THERE}/echo`);
    expect(away.text).not.toContain("secret");
    expect(JSON.parse(away.text)).toMatchObject({ method: "GET", body: "", headers: { "user-agent": "Test/1" } });
  });

  test("follows no redirect if the caller forbids it", async () => {
    expect((await get(`/to?url=${HERE}/`, { redirects: "none" })).status).toBe(302);
  });

  test("tries the next address of a host if the connection to one fails", async () => {
    const url = new URL(`http://site.test:${server.port}/echo`);
    const form = new URLSearchParams({ q: "x" });
    expect(await get("/", { url, form, egress: { policy: ANYWHERE, resolve: resolveTwo } })).toMatchObject({
      status: 200,
    });
  });

  test("sends the user name and password of its URL, and no field that would break its head", async () => {
    const url = new URL("/echo", HERE.replace("://", "://name:a%20b@"));
    const { text } = await get("/", { url });
    expect(JSON.parse(text)).toMatchObject({ headers: { authorization: "Basic bmFtZTphIGI=" } });
    expect(await failure(get("/echo", { headers: { "x-key": "a\r\nx-other: b" } }))).toBe("unreachable");
    expect((await get("/echo", { headers: { "if-none-match": '"\xe9"' } })).text).toContain("if-none-match");
  });

  test("follows a redirect whose target is not in ASCII", async () => {
    expect((await get("/raw")).url).toBe(`${HERE}/caf%C3%A9`);
  });

  test("takes no user name and password from a redirect", async () => {
    const to = `${HERE.replace("://", "://name:secret@")}/echo`;
    const { text, url } = await get(`/to?url=${encodeURIComponent(to)}`);
    expect(url).toBe(`${HERE}/echo`);
    expect(text).not.toContain("authorization");
  });

  test("reaches no address that the guard refuses, neither directly nor by a redirect", async () => {
    expect(await failure(get("/", { egress: { policy: PUBLIC_WEB } }))).toBe("refused");
    const redirected = get(`/to?url=${THERE}/`, { egress: { policy: HERE_ONLY }, redirects: "any-origin" });
    expect(await failure(redirected)).toBe("refused");
  });
});
