import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Hex } from "../../x402/address.ts";
import { startNodeProxy, type NodeProxy, rpcError, rpcResult } from "../testing/node-proxy.ts";
import { blockNumberRequest, chainIdRequest, codeRequest, sendRequest } from "./requests.ts";
import { Rpc, isRpcError } from "./rpc.ts";

const SECRET = "a-secret-key";
const result = (id: number, value: string): object => ({ jsonrpc: "2.0", id, result: value });

describe("a call to a node", () => {
  let proxy: NodeProxy;
  beforeEach(() => {
    proxy = startNodeProxy("http://127.0.0.1:9");
  });
  afterEach(() => proxy.close());

  function rpc(timeoutMs = 5000) {
    return new Rpc(`${proxy.rpcUrl}/v2/${SECRET}`, timeoutMs);
  }

  test("returns several responses by their ids, in the order of the requests", async () => {
    proxy.behave((call) => rpcResult(call, call.method === "eth_chainId" ? "0x1" : "0x2"));
    expect(await rpc().readAll<[bigint, bigint]>([blockNumberRequest(), chainIdRequest()])).toEqual([2n, 1n]);
  });

  test.each([
    [0, 0],
    [50, 1],
    [51, 2],
  ])("sends %d reads in %d HTTP requests", async (reads, posts) => {
    let seen = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        seen += 1;
        const calls = (await request.json()) as { id: number } | { id: number }[];
        return Response.json(Array.isArray(calls) ? calls.map(({ id }) => result(id, "0x1")) : result(calls.id, "0x1"));
      },
    });
    const responses = await new Rpc(server.url.href, 5000).readAll(Array.from({ length: reads }, chainIdRequest));
    expect([responses, seen]).toEqual([Array.from({ length: reads }, () => 1n), posts]);
    await server.stop(true);
  });

  test.each([
    ["no JSON", () => new Response("<html>nothing here</html>")],
    ["a response with an unknown id", () => Response.json({ jsonrpc: "2.0", id: 99_999, result: "0x1" })],
    ["a result of another shape", () => Response.json({ jsonrpc: "2.0", id: 1, result: { number: 1 } })],
    ["a number with leading zeros", () => Response.json({ jsonrpc: "2.0", id: 1, result: "0x0001" })],
    ["a number too large", () => Response.json({ jsonrpc: "2.0", id: 1, result: `0x${"f".repeat(65)}` })],
    ["null", () => Response.json(null)],
    ["a prototype", () => new Response(`{"__proto__":{"result":"0x1"},"id":1}`)],
    ["a redirect", () => Response.redirect("http://127.0.0.1:9/", 307)],
    ["a refusal as HTML", () => new Response("Forbidden: a-secret-key", { status: 403 })],
  ])("takes %s for an invalid response", async (_name, response) => {
    proxy.response(response);
    const [reply] = await rpc().readAll<[bigint]>([chainIdRequest()]);
    expect(reply).toMatchObject({ error: "failed" });
    expect(JSON.stringify(reply)).not.toContain(SECRET);
  });

  test("reads a response only up to its limit", async () => {
    let sent = 0;
    proxy.response(() => {
      const chunk = new Uint8Array(65_536).fill(0x20);
      return new Response(
        new ReadableStream({
          pull(controller) {
            sent += chunk.length;
            if (sent > 64 * 1024 * 1024) controller.close();
            else controller.enqueue(chunk);
          },
        }),
      );
    });
    const [reply] = await rpc().readAll<[bigint]>([chainIdRequest()]);
    expect(reply).toMatchObject({ error: "failed" });
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test("ends after its timeout, and is then not repeated", async () => {
    proxy.behave(() => "never");
    const [reply] = await rpc(50).readAll<[bigint]>([chainIdRequest()]);
    expect(reply).toEqual({
      error: "unavailable",
      cause: "no response of the node within 50 ms",
      isLate: true,
    } as never);
    expect(proxy.methods).toHaveLength(1);
  });

  test("ends after its timeout also in the middle of a response", async () => {
    proxy.response(
      () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("[")) })),
    );
    const [reply] = await rpc(50).readAll<[bigint]>([chainIdRequest()]);
    expect(reply).toEqual({
      error: "unavailable",
      cause: "no response of the node within 50 ms",
      isLate: true,
    } as never);
  });

  test("takes an error of JSON-RPC from a response with any status", async () => {
    const refusal = { jsonrpc: "2.0", id: 1, error: { code: 3, message: "execution reverted", data: "0x01" } };
    proxy.response(() => Response.json(refusal, { status: 400 }));
    const reverted = { error: "refused", refusal: "reverted", data: "0x01" } as const;
    expect(await rpc().readAll<[bigint]>([chainIdRequest()])).toMatchObject([reverted]);
    proxy.response(() => Response.json([refusal, { ...refusal, id: 2 }], { status: 500 }));
    const two = [chainIdRequest(), blockNumberRequest()] as const;
    expect(await rpc().readAll<[bigint, bigint]>(two)).toMatchObject([reverted, reverted]);
  });

  test.each([
    [400, { jsonrpc: "2.0", id: 1, result: "0x1" }, "failed"],
    [499, null, "failed"],
    [500, null, "unavailable"],
    [429, null, "unavailable"],
  ])("takes no result from a response with the status %d", async (status, body, error) => {
    proxy.response(() => Response.json(body, { status }));
    const [reply] = await rpc().readAll<[bigint]>([chainIdRequest()]);
    expect(reply).toMatchObject({ error, cause: `the node responded with ${status}` });
  });

  test("keeps the data of an error only if it is short and hexadecimal", async () => {
    const longest = `0x${"0".repeat(8190)}`;
    for (const [data, kept] of [
      [longest, longest],
      [`${longest}0`, undefined],
      ["0xyz", undefined],
      [7, undefined],
    ]) {
      const error = { code: 3, message: "execution reverted", data };
      proxy.response(() => Response.json({ jsonrpc: "2.0", id: 1, error }));
      const [reply] = await rpc().readAll<[bigint]>([chainIdRequest()]);
      expect(isRpcError(reply) ? reply.data : reply).toBe(kept as Hex | undefined);
    }
  });

  test("takes the first response with an id, and none to another call", async () => {
    proxy.response(() => Response.json([result(1, "0x1"), result(1, "0x2"), result(3, "0x3")]));
    const two = [chainIdRequest(), blockNumberRequest()] as const;
    expect(await rpc().readAll<[bigint, bigint]>(two)).toMatchObject([
      1n,
      { error: "failed", cause: "the node did not respond to eth_blockNumber" },
    ]);
  });

  test("sends at most 50 calls in one HTTP request", async () => {
    const sizes: number[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const body = (await request.json()) as { id: number }[]; // Batches alone are sent here.
        sizes.push(body.length);
        return Response.json(body.map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${id.toString(16)}` })));
      },
    });
    const many = new Rpc(`http://127.0.0.1:${server.port}`, 5000);
    const requests = Array.from({ length: 102 }, chainIdRequest);
    expect(await many.readAll<bigint[]>(requests)).toEqual(requests.map((_, i) => BigInt(i + 1)));
    expect(sizes).toEqual([50, 50, 2]);
    expect(await many.readAll<bigint[]>([])).toEqual([]);
    await server.stop(true);
  });

  test("that is a read is tried twice", async () => {
    let tries = 0;
    proxy.response(() => {
      tries += 1;
      return new Response(null, { status: 503 });
    });
    await rpc().readAll<[bigint]>([chainIdRequest()]);
    expect(tries).toBe(2);
    await rpc().readAll<[bigint, bigint]>([chainIdRequest(), blockNumberRequest()]);
    expect(tries).toBe(4);
  });

  test("is repeated if the node is busy, if it is a read", async () => {
    proxy.behave((call) => rpcResult(call, "0x5"));
    proxy.response(() => {
      proxy.response(undefined);
      return new Response("slow down", { status: 429 });
    });
    expect(await rpc().readAll<[bigint]>([chainIdRequest()])).toEqual([5n]);
  });

  test("is never repeated if it changes something", async () => {
    proxy.behave((call) => rpcError(call, -32_005, "rate limit"));
    expect(await rpc().write(sendRequest("0x02"))).toMatchObject({ error: "unavailable", refusal: "busy" });
    expect(proxy.methods).toEqual(["eth_sendRawTransaction"]);
  });

  test("shows no URL if the connection is refused", async () => {
    await proxy.close();
    const [reply] = await rpc().readAll<[bigint]>([chainIdRequest()]);
    expect(reply).toEqual({ error: "unavailable", cause: "no connection to the node" } as never);
  });

  test("sorts errors, and repeats none of their text", async () => {
    proxy.behave((call) => rpcError(call, 3, `execution reverted: ${SECRET}`));
    const [reply] = await rpc().readAll([codeRequest("0x0000000000000000000000000000000000000001")]);
    expect(isRpcError(reply) ? reply.refusal : reply).toBe("reverted");
    expect(JSON.stringify(reply)).not.toContain(SECRET);
  });

  test("sends single requests to an endpoint that does not support batches", async () => {
    let batches = 0;
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const body = (await request.json()) as { id: number } | unknown[];
        if (Array.isArray(body)) {
          batches += 1;
          return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "no batches" } });
        }
        return Response.json({ jsonrpc: "2.0", id: body.id, result: "0x7" });
      },
    });
    const single = new Rpc(`http://127.0.0.1:${server.port}`, 5000);
    for (let i = 0; i < 2; i++) {
      expect(await single.readAll<[bigint, bigint]>([chainIdRequest(), blockNumberRequest()])).toEqual([7n, 7n]);
    }
    expect(batches).toBe(1);
    await server.stop(true);
  });

  test("continues with batches after an endpoint refused one because of its rate limit", async () => {
    const bodies: unknown[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const body = (await request.json()) as { id: number }[];
        bodies.push(body);
        if (bodies.length === 1) {
          return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_005, message: "rate limit" } });
        }
        return Response.json(body.map(({ id }) => ({ jsonrpc: "2.0", id, result: "0x7" })));
      },
    });
    const limited = new Rpc(`http://127.0.0.1:${server.port}`, 5000);
    const busy = { error: "unavailable", refusal: "busy" } as const;
    const requests = [chainIdRequest(), blockNumberRequest()] as const;
    expect(await limited.readAll<[bigint, bigint]>(requests)).toMatchObject([busy, busy]);
    expect(await limited.readAll<[bigint, bigint]>(requests)).toEqual([7n, 7n]);
    expect(bodies.every(Array.isArray)).toBe(true);
    await server.stop(true);
  });

  test("sends a URL's name and password as a header field", async () => {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) =>
        Response.json({ id: 1, result: request.headers.get("authorization") === "Basic bWU6bXk=" ? "0x1" : "0x0" }),
    });
    const [reply] = await new Rpc(`http://me:my@127.0.0.1:${server.port}`, 5000).readAll<[bigint]>([chainIdRequest()]);
    expect(reply).toBe(1n);
    await server.stop(true);
  });
});
