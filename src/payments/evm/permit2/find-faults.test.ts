/** The outcomes of Permit2 payments by nodes with few confirmed blocks, or with contradictory responses, without a chain. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS, USDC } from "../../testing/payment.ts";
import { signedPermit2 } from "../../testing/permit2-payment.ts";
import { type Hex } from "../../x402/address.ts";
import { type Outcome } from "../../x402/facilitator.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { PERMIT2, PROXIES } from "../../x402/transfer.ts";
import { toWord, TRANSFER } from "../node/abi.ts";
import {
  quantity,
  type Response,
  type Responses,
  type ScriptedNode,
  startScriptedNode,
  word,
} from "../testing/scripted-node.ts";
import { settleCall } from "./calldata.ts";
import { findPermit2 } from "./find.ts";

const NOW = 1_800_000_000;
const END = NOW + 60;
const ANOTHERS: Hex = `0x${"b".repeat(64)}`;
const EXACT = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } };
const payment = signedPermit2(EXACT, NOW, { nonce: "259" });
const other = signedPermit2(EXACT, NOW, { nonce: "260" });
const SPENT = word(8n);
const UNSPENT = word(0n);
const BITMAP = "nonceBitmap(address,uint256)";
const LATEST = "eth_getBlockByNumber latest";
const COUNTED = "eth_getBlockByNumber 0x62";

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(NOW * 1000, { confirmations: 3 });
});
afterAll(() => scripted[Symbol.asyncDispose]());

function block(number: number, timestamp: number) {
  return { number: quantity(BigInt(number)), timestamp: quantity(BigInt(timestamp)) };
}

const moved = {
  address: USDC,
  topics: [TRANSFER, toWord(PAYER), toWord(PAYEE)],
  data: word(10_000n),
  transactionHash: ANOTHERS,
  blockNumber: quantity(97n),
  logIndex: "0x1",
};

async function find(responses: Responses, one: Permit2Payment = payment): Promise<Outcome> {
  scripted.responses = responses;
  return await findPermit2(scripted.node, one, EXACT);
}

const unspent = { kind: "unspent" };
const unknown = { kind: "unknown" };
const settled = { kind: "settled", transaction: ANOTHERS, payer: PAYER };

describe("a payment whose nonce is unspent", () => {
  const UNUSED: Responses = { [BITMAP]: UNSPENT, [LATEST]: block(100, END + 9), [COUNTED]: block(98, END + 1) };

  test.each<[string, Responses, object]>([
    ["is void when a confirmed block is later than its end", {}, { kind: "void" }],
    ["is unspent until then", { [COUNTED]: block(98, END) }, unspent],
    [
      "is judged by the first block of a young chain",
      { [LATEST]: block(1, END + 9), "eth_getBlockByNumber 0x0": block(0, END + 1) },
      { kind: "void" },
    ],
    ["is unknown if the block has the use", { [`${BITMAP} 0x62`]: SPENT }, unknown],
    ["is unknown if the use in the block cannot be read", { [`${BITMAP} 0x62`]: "fails" }, unknown],
    ["is unknown if the block has no Permit2", { [`${BITMAP} 0x62`]: "0x" }, unknown],
    ["is unknown without the block", { [COUNTED]: null }, unknown],
    ["is unknown if the block cannot be read", { [COUNTED]: "fails" }, unknown],
    ["is unknown without blocks", { [LATEST]: null }, unknown],
    ["is unknown if the newest block cannot be read", { [LATEST]: "fails" }, unknown],
    ["is unknown without Permit2", { [BITMAP]: "0x" }, unknown],
    ["is unknown if Permit2 reverts", { [BITMAP]: "reverts" }, unknown],
    ["is unknown if the nonce cannot be read", { [BITMAP]: "fails" }, unknown],
  ])("%s", async (_what, change, expected) => {
    expect(await find({ ...UNUSED, ...change })).toMatchObject(expected);
  });
});

describe("a payment whose nonce is spent", () => {
  const call = { to: PROXIES.exact, input: settleCall(payment, 10_000n) };
  const USED: Responses = {
    [BITMAP]: SPENT,
    eth_getCode: "0x",
    [LATEST]: block(100, NOW),
    eth_getBlockByNumber: block(98, NOW),
    eth_getLogs: [moved],
    eth_getTransactionByHash: call,
  };

  const callOrTransfer = (hash: unknown) => (hash === ANOTHERS ? call : { to: USDC, input: "0x" });

  test.each<[string, Responses, object]>([
    ["is settled by a direct call of the proxy", {}, settled],
    ["is unknown while its block does not count", { [`${BITMAP} 0x62`]: UNSPENT }, unknown],
    ["is unknown if the call cannot be read", { eth_getTransactionByHash: "fails" }, unknown],
    ["is unknown if the events cannot be read", { eth_getLogs: "fails" }, unknown],
    ["is void without a transfer", { eth_getLogs: [] }, { kind: "void" }],
    ["is unknown if the transfer is of another amount", { eth_getLogs: [{ ...moved, data: word(1n) }] }, unknown],
  ])("%s", async (_what, change, expected) => {
    expect(await find({ ...USED, ...change })).toMatchObject(expected);
  });

  test.each<[string, object | null, string]>([
    ["another payment's call", { to: PROXIES.exact, input: settleCall(other, 10_000n) }, "void"],
    ["a call of the token", { to: USDC, input: "0x" }, "void"],
    ["a call of Permit2", { to: PERMIT2, input: "0x" }, "void"],
    ["a call of the other proxy", { to: PROXIES.upto, input: "0x" }, "void"],
    ["a contract in between", { to: PAYEE, input: "0x" }, "unknown"],
    ["another call of the proxy", { to: PROXIES.exact, input: "0x12345678" }, "unknown"],
    ["the creation of a contract", { to: null, input: "0x" }, "unknown"],
    ["a transaction that the node does not have", null, "unknown"],
  ])("whose only transfer is by %s", async (_what, transaction, expected) => {
    const range = z.object({ fromBlock: z.string(), toBlock: z.string() });
    const eth_getLogs = (first: unknown) => {
      const { fromBlock, toBlock } = range.parse(first);
      return Number(fromBlock) <= 97 && Number(toBlock) >= 97 ? [moved] : [];
    };
    // A response of the node.
    const eth_getTransactionByHash = transaction as Record<string, unknown> | null;
    const { kind } = await find({ ...USED, eth_getLogs, eth_getTransactionByHash });
    expect(kind).toBe(expected as never);
  });

  test.each([
    [63, settled],
    [64, unknown],
  ])("after %d other transfers to its payee", async (others, expected) => {
    const numbers = Array.from({ length: others + 1 }, (_, at) => 97 - others + at);
    const range = z.object({ fromBlock: z.string(), toBlock: z.string() });
    const eth_getLogs = (first: unknown) => {
      const { fromBlock, toBlock } = range.parse(first);
      return numbers
        .filter((number) => Number(fromBlock) <= number && number <= Number(toBlock))
        .map((number) => ({
          ...moved,
          blockNumber: quantity(BigInt(number)),
          transactionHash: number === numbers[0] ? ANOTHERS : `0x${"c".repeat(64)}`,
        }));
    };
    expect(await find({ ...USED, eth_getLogs, eth_getTransactionByHash: callOrTransfer })).toMatchObject(expected);
  });

  test.each<[string, number, Response, object]>([
    ["the first block of the chain", 5000, null, { kind: "void" }],
    ["a block before the payment", 6200, block(1200, NOW - 601), { kind: "void" }],
    ["a block of the payment's time", 6200, block(1200, NOW - 600), unknown],
    ["a block that the node does not have", 6200, null, unknown],
    ["a block that cannot be read", 6200, "fails", unknown],
  ])("without a transfer from %s on", async (_what, counted, first, expected) => {
    const own = {
      [LATEST]: block(counted + 2, NOW),
      [`eth_getBlockByNumber ${quantity(BigInt(counted))}`]: block(counted, NOW),
      [`eth_getBlockByNumber ${quantity(BigInt(counted - 5000))}`]: first,
    };
    expect(await find({ ...USED, eth_getLogs: [], ...own })).toMatchObject(expected);
    // The search for the payment's first block begins in the middle.
    const middle = `eth_getBlockByNumber ${quantity(BigInt(counted - 500) / 2n)}`;
    expect(await find({ ...USED, eth_getLogs: [], ...own, [middle]: "fails" })).toMatchObject(unknown);
  });

  test("is unknown if its signature does not hold, unless the payer is a contract", async () => {
    const key = hexToBytes(PRIVATE_KEY.slice(2)).map((byte) => byte ^ 1);
    const forged = signedPermit2(EXACT, NOW, { nonce: "259" }, key);
    const own = { to: PROXIES.exact, input: settleCall(forged, 10_000n) };
    expect(await find({ ...USED, eth_getTransactionByHash: own }, forged)).toMatchObject(unknown);
    expect(await find({ ...USED, eth_getTransactionByHash: own, eth_getCode: "fails" }, forged)).toMatchObject(unknown);
    expect(await find({ ...USED, eth_getTransactionByHash: own, eth_getCode: "0x60" }, forged)).toEqual(
      settled as never,
    );
  });
});
