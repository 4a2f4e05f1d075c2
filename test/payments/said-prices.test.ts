/** Documents, the API's description and MCP tools show the prices of the gateway in front of them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { until } from "../../src/lib/testing/until.ts";
import { type ApiDocument } from "../../src/content/api/api-document.ts";
import { createApp } from "../../src/content/app.ts";
import { McpHttp } from "../../src/content/mcp/mcp-http.ts";
import { type Services } from "../../src/content/operations/operation.ts";
import { type AskPrices, pricesOf } from "../../src/content/api/price-list.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { Folder, Program } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const USDT = { asset: "0x0000000000000000000000000000000000000d0a", extra_name: "T", extra_version: "1" };

let folder: Folder;
let gateway: Program;
let service: Bun.Server<undefined>;
let mcp: McpHttp;
let url: string;

function route(path_prefix: string, x402?: object, host?: string): object {
  return {
    path_prefix,
    upstream: "content",
    ...(x402 === undefined ? {} : { x402: { ...TERMS, ...x402 } }),
    ...(host === undefined ? {} : { host }),
  };
}

function config(port: number, price: string): object {
  return {
    server: { address: "127.0.0.1", port, workers: 1 },
    state_path: folder.path,
    x402: { enabled: true, test_mode: true },
    upstreams: [{ name: "content", servers: [{ unix: folder.file("content.sock") }] }],
    routes: [
      route("/", { price: "$3" }),
      route("/qr"),
      route("/docs"),
      route("/openapi.json"),
      route("/mcp"),
      route("/health"),
      route("/read", { price }),
      route("/read", { price: "$0.5" }, "dear.example"),
      route("/pdf", { price: "$0.25", accepts: [{ ...TERMS, price: "$0.35", network: "base" }] }),
      route("/search", { ...USDT, price: "70000" }),
      route("/batch", {
        price: "$0.05",
        free_per_day: { requests: 3 },
        rules: [{ unit_price: { price: "$0.005", count: "/urls", max: "$0.05" } }],
      }),
      route("/extract", {
        rules: [
          { payers: [`0x${"a".repeat(40)}`], price: "$0.001" },
          { body: [{ pointer: "/selectors" }], price: "$0.02" },
          { match: { query: [{ name: "free", value: "s3cret" }] }, free: true },
        ],
      }),
    ],
  };
}

beforeAll(async () => {
  folder = new Folder();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const prices: AskPrices = pricesOf(url, fetch);
  mcp = new McpHttp({ gatewayUrl: url, hosts: ["*"], prices, log: () => undefined });
  const nothing: unknown = undefined;
  // These requests use no service.
  const app = createApp(nothing as Services, { mcp, prices });
  service = Bun.serve({ unix: folder.file("content.sock"), fetch: (request) => app(request) });
  writeFileSync(folder.file("turnpike.json"), JSON.stringify(config(port, "$0.123")));
  gateway = new Program(["--config", folder.file("turnpike.json")]);
  await gateway.sees(/listening on/);
});

afterAll(async () => {
  await gateway.stop();
  await mcp.close();
  await service.stop(true);
  folder.remove();
});

async function described(host?: string): Promise<ApiDocument["paths"]> {
  const response = await fetch(`${url}/openapi.json`, host === undefined ? {} : { headers: { host } });
  // The description's own test checks its form.
  return ((await response.json()) as ApiDocument).paths;
}

interface Listed {
  readonly description: string;
  readonly readOnly: boolean;
  readonly rules: unknown;
}

async function tools(): Promise<Map<string, Listed>> {
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const { tools: all } = await client.listTools();
  await client.close();
  return new Map(
    all.map(({ name, description = "", annotations, _meta: meta }) => [
      name,
      { description, readOnly: annotations?.readOnlyHint === true, rules: meta?.["turnpike/prices"] },
    ]),
  );
}

const asked = async (path: string) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: "{}" });
  await response.body?.cancel();
  return response.status;
};

test("each operation has the price of its route: its own, that of a shorter prefix, or none", async () => {
  const paths = await described();
  const said = Object.entries(paths).map(([path, { get, post }]) => [path, (post ?? get)?.["x-price"]]);
  expect(Object.fromEntries(said)).toEqual({
    "/browsers": "$3.00",
    "/parse": "$3.00",
    "/sessions": "$3.00",
    "/search": `70000 units of ${USDT.asset}`,
    "/search/content": `70000 units of ${USDT.asset}`,
    "/crawl": "$3.00",
    "/map": "$3.00",
    "/scrape": "$3.00",
    "/batch": "$0.005 for each of /urls, at most $0.05; 3 a day free for each client",
    "/extract": "with /selectors: $0.02; query parameter free: free; otherwise $0.01",
    "/resolve": "$3.00",
    "/read": "$0.123",
    "/pdf": "$0.25 or $0.35",
    "/screenshot": "$3.00",
    "/qr": undefined,
    "/health": undefined,
  });
  expect(Object.keys(paths["/read"]?.post?.responses ?? {})).toContain("402");
  expect(Object.keys(paths["/qr"]?.post?.responses ?? {})).not.toContain("402");
  expect(JSON.stringify(paths["/read"])).toContain("This costs $0.123.");
  for (const [path, status] of [
    ["/read", 402],
    ["/scrape", 402],
    ["/qr", 400],
  ] as const)
    expect(await asked(path)).toBe(status);
});

test("a host has the prices of its own routes", async () => {
  expect((await described("dear.example"))["/read"]?.post?.["x-price"]).toBe("$0.50");
  expect((await described("cheap.example"))["/read"]?.post?.["x-price"]).toBe("$0.123");
});

test("the page and the tools show the same prices, and only free tools are read-only", async () => {
  const page = await (await fetch(`${url}/docs`)).text();
  expect(page).toContain('<code>POST /read</code><span class="price">$0.123</span>');
  expect(page).toContain(
    '<code>POST /batch</code><span class="price">$0.005 for each of /urls, at most $0.05; 3 a day free for each client</span>',
  );
  expect(page).toContain('<code>POST /qr</code><span class="price">free</span>');
  const listed = await tools();
  expect(listed.get("read")).toMatchObject({ readOnly: false, description: expect.stringContaining("Costs $0.123;") });
  expect(listed.get("batch")).toMatchObject({
    description: expect.stringContaining(
      "Costs $0.005 for each of /urls, at most $0.05; 3 a day free for each client;",
    ),
    rules: [{ unit: { count: "/urls", amounts: ["5000"], max: ["50000"] } }],
  });
  expect(JSON.stringify(await described())).not.toContain("s3cret");
  expect(listed.get("qr")).toMatchObject({ readOnly: true, description: expect.stringMatching(/Free\.$/) });
});

test("after a reload with another price, all of them show it", async () => {
  writeFileSync(folder.file("turnpike.json"), JSON.stringify(config(Number(new URL(url).port), "$0.456")));
  gateway.kill("SIGHUP");
  await until(async () => (await described())["/read"]?.post?.["x-price"] === "$0.456", 30_000);
  expect(await (await fetch(`${url}/docs`)).text()).toContain(
    '<code>POST /read</code><span class="price">$0.456</span>',
  );
  expect((await tools()).get("read")?.description).toContain("Costs $0.456;");
});

test("a service without a gateway, or whose gateway is unavailable, shows no price", async () => {
  const nothing: unknown = undefined;
  for (const prices of [async () => undefined, pricesOf("http://127.0.0.1:1", fetch)]) {
    const app = createApp(nothing as Services, { prices });
    const { paths } = (await (await app(new Request("http://content/openapi.json"))).json()) as ApiDocument;
    expect(Object.values(paths).flatMap(({ get, post }) => (post ?? get)?.["x-price"] ?? [])).toEqual([]);
    expect(Object.keys(paths["/read"]?.post?.responses ?? {})).toContain("402");
    const page = await (await app(new Request("http://content/docs"))).text();
    expect(page).not.toContain('class="price"');
    expect(page).not.toContain("free</span>");
  }
});
