import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Hex } from "../../x402/address.ts";
import { type Eip3009Payment } from "../../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { createChainReader } from "../chain-reader.ts";
import { type NodeProxy, rpcError, startNodeProxy } from "../testing/node-proxy.ts";
import { type OpenFacilitator, openShop, type Shop } from "../testing/shop.ts";
import { transferCall } from "./calls.ts";
import { cancelAuthorization } from "./testing/cancel.ts";
import { patient } from "../../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

describe.skipIf(!hasChain)("the outcome of an EIP-3009 payment on the chain", () => {
  let shop: Shop;
  let facilitator: OpenFacilitator;
  let proxy: NodeProxy;
  beforeAll(async () => {
    shop = await openShop();
    facilitator = await shop.facilitator();
    proxy = startNodeProxy(shop.chain.rpcUrl);
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await proxy.close();
    await shop.close();
  });

  function reader(change: { confirmations?: number; rpc_url?: string } = {}) {
    const chain = { network: shop.chain.network, rpc_url: shop.chain.rpcUrl, timeout_ms: 2000, poll_ms: 5 };
    return createChainReader([{ ...chain, confirmations: 1, ...change }]);
  }

  async function send(payment: Eip3009Payment): Promise<Hex> {
    const { authorization, signature } = payment.payload;
    return await shop.chain.send({ to: shop.token.address, data: transferCall(authorization, signature) });
  }

  test("is settled, even if another account sent the transaction", async () => {
    const payment = await shop.pay(await shop.payer());
    expect(await reader().find(payment, shop.requirements)).toEqual({ kind: "unspent" });
    const transaction = await send(payment);
    const payer = payment.payload.authorization.from;
    expect(await reader().find(payment, shop.requirements)).toEqual({ kind: "settled", transaction, payer });
  });

  test("does not count before its confirmations", async () => {
    const payment = await shop.pay(await shop.payer());
    await send(payment);
    expect(await reader({ confirmations: 3 }).find(payment, shop.requirements)).toMatchObject({ kind: "unknown" });
    await shop.chain.mine(2);
    expect(await reader({ confirmations: 3 }).find(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("is a definite refusal if the payer canceled the authorization", async () => {
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    await cancelAuthorization(shop, payer, payment);
    expect(await reader().find(payment, shop.requirements)).toEqual({ kind: "void" });
    expect(await facilitator.settle(payment, shop.requirements)).toEqual({
      kind: "refused",
      reason: "invalid_exact_evm_nonce_already_used",
    });
  });

  test("is void if the nonce was used to pay another payee", async () => {
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    const { nonce } = payment.payload.authorization;
    await send(await shop.pay(payer, { to: payer.address, nonce }));
    expect(await reader().find(payment, shop.requirements)).toEqual({ kind: "void" });
  });

  test("is open if the nonce paid the payee another amount", async () => {
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    const { nonce } = payment.payload.authorization;
    await send(await shop.pay(payer, { value: "1", nonce }));
    expect(await reader().find(payment, shop.requirements)).toMatchObject({ kind: "unknown" });
  });

  test("is unknown if the node does not respond, or refuses to search", async () => {
    const payment = await shop.pay(await shop.payer());
    await send(payment);
    const broken = reader({ rpc_url: proxy.rpcUrl });
    proxy.response(() => new Response("gone", { status: 503 }));
    expect(await broken.find(payment, shop.requirements)).toEqual({
      kind: "unknown",
      cause: "the node responded with 503",
    });
    proxy.response(undefined);
    proxy.behave((call, forward) =>
      call.method === "eth_getLogs" ? rpcError(call, -32_602, "query exceeds max results") : forward(),
    );
    expect(await broken.find(payment, shop.requirements)).toMatchObject({ kind: "unknown" });
    proxy.behave(undefined);
    expect(await broken.find(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("is found at a node that searches few blocks at a time, and many blocks back", async () => {
    const payment = await shop.pay(await shop.payer());
    const transaction = await send(payment);
    await shop.chain.mine(620);
    proxy.behave((call, forward) => {
      const [filter] = (call["params"] ?? []) as { fromBlock?: string; toBlock?: string }[];
      const { fromBlock, toBlock } = filter ?? {};
      const isWide = Number(toBlock) - Number(fromBlock) > 200;
      return call.method === "eth_getLogs" && isWide ? rpcError(call, -32_000, "block range too wide") : forward();
    });
    const found = await reader({ rpc_url: proxy.rpcUrl }).find(payment, shop.requirements);
    expect(found).toMatchObject({ kind: "settled", transaction });
    proxy.behave(undefined);
  });
});
