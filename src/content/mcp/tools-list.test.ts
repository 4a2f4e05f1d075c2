/** The list of tools, and what they return, with the unmodified client of MCP's SDK, which checks results by `outputSchema`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { patient } from "../../lib/testing/patience.ts";
import { type PriceList } from "../api/price-list.ts";
import { JOB_OPERATIONS } from "../operations/job-requests.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { firstSentence } from "./brief.ts";
import { McpHttp } from "./mcp-http.ts";

// Each operation is called once, and a busy machine is slow.
setDefaultTimeout(patient(30_000));

const FREE: PriceList = { prices: {}, rules: {}, testMode: true, unserved: [], accepts: [], offers: {} };

let list: PriceList;
let gateway: Bun.Server<undefined>;
let server: Bun.Server<undefined>;
let mcp: McpHttp;

/** Responds to each request with the example of its operation. */
function example({ url, method }: Request): Response {
  const { pathname } = new URL(url);
  const operation = OPERATIONS.find(({ path }) => path === pathname);
  const job = JOB_OPERATIONS.find(
    (one) => one.path.replace("{id}", "ID") === pathname && one.method.toUpperCase() === method,
  );
  const { success } = operation ?? job ?? expect.unreachable();
  if (success.contentType === undefined) return Response.json(success.example, { status: success.status ?? 200 });
  return new Response("bytes", { headers: { "content-type": success.contentType } });
}

beforeAll(() => {
  gateway = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: example });
  mcp = new McpHttp({ gatewayUrl: gateway.url.origin, hosts: [], prices: async () => list, log: () => undefined });
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => mcp.fetch(request) });
});

afterAll(async () => {
  await mcp.close();
  await server.stop(true);
  await gateway.stop(true);
});

async function connect(query = ""): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp${query}`, server.url)));
  return client;
}

test("the structured content of every tool fits its output schema, which tools that return files do not have", async () => {
  list = FREE;
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.filter(({ outputSchema }) => outputSchema === undefined).map(({ name }) => name)).toEqual([
    "pdf",
    "screenshot",
    "qr",
  ]);
  for (const { name, example: given, success } of OPERATIONS.filter(({ body }) => body !== undefined)) {
    const result = await client.callTool({ name, arguments: { ...Object(given) } });
    expect([name, result.isError, result.structuredContent]).toEqual([name, undefined, success.example]);
  }
  for (const name of ["job_status", "job_results", "job_cancel"]) {
    const result = await client.callTool({ name, arguments: { job: "/crawl/ID", secret: "s" } });
    expect([name, result.isError, typeof result.structuredContent]).toEqual([name, undefined, "object"]);
  }
  // A challenge is the structured content of an error.
  for (const { outputSchema } of tools.filter((tool) => tool.outputSchema !== undefined)) {
    expect(outputSchema?.["anyOf"]).toContainEqual({ required: ["x402Version", "accepts"] });
  }
  await client.close();
});

test("the list is short, and a resource or a query has the whole description of a tool", async () => {
  list = FREE;
  const client = await connect();
  const brief = await client.listTools();
  expect(JSON.stringify(brief).length).toBeLessThan(24_600);
  const crawl = brief.tools.find(({ name }) => name === "crawl");
  expect(Object.keys(crawl?.inputSchema.properties ?? {})).toContain("wait_until");
  expect(JSON.stringify(crawl?.inputSchema)).not.toContain('"maximum"');
  const { resources } = await client.listResources();
  expect(resources).toHaveLength(OPERATIONS.filter(({ body }) => body !== undefined).length);
  const { contents } = await client.readResource({ uri: "turnpike://tools/crawl" });
  const [content] = contents;
  const whole = content !== undefined && "text" in content ? JSON.parse(content.text) : undefined;
  expect(JSON.stringify(whole)).toContain('"maximum"');
  await client.close();
  const asked = await connect("?tools=whole");
  const { tools } = await asked.listTools();
  expect(tools.find(({ name }) => name === "crawl")).toEqual(whole);
  const unknown = await asked.readResource({ uri: "turnpike://tools/fly" }).catch(String);
  expect(unknown).toContain("There is no such resource");
  await asked.close();
});

test("tools of operations that the gateway does not serve are not listed", async () => {
  list = { ...FREE, unserved: ["/crawl", "/batch", "/qr"] };
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).filter((name) => /^(?:crawl|batch|qr|job_)/.test(name))).toEqual([]);
  const { resources } = await client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  await client.close();
});

test("a first sentence ends at a full stop or a semicolon, and has at most 200 characters", () => {
  expect(["One. Two", "One; two", "v1.2 of it", "x".repeat(300)].map(firstSentence)).toEqual([
    "One",
    "One",
    "v1.2 of it",
    "x".repeat(200),
  ]);
});
