import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PAYEE, PAYER, USDC } from "../testing/payment.ts";
import { PERMIT2 } from "../x402/transfer.ts";
import { receipt } from "./eip3009/testing/node-states.ts";
import { gasSpent } from "./gas-spent.ts";
import { checkReceived, type SettledPayment } from "./received.ts";
import { quantity, type Response, type ScriptedNode, startScriptedNode } from "./testing/scripted-node.ts";

const PAID: SettledPayment = {
  asset: USDC,
  token: USDC,
  from: PAYER,
  payTo: PAYEE,
  nonce: `0x${"5".repeat(64)}`,
  amount: "10000",
  transaction: receipt.transactionHash,
};

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(0, { confirmations: 3 });
});
afterAll(() => scripted[Symbol.asyncDispose]());

const BLOCK = { number: receipt.blockNumber, timestamp: "0x1", hash: `0x${"c".repeat(64)}` };

async function check(change: Partial<SettledPayment>, response: Response = receipt, newest = 101n) {
  scripted.responses = {
    eth_getTransactionReceipt: response,
    eth_blockNumber: quantity(newest),
    eth_getBlockByNumber: BLOCK,
  };
  return (await checkReceived(scripted.node, { ...PAID, ...change })).kind;
}

describe("a payment by EIP-3009", () => {
  test.each<[string, Partial<SettledPayment>, Response, string]>([
    ["with its nonce and its transfer", {}, receipt, "received"],
    ["of another amount", { amount: "9999" }, receipt, "missing"],
    ["of another nonce", { nonce: `0x${"6".repeat(64)}` }, receipt, "missing"],
    ["to another payee", { payTo: PAYER }, receipt, "missing"],
    ["that failed", {}, { ...receipt, status: "0x0" }, "missing"],
    ["without a hash", { transaction: "" }, receipt, "missing"],
    ["of a payer without an address", { from: "solana" }, receipt, "missing"],
    ["that the node does not have", {}, null, "unknown"],
    ["at a failing node", {}, "fails", "unknown"],
  ])("%s is %s", async (_what, change, response, expected) => {
    expect(await check(change, response)).toBe(expected as never);
  });

  test("counts with its confirmations", async () => {
    expect([await check({}, receipt, 101n), await check({}, receipt, 100n)]).toEqual(["received", "unknown"]);
  });
});

test("a payment whose block is of another fork than the newest one is unknown", async () => {
  expect(await check({}, { ...receipt, blockHash: BLOCK.hash.toUpperCase().replace("0X", "0x") })).toBe("received");
  expect(await check({}, { ...receipt, blockHash: `0x${"d".repeat(64)}` })).toBe("unknown");
});

describe("a payment by Permit2", () => {
  const [, moved] = receipt.logs;
  const plain = { ...receipt, logs: [moved] };

  test.each<[string, Partial<SettledPayment>, string]>([
    ["with its transfer", {}, "received"],
    ["of another amount", { amount: "1" }, "missing"],
    ["of another payer", { from: PAYEE }, "missing"],
    ["to another payee", { payTo: PAYER }, "missing"],
    ["of another token", { token: PAYEE }, "missing"],
  ])("%s is %s", async (_what, change, expected) => {
    expect(await check({ asset: PERMIT2, ...change }, plain)).toBe(expected as never);
  });

  test("needs a transfer", async () => {
    const used = { ...receipt, logs: receipt.logs.slice(0, 1) };
    expect(await check({ asset: PERMIT2 }, used)).toBe("missing");
  });
});

async function spent(response: Response): Promise<readonly bigint[]> {
  scripted.responses = { eth_getTransactionReceipt: response };
  return await gasSpent(scripted.node, PAYEE.toLowerCase(), [receipt.transactionHash]);
}

test("the gas of an account is that of its own transactions, with the share of the parent chain", async () => {
  const own = { from: PAYEE, gasUsed: "0x64", effectiveGasPrice: "0x7" };
  expect(await spent(own)).toEqual([700n]);
  expect(await spent({ ...own, l1Fee: "0x5" })).toEqual([705n]);
  expect(await spent({ ...own, from: PAYER })).toEqual([0n]);
  for (const response of [null, "fails"] as const)
    expect(await spent(response).catch(String)).toMatch(/Cannot read the gas of transaction 0xbbb/);
});
