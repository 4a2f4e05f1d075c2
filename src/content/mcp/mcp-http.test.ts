import { afterEach, expect, test } from "bun:test";
import { McpHttp } from "./mcp-http.ts";

const HOST = "127.0.0.1:8080";
const ACCEPT = "application/json, text/event-stream";
const servers: McpHttp[] = [];
let now = 0;

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  now = 0;
});

function open(hosts: readonly string[] = []): McpHttp {
  // The requests here do not reach the gateway.
  const server = new McpHttp({
    gatewayUrl: "http://127.0.0.1:1",
    hosts,
    prices: async () => undefined,
    log: () => undefined,
    now: () => now,
  });
  servers.push(server);
  return server;
}

function send(server: McpHttp, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return server.fetch(
    new Request(`http://${HOST}/mcp`, {
      method: "POST",
      headers: { host: HOST, "content-type": "application/json", accept: ACCEPT, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "agent", version: "1" } },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

async function begin(server: McpHttp): Promise<string> {
  const response = await send(server, INITIALIZE);
  await response.body?.cancel();
  return response.headers.get("mcp-session-id") ?? "";
}

async function list(server: McpHttp, session: string): Promise<number> {
  const response = await send(server, LIST, { "mcp-session-id": session });
  await response.body?.cancel();
  return response.status;
}

test("a session is begun, used and ended", async () => {
  const server = open();
  const session = await begin(server);
  expect(await list(server, session)).toBe(200);
  const ended = await server.fetch(
    new Request(`http://${HOST}/mcp`, { method: "DELETE", headers: { host: HOST, "mcp-session-id": session } }),
  );
  expect([ended.status, server.sessions]).toEqual([200, 0]);
  expect(await list(server, session)).toBe(404);
});

test("the number of sessions is limited, and the one that was idle longest is dropped first", async () => {
  const server = open();
  const ids: string[] = [];
  for (let i = 0; i < 256; i++) ids.push(await begin(server));
  const [first = "", second = ""] = ids;
  expect(await list(server, first)).toBe(200);
  const last = await begin(server);
  expect(server.sessions).toBe(256);
  expect(await Promise.all([first, second, last].map((id) => list(server, id)))).toEqual([200, 404, 200]);
});

test("a session without use for ten minutes ends", async () => {
  const server = open();
  const session = await begin(server);
  now = 600_000;
  expect(await list(server, session)).toBe(200);
  now = 1_200_001;
  expect([await list(server, session), server.sessions]).toEqual([404, 0]);
});

const REFUSED: readonly (readonly [name: string, body: unknown, status: number])[] = [
  ["invalid JSON", "{", 400],
  ["nothing", "", 400],
  ["a batch", [INITIALIZE, LIST], 400],
  ["a batch of junk", Array(1000).fill(1), 400],
  ["a number", "5", 400],
  ["null", "null", 400],
  ["a call without a session", LIST, 400],
  ["deep nesting", "[".repeat(100_000), 400],
  ["too long a message", `"${"x".repeat(2 * 1024 * 1024)}"`, 413],
];

for (const [name, body, status] of REFUSED) {
  test(`${name} is refused with ${status}, and begins no session`, async () => {
    const server = open();
    const response = await send(server, body);
    expect([response.status, server.sessions]).toEqual([status, 0]);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } });
  });
}

test("a session that never began does not exist, and no stream is offered", async () => {
  const server = open();
  expect(await list(server, "made-up")).toBe(404);
  const stream = await server.fetch(new Request(`http://${HOST}/mcp`, { headers: { host: HOST, accept: ACCEPT } }));
  expect([stream.status, stream.headers.get("allow")]).toEqual([405, "POST, DELETE"]);
});

test("a page of another site cannot use this server by its own name", async () => {
  const local = open();
  expect((await send(local, INITIALIZE, { host: "evil.example" })).status).toBe(403);
  expect((await send(local, INITIALIZE, { "x-forwarded-host": "evil.example" })).status).toBe(403);
  expect((await send(local, INITIALIZE, { origin: "http://evil.example" })).status).toBe(403);
  expect((await send(local, INITIALIZE, { origin: "null" })).status).toBe(403);
  expect((await send(local, INITIALIZE, { origin: "http://localhost:5173" })).status).toBe(200);
  const open2 = open(["api.example.com", "*"]);
  expect((await send(open2, INITIALIZE, { host: "api.example.com" })).status).toBe(200);
  expect((await send(open2, INITIALIZE, { host: "another.example" })).status).toBe(200);
  expect((await send(open2, INITIALIZE, { origin: "https://api.example.com" })).status).toBe(200);
  expect((await send(open2, INITIALIZE, { origin: "https://evil.example" })).status).toBe(403);
});

test("the revision without sessions lists tools, and opens no stream of changes", async () => {
  const server = open();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "agent", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const ask = (method: string, params: object) =>
    send(
      server,
      { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
    );
  expect(await (await ask("tools/list", {})).text()).toContain('"name":"scrape"');
  const listen = await ask("subscriptions/listen", { notifications: { toolsListChanged: true } });
  expect(await listen.text()).toContain("Subscription limit reached");
  expect(server.sessions).toBe(0);
});

test("the number of concurrent calls is limited, and one more gets an error", async () => {
  const gateway = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: (request) => new Promise((_, refuse) => request.signal.addEventListener("abort", refuse)),
  });
  const server = new McpHttp({
    gatewayUrl: gateway.url.origin,
    hosts: [],
    prices: async () => undefined,
    log: () => undefined,
  });
  servers.push(server);
  const session = await begin(server);
  const call = (id: number) => {
    const params = { name: "qr", arguments: { data: "x" } };
    return send(server, { jsonrpc: "2.0", id, method: "tools/call", params }, { "mcp-session-id": session });
  };
  const under = await Promise.all(Array.from({ length: 64 }, (_, id) => call(id)));
  expect(await (await call(64)).text()).toContain("Too many calls are under way");
  await server.close();
  await Promise.all(under.map(async (response) => await response.body?.cancel()));
  await gateway.stop(true);
});

test("an unreachable gateway is an error of the call, without its address", async () => {
  const server = open();
  const session = await begin(server);
  const call = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "qr", arguments: { data: "x" } } };
  const text = await (await send(server, call, { "mcp-session-id": session })).text();
  expect(text).toContain('"isError":true');
  expect(text).toContain("Cannot get a response from the gateway: ECONNREFUSED");
  expect(text).not.toContain("127.0.0.1:1");
});
