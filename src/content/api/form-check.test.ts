import { expect, setDefaultTimeout, test } from "bun:test";
import { createApp } from "../app.ts";
import { type Services } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { Uploads } from "../operations/upload.ts";
import { unknownPrices } from "./price-list.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const logged: string[] = [];

/** Services that must not be used, except for the log and the limit of uploads. */
const services = new Proxy({} as Services, {
  get: (_services, name) => {
    if (name === "log") return (_level: string, message: string) => logged.push(message);
    if (name === "uploads") return new Uploads(2 * 1024 * 1024);
    throw new Error(`a check has used ${String(name)}`);
  },
});
const app = createApp(services, { prices: unknownPrices, firecrawl: true });

async function check(path: string, body?: unknown, type = "application/json"): Promise<Response> {
  const headers = { "content-type": type, "turnpike-check": "form" };
  const method = body === undefined ? "GET" : "POST";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return await app(new Request(`http://content${path}`, { method, headers, body: text ?? null }));
}

/** The service behind a socket, where a body has a length. */
function serving(): { port: number | undefined; stop: () => Promise<void> } {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: async (request) => await app(request) });
  return { port: server.port, stop: async () => await server.stop(true) };
}

for (const { name, path, price, example } of OPERATIONS) {
  if (price === undefined) continue;
  test(`a check of ${name} accepts its example and refuses another body, without its services`, async () => {
    const accepted = await check(path, example);
    expect([accepted.status, accepted.headers.get("cache-control"), await accepted.text()]).toEqual([
      204,
      "no-store",
      "",
    ]);
    expect((await check(path, { ...example, colour: "red" })).status).toBe(400);
    expect((await check(path, "{")).status).toBe(400);
  });
}

test.each([
  ["scrape", { url: "http://h/" }],
  ["map", { url: "http://h/" }],
  ["search", { query: "x", scrapeOptions: {} }],
  ["crawl", { url: "http://h/" }],
  ["batch/scrape", { urls: ["http://h/"] }],
  ["extract", { urls: ["http://h/"], schema: { type: "object", properties: { a: {} } } }],
])("a check of /v2/%s accepts a valid body, and refuses another one in its own form", async (path, body) => {
  expect((await check(`/v2/${path}`, body)).status).toBe(204);
  const refused = await check(`/v2/${path}`, { ...body, colour: "red" });
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { success: false, details: [{ path: "colour" }] },
  ]);
});

test("a refusal is not logged as an error of the service", () => {
  expect(logged).toEqual([]);
});

test("a check of a file reads it up to a bound, and of a longer one the parameters in the query", async () => {
  const long = "x".repeat(1024 * 1024 + 1);
  expect((await check("/parse", "text", "text/plain")).status).toBe(204);
  expect((await check("/parse?colour=red", "text", "text/plain")).status).toBe(400);
  expect((await check("/parse?format=text", long, "text/plain")).status).toBe(204);
  expect((await check("/parse?colour=red", long, "text/plain")).status).toBe(400);
  // Its parameters are in the body, after the bound.
  for (const type of ["application/json", "multipart/form-data; boundary=x"])
    expect((await check("/parse?colour=red", long, type)).status).toBe(204);
});

test("a check refuses a file that announces more bytes than are read after a payment", async () => {
  const { port, stop } = serving();
  try {
    const status = async (bytes: number) =>
      (
        await fetch(`http://127.0.0.1:${port}/parse`, {
          method: "POST",
          headers: { "turnpike-check": "form", "content-type": "text/plain" },
          body: "x".repeat(bytes),
        })
      ).status;
    expect(await status(2 * 1024 * 1024)).toBe(204);
    expect(await status(2 * 1024 * 1024 + 1)).toBe(413);
  } finally {
    await stop();
  }
});

test("a check of an address refuses what the reader cannot load", async () => {
  expect((await check("/r/http://h/")).status).toBe(204);
  expect((await check("/r/ftp://h/")).status).toBe(400);
});
