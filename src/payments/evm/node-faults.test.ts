import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Address } from "../x402/address.ts";
import { UnsupportedError } from "../x402/kinds.ts";
import { CHAIN_SETUP_MS, hasChain, startChain } from "../testing/chain.ts";
import { type SignerOptions } from "./signers/open-signer.ts";
import { createEmbeddedFacilitator, type EmbeddedChainOptions } from "./embedded-facilitator.ts";
import { type NodeProxy, rpcError, rpcResult, startNodeProxy } from "./testing/node-proxy.ts";
import { freshAccount, keyOf, openShop, type Shop } from "./testing/shop.ts";

const SECRET = "an-api-key";

describe.skipIf(!hasChain)("the embedded facilitator with a faulty node", () => {
  let shop: Shop;
  let proxy: NodeProxy;
  beforeAll(async () => {
    shop = await openShop();
    proxy = startNodeProxy(shop.chain.rpcUrl);
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await proxy.close();
    await shop.close();
  });

  test.each([
    ["is down", "unavailable", () => new Response("down", { status: 502 })],
    ["sends another content", "failed", () => new Response("welcome to my page")],
    ["sends too long a response", "failed", () => new Response(" ".repeat(2 * 1024 * 1024))],
    ["refuses access", "failed", () => new Response(SECRET, { status: 401 })],
  ] as const)("reports no outcome if the node %s, and reveals no secret", async (_what, kind, response) => {
    const facilitator = await shop.facilitator({ rpc_url: `${proxy.rpcUrl}/${SECRET}` });
    const payment = await shop.pay(await shop.payer());
    proxy.response(response);
    const verification = await facilitator.verify(payment, shop.requirements);
    const settlement = await facilitator.settle(payment, shop.requirements);
    const outcome = await facilitator.find(payment, shop.requirements);
    const supported = await facilitator.supported().catch((error: unknown) => String(error));
    proxy.response(undefined);
    expect(verification.kind).toBe(kind);
    expect(settlement).toMatchObject({ kind: "unknown", transaction: "" });
    expect(outcome.kind).toBe("unknown");
    const told = JSON.stringify([verification, settlement, outcome, supported]);
    expect(told).toContain("Cannot query what the facilitator supports");
    expect(told).not.toContain(SECRET);
    expect(told).not.toContain(proxy.rpcUrl);
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("lists no kinds while its node does not say whether it has the contract of channels", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    proxy.behave((call, forward) => (call.method === "eth_getCode" ? rpcError(call, -32_000, "busy") : forward()));
    const supported = await facilitator.supported().catch((error: unknown) => String(error));
    proxy.behave(undefined);
    expect(supported).toContain("the node refused eth_getCode");
  });

  test("sends nothing to a chain with another id", async () => {
    const network = "eip155:8453";
    const facilitator = await shop.facilitator({ network, rpc_url: proxy.rpcUrl });
    const requirements = { ...shop.requirements, network };
    const payment = { ...(await shop.pay(await shop.payer())), accepted: requirements };
    proxy.methods.length = 0;
    expect(await facilitator.supported().catch((error: unknown) => String(error))).toContain(
      "the node's chain id is another network's",
    );
    expect(await facilitator.verify(payment, requirements)).toMatchObject({ kind: "failed" });
    expect(await facilitator.settle(payment, requirements)).toMatchObject({ kind: "unknown", transaction: "" });
    expect(new Set(proxy.methods)).toEqual(new Set(["eth_chainId"]));
  });

  test("does not trust a node whose chain has changed: a settled payment is not void", async () => {
    let passed = 0;
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, steady: () => passed });
    const payment = await shop.pay(await shop.payer());
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
    const other = await startChain({ chainId: 84_531 });
    proxy.behave((call) => other.rpc(call.method, (call["params"] ?? []) as unknown[]).then((r) => rpcResult(call, r)));
    await other.place("Token", shop.requirements.asset as Address);
    await other.passTime(600);
    passed += 61_000;
    const outcome = await facilitator.find(payment, shop.requirements);
    proxy.behave(undefined);
    await other.close();
    expect(outcome).toEqual({ kind: "unknown", cause: "the node's chain id is another network's" });
    expect(await facilitator.find(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });
});

describe.skipIf(!hasChain)("the embedded facilitator with two chains", () => {
  test("lists the kinds of the reachable chain and settles there while the other chain's node is unreachable", async () => {
    const shop = await openShop();
    const away = startNodeProxy(shop.chain.rpcUrl);
    away.response(() => new Response(SECRET, { status: 502 }));
    const account = freshAccount();
    await shop.chain.fund(account.address);
    const common = { timeout_ms: 2000, poll_ms: 5, confirmations: 1, receipt_timeout_ms: 10_000, max_gas: 300_000 };
    const chain = { ...common, max_fee_per_gas: "5000000000" };
    const facilitator = createEmbeddedFacilitator({
      signers: [{ type: "key", key: keyOf(account) }],
      max_pending: 4,
      chains: [
        { ...chain, network: "eip155:1", rpc_url: away.rpcUrl },
        { ...chain, network: shop.chain.network, rpc_url: shop.chain.rpcUrl },
      ],
    });
    try {
      const error: unknown = await facilitator.supported().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UnsupportedError);
      const { kinds, message } = error as UnsupportedError;
      expect(kinds.map(({ network }) => network)).toEqual([shop.chain.network, shop.chain.network]);
      expect(message).toBe("Cannot query what the facilitator supports: eip155:1: the node responded with 502");
      const payment = await shop.pay(await shop.payer());
      expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
    } finally {
      await facilitator.close();
      await away.close();
      await shop.close();
    }
  });
});

describe("the embedded facilitator's options", () => {
  const chain: EmbeddedChainOptions = {
    network: "base-sepolia",
    rpc_url: `http://127.0.0.1:9/${SECRET}`,
    timeout_ms: 1000,
    poll_ms: 100,
    confirmations: 1,
    receipt_timeout_ms: 1000,
    max_fee_per_gas: "5000000000",
    max_gas: 300_000,
  };
  const signers: readonly SignerOptions[] = [{ type: "key", key: keyOf(freshAccount()) }];

  test.each([
    ["no key at all", { signers: [] }, "Cannot start the embedded facilitator: it has no key"],
    [
      "a short key",
      { signers: [{ type: "key", key: "0xabc123" } as const] },
      "Cannot use the facilitator's key: it is not 32 bytes of hex",
    ],
    [
      "no key",
      { signers: [{ type: "key", key: "" } as const] },
      "Cannot use the facilitator's key: it is not 32 bytes of hex",
    ],
    [
      "a key above the curve",
      { signers: [{ type: "key", key: "f".repeat(64) } as const] },
      "Cannot use the facilitator's key: it is not valid for secp256k1",
    ],
    ["no chain", { chains: [] }, "Cannot start the embedded facilitator: x402.chains is empty"],
    ["a chain twice", { chains: [chain, chain] }, "Cannot use the chain eip155:84532: it is configured twice"],
    [
      "an invalid network",
      { chains: [{ ...chain, network: "solana" }] },
      `Cannot use the chain "solana": it is not an EVM network`,
    ],
    [
      "an invalid URL",
      { chains: [{ ...chain, rpc_url: SECRET }] },
      "Cannot use the chain eip155:84532: its RPC endpoint is not an http or https URL",
    ],
  ])("are refused with %s, which is not shown", (_what, change, message) => {
    expect(() => createEmbeddedFacilitator({ chains: [chain], signers, max_pending: 4, ...change })).toThrow(
      new Error(message),
    );
  });
});
