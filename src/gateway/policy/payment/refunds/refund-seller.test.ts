import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toWord, TRANSFER } from "../../../../payments/evm/node/abi.ts";
import { type NodeProxy, rpcResult, startNodeProxy } from "../../../../payments/evm/testing/node-proxy.ts";
import { Facilitators } from "../../../../payments/facilitator/facilitators.ts";
import { PAYEE, PAYER, PRIVATE_KEY, USDC } from "../../../../payments/testing/payment.ts";
import { type Hex } from "../../../../payments/x402/address.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { type Refund } from "../../../../store/refunds.ts";
import { type Config } from "../../../config/config.ts";
import { loadValue } from "../../../config/load.ts";
import { type Counts } from "../../../telemetry/metrics/counts.ts";
import { openScreening, type Screening } from "../screening/screening.ts";
import { ConfiguredSeller, sellerAccounts } from "./refund-seller.ts";

const NOW_MS = 1_800_000_000_000;
const NETWORK = "eip155:84532";
const PROXY: Hex = `0x${"4".repeat(40)}`;
const OTHER_TOKEN: Hex = `0x${"5".repeat(40)}`;
const TRANSACTION: Hex = `0x${"2".repeat(64)}`;

/** A payment of the route `/a` that the account of the key in `KEY` received. */
const PAYMENT = {
  network: NETWORK,
  asset: USDC,
  token: USDC,
  scheme: "exact",
  from: PAYEE,
  payTo: PAYER,
  nonce: `0x${"1".repeat(64)}`,
  amount: "258",
  route: "/a",
  transaction: TRANSACTION,
} as Payment; // The other columns are not read.
const REFUND = { ...PAYMENT, sequence: 1, id: "rest", validBefore: NOW_MS / 1000 + 900 } as unknown as Refund; // As above.
const RECEIPT_LOG = {
  address: USDC,
  topics: [TRANSFER, toWord(PAYEE), toWord(PAYER)],
  data: toWord("0x102"),
  transactionHash: TRANSACTION,
  blockNumber: "0x9",
  logIndex: "0x0",
};

let proxy: NodeProxy;
let receipt: unknown;
const store = openStore(":memory:", () => NOW_MS);
const sellers: ConfiguredSeller[] = [];

beforeEach(() => {
  proxy = startNodeProxy("http://127.0.0.1:9");
  receipt = { transactionHash: TRANSACTION, status: "0x1", blockNumber: "0x9", logs: [RECEIPT_LOG] };
  const results: Record<string, () => unknown> = {
    eth_chainId: () => "0x14a34",
    eth_blockNumber: () => "0x9",
    eth_getTransactionReceipt: () => receipt,
  };
  proxy.behave((call) => rpcResult(call, results[call.method]?.()));
});
afterEach(async () => {
  for (const seller of sellers.splice(0)) seller.close();
  await proxy.close();
});

function configOf(x402: object, terms: object = {}): Config {
  const { config, problems } = loadValue({
    server: { address: "127.0.0.1" },
    x402: {
      enabled: true,
      facilitator_url: "http://127.0.0.1:1",
      refunds: { key_envs: ["KEY"] },
      gateway_id: "shop",
      chains: [{ network: "base-sepolia", rpc_url_env: "RPC" }],
      ...x402,
    },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }],
    routes: [
      {
        path_prefix: "/a",
        upstream: "a",
        x402: { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYER, ...terms },
      },
    ],
  });
  if (config === undefined) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join());
  return config;
}

function sellerOf(x402: object = {}, terms: object = {}, screening?: Screening): ConfiguredSeller {
  const environment = { KEY: PRIVATE_KEY, RPC: proxy.rpcUrl };
  const facilitators = new Facilitators({
    simulatedTransfers: () => store.simulatedTransfers,
    now: () => NOW_MS,
    environment,
    embedded: () => {
      throw new Error("there is none");
    },
    random: () => 0.5,
    observer: { asked() {}, breakerChanged() {} },
    log() {},
  });
  const deps = { facilitators, environment, screening, clock: () => NOW_MS };
  const seller = new ConfiguredSeller(configOf(x402, terms), deps);
  sellers.push(seller);
  return seller;
}

test("a seller that is closed looks no more at lists of denied payers", async () => {
  const list = join(mkdtempSync(join(tmpdir(), "turnpike-seller-")), "denied");
  writeFileSync(list, PAYER);
  const parts = { telemetry: { counts: { add() {} } as unknown as Counts }, log() {}, onEvent() {} }; // Only it is used.
  using cleared = spyOn(globalThis, "clearInterval");
  const screening = await openScreening(configOf({ screening: { denied_payers: [list] } }).x402.screening, parts);
  sellerOf({}, {}, screening).close();
  expect(cleared).toHaveBeenCalledTimes(1);
  rmSync(dirname(list), { recursive: true });
});

const TEST = { test_mode: true, chains: [], facilitator_url: "" };
const SIMULATED = `0x7e577e57${"0".repeat(56)}`;

describe("a refund", () => {
  test("is a transfer from the receiver to the payer, in the token of the payment", () => {
    const { requirements, payment, isOwn } = sellerOf().way(REFUND, PAYMENT);
    expect(requirements).toEqual({
      scheme: "exact",
      network: NETWORK,
      amount: "258",
      asset: USDC,
      payTo: PAYEE,
      maxTimeoutSeconds: 900,
      extra: { name: "USDC", version: "2" },
    });
    expect(payment.payload).toMatchObject({ authorization: { from: PAYER, to: PAYEE, value: "258" } });
    expect(isOwn).toBe(false);
  });

  test("is this gateway's own in test mode, and only for payments of test mode", () => {
    const seller = sellerOf(TEST);
    expect(seller.way(REFUND, { ...PAYMENT, transaction: SIMULATED }).isOwn).toBe(true);
    expect(() => seller.way(REFUND, PAYMENT)).toThrow("the payment moved money, and this gateway is in test mode");
    expect(() => sellerOf().way(REFUND, { ...PAYMENT, transaction: SIMULATED })).toThrow(
      "the payment was made in test mode",
    );
  });

  test.each<[string, Partial<Payment>]>([
    [`this gateway has no key of the receiving address ${PAYEE}`, { payTo: PAYEE }],
    ["x402.chains has no chain eip155:1", { network: "eip155:1" }],
    ["charges of channels are not sent back", { scheme: "batch-settlement", transaction: "" }],
    ["are not configured", { token: "x" }],
    ["are not configured", { token: OTHER_TOKEN, asset: OTHER_TOKEN }],
  ])("cannot be sent: %s", (message, change) => {
    expect(() => sellerOf().way(REFUND, { ...PAYMENT, ...change })).toThrow(message);
  });

  test("has the name of the token by the route's terms if the token is not known", () => {
    const terms = { asset: OTHER_TOKEN, price: "258", extra_name: "Crown", extra_version: "3" };
    const payment = { ...PAYMENT, token: OTHER_TOKEN.toUpperCase().replace("0X", "0x"), asset: OTHER_TOKEN };
    const { requirements } = sellerOf({}, terms).way(REFUND, payment);
    expect([requirements.asset, requirements.extra]).toEqual([OTHER_TOKEN, { name: "Crown", version: "3" }]);
  });

  test("goes through Permit2 if the token was paid through its proxy and its name is not known", () => {
    const payment = { ...PAYMENT, token: OTHER_TOKEN, asset: PROXY };
    const { requirements } = sellerOf().way(REFUND, payment);
    expect(requirements.extra).toEqual({ name: "", version: "", assetTransferMethod: "permit2" });
  });
});

describe("a refund is objected to", () => {
  test("never if the chain shows the payment, or if its chain is not configured", async () => {
    expect(await sellerOf().objection({ ...PAYMENT, asset: PROXY })).toBeUndefined();
    expect(await sellerOf().objection({ ...PAYMENT, network: "eip155:1" })).toBeUndefined();
    expect(await sellerOf(TEST).objection({ ...PAYMENT, transaction: SIMULATED })).toBeUndefined();
  });

  test("for good if the chain shows that nothing was received", async () => {
    receipt = { transactionHash: TRANSACTION, status: "0x0", blockNumber: "0x9", logs: [] };
    expect(await sellerOf().objection(PAYMENT)).toEqual({
      isFinal: true,
      reason: "the chain does not show that the payment was received",
    });
  });

  test("for now if the chain does not tell", async () => {
    receipt = null;
    expect(await sellerOf().objection(PAYMENT)).toEqual({
      isFinal: false,
      reason: "the node does not have the transaction of the payment",
    });
  });
});

test("the operator gets a notice at the address of the route, if there is one", () => {
  const seller = sellerOf({}, { settlement_url: "http://127.0.0.1:2/notices" });
  const notice = seller.notice(REFUND, PAYMENT, "0x9");
  expect(notice?.url).toBe("http://127.0.0.1:2/notices");
  expect(JSON.parse(notice?.body ?? "")).toMatchObject({
    type: "payment.refunded",
    timestamp: new Date(NOW_MS).toISOString(),
    data: { route: "/a", transaction: "0x9", test_mode: false },
  });
  expect(seller.notice(REFUND, { ...PAYMENT, route: "/gone" }, "0x9")).toBeUndefined();
  expect(sellerOf().notice(REFUND, PAYMENT, "0x9")).toBeUndefined();
});

test("the accounts are those of the keys for refunds", () => {
  expect([...sellerAccounts(configOf({}), { KEY: PRIVATE_KEY }).keys()]).toEqual([PAYER.toLowerCase()]);
  expect(() => sellerAccounts(configOf({}), {})).toThrow("x402.refunds.key_envs[0]");
});
