/** The results of settlements by EIP-3009 at nodes that fail, lag or contradict themselves, without a chain. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { PAYEE, PAYER, REQUIREMENTS, signedPayment, USDC } from "../../testing/payment.ts";
import { type Hex } from "../../x402/address.ts";
import { type Eip3009Payment } from "../../x402/messages.ts";
import { toWord, TRANSFER } from "../node/abi.ts";
import { type Sender, type Sending, type Sent } from "../node/scheme.ts";
import { Factories } from "../node/undeployed.ts";
import { quantity, type Responses, type ScriptedNode, startScriptedNode, word } from "../testing/scripted-node.ts";
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED } from "./calls.ts";
import { settleEip3009 } from "./settle.ts";
import { verifyEip3009 } from "./verify.ts";

const NOW = 1_800_000_000;
const OURS: Hex = `0x${"a".repeat(64)}`;
const ANOTHERS: Hex = `0x${"b".repeat(64)}`;
const STATE = "authorizationState(address,bytes32)";
const BALANCE = "balanceOf(address)";
const CALL = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)";
const USED = word(1n);
/** A payment whose time ends in two minutes. */
const payment = signedPayment(NOW, { validBefore: String(NOW + 120) });
const { nonce } = payment.payload.authorization;
const usedTopics: Hex[] = [AUTHORIZATION_USED, toWord(PAYER), nonce];
const canceledTopics: Hex[] = [AUTHORIZATION_CANCELED, toWord(PAYER), nonce];
const movedTopics: Hex[] = [TRANSFER, toWord(PAYER), toWord(PAYEE)];

let scripted: ScriptedNode;
beforeAll(() => {
  scripted = startScriptedNode(NOW * 1000);
});
afterAll(() => scripted[Symbol.asyncDispose]());

const block = (timestamp: number) => ({ number: quantity(100n), timestamp: quantity(BigInt(timestamp)) });
const SOUND: Responses = {
  eth_getCode: "0x",
  [STATE]: word(0n),
  [BALANCE]: word(10_000n),
  [CALL]: "0x",
  "name()": "fails",
  "version()": "fails",
  eth_getBlockByNumber: block(NOW),
  eth_getLogs: [],
  eth_getTransactionReceipt: null,
};

/** Events of the token in a transaction, as JSON-RPC has them. */
function events(transactionHash: Hex, ...list: readonly (readonly [topics: Hex[], data: Hex])[]) {
  const at = { address: USDC, transactionHash, blockNumber: quantity(99n) };
  return list.map(([topics, data], index) => ({ ...at, topics, data, logIndex: quantity(BigInt(index)) }));
}
const transferred = [
  [usedTopics, "0x"],
  [movedTopics, word(10_000n)],
] as const;

/** The chain when another account has settled the payment. */
const SETTLED_BY_ANOTHER: Responses = {
  [STATE]: USED,
  eth_getLogs: events(ANOTHERS, transferred[0]),
  eth_getTransactionReceipt: {
    transactionHash: ANOTHERS,
    status: "0x1",
    blockNumber: quantity(99n),
    logs: events(ANOTHERS, ...transferred),
  },
};
const canceled = events(ANOTHERS, [canceledTopics, "0x"]);
/** The chain when the payer has canceled it. */
const CANCELED: Responses = {
  [STATE]: USED,
  eth_getLogs: canceled,
  eth_getTransactionReceipt: { transactionHash: ANOTHERS, status: "0x1", blockNumber: quantity(99n), logs: canceled },
};
const EXPIRED: Responses = { eth_getBlockByNumber: block(NOW + 120) };

interface Case {
  /** The result of sending. Default: the test fails if something is sent. */
  readonly sent?: Sent;
  readonly resumed?: Sent;
  readonly before?: Responses;
  /** Changes to the node after it was sent. */
  readonly after?: Responses;
  readonly payment?: Eip3009Payment;
}

async function run({ sent, resumed, before, after, payment: paid = payment }: Case) {
  scripted.responses = { ...SOUND, ...before };
  const sendings: Sending[] = [];
  const sender: Sender = {
    account: PAYEE,
    maxGas: 300_000n,
    bars: () => false,
    resume: () => {
      if (resumed !== undefined) scripted.responses = { ...scripted.responses, ...after };
      return resumed === undefined ? undefined : Promise.resolve(resumed);
    },
    send: (sending) => {
      if (sent === undefined) throw new Error("Cannot send: the test expects no transaction");
      sendings.push(sending);
      scripted.responses = { ...scripted.responses, ...after };
      return Promise.resolve(sent);
    },
  };
  const settlement = await settleEip3009(
    { node: scripted.node, sender, factories: new Factories([]) },
    paid,
    REQUIREMENTS,
  );
  return { settlement, sendings };
}

const logs = (...list: Parameters<typeof events>[1][]) =>
  events(OURS, ...list).map((event) => ({ ...event, blockNumber: 99n, logIndex: BigInt(event.logIndex) }));
const MINED: Sent = { kind: "mined", transaction: OURS, logs: logs(...transferred) };
const REJECTED: Sent = { kind: "rejected" };
const REVERTED: Sent = { kind: "reverted", transaction: OURS, blockNumber: 99n };
const OPEN: Sent = { kind: "open", transaction: OURS, cause: "no receipt" };
const CONTRADICTION = "the node contradicts itself";
const FAILED = "the node refused eth_call (other, -32000)";
const NO_WORD = "the token does not report its authorizations";
const byAnother = { kind: "settled", transaction: ANOTHERS, payer: PAYER };
const refused = (reason: string) => ({ kind: "refused", reason });
const open = (cause: string, transaction = "") => ({ kind: "unknown", cause, transaction });

test.each<[string, Case, object]>([
  ["that is mined with its transfer is settled", { sent: MINED }, { kind: "settled", transaction: OURS, payer: PAYER }],
  [
    "that is mined without it is open",
    { sent: { ...MINED, logs: logs(transferred[0]) } },
    open("the transaction's events do not show the transfer", OURS),
  ],
  ["that was not sent is open", { sent: { kind: "withheld", cause: "busy" } }, { ...open("busy"), isUnsent: true }],
  ["without a receipt is open", { sent: OPEN }, open("no receipt", OURS)],
  ["without a receipt that another account has made is settled", { sent: OPEN, after: SETTLED_BY_ANOTHER }, byAnother],
  ["that an earlier request has sent is not sent again", { resumed: MINED }, { kind: "settled", transaction: OURS }],
  ["that an earlier request has sent can be open", { resumed: OPEN, after: CANCELED }, open("no receipt", OURS)],
])("a transaction %s", async (_what, script, settlement) => {
  expect((await run(script)).settlement).toMatchObject(settlement);
});

test.each<[string, Case, object]>([
  ["because another account was first is settled", { after: SETTLED_BY_ANOTHER }, byAnother],
  ["after the payer canceled it is refused", { after: CANCELED }, refused("invalid_exact_evm_nonce_already_used")],
  ["at a node that cannot tell the state of that block is open", { after: { [STATE]: "fails" } }, open(FAILED, OURS)],
  ["although nothing is wrong is refused", {}, refused("invalid_exact_evm_transaction_failed")],
  [
    "for lack of money is refused",
    { after: { [BALANCE]: word(9999n) } },
    refused("invalid_exact_evm_insufficient_balance"),
  ],
  [
    "whose event the node does not show is open",
    { after: { [STATE]: USED } },
    open("the nonce is used, and the event of it was not found"),
  ],
  ["at a node that lags behind that block is open", { after: { [`${STATE} 0x63`]: USED } }, open(CONTRADICTION)],
])("a reverted transaction %s", async (_what, script, settlement) => {
  expect((await run({ sent: REVERTED, ...script })).settlement).toMatchObject(settlement);
});

test.each<[string, Case, object]>([
  ["because another account was first is settled", { after: SETTLED_BY_ANOTHER }, byAnother],
  ["after the payer canceled it is refused", { after: CANCELED }, refused("invalid_exact_evm_nonce_already_used")],
  [
    "for lack of money is refused",
    { after: { [BALANCE]: word(9999n) } },
    refused("invalid_exact_evm_insufficient_balance"),
  ],
  [
    "after its end is refused, if no block can have it",
    { after: EXPIRED },
    refused("invalid_exact_evm_payload_authorization_valid_before"),
  ],
  ["although nothing is wrong is open", {}, open(`${CONTRADICTION}: nothing was sent`)],
  ["at a node that fails is open", { after: { [STATE]: "fails" } }, open(FAILED)],
  ["at a node that cannot check it again is open", { after: { [BALANCE]: "fails" } }, open(FAILED)],
  ["of a token that is gone is open", { after: { [STATE]: "0x" } }, open(NO_WORD)],
])("a rejected transaction %s", async (_what, script, settlement) => {
  expect((await run({ sent: REJECTED, ...script })).settlement).toMatchObject(settlement);
});

test("a payment that one node shows as used, and another one as not, is open", async () => {
  let asked = 0;
  // The first look is that for the outcome, the second one that of the check.
  const after = { [STATE]: () => (asked++ === 0 ? word(0n) : USED) };
  expect((await run({ sent: REJECTED, after })).settlement).toMatchObject(open(CONTRADICTION));
});

test.each<[string, Case, object]>([
  ["is settled by another account", { before: SETTLED_BY_ANOTHER }, byAnother],
  ["is canceled", { before: CANCELED }, refused("invalid_exact_evm_nonce_already_used")],
  ["is used without an event", { before: { [STATE]: USED } }, { kind: "unknown" }],
  [
    "is used in a pending transaction",
    { before: { [`${STATE} pending`]: USED } },
    open("a transaction with this payment is under way"),
  ],
  [
    "is in a token without EIP-3009",
    { before: { [STATE]: "reverts" } },
    refused("invalid_exact_evm_eip3009_not_supported"),
  ],
  ["is in a token without code", { before: { [STATE]: "0x" } }, refused("asset_not_deployed_contract")],
  [
    "is at a node that fails",
    { before: { [`${STATE} latest`]: "fails" } },
    { ...open(`${FAILED}: nothing was sent`), isUnsent: true },
  ],
  [
    "has a payer of unknown kind",
    { before: { eth_getCode: "fails" } },
    { ...open("the node refused eth_getCode (other, -32000): nothing was sent"), isUnsent: true },
  ],
  [
    "is signed by another key",
    { payment: { ...payment, payload: { ...payment.payload, signature: signedPayment(NOW).payload.signature } } },
    refused("invalid_exact_evm_signature"),
  ],
  [
    "is for another payee",
    { payment: signedPayment(NOW, { to: PAYER, validBefore: String(NOW + 120) }) },
    { kind: "refused" },
  ],
  [
    "has a minute left and has not begun, and may be under way",
    { payment: signedPayment(NOW, { validAfter: String(NOW + 1), validBefore: String(NOW + 60) }) },
    open("its time is nearly over, and nothing was sent"),
  ],
  [
    "has 61 seconds left and has not begun",
    { payment: signedPayment(NOW, { validAfter: String(NOW + 1), validBefore: String(NOW + 61) }) },
    { kind: "refused" },
  ],
  [
    "is over, and no block can have it",
    { payment: signedPayment(NOW, { validBefore: String(NOW) }) },
    refused("invalid_exact_evm_payload_authorization_valid_before"),
  ],
  [
    "is over at a node that fails",
    { payment: signedPayment(NOW, { validBefore: String(NOW) }), before: { eth_getBlockByNumber: "fails" } },
    open("the node refused eth_getBlockByNumber (other, -32000)"),
  ],
])("nothing is sent for a payment that %s", async (_what, script, settlement) => {
  expect((await run(script)).settlement).toMatchObject(settlement);
});

test.each([
  [{}, "valid"],
  [{ eth_getBlockByNumber: "fails" }, "failed"],
  [{ eth_getBlockByNumber: null }, "failed"],
] as const)("a payment at a node with %j is %s", async (before, kind) => {
  scripted.responses = { ...SOUND, ...before };
  const sender: Sender = { account: PAYEE, maxGas: 300_000n, bars: () => false, resume: unused, send: unused };
  const chain = { node: scripted.node, sender, factories: new Factories([]) };
  expect(await verifyEip3009(chain, payment, REQUIREMENTS)).toMatchObject({ kind });
});

function unused(): never {
  throw new Error("nothing is sent");
}

test.each([
  ["does not know its pending state", { [`${STATE} pending`]: "fails" }],
  ["has no pending state", { [`${STATE} pending`]: "0x" }],
] as const)("a payment is sent at a node that %s", async (_what, before) => {
  const { settlement, sendings } = await run({ sent: MINED, before });
  expect(settlement.kind).toBe("settled");
  const tag = [USDC, PAYER, PAYEE, "10000", nonce].join(" ").toLowerCase();
  expect(sendings).toMatchObject([{ tag, to: USDC, share: { payer: PAYER, asset: USDC, value: 10_000n } }]);
});

test("the payer's money is read when its share is decided, and a contract's signature is left to the token", async () => {
  const { sendings } = await run({ sent: MINED });
  const share = sendings[0]?.share;
  expect([share?.isContract, await share?.funds()]).toEqual([false, 10_000n]);
  scripted.responses = { ...SOUND, [BALANCE]: "0x" };
  expect(await share?.funds()).toBe(0n);
  scripted.responses = { ...SOUND, [BALANCE]: "fails" };
  expect(await share?.funds()).toMatchObject({ error: "refused" });
  const signature: Hex = `0x${"12".repeat(65)}`;
  const ofContract = { ...payment, payload: { ...payment.payload, signature } };
  const contract = await run({ sent: MINED, before: { eth_getCode: "0x60" }, payment: ofContract });
  expect([contract.settlement.kind, contract.sendings[0]?.share.isContract]).toEqual(["settled", true]);
});
