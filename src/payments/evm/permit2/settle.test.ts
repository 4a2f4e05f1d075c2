/** The results of Permit2 settlements at nodes that fail, lag or contradict themselves, without a chain. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PAYEE, PAYER, REQUIREMENTS, USDC } from "../../testing/payment.ts";
import { signedPermit2 } from "../../testing/permit2-payment.ts";
import { type Hex } from "../../x402/address.ts";
import { PERMIT2, PROXIES } from "../../x402/transfer.ts";
import { encodeCall, toWord, TRANSFER } from "../node/abi.ts";
import { type Sender, type Sending, type Sent } from "../node/scheme.ts";
import { Factories } from "../node/undeployed.ts";
import { quantity, type Responses, type ScriptedNode, startScriptedNode, word } from "../testing/scripted-node.ts";
import { settleCall } from "./calldata.ts";
import { settlePermit2 } from "./settle.ts";

const NOW = 1_800_000_000;
const OURS: Hex = `0x${"a".repeat(64)}`;
const ANOTHERS: Hex = `0x${"b".repeat(64)}`;
const EXACT = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } };
/** Bit 3 of the word 1 of the payer's nonces. */
const payment = signedPermit2(EXACT, NOW, { nonce: "259" });
const SPENT = word(8n);
const OTHERS_SPENT = word(~8n & 0xffffn);

const BITMAP = "nonceBitmap(address,uint256)";
const BALANCE = "balanceOf(address)";
const ALLOWANCE = "allowance(address,address)";
const SETTLE = "settle(((address,uint256),uint256,uint256),address,(address,uint256),bytes)";

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(NOW * 1000);
});
afterAll(() => scripted[Symbol.asyncDispose]());

const moved = {
  address: USDC,
  topics: [TRANSFER, toWord(PAYER), toWord(PAYEE)],
  data: word(10_000n),
  transactionHash: ANOTHERS,
  blockNumber: quantity(99n),
  logIndex: "0x1",
};

/** A node to which the payment is unspent and would succeed. */
const SOUND: Responses = {
  eth_getCode: "0x",
  [BITMAP]: OTHERS_SPENT,
  "PERMIT2()": toWord(PERMIT2),
  [BALANCE]: word(10_000n),
  [ALLOWANCE]: word(10_000n),
  [SETTLE]: "0x",
  eth_getBlockByNumber: { number: quantity(100n), timestamp: quantity(BigInt(NOW)) },
  eth_getLogs: [],
};
/** The payer has canceled it. */
const CANCELED: Responses = { [BITMAP]: SPENT };
/** Another account has settled it. */
const SETTLED: Responses = {
  [BITMAP]: SPENT,
  eth_getLogs: [moved],
  eth_getTransactionByHash: { to: PROXIES.exact, input: settleCall(payment, 10_000n) },
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
}

async function settle({ sent, resumed, before, after }: Case) {
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
  return { settlement: await settlePermit2(chain, payment, EXACT), sendings };
}

describe("a transaction that no node accepts", () => {
  const poor = { [SETTLE]: "reverts", [BALANCE]: word(9_999n) } as const;

  test.each<[string, Responses, object]>([
    ["is settled if another account has settled the payment", SETTLED, settled],
    ["is refused if it was canceled", CANCELED, refused("permit2_invalid_nonce")],
    ["is refused without funds", poor, refused("permit2_insufficient_balance")],
    [
      "is refused without an allowance",
      { [SETTLE]: "reverts", [ALLOWANCE]: word(9_999n) },
      refused("permit2_allowance_required"),
    ],
    ["is refused if only the call fails", { [SETTLE]: "reverts" }, refused("permit2_simulation_failed")],
    [
      "is refused with the contract's reason",
      { ...poor, [SETTLE]: `reverts ${encodeCall("InvalidOwner()")}` },
      refused("permit2_invalid_owner"),
    ],
    ["is refused if the spender has no code", { "PERMIT2()": "0x" }, refused("permit2_proxy_not_deployed")],
    [
      "is refused if the spender trusts another contract",
      { "PERMIT2()": toWord(PAYEE) },
      refused("permit2_proxy_not_deployed"),
    ],
    [
      "is refused if the spender reports no contract",
      { "PERMIT2()": "reverts" },
      refused("permit2_proxy_not_deployed"),
    ],
    ["is refused without Permit2", { [BITMAP]: "0x" }, refused("permit2_proxy_not_deployed")],
    ["is refused without a token", { [BALANCE]: "0x" }, refused("asset_not_deployed_contract")],
    [
      "is unknown if the payment would succeed",
      {},
      { ...contradiction, cause: `${contradiction.cause}: nothing was sent` },
    ],
    ["is unknown if the node fails", { [BALANCE]: "fails" }, { kind: "unknown", transaction: "" }],
  ])("%s", async (_what, after, expected) => {
    expect((await settle({ sent: { kind: "rejected" }, after })).settlement).toMatchObject(expected);
  });

  test.each<[string, Responses, object]>([
    ["InvalidSigner()", {}, refused("invalid_permit2_signature")],
    ["InvalidNonce()", SETTLED, settled],
    ["InvalidNonce()", {}, contradiction],
    ["NoReasonOfOurs()", poor, refused("permit2_insufficient_balance")],
  ])("with the revert %s has its result", async (error, after, expected) => {
    const sent: Sent = { kind: "rejected", data: encodeCall(error) };
    expect((await settle({ sent, after })).settlement).toMatchObject(expected);
  });
});

describe("a transaction that was reverted", () => {
  const AT_BLOCK = `${BITMAP} 0x63`;

  test.each<[string, Responses, object]>([
    ["is settled if the payment was settled before it", SETTLED, settled],
    ["is settled if the payment was settled after it", { ...SETTLED, [AT_BLOCK]: OTHERS_SPENT }, settled],
    ["is unknown if a node finds no use that the block has", { [AT_BLOCK]: SPENT }, contradiction],
    ["is unknown if the block cannot be read", { [AT_BLOCK]: "fails" }, { kind: "unknown", transaction: OURS }],
    [
      "is refused with the hindrance",
      { [SETTLE]: "reverts", [BALANCE]: word(1n) },
      refused("permit2_insufficient_balance"),
    ],
    ["is refused if the payment would succeed now", {}, refused("invalid_exact_evm_transaction_failed")],
    [
      "is refused if the hindrance cannot be read",
      { [BALANCE]: "fails" },
      refused("invalid_exact_evm_transaction_failed"),
    ],
    [
      "is unknown if the events cannot be read",
      { ...SETTLED, eth_getLogs: "fails" },
      { kind: "unknown", transaction: "" },
    ],
  ])("%s", async (_what, after, expected) => {
    const sent: Sent = { kind: "reverted", transaction: OURS, blockNumber: 99n };
    expect((await settle({ sent, after })).settlement).toMatchObject(expected);
  });
});

describe("before a transaction", () => {
  test.each<[string, Responses, object]>([
    ["a payment that was settled before is settled", SETTLED, settled],
    ["a payment that was canceled is refused", CANCELED, refused("permit2_invalid_nonce")],
    ["a failed read of the nonce sends nothing", { [BITMAP]: "fails" }, { kind: "unknown", isUnsent: true }],
    ["a failed read of the payer sends nothing", { eth_getCode: "fails" }, { kind: "unknown", isUnsent: true }],
    [
      "a chain without Permit2 gets nothing",
      { [BITMAP]: "0x" },
      { isUnsent: true, cause: "there is no Permit2: nothing was sent" },
    ],
    [
      "a pending use is awaited",
      { [`${BITMAP} pending`]: SPENT },
      { kind: "unknown", cause: "a transaction with this payment is under way" },
    ],
  ])("%s", async (_what, before, expected) => {
    expect((await settle({ before })).settlement).toMatchObject(expected);
  });

  test("a payment is sent if the node does not know its pending state", async () => {
    const before = { [`${BITMAP} pending`]: "fails", [ALLOWANCE]: word(9_000n) } as const;
    const { settlement, sendings } = await settle({ before, sent: { kind: "withheld", cause: "busy" } });
    expect(settlement).toEqual({ kind: "unknown", cause: "busy", transaction: "", isUnsent: true });
    const [sending] = sendings;
    expect(sending).toMatchObject({
      to: PROXIES.exact,
      from: undefined,
      share: { payer: PAYER, asset: USDC, value: 10_000n, isContract: false },
    });
    const funds = async (change: Responses) => {
      scripted.responses = { ...SOUND, ...change };
      return await sending?.share.funds();
    };
    expect(await funds({ [ALLOWANCE]: word(9_000n) })).toBe(9_000n);
    expect(await funds({ [BALANCE]: word(8_000n) })).toBe(8_000n);
    expect(await funds({ [BALANCE]: "0x" })).toBe(0n);
    expect(await funds({ [BALANCE]: "fails" })).toMatchObject({ error: "refused" });
    expect(await funds({ [ALLOWANCE]: "fails" })).toMatchObject({ error: "refused" });
  });
});

describe("an earlier transaction of the payment", () => {
  const shown = { ...moved, transactionHash: OURS, blockNumber: 99n, logIndex: 1n };
  const mined = (change: object): Sent => ({ kind: "mined", transaction: OURS, logs: [{ ...shown, ...change }] });
  const open: Sent = { kind: "open", transaction: OURS, cause: "no receipt" };
  const hidden = { kind: "unknown", transaction: OURS, cause: "the transaction's events do not show the payment" };

  test.each<[string, Sent, Responses, object]>([
    ["is not known", open, {}, { kind: "unknown", cause: "no receipt", transaction: OURS }],
    ["is not known, and another account has settled it", open, SETTLED, settled],
    ["shows the payment", mined({}), {}, { ...settled, transaction: OURS }],
    ["shows another amount", mined({ data: word(9_999n) }), {}, hidden],
    ["shows another token", mined({ address: PAYEE }), {}, hidden],
    ["shows another event", mined({ topics: [OURS, toWord(PAYER), toWord(PAYEE)] }), {}, hidden],
    ["shows another payer", mined({ topics: [TRANSFER, toWord(USDC), toWord(PAYEE)] }), {}, hidden],
    ["shows another payee", mined({ topics: [TRANSFER, toWord(PAYER), toWord(USDC)] }), {}, hidden],
  ])("%s", async (_what, resumed, before, expected) => {
    expect((await settle({ resumed, before })).settlement).toMatchObject(expected);
  });
});
