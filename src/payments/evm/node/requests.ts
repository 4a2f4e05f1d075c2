import { z } from "zod";
import { type Address, type Hex } from "../../x402/address.ts";
import { type Request } from "./rpc.ts";

/** A quantity of EIP-1474: without leading zeros, at most 256 bits. */
const quantity = z
  .string()
  .regex(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/)
  .transform((text) => BigInt(text));
/** Longest data of a call, in hex characters; longer data is an error. */
const MAX_DATA_CHARACTERS = 512 * 1024;
const data = z.custom<Hex>(
  (value) => typeof value === "string" && value.length <= MAX_DATA_CHARACTERS && /^0x(?:[0-9a-fA-F]{2})*$/.test(value),
);
const hash = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value));
/** Longest list of events; a longer one is an error. No transaction or search here has as many. */
const MAX_LOGS = 1000;

const log = z.object({
  address: z.string().max(42),
  topics: z.array(hash).max(4),
  data,
  transactionHash: hash,
  blockNumber: quantity,
  blockHash: hash.nullish(),
  logIndex: quantity,
});
const receipt = z.object({
  transactionHash: hash,
  status: quantity,
  blockNumber: quantity,
  blockHash: hash.nullish(),
  logs: z.array(log).max(MAX_LOGS),
});
const block = z.object({
  number: quantity,
  timestamp: quantity,
  hash: hash.nullish(),
  baseFeePerGas: quantity.optional(),
});
const feeHistory = z.object({
  baseFeePerGas: z.array(quantity).min(1).max(1025),
  reward: z.array(z.array(quantity)).max(1025).nullish(),
});

/** An event of a contract. */
export type Log = z.infer<typeof log>;
/** The outcome of a transaction in a block. `status` is 1 for success. */
export type Receipt = z.infer<typeof receipt>;
/** `timestamp` is in Unix seconds. */
export type Block = z.infer<typeof block>;
/** Base fees in wei, oldest first. `reward` has the tips of each block, also in wei. */
export type FeeHistory = z.infer<typeof feeHistory>;

/** The block and the gas limit of a call. `from` is the facilitator's account, for contracts that check the caller. */
export interface CallOptions {
  readonly from?: Address;
  readonly gas?: bigint;
  readonly block?: bigint | "latest" | "pending";
}

function toQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}

function toTag(tag: bigint | "latest" | "pending"): string {
  return typeof tag === "bigint" ? toQuantity(tag) : tag;
}

/** The chain's number in EIP-155. */
export function chainIdRequest(): Request<bigint> {
  return { method: "eth_chainId", params: [], schema: quantity };
}

/** The code at an address; `0x` if it is not a contract. */
export function codeRequest(address: string): Request<Hex> {
  return { method: "eth_getCode", params: [address, "latest"], schema: data };
}

/** Calls a contract's function without a transaction. A revert is an `RpcError` with the refusal `reverted`. */
export function callRequest(
  to: string,
  input: Hex,
  { from, gas, block: at = "latest" }: CallOptions = {},
): Request<Hex> {
  const call = {
    to,
    data: input,
    ...(from === undefined ? {} : { from }),
    ...(gas === undefined ? {} : { gas: toQuantity(gas) }),
  };
  return { method: "eth_call", params: [call, toTag(at)], schema: data };
}

export interface SimulatedCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
}

/** Runs calls one after the other in a block that is not kept: for each, true if it succeeds. Nonces and fees are not checked. */
export function simulateRequest(calls: readonly SimulatedCall[]): Request<readonly boolean[]> {
  const simulated = { calls: calls.map(({ gas, ...call }) => ({ ...call, gas: toQuantity(gas) })) };
  const schema = z
    .tuple([z.object({ calls: z.array(z.object({ status: quantity })).length(calls.length) })])
    .transform(([{ calls: results }]) => results.map(({ status }) => status === 1n));
  return { method: "eth_simulateV1", params: [{ blockStateCalls: [simulated] }, "latest"], schema };
}

/** The wei of an account. */
export function balanceRequest(account: Address): Request<bigint> {
  return { method: "eth_getBalance", params: [account, "latest"], schema: quantity };
}

/** The gas that a transaction would use. A revert is an `RpcError` with the refusal `reverted`. */
export function estimateRequest(
  from: Address,
  { to, data: input, value = 0n }: { readonly to: string; readonly data: Hex; readonly value?: bigint | undefined },
): Request<bigint> {
  const moved = value === 0n ? {} : { value: toQuantity(value) };
  return { method: "eth_estimateGas", params: [{ from, to, data: input, ...moved }], schema: quantity };
}

/** Null if the node does not have this block. */
export function blockRequest(at: bigint | "latest"): Request<Block | null> {
  return { method: "eth_getBlockByNumber", params: [toTag(at), false], schema: block.nullable() };
}

/** The number of the newest block. */
export function blockNumberRequest(): Request<bigint> {
  return { method: "eth_blockNumber", params: [], schema: quantity };
}

/** Null if the transaction is in no block. */
export function receiptRequest(transaction: Hex): Request<Receipt | null> {
  return { method: "eth_getTransactionReceipt", params: [transaction], schema: receipt.nullable() };
}

/** Null in `topics` matches any topic; a list of several matches each of them. */
export function logsRequest(
  address: string,
  topics: readonly (Hex | readonly Hex[] | null)[],
  from: bigint,
  to: bigint,
): Request<Log[]> {
  const filter = { address, topics, fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  return { method: "eth_getLogs", params: [filter], schema: z.array(log).max(MAX_LOGS) };
}

/** Base fees and median tips of the last blocks. The last base fee is the next block's. */
export function feeHistoryRequest(blocks: bigint): Request<FeeHistory> {
  return { method: "eth_feeHistory", params: [toQuantity(blocks), "latest", [50]], schema: feeHistory };
}

/** The first unused nonce of an account; with `pending`, after its transactions that are in no block yet. */
export function transactionCountRequest(account: Address, at: "latest" | "pending"): Request<bigint> {
  return { method: "eth_getTransactionCount", params: [account, at], schema: quantity };
}

/** Sends a signed transaction, and gives its hash. */
export function sendRequest(transaction: Hex): Request<Hex> {
  return { method: "eth_sendRawTransaction", params: [transaction], schema: hash };
}
