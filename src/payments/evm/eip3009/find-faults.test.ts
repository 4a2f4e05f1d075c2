/** The outcomes of payments by nodes with few confirmed blocks, or with contradictory responses, without a chain. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PAYER, REQUIREMENTS, signedPayment } from "../../testing/payment.ts";
import { type Outcome } from "../../x402/facilitator.ts";
import { quantity, type Responses, type ScriptedNode, startScriptedNode, word } from "../testing/scripted-node.ts";
import { findEip3009 } from "./find.ts";
import { ANOTHERS, NONCE, NOW, receipt, SETTLED, STATE } from "./testing/node-states.ts";

const CONFIRMATIONS = 3;
const END = NOW + 60;

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(NOW * 1000, { confirmations: CONFIRMATIONS });
});
afterAll(() => scripted[Symbol.asyncDispose]());

function block(number: number, timestamp: number) {
  return { number: quantity(BigInt(number)), timestamp: quantity(BigInt(timestamp)) };
}

async function find(responses: Responses): Promise<Outcome> {
  scripted.responses = responses;
  const payment = signedPayment(NOW, { nonce: NONCE, validBefore: String(END) });
  return await findEip3009(scripted.node, payment, REQUIREMENTS);
}

const LATEST = "eth_getBlockByNumber latest";
const COUNTED = "eth_getBlockByNumber 0x62";
const UNUSED: Responses = { [STATE]: word(0n), [LATEST]: block(100, END + 6), [COUNTED]: block(98, END) };
const USED: Responses = { ...SETTLED, eth_getBlockByNumber: block(101, NOW) };

/** The hash of block 99 by its number, and in the receipt: a digit that is repeated. */
function forked(own: string, received: string): Responses {
  return {
    "eth_getBlockByNumber 0x63": { ...block(99, NOW), hash: `0x${own.repeat(64)}` },
    eth_getTransactionReceipt: { ...receipt, blockHash: `0x${received.repeat(64)}` },
  };
}

const unspent = { kind: "unspent" };
const unknown = { kind: "unknown" };

describe("a payment whose nonce is unused", () => {
  test.each<[string, Responses, object]>([
    ["is void when a confirmed block is at its end", {}, { kind: "void" }],
    ["is unspent until then", { [COUNTED]: block(98, END - 1) }, unspent],
    ["is unspent before its end", { [LATEST]: block(100, END - 1) }, unspent],
    ["is unspent while no block counts", { [LATEST]: block(1, END) }, unspent],
    [
      "may be void in a chain whose first block counts",
      { [LATEST]: block(2, END), "eth_getBlockByNumber 0x0": block(0, END) },
      { kind: "void" },
    ],
    ["is unspent if the node does not have the block", { [COUNTED]: null }, unspent],
    ["is unknown if the block cannot be read", { [COUNTED]: "fails" }, unknown],
    ["is unknown if the block has the use", { [`${STATE} 0x62`]: word(1n) }, unknown],
    ["is unknown if the use in the block cannot be read", { [`${STATE} 0x62`]: "fails" }, unknown],
    ["is unknown if the token reports nothing", { [STATE]: "0x" }, unknown],
    ["is unknown if the state cannot be read", { [STATE]: "fails" }, unknown],
    ["is unknown if there is no block", { [LATEST]: null }, unknown],
  ])("%s", async (_what, change, expected) => {
    expect(await find({ ...UNUSED, ...change })).toMatchObject(expected);
  });
});

describe("a payment whose nonce is used", () => {
  test.each<[string, Responses, object]>([
    ["is settled when the block counts", {}, { kind: "settled", transaction: ANOTHERS, payer: PAYER }],
    ["is unknown before", { eth_getBlockByNumber: block(100, NOW) }, unknown],
    ["is unknown if no event is found", { eth_getLogs: [] }, unknown],
    ["is unknown if the events cannot be read", { eth_getLogs: "fails" }, unknown],
    ["is unknown without a receipt", { eth_getTransactionReceipt: null }, unknown],
    ["is unknown if the receipt cannot be read", { eth_getTransactionReceipt: "fails" }, unknown],
    ["is unknown if it failed", { eth_getTransactionReceipt: { ...receipt, status: "0x0" } }, unknown],
    [
      "is unknown if it is in another block",
      { eth_getTransactionReceipt: { ...receipt, blockNumber: "0x62" } },
      unknown,
    ],
    ["is settled in a block of the chain", forked("c", "c"), { kind: "settled" }],
    ["is unknown if its block is of another fork", forked("c", "d"), unknown],
    ["is void if nothing was moved", { eth_getTransactionReceipt: { ...receipt, logs: [] } }, { kind: "void" }],
  ])("%s", async (_what, change, expected) => {
    expect(await find({ ...USED, ...change })).toMatchObject(expected);
  });
});
