import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { listenOnLoopback } from "../lib/testing/listen.ts";
import { VERSION } from "../lib/process/version.ts";
import { type Figures } from "./figures/figures.ts";
import { startContentService } from "./service.ts";
import { baseUrl, call, outcomeOf } from "./testing/client.ts";
import { startTestService } from "./testing/service.ts";
import { startSite } from "./testing/site.ts";
import { patient } from "../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const site = startSite();
const { service, state, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.close();
});

const scrape = (body: Record<string, unknown>) => call(service, "/scrape", body);

describe("scrape", () => {
  test.each(["/leads-nowhere", "/stops-itself"])(
    "reads the loaded part of %s, whose loading ends early",
    async (path) => {
      const { status, json } = await scrape({ url: site.url + path, format: "text", timeout: 10 });
      expect([status, json["content"]]).toEqual([200, "stays"]);
    },
  );

  test("rejects a page whose server broke off in the middle of it", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        const text = "<p>words ".repeat(1_000);
        const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n";
        socket.write(head + text, () => socket.destroy());
      });
    });
    const port = await listenOnLoopback(server);
    const { status, json } = await scrape({ url: `http://127.0.0.1:${port}/`, timeout: 10 });
    server.close();
    expect([status, json["detail"]]).toEqual([
      500,
      "Cannot load the page: its server closed the connection before the end",
    ]);
  });

  test("names a few of the unknown fields, however many and long they are", async () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => ["x".repeat(500) + String(n), 1]));
    const { status, bytes, json } = await scrape({ url: site.url, ...fields });
    expect([status, json["type"]]).toEqual([400, "urn:turnpike:error:invalid-parameters"]);
    expect(bytes.length).toBeLessThan(16_384);
  });

  test("returns GitHub-flavoured Markdown with absolute URLs by default", async () => {
    const { status, json } = await scrape({ url: `${site.url}/article` });
    expect(status).toBe(200);
    expect(json).toMatchObject({ url: `${site.url}/article`, format: "markdown" });
    const content = String(json["content"]);
    expect(content).toContain("# Toll roads\n");
    expect(content).toContain("| Road | Toll |");
    expect(content).toContain("- [x] paid");
    expect(content).toContain("- [ ] open");
    expect(content).toContain("```js\nlet toll = 3;\n```");
    expect(content).toContain(`[Next](${site.url}/next?page=2)`);
    expect(content).toContain(`![A road](${site.url}/road.png)`);
    expect(content).not.toContain("never shown");
    expect(content).not.toContain("data:");
  });

  test("reports in the metadata how the page was loaded", async () => {
    const { json } = await scrape({ url: `${site.url}/redirect?to=/article`, format: "text" });
    expect(json["metadata"]).toMatchObject({
      content_length: Buffer.byteLength(String(json["content"])),
      truncated: false,
      status: 200,
      final_url: `${site.url}/article`,
      content_type: "text/html",
      title: "Toll roads - The Daily",
      engine: "static",
    });
  });

  test("returns text with a line for each block", async () => {
    const { json } = await scrape({ url: `${site.url}/article`, format: "text" });
    const lines = String(json["content"]).split("\n");
    expect(lines).toContain("Toll roads");
    expect(lines).toContain("Road\tToll");
    expect(lines).toContain("let toll = 3;");
    expect(lines.join()).not.toContain("color: red");
  });

  test("returns each link once, in order, with its text", async () => {
    const { json } = await scrape({ url: `${site.url}/article`, format: "links" });
    expect(String(json["content"]).split("\n")).toEqual([
      `[Home](${site.url}/home)`,
      `[About](${site.url}/about)`,
      `[Next](${site.url}/next?page=2)`,
    ]);
  });

  test("returns the document's HTML after its scripts ran", async () => {
    const { json } = await scrape({ url: `${site.url}/late`, format: "html", selector: "#late" });
    expect(String(json["content"])).toStartWith("<!DOCTYPE html>");
    expect(String(json["content"])).toContain('<p id="late">late</p>');
  });

  test("cuts at whole characters, and counts bytes before the cut", async () => {
    const { json } = await scrape({ url: `${site.url}/emoji`, format: "text", max_length: 2 });
    expect(json["content"]).toBe("a😀");
    expect(json["metadata"]).toMatchObject({ content_length: 10, truncated: true });
  });

  test.each([
    ["document.title", "Test"],
    ["({ a: [1, 'x'] })", '{"a":[1,"x"]}'],
    ["new Promise((done) => setTimeout(done, 10, 42))", "42"],
    ["10n", "10n"],
    ["null", "null"],
    ["undefined", ""],
  ])("returns the result of evaluate %s in place of the content", async (evaluate, content) => {
    const { json } = await scrape({ url: `${site.url}/`, evaluate });
    expect(json["content"]).toBe(content);
  });

  test.each([false, true])("evaluates scripts with real pictures, stealth %p", async (stealth) => {
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="7"/>';
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        const { pathname } = new URL(request.url);
        if (pathname === "/real.svg") return new Response(picture, { headers: { "content-type": "image/svg+xml" } });
        if (pathname !== "/") return new Response("none", { status: 404 });
        const html = `<p>text</p><img src="real.svg" onload="n = naturalWidth"><img src="gone.png" onerror="broken = 1">`;
        return new Response(html, { headers: { "content-type": "text/html" } });
      },
    });
    const evaluate =
      "[n, broken, ...[...document.images].flatMap((image) => [image.naturalWidth, image.naturalHeight])]";
    const { json } = await scrape({ url: server.url.href, evaluate, stealth });
    await server.stop(true);
    expect(json["content"]).toBe("[24,1,24,7,0,0]");
  });

  test("responds with 400 to a script that does not parse and with 500 to one that throws", async () => {
    const unparsed = await scrape({ url: `${site.url}/`, evaluate: "((" });
    expect(unparsed.status).toBe(400);
    expect(unparsed.json["errors"]).toEqual([{ path: "evaluate", message: "SyntaxError: Unexpected end of input" }]);
    const thrown = await scrape({ url: `${site.url}/`, evaluate: "JSON.parse('{')" });
    expect(thrown.status).toBe(500);
    expect(thrown.json).toMatchObject({ type: "urn:turnpike:error:scrape-failed" });
    expect(String(thrown.json["detail"])).toContain("SyntaxError");
  });

  test("waits for an element, for the requested seconds, and for the requested page event", async () => {
    const late = { url: `${site.url}/late-part`, format: "text" };
    expect((await scrape({ ...late, selector: "#late" })).json["content"]).toBe("early\nlate");
    expect((await scrape({ ...late, wait: 1 })).json["content"]).toBe("early\nlate");
    expect((await scrape({ ...late, wait_until: "networkidle0" })).json["content"]).toBe("early\nlate");
    const pending = { url: `${site.url}/pending-image`, format: "text" };
    expect((await scrape({ ...pending, wait_until: "domcontentloaded" })).json["content"]).toBe("parsed");
    expect(outcomeOf(await scrape({ ...pending, timeout: 1 }))).toBe("500 page-timeout");
  });

  test("waits for a page that shows nothing yet, and reports one that stays empty as empty", async () => {
    const late = await scrape({ url: `${site.url}/late`, format: "text", engine: "browser" });
    expect(late.json["content"]).toBe("late");
    const empty = await scrape({ url: `${site.url}/stays-empty`, format: "text", engine: "browser" });
    expect(empty.json["type"]).toBe("urn:turnpike:error:page-empty");
  });

  test("returns content that a page fetches after it has loaded, and stops waiting for a page that fetches for ever", async () => {
    const fetches = await scrape({ url: `${site.url}/fetches`, format: "text" });
    expect(fetches.json).toMatchObject({ content: "fetched after the load", metadata: { engine: "browser" } });
    const polls = await scrape({ url: `${site.url}/polls`, format: "text", timeout: 2 });
    expect(polls.json).toMatchObject({ content: "polled\nx", metadata: { engine: "browser" } });
  });

  test("accepts neither a challenge as content nor text that a script finds on it", async () => {
    for (const more of [
      {},
      { engine: "static" },
      { engine: "browser" },
      { evaluate: "document.title" },
      { format: "html" },
    ]) {
      const { status, json } = await scrape({ url: `${site.url}/challenge`, ...more });
      expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-challenge"]);
    }
  });

  test("reports a timeout if the element does not come, and responds with 400 to an invalid selector", async () => {
    const missing = await scrape({ url: `${site.url}/`, selector: "#never", timeout: 3 });
    expect(outcomeOf(missing)).toBe("500 page-timeout");
    expect(missing.json["detail"]).toBe("Cannot finish waiting for the selector on the page within 3 s");
    const wrong = await scrape({ url: `${site.url}/`, selector: "p[[" });
    expect(wrong.json).toMatchObject({ status: 400, errors: [{ path: "selector", message: "is not a CSS selector" }] });
  });

  test("sends the caller's user agent, or an ordinary browser's", async () => {
    const url = `${site.url}/echo`;
    const own = await scrape({
      url,
      evaluate: "document.body.innerText + navigator.userAgent",
      user_agent: "Tester/1",
    });
    expect(String(own.json["content"])).toContain('"user-agent":"Tester/1"');
    expect(String(own.json["content"])).toEndWith("Tester/1");
    const usual = await scrape({ url, evaluate: "document.body.innerText + navigator.webdriver", stealth: true });
    const content = String(usual.json["content"]);
    expect(content).toContain('"accept-language":"en-US');
    expect(content).not.toContain("Headless");
    expect(content).toEndWith("false");
  });

  test("uses an ordinary browser's name in workers too", async () => {
    const { json } = await scrape({ url: `${site.url}/shared-worker`, selector: "#done", format: "text" });
    expect(json["content"]).toMatch(/^Mozilla.* Chrome\/\d+\.0\.0\.0 Safari/);
  });

  test.each(["static", "browser"])("rejects an HTTP error unless it is accepted (%s)", async (engine) => {
    const missing = { url: `${site.url}/missing`, engine };
    expect((await scrape(missing)).json).toMatchObject({
      type: "urn:turnpike:error:page-failed",
      status: 500,
      detail: "Cannot load the page: its server responded with 404",
      page_status: 404,
    });
    for (const accepted of ["any", [404], ["400-409", 503]]) {
      const { status, json } = await scrape({ ...missing, accept_status: accepted });
      expect([status, json["content"], json["metadata"]]).toMatchObject([200, "# Gone", { status: 404 }]);
    }
    expect(outcomeOf(await scrape({ ...missing, accept_status: [403, "405-499"] }))).toBe("500 page-failed");
  });

  test("rejects an HTTP error in every operation, also with a script of the caller", async () => {
    const url = `${site.url}/missing`;
    const calls = [
      scrape({ url, evaluate: "document.title" }),
      call(service, "/read", { url }),
      call(service, "/extract", { url, selectors: { h: "h1" } }),
      call(service, "/screenshot", { url }),
      call(service, "/pdf", { url }),
      scrape({ url: `${site.url}/missing-text` }),
      scrape({ url: `${site.url}/missing-text`, engine: "browser" }),
    ];
    for (const reply of await Promise.all(calls)) {
      expect([outcomeOf(reply), reply.json["page_status"]]).toEqual(["500 page-failed", 404]);
    }
    const { json } = await call(service, "/extract", { url, selectors: { h: "h1" }, accept_status: "any" });
    expect(json).toMatchObject({ data: { h: "Gone" }, metadata: { status: 404 } });
  });

  test("follows a refresh to the page that it leads to", async () => {
    const { json } = await scrape({ url: `${site.url}/refresh` });
    expect(json["metadata"]).toMatchObject({ final_url: `${site.url}/article` });
  });

  test("hides cookies and storage from the next visitor", async () => {
    for (let visit = 0; visit < 2; visit += 1) {
      const { json } = await scrape({ url: `${site.url}/cookies`, format: "text" });
      expect(json["content"]).toBe("none\nnone");
    }
  });

  test("relays a large request body of the page", async () => {
    const { json } = await scrape({ url: `${site.url}/post`, selector: "#done", format: "text", timeout: 5 });
    expect(json["content"]).toBe("300000");
  });

  test("reads a page of 10,000 nested elements", async () => {
    const { status, json } = await scrape({ url: `${site.url}/deep`, format: "text" });
    expect(status).toBe(200);
    expect(json["content"]).toBe("bottom");
  });
});

describe("read", () => {
  test("returns the article and its title without navigation", async () => {
    const { status, json } = await call(service, "/read", { url: `${site.url}/article` });
    expect(status).toBe(200);
    expect(String(json["title"])).toContain("Toll roads");
    expect(String(json["content"])).toContain("A toll road charges each traveller");
    expect(String(json["content"])).toContain("```js\nlet toll = 3;\n```");
    expect(String(json["content"])).not.toContain("About");
  });

  test("returns the author of the article and its date", async () => {
    const { json } = await call(service, "/read", { url: `${site.url}/signed-article` });
    expect(json["metadata"]).toMatchObject({ byline: "Inês Prado", published: "2026-03-04T08:00:00Z" });
  });

  test("responds with 500 to a page without text", async () => {
    const { status, json } = await call(service, "/read", { url: `${site.url}/empty` });
    expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-empty"]);
    expect(json["detail"]).toBe("Cannot read the page: it has no content");
  });
});

describe("invalid requests", () => {
  const url = "http://127.0.0.1/";
  test.each<[string, string, string, Record<string, unknown>]>([
    ["/scrape", "url", "is required", {}],
    ["/scrape", "url", "must be an absolute URL", { url: "nowhere" }],
    ["/scrape", "timeout", "must be at least 1", { url, timeout: 0 }],
    ["/scrape", "timeout", "must be at most 120", { url, timeout: 121 }],
    ["/scrape", "timeout", "must be of type int", { url, timeout: 1.5 }],
    ["/scrape", "wait", "must be at most 30", { url, wait: 31 }],
    ["/scrape", "wait", "must be at least 0", { url, wait: -1 }],
    ["/scrape", "wait_until", "must be one of load, domcontentloaded, networkidle0", { url, wait_until: "idle" }],
    ["/scrape", "format", "must be one of html, markdown, text, links", { url, format: "pdf" }],
    ["/scrape", "max_length", "must be at least 1", { url, max_length: 0 }],
    ["/scrape", "max_length", "must be at most 1000000", { url, max_length: 1_000_001 }],
    ["/scrape", "user_agent", "must be at most 512 characters", { url, user_agent: "x".repeat(513) }],
    ["/scrape", "user_agent", "must be visible ASCII characters and spaces", { url, user_agent: "a\r\nb: c" }],
    ["/scrape", "stealth", "must be of type boolean", { url, stealth: "yes" }],
    ["/scrape", "colour", "is not a field of this operation", { url, colour: 1 }],
    ["/read", "format", "is not a field of this operation", { url, format: "text" }],
    ["/qr", "data", "is required", {}],
    ["/qr", "data", "must not be empty", { data: "" }],
    ["/qr", "data", "must be well-formed Unicode", { data: "a\ud800" }],
    ["/qr", "data", "must be at most 4296 characters", { data: "x".repeat(4297) }],
    ["/qr", "data", "is too long for any QR code", { data: "ü".repeat(4000) }],
    ["/qr", "size", "must be at least 32", { data: "x", size: 31 }],
    ["/qr", "size", "must be at most 2048", { data: "x", size: 2049 }],
    ["/qr", "size", "must be at least 41 for this data and margin", { data: "x".repeat(100), size: 40 }],
    ["/qr", "margin", "must be at most 10", { data: "x", margin: 11 }],
  ])("%s responds with 400 if %s %s", async (path, field, message, body) => {
    const { status, headers, json } = await call(service, path, body, { "x-request-id": "test-1" });
    expect(status).toBe(400);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(json).toMatchObject({ type: "urn:turnpike:error:invalid-parameters", instance: "test-1" });
    expect(json["errors"]).toEqual([{ path: field, message }]);
  });

  test("a body that is not JSON, not an object, of another type or too long is rejected", async () => {
    expect((await call(service, "/scrape", "{")).status).toBe(400);
    expect((await call(service, "/scrape", "[]")).status).toBe(400);
    expect((await call(service, "/scrape", "url=x", { "content-type": "text/plain" })).status).toBe(400);
    expect((await call(service, "/scrape", { url, evaluate: "x".repeat(1_100_000) })).status).toBe(413);
  });

  test("an unknown path gets a 404 and a wrong method a 405, as problem documents", async () => {
    const unknown = await fetch(`${baseUrl(service)}/nothing`);
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get("content-type")).toBe("application/problem+json");
    const wrong = await fetch(`${baseUrl(service)}/scrape`);
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("POST");
  });
});

describe("the service", () => {
  test("reports that it is healthy", async () => {
    const response = await fetch(`${baseUrl(service)}/health`);
    expect(response.status).toBe(200);
    const browser = {
      name: service.browser?.name,
      version: service.browser?.version,
      sandboxed: service.browser?.sandboxed,
    };
    const facts = { status: "ok", version: VERSION, browser, fonts: { missing: [] } };
    expect(await response.json()).toEqual({ ...facts, search: expect.any(Array) });
  });

  test("reports its load to direct clients, and not through a gateway", async () => {
    const ask = (headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${baseUrl(service)}/figures`, { headers });
    await call(service, "/scrape", "[]");
    const places = { places: expect.any(Number), under_way: 0, waiting: 0 };
    const figures = (await (await ask()).json()) as Figures;
    expect(figures).toMatchObject({
      engines: { static: places, browser: places },
      extraction: places,
      browsers: { running: 1, lost: expect.any(Number) },
    });
    const { calls = 0, failures = {} } = figures.operations["scrape"] ?? {};
    expect(calls).toBeGreaterThan(0);
    expect(Object.values(failures).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect((await ask({ "x-forwarded-proto": "http" })).status).toBe(404);
  });

  test("listens on a Unix socket that only its owner can open, and removes it at the end", async () => {
    const unix = join(state.path, "content.sock");
    const other = await startContentService({
      listen: { unix },
      stateDir: state.path,
      allowPrivate: false,
      log: () => undefined,
    });
    expect(statSync(unix).mode & 0o777).toBe(0o600);
    expect((await fetch("http://content/health", { unix })).status).toBe(200);
    await other.close();
    expect(() => statSync(unix)).toThrow();
  });

  test("says what to do if the configured browser does not exist or does not start", async () => {
    const options = {
      listen: { hostname: "127.0.0.1", port: 0 },
      stateDir: state.path,
      allowPrivate: false,
      log: () => undefined,
    };
    const failure = (browserPath: string) =>
      startContentService({ ...options, browserPath }).then(
        () => "none",
        (error: unknown) => String(error),
      );
    expect(await failure("/no/such/browser")).toStartWith(
      "Error: Cannot start the browser '/no/such/browser' of content.browser_path: there is no such program",
    );
    expect(await failure("/bin/false")).toMatch(
      /^Error: Cannot start a browser: '\/bin\/false' ended with 1.*content\.browser_path$/,
    );
  });
});
