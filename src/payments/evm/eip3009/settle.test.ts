/** The results of settlements at nodes that fail, lag or contradict themselves, without a chain. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PAYEE, PAYER, REQUIREMENTS, signedPayment, USDC } from "../../testing/payment.ts";
import { type Hex } from "../../x402/address.ts";
import { type Settlement } from "../../x402/facilitator.ts";
import { type Sender, type Sending, type Sent } from "../node/scheme.ts";
import { Factories } from "../node/undeployed.ts";
import { quantity, type Responses, type ScriptedNode, startScriptedNode, word } from "../testing/scripted-node.ts";
import { settleEip3009 } from "./settle.ts";
import { ANOTHERS, CANCELED, moved, NONCE, NOW, OVER, SETTLED, STATE, used } from "./testing/node-states.ts";

const OURS: Hex = `0x${"a".repeat(64)}`;
const TRANSFER_CALL =
  "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)";

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(NOW * 1000);
});
afterAll(() => scripted[Symbol.asyncDispose]());

/** A node to which the payment is unspent and would succeed. */
const SOUND: Responses = {
  eth_getCode: "0x",
  [STATE]: word(0n),
  "balanceOf(address)": word(1_000_000n),
  [TRANSFER_CALL]: "0x",
  eth_getBlockByNumber: { number: quantity(100n), timestamp: quantity(BigInt(NOW)) },
};
const settled = { kind: "settled", transaction: ANOTHERS, payer: PAYER };
const contradiction = { kind: "unknown", cause: "the node contradicts itself", transaction: "" };

function refused(reason: string) {
  return { kind: "refused", reason };
}

interface Case {
  /** The result of sending. Default: the test fails if something is sent. */
  readonly sent?: Sent;
  /** The result of a transaction that an earlier call has sent. */
  readonly resumed?: Sent;
  readonly before?: Responses;
  /** Changes to the node after it was sent. */
  readonly after?: Responses;
  /** Unix seconds. */
  readonly validBefore?: number;
  readonly validAfter?: number;
}

async function settle({ sent, resumed, before, after, validBefore = NOW + 60, validAfter = 0 }: Case) {
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
  const chain = { node: scripted.node, sender, factories: new Factories([]) };
  const times = { validBefore: String(validBefore), validAfter: String(validAfter) };
  const payment = signedPayment(NOW, { nonce: NONCE, ...times });
  const settlement: Settlement = await settleEip3009(chain, payment, REQUIREMENTS);
  return { settlement, sendings };
}

const REJECTED: Sent = { kind: "rejected" };
const REVERTED: Sent = { kind: "reverted", transaction: OURS, blockNumber: 99n };

describe("a transaction that no node accepts", () => {
  test.each<[string, Responses, object]>([
    ["is settled if another account has settled the payment", SETTLED, settled],
    [
      "is unknown if the node does not find out",
      { eth_getBlockByNumber: "fails" },
      { kind: "unknown", transaction: "" },
    ],
    [
      "is refused with the reason",
      { "balanceOf(address)": word(9_999n) },
      refused("invalid_exact_evm_insufficient_balance"),
    ],
    ["is refused if its time is over", OVER, refused("invalid_exact_evm_payload_authorization_valid_before")],
    ["is refused if it was canceled", CANCELED, refused("invalid_exact_evm_nonce_already_used")],
    [
      "is refused if it was canceled, and the balance cannot be read",
      { ...CANCELED, "balanceOf(address)": "fails" },
      refused("invalid_exact_evm_nonce_already_used"),
    ],
    [
      "is unknown if the payment would succeed",
      {},
      { ...contradiction, cause: `${contradiction.cause}: nothing was sent` },
    ],
    ["is unknown if it cannot be verified", { "balanceOf(address)": "fails" }, { kind: "unknown", transaction: "" }],
    [
      "is unknown if only our newest block is over its time",
      { ...OVER, [`${STATE} 0x64`]: word(1n) },
      { ...contradiction },
    ],
  ])("%s", async (_what, after, expected) => {
    const { settlement, sendings } = await settle({ sent: REJECTED, after });
    expect(settlement).toMatchObject(expected);
    expect(sendings).toHaveLength(1);
  });
});

describe("a transaction that was reverted", () => {
  test.each<[string, Responses, object]>([
    ["is settled if the payment was settled before it", SETTLED, settled],
    ["is refused if it was canceled before it", CANCELED, refused("invalid_exact_evm_nonce_already_used")],
    ["is unknown if a node finds no use that the block has", { [`${STATE} 0x63`]: word(1n) }, contradiction],
    ["is unknown if the block cannot be read", { [`${STATE} 0x63`]: "fails" }, { kind: "unknown", transaction: OURS }],
    ["is unknown if the token reports nothing", { [`${STATE} 0x63`]: "0x" }, { kind: "unknown", transaction: OURS }],
    ["is refused if the payment would succeed now", {}, refused("invalid_exact_evm_transaction_failed")],
    [
      "is unknown if the events cannot be read",
      { ...SETTLED, eth_getLogs: "fails" },
      { kind: "unknown", transaction: "" },
    ],
  ])("%s", async (_what, after, expected) => {
    expect((await settle({ sent: REVERTED, after })).settlement).toMatchObject(expected);
  });
});

describe("before a transaction", () => {
  test.each<[string, Responses, object]>([
    ["a payment that was settled before is settled", SETTLED, settled],
    ["a payment that was canceled is refused", CANCELED, refused("invalid_exact_evm_nonce_already_used")],
    ["a failed read of the nonce sends nothing", { [STATE]: "fails" }, { kind: "unknown", isUnsent: true }],
    ["a failed read of the payer sends nothing", { eth_getCode: "fails" }, { kind: "unknown", isUnsent: true }],
    [
      "a token without authorizations is refused",
      { [STATE]: "reverts" },
      refused("invalid_exact_evm_eip3009_not_supported"),
    ],
    ["an asset without code is refused", { [STATE]: "0x" }, refused("asset_not_deployed_contract")],
    [
      "a pending use is awaited",
      { [`${STATE} pending`]: word(1n) },
      { kind: "unknown", cause: "a transaction with this payment is under way" },
    ],
  ])("%s", async (_what, before, expected) => {
    expect((await settle({ before })).settlement).toMatchObject(expected);
  });

  test.each<[string, Responses]>([
    ["does not know its pending state", { [`${STATE} pending`]: "fails" }],
    ["returns nothing for its pending state", { [`${STATE} pending`]: "0x" }],
  ])("a payment is sent if the node %s", async (_what, before) => {
    const { settlement, sendings } = await settle({ before, sent: { kind: "withheld", cause: "busy" } });
    expect(settlement).toEqual({ kind: "unknown", cause: "busy", transaction: "", isUnsent: true });
    const [sending] = sendings;
    expect(sending).toMatchObject({
      to: USDC,
      share: { payer: PAYER, asset: USDC, value: 10_000n, isContract: false },
    });
    expect(await sending?.share.funds()).toBe(1_000_000n);
  });
});

describe("a payment whose time has not begun", () => {
  const reason = "invalid_exact_evm_payload_authorization_valid_after";
  const ending = NOW + 60;

  test.each<[string, number, Responses, object]>([
    ["is refused while much of its time is left", ending + 1, { eth_getBlockByNumber: "fails" }, refused(reason)],
    ["is unknown when its time is nearly over", ending, {}, { cause: "its time is nearly over, and nothing was sent" }],
    ["is refused when its time is over", ending, OVER, refused(reason)],
    [
      "is unknown when its time is nearly over and the node fails",
      ending,
      { eth_getBlockByNumber: "fails" },
      { kind: "unknown" },
    ],
  ])("%s", async (_what, validBefore, before, expected) => {
    expect((await settle({ validBefore, before, validAfter: NOW + 1 })).settlement).toMatchObject(expected);
  });
});

describe("an earlier transaction of the payment", () => {
  const open: Sent = { kind: "open", transaction: OURS, cause: "no receipt" };
  const logs = [used, moved].map(({ blockNumber, logIndex, ...rest }) => ({
    ...rest,
    blockNumber: BigInt(blockNumber),
    logIndex: BigInt(logIndex),
  }));

  test.each<[string, Sent, Responses, object]>([
    ["is not known", open, {}, { kind: "unknown", cause: "no receipt", transaction: OURS }],
    ["is not known, and another account has settled it", open, SETTLED, settled],
    ["shows the transfer", { kind: "mined", transaction: OURS, logs }, {}, { ...settled, transaction: OURS }],
    [
      "shows no transfer",
      { kind: "mined", transaction: OURS, logs: [] },
      {},
      { kind: "unknown", transaction: OURS, cause: "the transaction's events do not show the transfer" },
    ],
  ])("%s", async (_what, resumed, before, expected) => {
    expect((await settle({ resumed, before })).settlement).toMatchObject(expected);
  });
});
