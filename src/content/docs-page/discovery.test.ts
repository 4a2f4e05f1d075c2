import { expect, test } from "bun:test";
import { createApp } from "../app.ts";
import { type PriceList } from "../api/price-list.ts";
import { type Services } from "../operations/operation.ts";

const LIST: PriceList = {
  prices: { "/read": "$0.005" },
  rules: {},
  testMode: true,
  unserved: ["/crawl"],
  accepts: [],
  offers: {},
};
const nothing: unknown = undefined;
const mcp = { fetch: async () => new Response("mcp") };

async function get(path: string, options: object = { mcp }, host = "api.example.com:8443"): Promise<Response> {
  // The requests of this file use no service.
  const app = createApp(nothing as Services, { prices: async () => LIST, ...options });
  return await app(new Request(`http://content${path}`, { headers: { host, "x-forwarded-proto": "https" } }));
}

test("llms.txt lists what is served, with prices and the ways to pay and to read more", async () => {
  const response = await get("/llms.txt");
  expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  const text = await response.text();
  expect(text).toStartWith("# Turnpike web content API\n\n> ");
  expect(text).toContain("- [POST /read](/docs#read): ");
  expect(text).toMatch(/^- \[POST \/read\].*\. \$0\.005$/m);
  expect(text).toContain("- [POST /qr](/docs#qr): ");
  expect(text).toContain("Test mode: signatures are checked, and no money moves.");
  expect(text).toContain("- MCP: streamable HTTP at /mcp\n");
  expect(text).not.toContain("/crawl");
  expect(text.length).toBeLessThan(4000);
  expect(await (await get("/llms.txt", {})).text()).not.toContain("MCP");
});

test("the catalogue of MCP leads to the server card, which has the endpoint at the requested host", async () => {
  const catalogue = await get("/.well-known/mcp/catalog.json");
  expect(catalogue.headers.get("access-control-allow-origin")).toBe("*");
  const url = "https://api.example.com:8443/mcp/server-card";
  const entry = { identifier: "urn:air:api.example.com:web-content", type: "application/mcp-server-card+json", url };
  expect(await catalogue.json()).toMatchObject({ specVersion: "draft", entries: [entry] });
  for (const path of [new URL(url).pathname, "/.well-known/mcp/server-card.json"]) {
    const card = await get(path);
    expect(card.headers.get("content-type")).toBe("application/mcp-server-card+json");
    expect(await card.json()).toMatchObject({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: "com.example.api/web-content",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      description: expect.stringMatching(/^.{1,100}$/),
      remotes: [{ type: "streamable-http", url: "https://api.example.com:8443/mcp" }],
    });
  }
  expect(await (await get("/mcp/server-card", { mcp }, "127.0.0.1:80")).json()).toMatchObject({
    name: "127.0.0.1/web-content",
  });
});

test("the documents can be switched off, and without MCP there is no server card", async () => {
  const off = { mcp, discovery: false };
  const asked = [get("/llms.txt", off), get("/mcp/server-card", off), get("/.well-known/mcp/catalog.json", {})];
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404, 404]);
});
