import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { keccak256, parseTransaction } from "viem";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { type Hex } from "../x402/address.ts";
import { EvmNode } from "./node/node.ts";
import { type Sending, type Sent } from "./node/scheme.ts";
import { keySigner } from "./signers/signer.ts";
import { KeySender, type SenderBounds } from "./sender.ts";
import { type Behaviour, type NodeProxy, rpcError, rpcResult, startNodeProxy } from "./testing/node-proxy.ts";
import { freshAccount } from "./testing/shop.ts";

setDefaultTimeout(patient(20_000));

const GWEI = 1_000_000_000n;
const TIMEOUT_MS = 40_000;
const BOUNDS = { maxFeePerGas: 100n * GWEI, maxGas: 200_000n, maxPending: 64, receiptTimeoutMs: TIMEOUT_MS };

interface SeenTransaction {
  readonly nonce: number;
  readonly gas: bigint;
  readonly tip: bigint;
  readonly maxFee: bigint;
  readonly hash: Hex;
}

function hex(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

function rate(base: bigint, tips: readonly (readonly bigint[])[] | null): object {
  return {
    baseFeePerGas: [hex(7n), hex(base)],
    reward: tips?.map((row) => row.map(hex)) ?? null,
  };
}

/** The number of checks for receipts that have ended. */
function asked({ ended }: NodeProxy): number {
  return ended.filter((method) => method === "eth_blockNumber").length;
}

/** A node whose responses a test sets. There is no chain behind it. */
class ScriptedNode {
  readonly sent: SeenTransaction[] = [];
  readonly receipts = new Map<Hex, { readonly status: Hex; readonly block: bigint }>();
  block = 100n;
  /** The first unused nonce, in blocks and with those that wait. */
  count = 0;
  pending = 0;
  gas = 100_000n;
  /** The results of `eth_feeHistory`, and of a read of the newest block. */
  history: object = { baseFeePerGas: [hex(9n), hex(GWEI)], reward: [[hex(2n * GWEI)], [hex(GWEI)]] };
  newest: object | null = { number: "0x1", timestamp: "0x1", baseFeePerGas: hex(3n * GWEI) };
  /** The error that a transaction gets: a message of the node, or "down". */
  refuse: (seen: SeenTransaction) => string | undefined = () => undefined;

  readonly behaviour: Behaviour = (call) => {
    const [first, second] = (call["params"] ?? []) as [Hex, string];
    switch (call.method) {
      case "eth_chainId":
        return rpcResult(call, hex(84_532));
      case "eth_feeHistory":
        return "code" in this.history ? { id: call.id, error: this.history } : rpcResult(call, this.history);
      case "eth_getBlockByNumber":
        return rpcResult(call, this.newest);
      case "eth_estimateGas":
        return rpcResult(call, hex(this.gas));
      case "eth_getTransactionCount":
        return rpcResult(call, hex(second === "latest" ? this.count : this.pending));
      case "eth_blockNumber":
        return rpcResult(call, hex(this.block));
      case "eth_getTransactionReceipt":
        return rpcResult(call, this.#receipt(first));
      default:
        return this.#send(call, first);
    }
  };

  get hashes(): Hex[] {
    return this.sent.map(({ hash }) => hash);
  }

  #receipt(hash: Hex): object | null {
    const found = this.receipts.get(hash);
    return found === undefined
      ? null
      : { transactionHash: hash, status: found.status, blockNumber: hex(found.block), logs: [] };
  }

  #send(call: Parameters<Behaviour>[0], raw: Hex): object {
    const { nonce = 0, gas = 0n, maxPriorityFeePerGas: tip = 0n, maxFeePerGas: maxFee = 0n } = parseTransaction(raw);
    const seen = { nonce, gas, tip, maxFee, hash: keccak256(raw) };
    this.sent.push(seen);
    const message = this.refuse(seen);
    if (message === "down") throw new Error("down");
    return message === undefined ? rpcResult(call, seen.hash) : rpcError(call, -32_000, message);
  }
}

describe("the transactions of a key", () => {
  let proxy: NodeProxy;
  let script: ScriptedNode;
  let sender: KeySender;
  let ms: number;
  beforeAll(() => {
    proxy = startNodeProxy("http://127.0.0.1:9");
  });
  afterAll(() => proxy.close());
  beforeEach(() => {
    script = new ScriptedNode();
    proxy.behave(script.behaviour);
    proxy.methods.length = 0;
    ms = 0;
    sender = open();
  });
  afterEach(() => sender.close());

  function open(change: Partial<SenderBounds> = {}, confirmations = 1): KeySender {
    const own = { network: "eip155:84532", rpc_url: proxy.rpcUrl, timeout_ms: 5000, poll_ms: 1, confirmations };
    return new KeySender(new EvmNode(own, Date.now, () => ms), keySigner(freshAccount()), { ...BOUNDS, ...change });
  }

  let tags = 0;
  function send(tag = `tag ${tags++}`): Promise<Sent> {
    const share = { payer: freshAccount().address, asset: "0x01", value: 1n, isContract: false } as const;
    const sending: Sending = {
      tag,
      to: `0x${"11".repeat(20)}`,
      data: "0x1234",
      share: { ...share, funds: async () => 1n },
    };
    return sender.send(sending);
  }

  /** Waits until the receipts were asked for `count` more times. */
  async function polls(count = 3): Promise<void> {
    const start = asked(proxy);
    await until(() => asked(proxy) >= start + count);
  }

  /** Lets time pass once all transactions are waited for. */
  async function pass(time: number): Promise<void> {
    await polls();
    ms += time;
  }

  async function sends(count: number): Promise<SeenTransaction> {
    await until(() => script.sent.length >= count);
    const last = script.sent[count - 1];
    if (last === undefined) throw new Error("Cannot read a transaction: none was sent");
    return last;
  }

  function mine(hash: Hex, status: Hex = "0x1"): void {
    script.receipts.set(hash, { status, block: script.block });
  }

  describe("pay fees", () => {
    const unknown = { code: -32_601, message: "the method does not exist" };
    test.each([
      [
        "twice the next base fee and the highest of the median tips",
        rate(GWEI, [[3n * GWEI], [GWEI]]),
        5n * GWEI,
        3n * GWEI,
      ],
      ["a smallest tip if no transaction pays one", rate(GWEI, [[0n], []]), 2n * GWEI + 1_000_000n, 1_000_000n],
      ["a smallest tip if the node does not know the tips", rate(GWEI, null), 2n * GWEI + 1_000_000n, 1_000_000n],
      ["no more than the limit", rate(60n * GWEI, [[3n * GWEI]]), 100n * GWEI, 3n * GWEI],
      ["a lower tip near the limit", rate(99n * GWEI, [[3n * GWEI]]), 100n * GWEI, GWEI],
      ["the limit for the highest base fee", rate(100n * GWEI - 1_000_000n, [[GWEI]]), 100n * GWEI, 1_000_000n],
      ["by the newest block if the node keeps no history", unknown, 6n * GWEI + 1_000_000n, 1_000_000n],
    ])("of %s", async (_what, history, maxFee, tip) => {
      script.history = history;
      const sending = send();
      expect(await sends(1)).toMatchObject({ maxFee, tip });
      mine((await sends(1)).hash);
      expect((await sending).kind).toBe("mined");
    });

    test.each([
      [
        "the base fee leaves no room for a tip",
        rate(100n * GWEI - 999_999n, []),
        "the chain's fees are above max_fee_per_gas: nothing was sent",
      ],
      ["the chain has no base fee", unknown, "the chain has no base fee (EIP-1559): nothing was sent"],
    ])("or are not sent if %s", async (_what, history, cause) => {
      script.history = history;
      script.newest = { number: "0x1", timestamp: "0x1" };
      expect(await send()).toEqual({ kind: "withheld", cause });
      expect(script.sent).toEqual([]);
    });
  });

  test("have a quarter more gas than estimated, within the limit", async () => {
    for (const [estimate, gas] of [
      [100_000n, 125_000n],
      [170_000n, 200_000n],
      [200_000n, 200_000n],
    ] as const) {
      script.gas = estimate;
      void send();
      expect((await sends(script.sent.length + 1)).gas).toBe(gas);
    }
    script.gas = 200_001n;
    expect(await send()).toEqual({ kind: "rejected" });
  });

  test("take one nonce after the other, and ask the node only for the first", async () => {
    script.pending = 7;
    const all = [send(), send(), send()];
    await sends(3);
    expect(script.sent.map(({ nonce }) => nonce)).toEqual([7, 8, 9]);
    expect(proxy.methods.filter((method) => method === "eth_getTransactionCount")).toHaveLength(1);
    for (const { hash } of script.sent) mine(hash);
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(["mined", "mined", "mined"]);
  });

  test("that the node has already count as sent: the next one takes the next nonce without a question", async () => {
    script.refuse = () => "already known";
    const all = [send(), send()];
    await sends(2);
    expect(script.sent.map(({ nonce }) => nonce)).toEqual([0, 1]);
    expect(proxy.methods.filter((method) => method === "eth_getTransactionCount")).toHaveLength(1);
    for (const { hash } of script.sent) mine(hash);
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(["mined", "mined"]);
  });

  test("skip nonces that another program has used, a few times", async () => {
    script.refuse = ({ nonce }) => (nonce < 3 ? "nonce too low" : undefined);
    const sending = send();
    mine((await sends(4)).hash);
    expect((await sending).kind).toBe("mined");
    script.refuse = () => "nonce too low";
    const before = script.sent.length;
    const cause = "the node accepts no transaction within max_fee_per_gas: nothing was sent";
    expect(await send()).toEqual({ kind: "withheld", cause });
    expect(script.sent.length - before).toBe(4);
  });

  test("ask the node for the nonce again if another program has used it", async () => {
    const first = send();
    mine((await sends(1)).hash);
    await first;
    script.pending = 7;
    script.refuse = ({ nonce }) => (nonce < 7 ? "nonce too low" : undefined);
    const second = send();
    mine((await sends(3)).hash);
    expect((await second).kind).toBe("mined");
    expect(script.sent.map(({ nonce }) => nonce)).toEqual([0, 1, 7]);
  });

  test("offer an eighth more each time that the node asks for more, within the limit", async () => {
    script.refuse = () => "replacement transaction underpriced";
    expect((await send()).kind).toBe("withheld");
    const fees = script.sent.map(({ maxFee }) => maxFee);
    expect(fees).toHaveLength(4);
    for (const [i, fee] of fees.entries()) if (i > 0) expect(fee).toBe(((fees[i - 1] ?? 0n) * 9n) / 8n + 1n);
    script.history = { baseFeePerGas: [hex(46n * GWEI)], reward: [] };
    script.sent.length = 0;
    expect((await send()).kind).toBe("withheld");
    // Twice 46 and an eighth are more than 100 gwei.
    expect(script.sent).toHaveLength(1);
  });

  test.each([
    ["insufficient funds for gas * price + value", "withheld"],
    ["execution reverted", "rejected"],
    ["method not found", "withheld"],
  ] as const)("end with the node's clear refusal: %s", async (message, kind) => {
    script.refuse = () => message;
    expect((await send()).kind).toBe(kind);
    expect(script.sent).toHaveLength(1);
  });

  test.each(["down", "internal error", "rate limit exceeded"])(
    "may have arrived after an unclear response, and the next nonce is the node's: %s",
    async (message) => {
      script.refuse = () => message;
      const first = send();
      const { hash } = await sends(1);
      script.refuse = () => undefined;
      script.pending = 5;
      const second = send();
      expect((await sends(2)).nonce).toBe(5);
      for (const one of [hash, (await sends(2)).hash]) mine(one);
      expect((await Promise.all([first, second])).map(({ kind }) => kind)).toEqual(["mined", "mined"]);
    },
  );

  test("count when they have their confirmations, and not after their block was dropped", async () => {
    sender.close();
    sender = open({}, 3);
    let isOver = false;
    const sending = send().finally(() => (isOver = true));
    const { hash } = await sends(1);
    mine(hash, "0x0");
    script.block += 1n;
    await polls();
    // It is in a block: nothing is sent again, however long it takes.
    await pass(TIMEOUT_MS / 2);
    await polls();
    expect([isOver, script.sent.length]).toEqual([false, 1]);
    script.receipts.delete(hash);
    await sends(2);
    mine(hash, "0x0");
    script.block += 2n;
    expect(await sending).toEqual({ kind: "reverted", transaction: hash, blockNumber: 101n });
  });

  describe("that are in no block", () => {
    const QUARTER_MS = TIMEOUT_MS / 4;

    test("are sent again after a quarter of their time, and not before", async () => {
      script.count = script.pending = 1;
      const sending = send();
      const { hash } = await sends(1);
      await pass(QUARTER_MS - 1);
      await polls();
      expect(script.sent).toHaveLength(1);
      await pass(1);
      await sends(2);
      // Either may be in a block.
      mine(hash);
      expect(await sending).toMatchObject({ kind: "mined", transaction: hash });
    });

    test("are replaced by at most 4 others with higher fees, and stay open with the last one", async () => {
      script.count = script.pending = 1;
      let waiting = send("tag");
      for (let round = 1; round <= 3; round++) {
        for (let quarter = 1; quarter <= 3; quarter++) {
          await pass(QUARTER_MS);
          await sends(script.sent.length + 1);
        }
        await pass(QUARTER_MS);
        const cause = `no receipt that counts within ${TIMEOUT_MS} ms`;
        expect(await waiting).toEqual({ kind: "open", transaction: script.hashes.at(-1) ?? "0x", cause });
        waiting = sender.resume("tag") ?? Promise.reject(new Error("Cannot resume: it is forgotten"));
      }
      expect(new Set(script.hashes).size).toBe(5);
      expect(new Set(script.hashes.slice(4)).size).toBe(1);
      for (const [i, { tip, maxFee }] of script.sent.slice(1, 5).entries()) {
        expect(tip).toBe(((script.sent[i]?.tip ?? 0n) * 9n) / 8n + 1n);
        expect(maxFee).toBeGreaterThan(script.sent[i]?.maxFee ?? 0n);
      }
      mine(script.hashes[2] ?? "0x");
      expect(await waiting).toMatchObject({ kind: "mined", transaction: script.hashes[2] ?? "0x" });
      expect(sender.resume("tag")).toBeUndefined();
    });

    test("keep their fees if the chain's are above the limit", async () => {
      const sending = send();
      await sends(1);
      script.history = { baseFeePerGas: [hex(200n * GWEI)], reward: [] };
      await pass(QUARTER_MS);
      await sends(2);
      expect(new Set(script.hashes).size).toBe(1);
      mine((await sends(1)).hash);
      await sending;
    });

    test("take the nonces that the node has lost, and the next nonce is the node's", async () => {
      script.pending = 5;
      const all = [send(), send()];
      await sends(2);
      script.count = script.pending = 3;
      await pass(QUARTER_MS);
      await sends(4);
      expect(script.sent.slice(2).map(({ nonce }) => nonce)).toEqual([3, 6]);
      script.pending = 9;
      all.push(send());
      expect((await sends(5)).nonce).toBe(9);
      for (const { hash } of script.sent) mine(hash);
      await Promise.all(all);
    });

    test("wait unchanged for others that the node still knows", async () => {
      script.pending = 5;
      const sending = send();
      await sends(1);
      script.count = 3;
      script.pending = 4;
      await pass(QUARTER_MS);
      await sends(2);
      expect(new Set(script.hashes).size).toBe(1);
      mine((await sends(1)).hash);
      await sending;
    });

    test("are sent again once in their quarter, 16 at a time, those with the lowest nonces first", async () => {
      const all = Array.from({ length: 20 }, () => send());
      await sends(20);
      await pass(QUARTER_MS);
      await sends(40);
      await polls();
      expect(script.sent.slice(20).map(({ nonce }) => nonce)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      sender.close();
      expect(new Set((await Promise.all(all)).map(({ kind }) => kind))).toEqual(new Set(["open"]));
    });

    test("do not delay the check for receipts if the node is down", async () => {
      const all = Array.from({ length: 20 }, () => send());
      await sends(20);
      script.refuse = () => "down";
      for (const { hash } of script.sent.slice(1)) mine(hash);
      await pass(QUARTER_MS);
      await sends(21);
      expect((await Promise.all(all.slice(1))).map(({ kind }) => kind)).toEqual(
        Array.from({ length: 19 }, () => "mined"),
      );
    });

    test("are given up in the second check that finds their nonce used", async () => {
      const sending = send("tag");
      await sends(1);
      script.count = script.pending = 1;
      await pass(QUARTER_MS);
      await polls();
      expect(sender.resume("tag")).toBeDefined();
      await pass(QUARTER_MS);
      expect(await sending).toMatchObject({ kind: "open", cause: "another transaction replaced its own" });
      expect(sender.resume("tag")).toBeUndefined();
      expect(script.sent).toHaveLength(1);
    });

    test("fill the sender, until no payment waits for them and their nonces are used", async () => {
      sender.close();
      sender = open({ maxPending: 2 });
      const all = [send(), send()];
      await sends(2);
      const cause = "too many settlements are under way: nothing was sent";
      const full: Sent = { kind: "withheld", cause, isKeyless: true };
      script.count = 1;
      expect(await send()).toEqual(full);
      await pass(TIMEOUT_MS);
      expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(["open", "open"]);
      script.count = 0;
      expect(await send()).toEqual(full);
      script.count = script.pending = 1;
      const third = send();
      const { hash } = await sends(3);
      expect(await send()).toEqual(full);
      mine(hash);
      expect((await third).kind).toBe("mined");
    });

    test("fill the sender before they are sent, too", async () => {
      sender.close();
      sender = open({ maxPending: 2 });
      const kinds = Promise.all([send(), send(), send()]);
      for (const { hash } of [await sends(1), await sends(2)]) mine(hash);
      expect((await kinds).map(({ kind }) => kind).toSorted()).toEqual(["mined", "mined", "withheld"]);
      // They have left no trace: there is room for two again.
      script.gas = BOUNDS.maxGas + 1n;
      for (let i = 0; i < 3; i++) expect(await send()).toEqual({ kind: "rejected" });
      expect(sender.load).toBe(0);
    });

    test("are open once the facilitator closes, also those that are sent while it does", async () => {
      const first = send();
      await sends(1);
      const second = send();
      sender.close();
      const cause = "the facilitator is closing";
      for (const sent of [await first, await second]) expect(sent).toMatchObject({ kind: "open", cause });
    });
  });
});
