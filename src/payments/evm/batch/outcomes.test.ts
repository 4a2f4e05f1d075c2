/** The results of orders and deposits of channels at nodes that fail, lag or contradict themselves, without a chain. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BATCH_SETTLEMENT_CONTRACT, channelId } from "../../signatures/batch-settlement.ts";
import { channelConfig, channelRequirements, claimOf, signedDeposit, signedVoucher } from "../../testing/channels.ts";
import { PAYEE, PAYER, PRIVATE_KEY, USDC } from "../../testing/payment.ts";
import { type Hex } from "../../x402/address.ts";
import { type ChannelSettlement } from "../../x402/channel-facilitator.ts";
import { type RefundOrder } from "../../x402/channel-messages.ts";
import { toWord } from "../node/abi.ts";
import { type Chain, type Sender, type Sending, type Sent } from "../node/scheme.ts";
import { Factories } from "../node/undeployed.ts";
import { quantity, type Responses, type ScriptedNode, startScriptedNode, word } from "../testing/scripted-node.ts";
import { CLAIMED, DEPOSITED, REFUNDED, SETTLED } from "./calls.ts";
import { settleDeposit } from "./deposit.ts";
import { settleClaims, settleReceiver } from "./orders.ts";
import { settleRefund } from "./refund.ts";
import { verifyChannelPayment } from "./verify.ts";

const NOW = 1_800_000_000;
const NETWORK = "eip155:84532";
const OURS: Hex = `0x${"a".repeat(64)}`;
const ANOTHERS: Hex = `0x${"b".repeat(64)}`;
const SIGNATURE: Hex = `0x${"11".repeat(65)}`;
const SIGNER = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };
const TOKEN = { address: USDC, name: "USDC", version: "2" };
const REQUIREMENTS = channelRequirements(TOKEN, NETWORK, { payTo: PAYEE, authorizer: PAYEE });
const CONFIG = channelConfig(REQUIREMENTS, PAYER);
const ID = channelId(NETWORK, CONFIG);

const TUPLE = "(address,address,address,address,address,uint40,bytes32)";
const CHANNEL = "channels(bytes32)";
const REFUND_NONCE = "refundNonce(bytes32)";
const RECEIVER = "receivers(address,address)";
const CLAIM = `claim(((${TUPLE},uint128),bytes,uint128)[])`;
const DEPOSIT = `deposit(${TUPLE},uint128,address,bytes)`;
const STATE = "authorizationState(address,bytes32)";
const BALANCE = "balanceOf(address)";

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(NOW * 1000);
});
afterAll(() => scripted[Symbol.asyncDispose]());

function words(...values: readonly bigint[]): Hex {
  return `0x${values.map((value) => word(value).slice(2)).join("")}`;
}

/** A channel with 10000, of which 1000 are claimed, and a receiver with 500 of 1500 paid. */
const SOUND: Responses = {
  eth_getCode: "0x",
  [CHANNEL]: words(10_000n, 1000n),
  "pendingWithdrawals(bytes32)": words(0n, 0n),
  [REFUND_NONCE]: word(3n),
  [RECEIVER]: words(1500n, 500n),
  [CLAIM]: "0x",
  [DEPOSIT]: "0x",
  [STATE]: word(0n),
  [BALANCE]: word(5000n),
  eth_getBlockByNumber: { number: quantity(100n), timestamp: quantity(BigInt(NOW)) },
  eth_getLogs: [],
};

function log(topics: readonly Hex[], data: Hex, address: string = BATCH_SETTLEMENT_CONTRACT) {
  return { address, topics: [...topics], data, transactionHash: OURS, blockNumber: 99n, logIndex: 0n };
}

/** The same as JSON-RPC has it, in another account's transaction. */
function found(topics: readonly Hex[], data: Hex) {
  const at = { transactionHash: ANOTHERS, blockNumber: quantity(99n), logIndex: quantity(0n) };
  return { address: BATCH_SETTLEMENT_CONTRACT, topics, data, ...at };
}

type Settle = (chain: Chain) => Promise<ChannelSettlement>;

interface Case {
  /** The result of sending. Default: the test fails if something is sent. */
  readonly sent?: Sent;
  readonly resumed?: Sent;
  readonly before?: Responses;
  /** Changes to the node after it was sent. */
  readonly after?: Responses;
}

async function run(settle: Settle, { sent, resumed, before, after }: Case) {
  scripted.responses = { ...SOUND, ...before };
  const sendings: Sending[] = [];
  const sender: Sender = {
    account: PAYEE,
    maxGas: 300_000n,
    bars: () => false,
    resume: () => (resumed === undefined ? undefined : Promise.resolve(resumed)),
    send: (sending) => {
      if (sent === undefined) throw new Error("Cannot send: the test expects no transaction");
      sendings.push(sending);
      scripted.responses = { ...scripted.responses, ...after };
      return Promise.resolve(sent);
    },
  };
  const settlement = await settle({ node: scripted.node, sender, factories: new Factories([]) });
  return { settlement, sendings };
}

function never(): never {
  throw new Error("Cannot send: the test expects no transaction");
}

function mined(...logs: ReturnType<typeof log>[]): Sent {
  return { kind: "mined", transaction: OURS, logs };
}

function refused(reason: string) {
  return { kind: "refused", reason: `invalid_batch_settlement_evm_${reason}` };
}

const REJECTED: Sent = { kind: "rejected" };
const REVERTED: Sent = { kind: "reverted", transaction: OURS, blockNumber: 99n };
const OPEN: Sent = { kind: "open", transaction: OURS, cause: "no receipt" };
const WITHHELD: Sent = { kind: "withheld", cause: "busy" };
const isOpen = { kind: "unknown", transaction: OURS, cause: "no receipt" };
const isUnsent = { kind: "unknown", isUnsent: true };
const failing = { kind: "unknown", transaction: "" };

const pay: Settle = (chain) => settleReceiver(chain, { type: "settle", receiver: PAYEE, token: USDC });

describe("a payment to a receiver", () => {
  const event = log([SETTLED, toWord(PAYEE), toWord(USDC)], word(1000n));

  test.each<[string, Case, object]>([
    ["has the amount that moved", { sent: mined(event) }, { kind: "settled", transaction: OURS, amount: "1000" }],
    [
      "of another receiver counts nothing",
      { sent: mined(log([SETTLED, toWord(PAYER), toWord(USDC)], word(9n))) },
      { kind: "settled", amount: "0" },
    ],
    [
      "of another token counts nothing",
      { sent: mined(log([SETTLED, toWord(PAYEE), toWord(PAYER)], word(9n))) },
      { kind: "settled", amount: "0" },
    ],
    [
      "by another contract counts nothing",
      { sent: mined(log([SETTLED, toWord(PAYEE), toWord(USDC)], word(9n), USDC)) },
      { kind: "settled", amount: "0" },
    ],
    ["of nothing is refused", { before: { [RECEIVER]: words(500n, 500n) } }, refused("nothing_to_settle")],
    ["without a contract is refused", { before: { [RECEIVER]: word(500n) } }, refused("rpc_read_failed")],
    ["at a failing node sends nothing", { before: { [RECEIVER]: "fails" } }, isUnsent],
    ["that is reverted is refused", { sent: REVERTED }, refused("settle_transaction_failed")],
    ["that is rejected is refused", { sent: REJECTED }, refused("settle_simulation_failed")],
    ["that is open is not known", { sent: OPEN }, isOpen],
    ["that is withheld was not sent", { sent: WITHHELD }, isUnsent],
    ["that was sent before is not read again", { resumed: OPEN, before: { [RECEIVER]: "fails" } }, isOpen],
  ])("%s", async (_what, change, expected) => {
    expect((await run(pay, change)).settlement).toMatchObject(expected);
  });

  test("has the gas that an outdated node does not expect", async () => {
    const [sending] = (await run(pay, { sent: OPEN })).sendings;
    expect(sending).toMatchObject({
      to: BATCH_SETTLEMENT_CONTRACT,
      leastGas: 120_000n,
      share: { payer: PAYEE, value: 0n },
    });
  });
});

describe("a claim", () => {
  const voucher = signedVoucher(NETWORK, CONFIG, 3000n, SIGNER);
  const claims = [claimOf(CONFIG, voucher, 2500n), claimOf(CONFIG, voucher, 1500n)];
  const settle: Settle = (chain) => settleClaims(chain, { type: "claim", claims, claimAuthorizerSignature: SIGNATURE });
  const reason = "claim_simulation_failed";

  test.each<[string, Case, object]>([
    [
      "has the sum that moved",
      {
        sent: mined(log([CLAIMED, ID], word(1500n)), log([CLAIMED, ANOTHERS], word(5n)), log([SETTLED, ID], word(7n))),
      },
      { kind: "settled", transaction: OURS, amount: "1505" },
    ],
    [
      "of which all is claimed sends nothing",
      { before: { [CHANNEL]: words(10_000n, 2500n) } },
      { kind: "settled", transaction: "", amount: "0" },
    ],
    ["of which one is not is sent", { sent: OPEN, before: { [CHANNEL]: words(10_000n, 2499n) } }, isOpen],
    ["at a failing node sends nothing", { before: { [CHANNEL]: "fails" } }, isUnsent],
    ["that is reverted is refused", { sent: REVERTED }, refused("claim_transaction_failed")],
    [
      "that is rejected names the channels that fail",
      { sent: REJECTED, after: { [CLAIM]: "reverts" } },
      { ...refused(reason), reverting: [ID] },
    ],
    ["that is rejected without a cause names none", { sent: REJECTED }, { ...refused(reason), reverting: [] }],
    ["that is rejected at a failing node was not sent", { sent: REJECTED, after: { [CLAIM]: "fails" } }, isUnsent],
  ])("%s", async (_what, change, expected) => {
    expect((await run(settle, change)).settlement).toMatchObject(expected);
  });

  test("needs claims, and the authorizer's signature", async () => {
    for (const order of [{ claims: [], claimAuthorizerSignature: SIGNATURE }, { claims }]) {
      const { settlement } = await run((chain) => settleClaims(chain, { type: "claim", ...order }), {});
      expect(settlement).toEqual(refused("authorizer_not_configured") as never);
    }
  });

  test("of one contract's voucher counts as the payer's", async () => {
    const contract = { ...CONFIG, payerAuthorizer: `0x${"0".repeat(40)}` } as const;
    const shareOf = async (...configs: readonly (typeof CONFIG)[]) => {
      const own = configs.map((config) => claimOf(config, voucher, 2500n));
      const settleOwn: Settle = (chain) =>
        settleClaims(chain, { type: "claim", claims: own, claimAuthorizerSignature: SIGNATURE });
      const [sending] = (await run(settleOwn, { sent: OPEN })).sendings;
      return [sending?.share.payer, sending?.share.isContract, sending?.settlements];
    };
    expect(await shareOf(contract)).toEqual([PAYER, true, 1]);
    expect(await shareOf(CONFIG)).toEqual([PAYEE, false, 1]);
    expect(await shareOf(contract, contract)).toEqual([PAYEE, false, 2]);
  });
});

describe("a refund", () => {
  const voucher = signedVoucher(NETWORK, CONFIG, 3000n, SIGNER);
  const order: RefundOrder = {
    type: "refund",
    channelConfig: CONFIG,
    voucher,
    amount: "4000",
    refundNonce: "3",
    claims: [claimOf(CONFIG, voucher, 2500n)],
    refundAuthorizerSignature: SIGNATURE,
    claimAuthorizerSignature: SIGNATURE,
  };
  const settle: Settle = (chain) => settleRefund(chain, order);
  const event = found([REFUNDED, ID], word(4000n));
  const used: Responses = { [REFUND_NONCE]: word(4n), eth_getLogs: [event] };
  const settled = { kind: "settled", transaction: ANOTHERS, amount: "4000", state: { refundNonce: 4n } };
  const failed = refused("refund_simulation_failed");

  test.each<[string, Case, object]>([
    [
      "has the amount that moved, and the channel after it",
      { sent: mined(log([REFUNDED, ANOTHERS], word(1n)), log([REFUNDED, ID], word(3500n))) },
      { kind: "settled", transaction: OURS, amount: "3500", state: { balance: 10_000n } },
    ],
    ["without an event moved nothing", { sent: mined() }, { kind: "settled", amount: "0" }],
    ["of an empty channel is refused", { before: { [CHANNEL]: words(2500n, 1000n) } }, refused("refund_no_balance")],
    [
      "of a channel with less than its claims is sent",
      { sent: OPEN, before: { [CHANNEL]: words(2499n, 1000n) } },
      isOpen,
    ],
    ["at a failing node sends nothing", { before: { [CHANNEL]: "fails" } }, isUnsent],
    ["that was made before is settled", { before: used }, settled],
    ["that was made meanwhile is settled", { sent: REJECTED, after: used }, settled],
    ["of an old nonce is refused", { before: { [REFUND_NONCE]: word(5n) } }, failed],
    ["that is rejected is refused", { sent: REJECTED }, failed],
    ["that is rejected at a failing node was not sent", { sent: REJECTED, after: { [CHANNEL]: "fails" } }, isUnsent],
    ["that is reverted is refused", { sent: REVERTED }, refused("refund_transaction_failed")],
    [
      "of more than it asked for is refused",
      { before: { ...used, eth_getLogs: [found([REFUNDED, ID], word(4001n))] } },
      failed,
    ],
    ["without its event is not known", { before: { ...used, eth_getLogs: [] } }, failing],
    ["whose event cannot be read is not known", { before: { ...used, eth_getLogs: "fails" } }, failing],
    ["without a block is not known", { before: { ...used, eth_getBlockByNumber: null } }, failing],
    ["whose block cannot be read is not known", { before: { ...used, eth_getBlockByNumber: "fails" } }, failing],
    [
      "in a later block is not known",
      { before: { ...used, eth_getBlockByNumber: { number: quantity(98n), timestamp: quantity(1n) } } },
      failing,
    ],
  ])("%s", async (_what, change, expected) => {
    expect((await run(settle, change)).settlement).toMatchObject(expected);
  });

  test("that was made before is settled only if its block is of the newest one's fork", async () => {
    await using deep = startScriptedNode(NOW * 1000, { confirmations: 3 });
    const [own, other] = [ANOTHERS, OURS];
    const newest = { number: quantity(101n), timestamp: quantity(BigInt(NOW)) };
    const block = { ...newest, number: quantity(99n), hash: own };
    const seen = async (responses: Responses): Promise<ChannelSettlement> => {
      const logs = [{ ...event, blockHash: own }];
      const blocks = { "eth_getBlockByNumber latest": newest, "eth_getBlockByNumber 0x63": block };
      deep.responses = { ...SOUND, ...used, ...blocks, eth_getLogs: logs, ...responses };
      const none: Sender = { account: PAYEE, maxGas: 0n, bars: () => false, resume: () => undefined, send: never };
      return settle({ node: deep.node, sender: none, factories: new Factories([]) });
    };
    expect(await seen({})).toMatchObject(settled);
    expect(await seen({ "eth_getBlockByNumber 0x63": { ...block, hash: other } })).toMatchObject(failing);
    expect(await seen({ "eth_getBlockByNumber 0x63": null })).toMatchObject(failing);
    expect(await seen({ "eth_getBlockByNumber latest": { ...newest, number: quantity(100n) } })).toMatchObject(failing);
  });

  test("needs the authorizer's signatures, that of claims only with claims", async () => {
    const { claimAuthorizerSignature: _claims, ...unclaimed } = order;
    const { refundAuthorizerSignature: _refund, ...unsigned } = order;
    for (const one of [unclaimed, unsigned]) {
      const { settlement } = await run((chain) => settleRefund(chain, one), {});
      expect(settlement).toEqual(refused("authorizer_not_configured") as never);
    }
    const plain = await run((chain) => settleRefund(chain, { ...unclaimed, claims: [] }), { sent: OPEN });
    expect(plain.sendings[0]).toMatchObject({ settlements: 1, share: { payer: PAYEE } });
    expect((await run(settle, { sent: OPEN })).sendings[0]?.settlements).toBe(2);
  });
});

describe("a deposit", () => {
  const deposit = signedDeposit(REQUIREMENTS, CONFIG, { amount: 5000n, most: 12_000n, signer: SIGNER, now: NOW });
  const settle: Settle = (chain) => settleDeposit(chain, deposit, REQUIREMENTS);
  const used: Responses = {
    [STATE]: word(1n),
    [CHANNEL]: words(15_000n, 1000n),
    eth_getLogs: [found([DEPOSITED, ID], word(5000n))],
  };
  const settled = { kind: "settled", transaction: ANOTHERS, amount: "5000", state: { balance: 15_000n } };
  const contradiction = { kind: "unknown", cause: "the node contradicts itself: nothing was sent" };

  test.each<[string, Case, object]>([
    [
      "has its event, and the channel after it",
      { sent: mined(log([DEPOSITED, ANOTHERS], word(5000n)), log([DEPOSITED, ID], word(5000n))) },
      { kind: "settled", transaction: OURS, amount: "5000", state: { balance: 10_000n } },
    ],
    [
      "of another amount is not known",
      { sent: mined(log([DEPOSITED, ID], word(4999n))) },
      { kind: "unknown", transaction: OURS },
    ],
    [
      "by another contract is not known",
      { sent: mined(log([DEPOSITED, ID], word(5000n), USDC)) },
      { kind: "unknown", transaction: OURS },
    ],
    ["that was made before is settled", { before: used }, settled],
    ["that was made meanwhile is settled", { sent: REJECTED, after: used }, settled],
    ["that another transaction made is settled", { sent: REVERTED, after: used }, settled],
    ["that is reverted is refused", { sent: REVERTED }, refused("deposit_transaction_failed")],
    [
      "that is reverted in a block that cannot be read is not known",
      { sent: REVERTED, after: { [`${STATE} 0x63`]: "fails" } },
      { kind: "unknown", transaction: OURS },
    ],
    ["that is rejected without a cause is not known", { sent: REJECTED }, contradiction],
    [
      "that is rejected, and whose nonce cannot be read, is not known",
      { sent: REJECTED, after: { [STATE]: "fails" } },
      failing,
    ],
    [
      "that is rejected for lack of money is refused",
      { sent: REJECTED, after: { [BALANCE]: word(4999n) } },
      refused("insufficient_balance"),
    ],
    [
      "that is rejected at a failing node is not known",
      { sent: REJECTED, after: { [BALANCE]: "fails" } },
      { kind: "unknown" },
    ],
    ["that is open is not known", { sent: OPEN }, isOpen],
    ["that was sent before is not sent again", { resumed: OPEN, before: { [STATE]: "fails" } }, isOpen],
    ["that is withheld was not sent", { sent: WITHHELD }, isUnsent],
    [
      "that is pending is awaited",
      { before: { [`${STATE} pending`]: word(1n) } },
      { cause: "a transaction with this deposit is under way" },
    ],
    ["at a node without a pending state is sent", { sent: OPEN, before: { [`${STATE} pending`]: "fails" } }, isOpen],
    ["at a failing node sends nothing", { before: { [STATE]: "fails" } }, isUnsent],
    ["of a payer that cannot be read sends nothing", { before: { eth_getCode: "fails" } }, isUnsent],
    ["without money is refused", { before: { [BALANCE]: word(4999n) } }, refused("insufficient_balance")],
    ["that would be reverted is refused", { before: { [DEPOSIT]: "reverts" } }, refused("deposit_simulation_failed")],
    [
      "of which the voucher is too high is refused",
      { before: { [CHANNEL]: words(6999n, 1000n) } },
      refused("cumulative_exceeds_balance"),
    ],
    [
      "that was used for less than its voucher is refused",
      { before: { ...used, [CHANNEL]: words(11_999n, 1000n) } },
      refused("cumulative_exceeds_balance"),
    ],
    [
      "of which a use cannot be read is not known",
      { before: { ...used, [`${STATE} 0x64`]: "fails" } },
      { kind: "unknown" },
    ],
    [
      "of which a use does not count yet is not known",
      { before: { ...used, [`${STATE} 0x64`]: word(0n) } },
      { kind: "unknown" },
    ],
    [
      "of which the channel cannot be read is not known",
      { before: { ...used, [CHANNEL]: "fails" } },
      { kind: "unknown" },
    ],
    [
      "that was made without a block is not known",
      { before: { ...used, eth_getBlockByNumber: null } },
      { kind: "unknown" },
    ],
    [
      "whose event is not found has no transaction",
      { before: { ...used, eth_getLogs: [] } },
      { ...settled, transaction: "" },
    ],
  ])("%s", async (_what, change, expected) => {
    expect((await run(settle, change)).settlement).toMatchObject(expected);
  });

  test("sends nothing if one of the reads of its payer fails", async () => {
    for (let broken = 0, reads = 0; broken <= reads; broken++) {
      reads = 0;
      const eth_getCode = () => (reads++ === broken ? "fails" : "0x");
      const { settlement, sendings } = await run(settle, { sent: OPEN, before: { eth_getCode } });
      if (broken < reads) expect([settlement, sendings]).toMatchObject([isUnsent, []]);
      else expect([reads > 1, settlement]).toMatchObject([true, isOpen]);
    }
  });

  test("moves the payer's money", async () => {
    const [sending] = (await run(settle, { sent: OPEN })).sendings;
    expect(sending).toMatchObject({
      to: BATCH_SETTLEMENT_CONTRACT,
      share: { payer: PAYER, asset: USDC, value: 5000n, isContract: false },
    });
    expect(await sending?.share.funds()).toBe(5000n);
    scripted.responses = { ...SOUND, [BALANCE]: "fails" };
    expect(await sending?.share.funds()).toMatchObject({ error: "refused" });
  });
});

function unused(): never {
  throw new Error("nothing is sent");
}

describe("a voucher", () => {
  const voucher = signedVoucher(NETWORK, CONFIG, 2000n, SIGNER);
  const payload = { type: "voucher", channelConfig: CONFIG, voucher } as const;
  const sender: Sender = { account: PAYEE, maxGas: 300_000n, bars: () => false, resume: unused, send: unused };
  const verify = (before: Responses) => {
    scripted.responses = { ...SOUND, ...before };
    return verifyChannelPayment(
      { node: scripted.node, sender, factories: new Factories([]) },
      { x402Version: 2, accepted: REQUIREMENTS, payload },
      REQUIREMENTS,
    );
  };

  test("is valid with the channel's state", async () => {
    const state = { balance: 10_000n, totalClaimed: 1000n, withdrawRequestedAt: 0, refundNonce: 3n };
    expect(await verify({})).toEqual({ kind: "valid", payer: PAYER, state });
  });

  test.each<[string, Responses, object]>([
    ["of a channel without money", { [CHANNEL]: words(0n, 0n) }, refused("channel_not_found")],
    ["above the channel's money", { [CHANNEL]: words(1999n, 0n) }, refused("cumulative_exceeds_balance")],
    ["below what is claimed", { [CHANNEL]: words(10_000n, 2001n) }, refused("cumulative_below_claimed")],
    ["on a chain without the contract", { [CHANNEL]: "0x" }, { kind: "failed" }],
    ["on a chain whose contract has no withdrawals", { "pendingWithdrawals(bytes32)": word(0n) }, { kind: "failed" }],
    ["on a chain whose contract has no refunds", { [REFUND_NONCE]: "0x" }, { kind: "failed" }],
    ["at a node that does not tell its refunds", { [REFUND_NONCE]: "fails" }, { kind: "failed" }],
  ])("%s is not valid", async (_what, before, verification) => {
    expect(await verify(before)).toMatchObject(verification);
  });

  test("at a node that fails once is not valid", async () => {
    let asked = 0;
    const channel = () => (asked++ === 0 ? ("fails" as const) : words(10_000n, 1000n));
    expect(await verify({ [CHANNEL]: channel })).toMatchObject({ kind: "failed" });
    expect(asked).toBe(1);
  });
});
