import { type Hex } from "../../x402/address.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { type Transfer } from "../../x402/transfer.ts";
import { type EvmNode } from "./node.ts";
import { type Block, blockRequest, type Log, logsRequest } from "./requests.ts";
import { type RpcError, isRpcError } from "./rpc.ts";
import { largest, smallest } from "../../../lib/extremes.ts";

/** Newest blocks that are searched first, because most events that are searched have just happened. @bound */
const RECENT_BLOCKS = 500n;
/** Blocks that are searched in a window further back. Events outside the searched blocks are not found. */
export const MAX_WINDOW_BLOCKS = 5000n;
/** Calls to the node in one search; beyond it the search fails. Endpoints allow ten blocks a call or more. */
const MAX_SEARCH_CALLS = 128;

/** The events to find: of one contract, with these topics. Null matches any topic, and a list each of its members. */
export interface EventSearch {
  readonly address: string;
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
  /** Unix seconds before which the event cannot have happened. */
  readonly since: bigint;
}

/** Seconds before the earliest possible verification that are searched too, because clocks differ. */
const SEARCH_SLACK_S = 600n;

/** The earliest possible time of a settlement, in Unix seconds. */
export function earliestSettlement(transfer: Transfer, { maxTimeoutSeconds }: PaymentRequirements): bigint {
  const validAfter = BigInt(transfer.validAfter);
  const verified = BigInt(transfer.validBefore) - BigInt(maxTimeoutSeconds) - SEARCH_SLACK_S;
  return largest(verified, validAfter);
}

/**
 * The newest event of this kind; undefined if the searched blocks do not contain one. The searched blocks are the
 * newest ones, and those from `since` on. An `RpcError` if the node refuses.
 */
export async function findEvent(
  node: EvmNode,
  search: EventSearch,
  newest: Block,
): Promise<Log | undefined | RpcError> {
  let calls = 0;

  /** Searches the newest blocks first. Halves the range if the node refuses its size. */
  async function within(from: bigint, to: bigint): Promise<Log | undefined | RpcError> {
    if (from > to) return undefined;
    calls += 1;
    if (calls > MAX_SEARCH_CALLS) return { error: "failed", cause: "the search for an event took too many calls" };
    // Several nodes may share one address. A node that does not have the blocks yet returns no events and no error.
    const [logs, last] = await node.readAll<[Log[], Block | null]>(
      logsRequest(search.address, search.topics, from, to),
      blockRequest(to),
    );
    if (!isRpcError(logs)) {
      if (isRpcError(last)) return last;
      return last === null
        ? { error: "failed", cause: "the node does not have all blocks that must be searched" }
        : logs.at(-1);
    }
    if (logs.error !== "refused" || from === to) return logs;
    const middle = (from + to) / 2n;
    return (await within(middle + 1n, to)) ?? (await within(from, middle));
  }

  /** The first block whose time is `since` or later, at most `last`. */
  async function firstSince(last: bigint): Promise<bigint | RpcError> {
    let low = 0n;
    let high = last;
    while (low < high) {
      calls += 1;
      const middle = (low + high) / 2n;
      const block = await node.read(blockRequest(middle));
      if (isRpcError(block)) return block;
      // A node that has pruned its old blocks does not have such an early one.
      if (block === null || block.timestamp < search.since) low = middle + 1n;
      else high = middle;
    }
    return low;
  }

  const recent = largest(newest.number - RECENT_BLOCKS, 0n);
  const found = await within(recent, newest.number);
  if (found !== undefined || recent === 0n) return found;
  const start = await firstSince(recent);
  if (isRpcError(start)) return start;
  const end = start + MAX_WINDOW_BLOCKS;
  for (let to = smallest(end, recent - 1n); to >= start; to -= RECENT_BLOCKS) {
    const from = to - RECENT_BLOCKS + 1n;
    const earlier = await within(largest(from, start), to);
    if (earlier !== undefined) return earlier;
  }
  return undefined;
}
