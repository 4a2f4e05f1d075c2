import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { baseUrl } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

// The service starts a browser on a machine that may be busy.
setDefaultTimeout(patient(60_000));

const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const agents: (string | null)[] = [];
let made: TestService;
let site: Bun.Server<undefined>;

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      agents.push(request.headers.get("user-agent"));
      const { pathname, search } = new URL(request.url);
      if (pathname === "/missing") return new Response("", { status: 404 });
      const html = `<!doctype html><title>Tides</title><article><h1>Tides</h1><p>At ${pathname}${search}. ${WORDS}</p></article>`;
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  made = await startTestService({ pageCache: { maxBytes: 1_000_000, hitPrice: 0 } });
});
afterAll(async () => {
  await made.close();
  await site.stop(true);
});

async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(baseUrl(made.service) + path, { headers });
  return { response, text: await response.text() };
}

test("the address of a page after /r/ gets its article as Markdown, with the query of the page", async () => {
  const address = `127.0.0.1:${site.port}/deep/page?a=1&url=x`;
  // A gateway removes empty segments.
  for (const path of [`/r/http://${address}`, `/r/http:/${address}`]) {
    const { response, text } = await get(path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(text).toStartWith("# Tides\n\nAt /deep/page?a=1&url=x. High water");
    expect(text).toEndWith("\n");
  }
});

test("parameters are header fields, or those of a query with the address", async () => {
  const url = `http://127.0.0.1:${site.port}/options`;
  await get(`/r/${url}`, { "x-turnpike-user-agent": "12", "x-turnpike-max-age": "60" });
  expect(agents.at(-1)).toBe("12");
  const { response, text } = await get(
    `/r?${new URLSearchParams({ url, user_agent: "12", max_age: "60", max_length: "7" }).toString()}`,
  );
  expect(text).toBe("# Tides\n\nAt /opt\n");
  expect(response.headers.get("settlement-overrides")).toBe('{"amount":"0%"}');
});

const WRONG: readonly (readonly [path: string, headers: Record<string, string>, status: number, type: string])[] = [
  ["/r", {}, 400, "invalid-parameters"],
  ["/r/", {}, 400, "invalid-parameters"],
  ["/r/http://", {}, 400, "invalid-parameters"],
  ["/r/http://a:b@c.test/", {}, 400, "invalid-parameters"],
  ["/r?url=ftp://a.test/", {}, 400, "address-refused"],
  ["/r/ftp://a.test/", {}, 400, "address-refused"],
  ["/r/file:/etc/passwd", {}, 400, "address-refused"],
  ["/r?url=http://a.test/&colour=red", {}, 400, "invalid-parameters"],
  ["/r/a.test", { "x-turnpike-timeout": "soon" }, 400, "invalid-parameters"],
  ["/r?url=http://127.0.0.1:1/", {}, 500, "page-failed"],
];
test.each(WRONG)("%s with %j is an error", async (path, headers, status, type) => {
  const { response, text } = await get(path, headers);
  expect([response.status, JSON.parse(text)["type"]]).toEqual([status, `urn:turnpike:error:${type}`]);
});
