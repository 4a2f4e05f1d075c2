import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Hex } from "../x402/address.ts";
import { type Asset } from "../x402/assets.ts";
import { namedNetworks, openChain, readBalances, rpcVariable } from "./balances.ts";
import { AUTHORIZATION_USED } from "./eip3009/calls.ts";
import { currentFees, raisedFees } from "./transactions/fees.ts";
import { gasSpent } from "./gas-spent.ts";
import { toWord, TRANSFER } from "./node/abi.ts";
import { EvmNode } from "./node/node.ts";
import { checkReceived, type SettledPayment } from "./received.ts";
import { gasOf, presentFee } from "./settlement-cost.ts";
import { type NodeProxy, rpcError, rpcResult, startNodeProxy } from "./testing/node-proxy.ts";

const NETWORK = "eip155:84532";
const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [FROM, PAYEE, TOKEN, PROXY] = [address("a"), address("b"), address("c"), address("d")];
const hex = (value: bigint): string => `0x${value.toString(16)}`;
const REFUSED = { code: -32_000, message: "no" };

let proxy: NodeProxy;
/** The result of the node for each method. An object with a code is an error. */
let results: Record<string, unknown>;

beforeEach(() => {
  proxy = startNodeProxy("http://127.0.0.1:9");
  results = { eth_chainId: "0x14a34" };
  proxy.behave((call) => {
    const result = results[call.method];
    if (typeof result !== "object" || result === null || !("code" in result)) return rpcResult(call, result);
    return rpcError(call, REFUSED.code, REFUSED.message);
  });
});
afterEach(() => proxy.close());

function nodeOf(confirmations = 1): EvmNode {
  const options = { network: NETWORK, rpc_url: proxy.rpcUrl, timeout_ms: 5000, poll_ms: 1, confirmations };
  return new EvmNode(options, () => 0);
}

describe("a settled payment", () => {
  const PERMIT2: SettledPayment = {
    asset: PROXY,
    token: TOKEN,
    from: FROM,
    payTo: PAYEE,
    nonce: hash("1"),
    amount: "258",
    transaction: hash("2"),
  };
  const EIP3009 = { ...PERMIT2, asset: TOKEN };

  function logOf(topics: readonly Hex[], change: object = {}): object {
    const place = { transactionHash: PERMIT2.transaction, blockNumber: "0x9", logIndex: "0x1" };
    return { address: TOKEN, topics, data: toWord("0x102"), ...place, ...change };
  }
  const MOVED = [TRANSFER, toWord(FROM), toWord(PAYEE)];

  function mined(logs: readonly object[], change: object = {}): void {
    const receipt = { transactionHash: PERMIT2.transaction, status: "0x1", blockNumber: "0x9", logs, ...change };
    results["eth_getTransactionReceipt"] = receipt;
    results["eth_blockNumber"] = "0xb";
    results["eth_getBlockByNumber"] = { number: "0x9", timestamp: "0x1" };
  }

  test("was received if its transaction moved the amount", async () => {
    mined([logOf(MOVED)]);
    expect(await checkReceived(nodeOf(), PERMIT2)).toEqual({ kind: "received" });
    mined([logOf([]), logOf(MOVED)]);
    expect(await checkReceived(nodeOf(), PERMIT2)).toEqual({ kind: "received" });
  });

  test.each<[string, object]>([
    ["of another token", logOf(MOVED, { address: PROXY })],
    ["of another kind", logOf([hash("3"), toWord(FROM), toWord(PAYEE)])],
    ["from another account", logOf([TRANSFER, toWord(PAYEE), toWord(PAYEE)])],
    ["to another account", logOf([TRANSFER, toWord(FROM), toWord(FROM)])],
    ["of another amount", logOf(MOVED, { data: toWord("0x103") })],
    ["without accounts", logOf([TRANSFER])],
  ])("is missing if its transaction has only an event %s", async (_, log) => {
    mined([log]);
    expect(await checkReceived(nodeOf(), PERMIT2)).toEqual({ kind: "missing" });
  });

  test("is missing if its transaction failed, or if it has no transaction, account or nonce", async () => {
    mined([logOf(MOVED)], { status: "0x0" });
    expect(await checkReceived(nodeOf(), PERMIT2)).toEqual({ kind: "missing" });
    mined([logOf(MOVED)]);
    for (const change of [{ transaction: "0x12" }, { from: "x" }, { payTo: "x" }, { nonce: "0x1" }])
      expect(await checkReceived(nodeOf(), { ...PERMIT2, ...change })).toEqual({ kind: "missing" });
  });

  test("under EIP-3009 was received only if the token used its nonce", async () => {
    mined([logOf(MOVED)]);
    expect(await checkReceived(nodeOf(), EIP3009)).toEqual({ kind: "missing" });
    mined([logOf([AUTHORIZATION_USED, toWord(FROM), PERMIT2.nonce as Hex], { logIndex: "0x0" }), logOf(MOVED)]);
    expect(await checkReceived(nodeOf(), EIP3009)).toEqual({ kind: "received" });
  });

  test("counts after as many blocks as are configured, its own included", async () => {
    mined([logOf(MOVED)]);
    expect(await checkReceived(nodeOf(3), PERMIT2)).toEqual({ kind: "received" });
    expect(await checkReceived(nodeOf(4), PERMIT2)).toEqual({
      kind: "unknown",
      cause: "the transaction of the payment does not count yet",
    });
  });

  test("is not known if the node does not tell", async () => {
    mined([logOf(MOVED)]);
    results["eth_getTransactionReceipt"] = null;
    expect(await checkReceived(nodeOf(), PERMIT2)).toEqual({
      kind: "unknown",
      cause: "the node does not have the transaction of the payment",
    });
    for (const method of ["eth_getTransactionReceipt", "eth_blockNumber"]) {
      mined([logOf(MOVED)]);
      results[method] = REFUSED;
      expect(await checkReceived(nodeOf(), PERMIT2)).toEqual({
        kind: "unknown",
        cause: expect.stringContaining(`the node refused ${method}`),
      });
    }
  });
});

describe("the gas that an account paid", () => {
  const receipt = { from: FROM, gasUsed: "0x10", effectiveGasPrice: "0x3" };

  test("is the gas used at its price, and the fee of the parent chain", async () => {
    results["eth_getTransactionReceipt"] = receipt;
    expect(await gasSpent(nodeOf(), FROM, [hash("1")])).toEqual([48n]);
    results["eth_getTransactionReceipt"] = { ...receipt, l1Fee: "0x5" };
    expect(await gasSpent(nodeOf(), FROM, [hash("1"), hash("2")])).toEqual([53n, 53n]);
  });

  test("is 0 for a transaction of another account", async () => {
    results["eth_getTransactionReceipt"] = receipt;
    expect(await gasSpent(nodeOf(), PAYEE, [hash("1")])).toEqual([0n]);
  });

  test.each<[string, unknown]>([
    ["the node does not have it", null],
    ["the node refused eth_getTransactionReceipt", REFUSED],
    ["is invalid", { ...receipt, from: "x" }],
    ["is invalid", { ...receipt, gasUsed: "0x" }],
  ])("cannot be read if %s", async (cause, result) => {
    results["eth_getTransactionReceipt"] = result;
    expect(gasSpent(nodeOf(), FROM, [hash("1")])).rejects.toThrow(
      new RegExp(`^Cannot read the gas of transaction ${hash("1")}: .*${cause}`),
    );
  });
});

describe("the balances of an account", () => {
  const ASSET = { address: TOKEN } as Asset; // Only the address is read.

  test("are those of its gas and its tokens; a chain without a token has no balance", async () => {
    results = { ...results, eth_getBalance: "0x7", eth_call: toWord("0x9") };
    const node = openChain(NETWORK, proxy.rpcUrl);
    expect([node.confirmations, node.pollMs]).toEqual([1, 500]);
    expect(await readBalances(node, FROM, [ASSET, ASSET])).toEqual({ gas: 7n, assets: [9n, 9n] });
    results["eth_call"] = REFUSED;
    expect(await readBalances(node, FROM, [ASSET])).toEqual({ gas: 7n, assets: [undefined] });
    results["eth_call"] = "0x";
    expect(await readBalances(node, FROM, [ASSET])).toEqual({ gas: 7n, assets: [undefined] });
  });

  test("cannot be read if the node refuses, and the error does not contain its address", async () => {
    results["eth_getBalance"] = REFUSED;
    const error = await readBalances(openChain(NETWORK, proxy.rpcUrl), FROM, []).catch(String);
    expect(error).toStartWith(
      "Error: Cannot query balances on Base Sepolia (eip155:84532): the node refused eth_getBalance",
    );
    expect(error).not.toContain(proxy.rpcUrl);
  });

  test("are read at the endpoints that variables of the environment name", () => {
    expect(rpcVariable(NETWORK)).toBe("TURNPIKE_RPC_84532");
    const env = {
      TURNPIKE_RPC_84532: "http://a.test",
      TURNPIKE_RPC_1: "",
      TURNPIKE_RPC_2: undefined,
      TURNPIKE_RPC_03: "http://a.test",
      TURNPIKE_RPC_8453: "http://b.test",
      RPC_10: "http://a.test",
    };
    expect(namedNetworks(env)).toEqual([NETWORK, "eip155:8453"]);
  });
});

function history(base: bigint, ...tips: readonly bigint[]): void {
  results["eth_feeHistory"] = {
    baseFeePerGas: [hex(1n), hex(base)],
    reward: tips.map((tip) => [hex(tip)]),
  };
}

describe("the fees of the next blocks", () => {
  const GWEI = 1_000_000_000n;

  test("have the highest median tip, and room for the base fee to double", async () => {
    history(3n * GWEI, GWEI, 2n * GWEI, GWEI);
    expect(await currentFees(nodeOf(), 100n * GWEI)).toEqual({ tip: 2n * GWEI, maxFee: 8n * GWEI });
  });

  test("have a tip of at least 0.001 gwei", async () => {
    history(GWEI, 0n);
    expect(await currentFees(nodeOf(), 100n * GWEI)).toEqual({ tip: 1_000_000n, maxFee: 2n * GWEI + 1_000_000n });
    results["eth_feeHistory"] = { baseFeePerGas: [hex(GWEI)], reward: null };
    expect(await currentFees(nodeOf(), 100n * GWEI)).toEqual({ tip: 1_000_000n, maxFee: 2n * GWEI + 1_000_000n });
  });

  test("stay below the bound, and are too high if the base fee alone is above it", async () => {
    history(3n * GWEI, 2n * GWEI);
    expect(await currentFees(nodeOf(), 7n * GWEI)).toEqual({ tip: 2n * GWEI, maxFee: 7n * GWEI });
    expect(await currentFees(nodeOf(), 4n * GWEI)).toEqual({ tip: GWEI, maxFee: 4n * GWEI });
    expect(await currentFees(nodeOf(), 3n * GWEI + 1_000_000n)).toEqual({
      tip: 1_000_000n,
      maxFee: 3n * GWEI + 1_000_000n,
    });
    expect(await currentFees(nodeOf(), 3n * GWEI + 999_999n)).toBe("too dear");
  });

  test("are those of the newest block if the node has no history", async () => {
    results["eth_feeHistory"] = REFUSED;
    results["eth_getBlockByNumber"] = { number: "0x1", timestamp: "0x1", baseFeePerGas: hex(GWEI) };
    expect(await currentFees(nodeOf(), 100n * GWEI)).toEqual({ tip: 1_000_000n, maxFee: 2n * GWEI + 1_000_000n });
    for (const block of [null, { number: "0x1", timestamp: "0x1" }]) {
      results["eth_getBlockByNumber"] = block;
      expect(await currentFees(nodeOf(), GWEI)).toEqual({
        error: "failed",
        cause: "the chain has no base fee (EIP-1559)",
      });
    }
    results["eth_getBlockByNumber"] = REFUSED;
    expect(await currentFees(nodeOf(), GWEI)).toMatchObject({ error: "refused" });
  });

  test("are not known if the history is invalid", async () => {
    results["eth_feeHistory"] = { baseFeePerGas: [] };
    expect(await currentFees(nodeOf(), GWEI)).toMatchObject({ error: "failed" });
  });

  test("of a replacement are an eighth higher, or the present ones if these are higher", () => {
    const before = { tip: 80n, maxFee: 800n };
    expect(raisedFees(before, { tip: 1n, maxFee: 1n }, 1_000n)).toEqual({ tip: 91n, maxFee: 901n });
    expect(raisedFees(before, { tip: 91n, maxFee: 901n }, 901n)).toEqual({ tip: 91n, maxFee: 901n });
    expect(raisedFees(before, { tip: 92n, maxFee: 902n }, 902n)).toEqual({ tip: 92n, maxFee: 902n });
    expect(raisedFees(before, { tip: 1n, maxFee: 1n }, 900n)).toBeUndefined();
    expect(raisedFees(before, { tip: 902n, maxFee: 902n }, 1_000n)).toEqual({ tip: 902n, maxFee: 902n });
    expect(raisedFees(before, { tip: 903n, maxFee: 902n }, 1_000n)).toBeUndefined();
  });

  test("at present have half of the room for the base fee, and at most the bound", async () => {
    const chain = { network: NETWORK, rpc_url: proxy.rpcUrl, max_fee_per_gas: String(100n * GWEI) };
    history(3n * GWEI, 2n * GWEI);
    expect(await presentFee(chain)).toBe(5n * GWEI);
    expect(await presentFee({ ...chain, max_fee_per_gas: "5" })).toBe(5n);
    results["eth_feeHistory"] = { baseFeePerGas: [] };
    expect(await presentFee(chain)).toBeUndefined();
  });

  test("are paid for 80,000 units of gas, and for 110,000 under Permit2", () => {
    expect([gasOf("eip3009"), gasOf(undefined), gasOf("permit2")]).toEqual([80_000n, 80_000n, 110_000n]);
  });
});

describe("a node", () => {
  const chain = { network: NETWORK, rpc_url: "http://127.0.0.1:9", timeout_ms: 1, poll_ms: 1, confirmations: 1 };

  test.each([
    ["it is not an EVM network", { ...chain, network: "solana:x" }],
    ["its RPC endpoint is not an http or https URL", { ...chain, rpc_url: "ftp://secret.test" }],
    ["its RPC endpoint is not an http or https URL", { ...chain, rpc_url: "secret" }],
  ])("cannot be used if %s", (cause, options) => {
    expect(() => new EvmNode(options, () => 0)).toThrow(cause);
    expect(() => new EvmNode(options, () => 0)).not.toThrow("secret");
  });

  test("is asked for its chain once a minute, and again after an error", async () => {
    let now = 0;
    const node = new EvmNode(
      { ...chain, rpc_url: proxy.rpcUrl, timeout_ms: 5000 },
      () => 0,
      () => now,
    );
    const asked = (): number => proxy.methods.filter((method) => method === "eth_chainId").length;
    results["eth_chainId"] = "0x1";
    expect(await node.check()).toEqual({ error: "failed", cause: "the node's chain id is another network's" });
    results["eth_chainId"] = "0x14a34";
    expect(await Promise.all([node.check(), node.check()])).toEqual([undefined, undefined]);
    expect(asked()).toBe(2);
    now += 59_999;
    expect(await node.check()).toBeUndefined();
    expect(asked()).toBe(2);
    now += 1;
    expect(await node.check()).toBeUndefined();
    expect(asked()).toBe(3);
  });
});
