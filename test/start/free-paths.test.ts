/**
 * The shipped routes `/` and `/docs` are free and lead to the content service. No spelling of an operation's path may
 * reach the operation through them.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Agent, request } from "node:http";
import { ENDPOINTS } from "../../src/content/firecrawl/endpoints.ts";
import { VERSIONS } from "../../src/content/firecrawl/handler.ts";
import { OPERATIONS } from "../../src/content/operations/operations.ts";
import { READER_PATH } from "../../src/content/operations/reader-address.ts";
import { type Documentation, startDocumentation } from "../support/documentation.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(120_000));

/** A connection for each of twenty thousand requests would take a quarter of the CPU time. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let documentation: Documentation;

beforeAll(async () => {
  documentation = await startDocumentation();
});

afterAll(async () => {
  agent.destroy();
  await documentation.stop();
});

/** The status of a request to `path` exactly as written; `fetch` would normalize it. */
function send(method: "GET" | "POST", path: string, body?: unknown, type = "application/json"): Promise<number> {
  const { hostname, port } = new URL(documentation.url);
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, path, method, headers: { "content-type": type } });
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function spellings(path: string): readonly string[] {
  const name = path.slice(1);
  const before = [
    "/",
    "//",
    "/./",
    "/x/../",
    "/;/",
    "/;a=b/",
    "/docs/../",
    "/docs/..%2f",
    "/docs/..;/",
    "/docs/",
    "/%2e/",
    "/%2f",
    "/%5c",
    "/\\",
  ];
  const after = ["", "/", "//", ";", ";a=b", "%20", "%00", "%2f", "%3f", "%23", ".", ";/..", "/.", "/x/..", "?a", "#a"];
  const words = [
    name,
    name.toUpperCase(),
    `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    `%25${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    `%C1%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
  ];
  return before.flatMap((start) => words.flatMap((word) => after.map((end) => start + word + end)));
}

for (const { name, path, price, example } of OPERATIONS) {
  if (price === undefined) continue;
  test(`no spelling of ${path} runs ${name} without payment`, async () => {
    const all = spellings(path);
    const responded = new Set<number>();
    for (const spelling of all) responded.add(await send("POST", spelling, example));
    expect(documentation.runs).toEqual([]);
    expect(responded).toContain(402);
    expect([...responded].filter((status) => status < 400)).toEqual([]);
  });
}

test.each(VERSIONS)("the requests of Firecrawl's API %s that load pages have a price", async (version) => {
  const paid = ENDPOINTS.filter(({ method }) => method === "POST").map(({ path }) => path);
  const [url, urls] = ["http://example.com/", ["http://example.com/"]];
  const bodies: Readonly<Record<string, object>> = {
    search: { query: "tides" },
    "batch/scrape": { urls },
    extract: { urls, schema: { type: "object", properties: { title: {} } } },
  };
  const responded = paid.map(async (path) => {
    const type = path === "parse" ? "text/plain" : undefined;
    return [path, await send("POST", `/${version}/${path}`, bodies[path] ?? { url }, type)];
  });
  expect(await Promise.all(responded)).toEqual(paid.map((path) => [path, 402]));
});

test("no spelling of the reader's path reads an address without payment", async () => {
  const responded = new Set<number>();
  for (const spelling of spellings(READER_PATH)) {
    for (const address of ["/http://example.com/", "/http:/example.com/", "?url=http://example.com/"]) {
      responded.add(await send("GET", spelling + address));
    }
  }
  expect(documentation.runs).toEqual([]);
  expect(responded).toContain(402);
});
