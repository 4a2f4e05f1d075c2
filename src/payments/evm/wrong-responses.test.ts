/**
 * A wrong response of a node gives no payment another outcome than its true one. For every way to pay, and every fate of a payment,
 * one call after the other gets a wrong response.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { type Address, type Hex } from "../x402/address.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { PERMIT2 } from "../x402/transfer.ts";
import { transferCall } from "./eip3009/calls.ts";
import { cancelAuthorization } from "./eip3009/testing/cancel.ts";
import { encodeCall } from "./node/abi.ts";
import { settleCall } from "./permit2/calldata.ts";
import { openPermit2Shop, type Permit2Shop } from "./permit2/testing/permit2-shop.ts";
import { type Behaviour, type NodeProxy, rpcError, rpcResult, startNodeProxy } from "./testing/node-proxy.ts";
import { freshAccount, type OpenFacilitator, type TestAccount } from "./testing/shop.ts";

setDefaultTimeout(patient(60_000));

const SEND = "eth_sendRawTransaction";

interface Sale {
  readonly payer: TestAccount;
  readonly payment: PaymentPayload;
  readonly terms: PaymentRequirements;
  /** The settlement as another account may send it; undefined if only the facilitator may. */
  readonly relay: { readonly to: Address; readonly data: Hex } | undefined;
  cancel(): Promise<void>;
}

async function openPermit2(shop: Permit2Shop, terms: PaymentRequirements): Promise<Sale> {
  const payer = await shop.buyer();
  const payment = await shop.permit(terms, payer);
  const { spender: to, nonce } = payment.payload.permit2Authorization;
  const relay = terms.scheme === "upto" ? undefined : { to, data: settleCall(payment, BigInt(terms.amount)) };
  async function cancel(): Promise<void> {
    const args = [BigInt(nonce) >> 8n, 1n << (BigInt(nonce) & 255n)];
    const data = encodeCall("invalidateUnorderedNonces(uint256,uint256)", args);
    await shop.chain.send({ from: payer.address, to: PERMIT2, data });
  }
  return { payer, payment, terms, relay, cancel };
}

async function openEip3009(shop: Permit2Shop): Promise<Sale> {
  const payer = await shop.payer();
  const payment = await shop.pay(payer);
  const { authorization, signature } = payment.payload;
  const relay = { to: shop.token.address, data: transferCall(authorization, signature) };
  const cancel = (): Promise<void> => cancelAuthorization(shop, payer, payment);
  return { payer, payment, terms: shop.requirements, relay, cancel };
}

type Meet = (sale: Sale) => Promise<void>;
type End = "settled" | "refused";
type Open = (shop: Permit2Shop, account: TestAccount) => Promise<Sale>;
const WAYS: Readonly<Record<string, Open>> = {
  "EIP-3009": openEip3009,
  "Permit2 under exact": (shop) => openPermit2(shop, shop.exact),
  "Permit2 under upto": (shop, { address }) => openPermit2(shop, shop.upto(address)),
};

const WRONG: Readonly<Record<string, Behaviour>> = {
  "an error": (call) => rpcError(call, -32_000, "header not found"),
  "no result": (call) => rpcResult(call, null),
};

/** A wrong response to one call; undefined if the node is sound. */
type Fault = { readonly method: string; readonly what: string } | undefined;

describe.skipIf(!hasChain).each(Object.entries(WAYS))("%s, with a wrong response to any call", (way, open) => {
  let shop: Permit2Shop;
  let proxy: NodeProxy;
  let account: TestAccount;
  let restore: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    shop = await openPermit2Shop();
    proxy = startNodeProxy(shop.chain.rpcUrl);
    account = freshAccount();
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await proxy.close();
    await shop.close();
  });
  afterEach(async () => {
    proxy.behave(undefined);
    await restore?.();
    restore = undefined;
    await shop.chain.setMining(true);
  });

  /** A new process of the facilitator each time: it knows nothing of the payment. */
  function facilitator(confirmations = 1): Promise<OpenFacilitator> {
    return shop.facilitator({ account, rpc_url: proxy.rpcUrl, receipt_timeout_ms: 400, confirmations });
  }

  /** Acts with a sound node, and then once for each of those calls and each wrong response to it. */
  async function atEachCall(act: (fault: Fault) => Promise<void>): Promise<void> {
    proxy.methods.length = proxy.ended.length = 0;
    await act(undefined);
    for (const [at, method] of [...proxy.methods].entries()) {
      for (const [what, wrong] of Object.entries(WRONG)) {
        let calls = 0;
        proxy.methods.length = proxy.ended.length = 0;
        proxy.behave((call, forward) => (calls++ === at ? wrong(call, forward) : forward()));
        await act({ method, what });
      }
    }
  }

  /** Sends another account's transaction so that it is the first of its block. */
  async function goFirst(from: Address, call: { readonly to: Address; readonly data: Hex }): Promise<void> {
    await shop.chain.fund(from);
    const fees = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x174876e800", gas: "0x30d40" };
    await shop.chain.rpc("eth_sendTransaction", [{ from, ...call, ...fees }]);
    await shop.chain.mine();
  }

  async function relay(sale: Sale): Promise<void> {
    if (sale.relay !== undefined) await goFirst(freshAccount().address, sale.relay);
    else await (await shop.facilitator({ account })).settle(sale.payment, sale.terms);
  }

  async function empty({ payer }: Sale): Promise<void> {
    const data = encodeCall("transfer(address,uint256)", [freshAccount().address, 1_000_000n]);
    await goFirst(payer.address, { to: shop.token.address, data });
  }

  const outcomes: readonly (readonly ["unspent" | "settled" | "void", string, Meet])[] = [
    ["unspent", "that nobody has settled", () => Promise.resolve()],
    ["settled", "that was settled", relay],
    ["void", "that its payer has canceled", (sale) => sale.cancel()],
    ["void", "whose time is over", () => shop.chain.passTime(3600)],
  ];

  test.each(outcomes)("the outcome is %s or unknown, of a payment %s", async (kind, _which, meet) => {
    const sale = await open(shop, account);
    restore = await shop.chain.snapshot();
    await meet(sale);
    await shop.chain.mine();
    await atEachCall(async (fault) => {
      const found = await (await facilitator(2)).find(sale.payment, sale.terms);
      if (found.kind !== "unknown")
        expect(found.kind).toBeOneOf(kind === "void" && fault !== undefined ? [kind, "unspent"] : [kind]);
      else if (fault?.what === "an error") expect(found.cause).toBe(`the node refused ${fault.method} (other, -32000)`);
      else expect(fault).toBeDefined();
    });
  });

  const fates: readonly (readonly ["valid" | "refused", End, string, Meet])[] = [
    ["valid", "settled", "that is fine", () => Promise.resolve()],
    ["refused", "settled", "that was settled before", relay],
    ["refused", "refused", "that its payer has canceled", (sale) => sale.cancel()],
    ["refused", "refused", "of a payer without money", empty],
  ];

  test.each(fates)("it is %s and %s or the cause is told, of a payment %s", async (verdict, end, _which, meet) => {
    const old = await open(shop, account);
    await meet(old);
    await atEachCall(async (fault) => {
      const verified = await (await facilitator()).verify(old.payment, old.terms);
      if (fault === undefined || verified.kind !== "failed") expect(verified.kind).toBe(verdict);
      else if (fault.what === "an error")
        expect(verified.cause).toBe(`the node refused ${fault.method} (other, -32000)`);
    });
    await atEachCall(async (fault) => settles(verdict === "valid" ? await open(shop, account) : old, fault, end));
  });

  const meanwhile: readonly (readonly [End, string, Meet])[] = [
    ["settled", "another account settles it", relay],
    ["refused", "its payer spends the money", empty],
  ];

  test.each(meanwhile)("it is %s or unknown if %s while its transaction waits", async (end, _what, meet) => {
    if (way === "Permit2 under upto" && end === "settled") return; // No other account may.
    await atEachCall(async (fault) => {
      const sale = await open(shop, account);
      await shop.chain.setMining(false);
      await settles(sale, fault, end, meet);
      await shop.chain.setMining(true);
    });
  });

  async function settles(sale: Sale, fault: Fault, end: End, meet?: Meet): Promise<void> {
    const own = await facilitator();
    const settling = own.settle(sale.payment, sale.terms);
    if (meet !== undefined) {
      await Promise.race([settling, until(() => proxy.ended.includes(SEND))]);
      await meet(sale);
    }
    const first = await settling;
    if (fault === undefined || first.kind !== "unknown") expect(first.kind).toBe(end);
    else if (first.cause.endsWith("nothing was sent")) {
      expect(proxy.methods).not.toContain(SEND);
      if (fault.what === "an error" && meet === undefined)
        expect(first.cause).toStartWith(`the node refused ${fault.method} (other, -32000)`);
    }
    // The calls of a sound node up to here are those that get a wrong response.
    if (fault === undefined) return;
    proxy.behave(undefined);
    await shop.chain.setMining(true);
    // Another process, which does not remember that a transaction of the payer has failed.
    const second = await (await facilitator()).settle(sale.payment, sale.terms);
    expect(second.kind).toBe(end);
    if (first.kind === "settled") expect(second).toEqual(first);
    const left = await shop.token.balanceOf(sale.payer.address);
    if (end === "settled") expect(left).toBe(1_000_000n - BigInt(sale.terms.amount));
  }
});
