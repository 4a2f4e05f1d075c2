import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { type Address } from "../x402/address.ts";
import { KeyLender } from "./key-lender.ts";
import { keySigner } from "./signers/signer.ts";
import { quantity, type ScriptedNode, startScriptedNode } from "./testing/scripted-node.ts";
import { freshAccount } from "./testing/shop.ts";

const GWEI = 1_000_000_000n;
const DAY_MS = 86_400_000;
const START = 1_800_000_000_000;
const BOUNDS = { maxFeePerGas: 100n * GWEI, maxGas: 200_000n, maxPending: 64, receiptTimeoutMs: 10_000 };

let now: number;
let scripted: ScriptedNode;
let lender: KeyLender;
beforeAll(() => {
  scripted = startScriptedNode(() => now);
});
afterAll(() => scripted[Symbol.asyncDispose]());
beforeEach(() => {
  now = START;
  lender = new KeyLender(scripted.node, keySigner(freshAccount()), BOUNDS);
  scripted.responses = {
    eth_feeHistory: { baseFeePerGas: [quantity(GWEI), quantity(GWEI)], reward: [[quantity(GWEI)]] },
    eth_getBlockByNumber: { number: "0x64", timestamp: "0x1", baseFeePerGas: quantity(GWEI) },
    eth_getBalance: quantity(10n ** 18n),
    eth_estimateGas: quantity(21_000n),
    eth_getTransactionCount: "0x0",
    eth_blockNumber: "0x64",
    eth_sendRawTransaction: `0x${"11".repeat(32)}`,
    eth_getTransactionReceipt: (hash) => ({ transactionHash: hash, status: "0x1", blockNumber: "0x64", logs: [] }),
  };
});

test("a payer gets gas once a day, and other payers meanwhile", async () => {
  const [payer, other] = [freshAccount().address, freshAccount().address];
  expect(await lender.canLend(payer, 1n)).toBe(true);
  expect((await lender.lend(payer, 1n)).kind).toBe("mined");
  expect([await lender.canLend(payer, 1n), await lender.canLend(other, 1n)]).toEqual([false, true]);
  now += DAY_MS - 1;
  expect(await lender.canLend(payer, 1n)).toBe(false);
  now += 1;
  expect(await lender.canLend(payer, 1n)).toBe(true);
});

test("gas is lent only from an account that has it, and only while the fees are within the limit", async () => {
  const payer = freshAccount().address;
  const balance = 10n ** 17n;
  scripted.responses = { ...scripted.responses, eth_getBalance: quantity(balance) };
  expect([await lender.canLend(payer, balance), await lender.canLend(payer, balance / 2n)]).toEqual([false, true]);
  const dear = { baseFeePerGas: [quantity(GWEI), quantity(200n * GWEI)], reward: [[quantity(GWEI)]] };
  scripted.responses = { ...scripted.responses, eth_feeHistory: dear };
  expect(await lender.canLend(payer, 1n)).toBe(false);
  scripted.responses = { ...scripted.responses, eth_getBalance: "fails" };
  expect(await lender.canLend(payer, 1n)).toMatchObject({ error: "refused" });
});

test("gas that could not be sent does not count as lent", async () => {
  const payer = freshAccount().address;
  scripted.responses = { ...scripted.responses, eth_estimateGas: "fails" };
  expect((await lender.lend(payer, 1n)).kind).toBe("withheld");
  expect(await lender.canLend(payer, 1n)).toBe(true);
});

test("the work for a payer waits for all before it, also after a failure, and not for that of others", async () => {
  const { address: payer } = freshAccount();
  const { address: other } = freshAccount();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const began: string[] = [];
  const inTurn = (address: Address, name: string, end?: Promise<void>): Promise<void> =>
    lender.inTurn(address, async () => {
      began.push(name);
      await end;
    });
  const failing = inTurn(payer, "first", first.promise);
  const waiting = inTurn(`0x${payer.slice(2).toLowerCase()}`, "second", second.promise);
  await inTurn(other, "other");
  expect(began).toEqual(["first", "other"]);
  first.reject(new Error("x"));
  expect(await failing.catch(String)).toBe("Error: x");
  await until(() => began.includes("second"));
  const last = inTurn(payer, "third");
  await inTurn(other, "other");
  expect(began).toEqual(["first", "other", "second", "other"]);
  second.resolve();
  await Promise.all([waiting, last]);
  expect(began.at(-1)).toBe("third");
});
