import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { type Hex } from "../../x402/address.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { type Transfer } from "../../x402/transfer.ts";
import { earliestSettlement, findEvent, MAX_WINDOW_BLOCKS } from "./log-search.ts";
import { EvmNode } from "./node.ts";
import { isRpcError } from "./rpc.ts";

const SECONDS_A_BLOCK = 2n;
const TOKEN: Hex = `0x${"c".repeat(40)}`;
const SINCE_BLOCK = 20_000n;

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
const filter = z.object({ fromBlock: z.string(), toBlock: z.string() });
const request = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) });

/** A chain whose block n has the time 2n. */
interface Chain {
  readonly node: EvmNode;
  /** The searched ranges, in order. */
  readonly searched: [bigint, bigint][];
  close(): Promise<void>;
  /** Blocks with an event. */
  events: bigint[];
  /** The longest range that the node searches. */
  longest: bigint;
  /** The first block that the node still has, and the last that it has already. */
  first: bigint;
  last: bigint;
  broken: string | undefined;
}

function startChain(): Chain {
  const searched: [bigint, bigint][] = [];
  function respond({ id, method, params }: z.infer<typeof request>): object {
    const error = { jsonrpc: "2.0", id, error: { code: -32_000, message: "no" } };
    if (method === chain.broken) return error;
    if (method === "eth_chainId") return { jsonrpc: "2.0", id, result: "0x14a34" };
    if (method === "eth_getBlockByNumber") {
      const number = BigInt(String(params[0]));
      const has = number >= chain.first && number <= chain.last;
      const block = { number: hex(number), timestamp: hex(number * SECONDS_A_BLOCK) };
      return { jsonrpc: "2.0", id, result: has ? block : null };
    }
    const { fromBlock, toBlock } = filter.parse(params[0]);
    const [from, to] = [BigInt(fromBlock), BigInt(toBlock)];
    searched.push([from, to]);
    if (to - from + 1n > chain.longest) return error;
    const found = chain.events.filter((block) => block >= from && block <= to);
    const logs = found.map((block) => ({
      address: TOKEN,
      topics: [],
      data: "0x",
      transactionHash: `0x${"1".repeat(64)}`,
      blockNumber: hex(block),
      logIndex: "0x0",
    }));
    return { jsonrpc: "2.0", id, result: logs };
  }
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(incoming) {
      const body: unknown = await incoming.json();
      return Response.json(
        Array.isArray(body) ? body.map((one) => respond(request.parse(one))) : respond(request.parse(body)),
      );
    },
  });
  const rpc_url = `http://127.0.0.1:${server.port}`;
  const options = { network: "eip155:84532", rpc_url, timeout_ms: 5000, poll_ms: 1, confirmations: 1 };
  const chain: Chain = {
    node: new EvmNode(options, () => 0),
    searched,
    close: () => server.stop(true),
    events: [],
    longest: 10_000n,
    first: 0n,
    last: 1_000_000n,
    broken: undefined,
  };
  return chain;
}

describe("the newest event of a kind", () => {
  let chain: Chain;
  beforeEach(() => {
    chain = startChain();
  });
  afterEach(() => chain.close());

  async function foundIn(newest: bigint): Promise<bigint | string | undefined> {
    const search = { address: TOKEN, topics: [], since: SINCE_BLOCK * SECONDS_A_BLOCK };
    const found = await findEvent(chain.node, search, { number: newest, timestamp: newest * SECONDS_A_BLOCK });
    return isRpcError(found) ? found.cause : found?.blockNumber;
  }

  test("is searched in the newest 500 blocks first", async () => {
    chain.events = [30_000n - 500n];
    expect(await foundIn(30_000n)).toBe(29_500n);
    expect(chain.searched).toEqual([[29_500n, 30_000n]]);
  });

  test("of several is the last one", async () => {
    chain.events = [29_600n, 29_700n];
    expect(await foundIn(30_000n)).toBe(29_700n);
  });

  test("is not searched further on a chain of at most 500 blocks", async () => {
    expect(await foundIn(500n)).toBeUndefined();
    expect(chain.searched).toEqual([[0n, 500n]]);
  });

  test("is searched in the 5,000 blocks from the earliest time on, from their end", async () => {
    chain.events = [SINCE_BLOCK];
    expect(await foundIn(30_000n)).toBe(SINCE_BLOCK);
    expect(chain.searched.slice(1, 3)).toEqual([
      [24_501n, 25_000n],
      [24_001n, 24_500n],
    ]);
    expect(chain.searched.at(-1)).toEqual([SINCE_BLOCK, SINCE_BLOCK]);
    expect(MAX_WINDOW_BLOCKS).toBe(5000n);
  });

  test("is not found before the earliest time, and not between the two windows", async () => {
    chain.events = [SINCE_BLOCK - 1n, SINCE_BLOCK + 5001n];
    expect(await foundIn(30_000n)).toBeUndefined();
  });

  test("is searched up to the newest blocks if the earliest time is not long ago", async () => {
    chain.events = [SINCE_BLOCK + 1n];
    expect(await foundIn(SINCE_BLOCK + 700n)).toBe(SINCE_BLOCK + 1n);
    expect(chain.searched).toEqual([
      [SINCE_BLOCK + 200n, SINCE_BLOCK + 700n],
      [SINCE_BLOCK, SINCE_BLOCK + 199n],
    ]);
  });

  test("is found on a node that has pruned its old blocks", async () => {
    chain.first = SINCE_BLOCK - 10n;
    chain.events = [SINCE_BLOCK + 1n];
    expect(await foundIn(30_000n)).toBe(SINCE_BLOCK + 1n);
  });

  test("is found on a node that searches few blocks at a time, newer halves first", async () => {
    chain.longest = 130n;
    chain.events = [29_510n, 29_980n];
    expect(await foundIn(30_000n)).toBe(29_980n);
    expect(chain.searched).toEqual([
      [29_500n, 30_000n],
      [29_751n, 30_000n],
      [29_876n, 30_000n],
    ]);
  });

  test("is not known after 128 calls", async () => {
    chain.longest = 3n;
    expect(await foundIn(30_000n)).toBe("the search for an event took too many calls");
    expect(chain.searched).toHaveLength(128);
  });

  test("is not known if the node refuses one block, or other reads", async () => {
    chain.longest = 0n;
    expect(await foundIn(30_000n)).toContain("the node refused eth_getLogs");
    chain.longest = 10_000n;
    chain.broken = "eth_getBlockByNumber";
    expect(await foundIn(30_000n)).toContain("the node refused eth_getBlockByNumber");
    expect(await foundIn(500n)).toContain("the node refused eth_getBlockByNumber");
  });

  test("is not known if the node does not have the newest block yet", async () => {
    chain.last = 29_999n;
    expect(await foundIn(30_000n)).toBe("the node does not have all blocks that must be searched");
  });
});

/** Only its times are read. */
const transfer = (validAfter: string): Transfer => ({ validAfter, validBefore: "2000" }) as Transfer;

test("a settlement is at the earliest ten minutes before its first verification, and not before it is valid", () => {
  const requirements = { maxTimeoutSeconds: 100 } as PaymentRequirements; // As above.
  expect(earliestSettlement(transfer("0"), requirements)).toBe(1300n);
  expect(earliestSettlement(transfer("1301"), requirements)).toBe(1301n);
});
