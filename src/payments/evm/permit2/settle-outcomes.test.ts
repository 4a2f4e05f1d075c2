/** The results of settlements by Permit2 at nodes that fail, lag or contradict themselves, without a chain. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS, USDC } from "../../testing/payment.ts";
import { signedPermit2 } from "../../testing/permit2-payment.ts";
import { type Hex } from "../../x402/address.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
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
const BITMAP = "nonceBitmap(address,uint256)";
const BALANCE = "balanceOf(address)";
const ALLOWANCE = "allowance(address,address)";
/** The settlement's call, by the name that its arguments have in the ABI. */
const SETTLE = "settle(((address,uint256),uint256,uint256),address,(address,uint256),bytes)";
const EXACT = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } };
const UPTO = { ...EXACT, scheme: "upto", extra: { ...EXACT.extra, facilitatorAddress: PAYEE } };
const payment = signedPermit2(EXACT, NOW, { nonce: "259" });
const SPENT = word(8n);
const CONTRADICTION = "the node contradicts itself";
const FAILED = "the node refused eth_call (other, -32000)";

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(NOW * 1000);
});
afterAll(() => scripted[Symbol.asyncDispose]());

const SOUND: Responses = {
  eth_getCode: "0x",
  [BITMAP]: word(0n),
  "PERMIT2()": toWord(PERMIT2),
  [SETTLE]: "0x",
  [BALANCE]: word(10_000n),
  [ALLOWANCE]: word(20_000n),
  eth_getBlockByNumber: { number: quantity(100n), timestamp: quantity(BigInt(NOW)) },
  eth_getLogs: [],
};

const movedTopics: Hex[] = [TRANSFER, toWord(PAYER), toWord(PAYEE)];
const log = (value: bigint, address = USDC, topics = movedTopics) => ({
  address,
  topics,
  data: word(value),
  transactionHash: OURS,
  blockNumber: 99n,
  logIndex: 0n,
});
const MINED: Sent = { kind: "mined", transaction: OURS, logs: [log(10_000n)] };
const REVERTED: Sent = { kind: "reverted", transaction: OURS, blockNumber: 99n };
const OPEN: Sent = { kind: "open", transaction: OURS, cause: "no receipt" };
const REJECTED: Sent = { kind: "rejected" };

/** The chain when another transaction has settled the payment. */
const SETTLED_BEFORE: Responses = {
  [BITMAP]: SPENT,
  eth_getLogs: [{ ...log(10_000n), transactionHash: ANOTHERS, blockNumber: quantity(99n), logIndex: "0x0" }],
  eth_getTransactionByHash: { to: PROXIES.exact, input: settleCall(payment, 10_000n) },
};
/** The chain when the payer has spent the nonce otherwise. */
const SPENT_OTHERWISE: Responses = { [BITMAP]: SPENT };

interface Case {
  /** The result of sending. Default: the test fails if something is sent. */
  readonly sent?: Sent;
  readonly resumed?: Sent;
  readonly before?: Responses;
  /** Changes to the node after it was sent. */
  readonly after?: Responses;
  readonly paid?: Permit2Payment;
  readonly requirements?: PaymentRequirements;
}

async function run({ sent, resumed, before, after, paid = payment, requirements = EXACT }: Case) {
  scripted.responses = { ...SOUND, ...before };
  const sendings: Sending[] = [];
  const tags: string[] = [];
  const sender: Sender = {
    account: PAYEE,
    maxGas: 300_000n,
    bars: () => false,
    resume: (tag) => {
      tags.push(tag);
      if (resumed === undefined) return undefined;
      scripted.responses = { ...scripted.responses, ...after };
      return Promise.resolve(resumed);
    },
    send: (sending) => {
      if (sent === undefined) throw new Error("Cannot send: the test expects no transaction");
      sendings.push(sending);
      scripted.responses = { ...scripted.responses, ...after };
      return Promise.resolve(sent);
    },
  };
  const chain = { node: scripted.node, sender, factories: new Factories([]) };
  return { settlement: await settlePermit2(chain, paid, requirements), sendings, tags };
}

const before = { kind: "settled", transaction: ANOTHERS, payer: PAYER };
const ours = { kind: "settled", transaction: OURS, payer: PAYER };
const refused = (reason: string) => ({ kind: "refused", reason });
const open = (cause: string, transaction = "") => ({ kind: "unknown", cause, transaction });
const NOT_SHOWN = open("the transaction's events do not show the payment", OURS);

test.each<[string, Case, object]>([
  ["that is mined with its transfer is settled", { sent: MINED }, ours],
  ["that moved another amount is open", { sent: { ...MINED, logs: [log(9999n)] } }, NOT_SHOWN],
  ["that moved another token is open", { sent: { ...MINED, logs: [log(10_000n, PAYEE)] } }, NOT_SHOWN],
  [
    "that paid another account is open",
    { sent: { ...MINED, logs: [log(10_000n, USDC, [TRANSFER, toWord(PAYER), toWord(PAYER)])] } },
    NOT_SHOWN,
  ],
  [
    "that moved another payer's money is open",
    { sent: { ...MINED, logs: [log(10_000n, USDC, [TRANSFER, toWord(PAYEE), toWord(PAYEE)])] } },
    NOT_SHOWN,
  ],
  [
    "with another event is open",
    { sent: { ...MINED, logs: [log(10_000n, USDC, [OURS, toWord(PAYER), toWord(PAYEE)])] } },
    NOT_SHOWN,
  ],
  [
    "that shows nothing is settled if an earlier one is found",
    { sent: { ...MINED, logs: [] }, after: SETTLED_BEFORE },
    before,
  ],
  ["that was not sent is open", { sent: { kind: "withheld", cause: "busy" } }, { ...open("busy"), isUnsent: true }],
  ["without a receipt is open", { sent: OPEN }, open("no receipt", OURS)],
  ["without a receipt is settled if another one is found", { sent: OPEN, after: SETTLED_BEFORE }, before],
  ["that an earlier request has sent is not sent again", { resumed: MINED }, ours],
])("a transaction %s", async (_what, script, settlement) => {
  expect((await run(script)).settlement).toMatchObject(settlement);
});

const reverting = (error: string, ...args: bigint[]): Responses => ({
  [SETTLE]: `reverts ${encodeCall(error, args)}`,
});

test.each<[string, Case, object]>([
  ["because another one was first is settled", { after: SETTLED_BEFORE }, before],
  ["after the payer spent its nonce is refused", { after: SPENT_OTHERWISE }, refused("permit2_invalid_nonce")],
  [
    "at a node without that block is open",
    { after: { [`${BITMAP} 0x63`]: "fails" } },
    open("it is unknown which transaction spent the nonce", OURS),
  ],
  ["although nothing is wrong is refused", {}, refused("invalid_exact_evm_transaction_failed")],
  [
    "for lack of money is refused",
    { after: { [BALANCE]: word(9999n), [SETTLE]: "reverts" } },
    refused("permit2_insufficient_balance"),
  ],
  [
    "at a node that cannot tell why is refused",
    { after: { [SETTLE]: "fails" } },
    refused("invalid_exact_evm_transaction_failed"),
  ],
  [
    "whose nonce a later block has is judged by it",
    { after: { ...SETTLED_BEFORE, [`${BITMAP} 0x63`]: word(0n) } },
    before,
  ],
])("a reverted transaction %s", async (_what, script, settlement) => {
  expect((await run({ sent: REVERTED, ...script })).settlement).toMatchObject(settlement);
});

test.each<[string, Case, object]>([
  ["because another one was first is settled", { after: SETTLED_BEFORE }, before],
  ["after the payer spent its nonce is refused", { after: SPENT_OTHERWISE }, refused("permit2_invalid_nonce")],
  [
    "whose revert says that the nonce is spent is settled if it is found",
    { sent: { kind: "rejected", data: encodeCall("InvalidNonce()") }, after: SETTLED_BEFORE },
    before,
  ],
  [
    "whose revert says so against the state is open",
    { sent: { kind: "rejected", data: encodeCall("InvalidNonce()") } },
    open(CONTRADICTION),
  ],
  [
    "whose revert says why is refused",
    { sent: { kind: "rejected", data: encodeCall("InvalidOwner()") } },
    refused("permit2_invalid_owner"),
  ],
  [
    "for lack of money is refused",
    { after: { [BALANCE]: word(9999n), [SETTLE]: "reverts" } },
    refused("permit2_insufficient_balance"),
  ],
  ["by a token that reverts is refused", { after: { [SETTLE]: "reverts" } }, refused("permit2_simulation_failed")],
  [
    "without an allowance is refused",
    { after: { [ALLOWANCE]: word(9999n), [SETTLE]: "reverts" } },
    refused("permit2_allowance_required"),
  ],
  [
    "that the contract refuses is refused",
    { after: reverting("SignatureExpired(uint256)", 1n) },
    refused("permit2_deadline_expired"),
  ],
  ["on a chain without the proxy is refused", { after: { "PERMIT2()": "0x" } }, refused("permit2_proxy_not_deployed")],
  ["of a token that is gone is refused", { after: { [BALANCE]: "0x" } }, refused("asset_not_deployed_contract")],
  ["although nothing is wrong is open", {}, open(`${CONTRADICTION}: nothing was sent`)],
  ["at a node that fails is open", { after: { [BALANCE]: "fails" } }, open(`${FAILED}: nothing was sent`)],
])("a rejected transaction %s", async (_what, script, settlement) => {
  expect((await run({ sent: REJECTED, ...script })).settlement).toMatchObject(settlement);
});

const key = hexToBytes(PRIVATE_KEY.slice(2)).map((byte) => byte ^ 1);
const forged = signedPermit2(EXACT, NOW, { nonce: "259" }, key);
const unsent = (cause: string) => ({ ...open(`${cause}: nothing was sent`), isUnsent: true });

test.each<[string, Case, object]>([
  ["is settled already", { before: SETTLED_BEFORE }, before],
  ["has a nonce that is spent", { before: SPENT_OTHERWISE }, refused("permit2_invalid_nonce")],
  [
    "has a nonce whose spending cannot be read",
    { before: { ...SPENT_OTHERWISE, eth_getLogs: "fails" } },
    { kind: "unknown" },
  ],
  [
    "is in a pending transaction",
    { before: { [`${BITMAP} pending`]: SPENT } },
    open("a transaction with this payment is under way"),
  ],
  ["is at a node that fails", { before: { [BITMAP]: "fails" } }, unsent(FAILED)],
  ["is on a chain without Permit2", { before: { [BITMAP]: "0x" } }, unsent("there is no Permit2")],
  [
    "has a payer of unknown kind",
    { before: { eth_getCode: "fails" } },
    unsent("the node refused eth_getCode (other, -32000)"),
  ],
  ["is signed by another key", { paid: forged }, refused("invalid_permit2_signature")],
  [
    "cannot be checked",
    { paid: forged, before: { eth_getCode: "fails" } },
    unsent("the node refused eth_getCode (other, -32000)"),
  ],
  ["is for another amount", { requirements: { ...EXACT, amount: "10001" } }, { kind: "refused" }],
  ["is over", { paid: signedPermit2(EXACT, NOW - 60, { nonce: "259" }) }, refused("permit2_deadline_expired")],
])("nothing is sent for a payment that %s", async (_what, script, settlement) => {
  expect((await run(script)).settlement).toMatchObject(settlement);
});

test.each([
  ["does not know its pending state", { [`${BITMAP} pending`]: "fails" }],
  ["has no pending state", { [`${BITMAP} pending`]: "0x" }],
] as const)("a payment is sent at a node that %s", async (_what, pending) => {
  const { settlement, sendings } = await run({ sent: MINED, before: pending });
  expect(settlement).toMatchObject(ours);
  expect(sendings).toMatchObject([{ to: PROXIES.exact, data: settleCall(payment, 10_000n), from: undefined }]);
});

test("the payer's money is the smaller one of its balance and its allowance", async () => {
  const { sendings } = await run({ sent: MINED });
  const share = sendings[0]?.share;
  expect(share).toMatchObject({ payer: PAYER, asset: USDC, value: 10_000n, isContract: false });
  expect(await share?.funds()).toBe(10_000n);
  scripted.responses = { ...SOUND, [ALLOWANCE]: word(5n) };
  expect(await share?.funds()).toBe(5n);
  scripted.responses = { ...SOUND, [BALANCE]: "0x" };
  expect(await share?.funds()).toBe(0n);
  for (const read of [BALANCE, ALLOWANCE]) {
    scripted.responses = { ...SOUND, [read]: "fails" };
    expect(await share?.funds()).toMatchObject({ error: "refused" });
  }
  const contract = await run({ sent: MINED, before: { eth_getCode: "0x60" } });
  expect(contract.sendings[0]?.share.isContract).toBe(true);
});

test("under upto, the charge moves, up to the permitted amount, by the account that the payer named", async () => {
  const paid = signedPermit2(UPTO, NOW, { nonce: "259" });
  const charging = (amount: string): PaymentRequirements => ({ ...UPTO, amount });
  const charged = await run({ paid, requirements: charging("700"), sent: { ...MINED, logs: [log(700n)] } });
  expect(charged.settlement).toMatchObject(ours);
  expect(charged.sendings).toMatchObject([
    { to: PROXIES.upto, data: settleCall(paid, 700n), from: PAYEE, share: { value: 700n } },
  ]);
  // Only one charge of an authorization can be made, so all have the same tag.
  const all = await run({ paid, requirements: charging("10000"), resumed: { ...MINED, logs: [log(700n)] } });
  expect([all.tags, all.tags[0] === "" || all.tags[0] !== charged.tags[0]]).toEqual([charged.tags, false]);
  expect((await run({ sent: MINED })).tags).not.toEqual(charged.tags);
  expect((await run({ paid, requirements: charging("10001") })).settlement).toMatchObject(
    refused("invalid_upto_evm_payload_settlement_exceeds_amount"),
  );
  expect((await run({ paid, requirements: charging("0") })).settlement).toEqual({
    kind: "settled",
    transaction: "",
    payer: PAYER,
  });
  const foreign = signedPermit2({ ...UPTO, extra: { ...UPTO.extra, facilitatorAddress: PAYER } }, NOW);
  const requirements = { ...UPTO, extra: { ...UPTO.extra, facilitatorAddress: PAYER } };
  expect((await run({ paid: foreign, requirements })).settlement).toMatchObject(refused("upto_facilitator_mismatch"));
  expect((await run({ paid, requirements: charging("700"), sent: REVERTED })).settlement).toMatchObject(
    refused("invalid_upto_evm_transaction_failed"),
  );
});
