import { afterAll, afterEach, expect, test } from "bun:test";
import { Blockhashes } from "./blockhashes.ts";

const NETWORK = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1";
const HASHES = ["SysvarS1otHashes111111111111111111111111111", "So11111111111111111111111111111111111111112"];

let calls = 0;
let result: () => unknown = () => undefined;
const node = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { id, method } = (await request.json()) as { id: number; method: string };
    calls += 1;
    expect(method).toBe("getLatestBlockhash");
    return Response.json({ jsonrpc: "2.0", id, result: result() });
  },
});

afterAll(() => node.stop(true));

afterEach(() => {
  calls = 0;
});

test("callers share one blockhash for two seconds, and errors as well", async () => {
  let now = 1000;
  const blockhashes = new Blockhashes([{ network: NETWORK, rpc_url: node.url.href, timeout_ms: 60_000 }], () => now);
  result = () => ({ value: { blockhash: HASHES[0] } });
  expect(await Promise.all([1, 2, 3].map(() => blockhashes.of(NETWORK)))).toEqual([HASHES[0], HASHES[0], HASHES[0]]);
  now += 1999;
  result = () => ({ value: { blockhash: HASHES[1] } });
  expect([await blockhashes.of(NETWORK), calls]).toEqual([HASHES[0], 1]);
  now += 1;
  expect([await blockhashes.of(NETWORK), calls]).toEqual([HASHES[1], 2]);
  now += 2000;
  result = () => ({ value: { blockhash: "<b>" } });
  expect([await blockhashes.of(NETWORK), await blockhashes.of(NETWORK), calls]).toEqual([undefined, undefined, 3]);
  now += 2000;
  result = () => ({ value: { blockhash: HASHES[0] } });
  expect([await blockhashes.of(NETWORK), calls]).toEqual([HASHES[0], 4]);
});

test("there is no blockhash of a network without a node", async () => {
  const blockhashes = new Blockhashes([{ network: NETWORK, rpc_url: node.url.href, timeout_ms: 60_000 }], () => 0);
  expect([blockhashes.has("solana:x"), await blockhashes.of("solana:x"), calls]).toEqual([false, undefined, 0]);
});
