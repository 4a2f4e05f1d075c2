import { afterAll, beforeAll, expect, test } from "bun:test";
import { Children } from "../support/children.ts";
import { checkResponse } from "./responses.ts";
import { CASES, type Client } from "./cases.ts";
import { drive } from "./drive.ts";
import { askedOf, startCacheOrigin, startGrpcOrigin, startWebSocketOrigin } from "./origin.ts";

const children = new Children();
let cached: Awaited<ReturnType<typeof startCacheOrigin>>;
let calls: Awaited<ReturnType<typeof startGrpcOrigin>>;
let echoes: Awaited<ReturnType<typeof startWebSocketOrigin>>;

beforeAll(async () => {
  [cached, calls, echoes] = await Promise.all([
    startCacheOrigin(children),
    startGrpcOrigin(children),
    startWebSocketOrigin(children),
  ]);
});
afterAll(() => children.close());

function clientOf(name: string): Client {
  const found = CASES.find((load) => load.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found.client;
}

test("the origin behind caches sends cacheable responses, and counts its requests", async () => {
  await checkResponse(clientOf("cache-hit"), cached.port);
  await checkResponse(clientOf("cache-hit-64k"), cached.port);
  expect(await askedOf(cached)).toBe(2);
});

test("the gRPC origin responds to a call with its own message and status 0", async () => {
  await checkResponse(clientOf("grpc-unary"), calls.port);
});

test("a response that differs from the origin's is found", () => {
  const other: Client = { kind: "wrk", path: "/1m", connections: 1 };
  expect(checkResponse({ ...other, path: "/none" }, cached.port)).rejects.toThrow("has the status 404");
  expect(checkResponse({ ...other, path: "/count" }, cached.port)).rejects.toThrow("not the origin's");
});

test("WebSocket messages of both sizes come back as they were sent", async () => {
  for (const name of ["ws-echo", "ws-echo-16k"]) {
    const found = await drive(children, clientOf(name), echoes.port, 0.1);
    expect(found.requests).toBeGreaterThan(0);
    expect(found.p50).toBeLessThanOrEqual(found.p99);
  }
});

test("a server that does not speak WebSocket is a failure", () => {
  expect(drive(children, clientOf("ws-echo"), cached.port, 0.1)).rejects.toThrow("the handshake failed");
});
