import { z } from "zod";
import { type Hex } from "../../x402/address.ts";
import { eventTopic } from "../node/abi.ts";
import { EvmNode } from "../node/node.ts";
import { rpcError, rpcResult, startNodeProxy } from "./node-proxy.ts";

/** A result, or an error of the node. A revert may have data. */
export type Response =
  | Hex
  | Readonly<Record<string, unknown>>
  | readonly unknown[]
  | null
  | "fails"
  | "reverts"
  | `reverts ${Hex}`;
/**
 * Responses by method, such as `eth_getCode`, or by the function that `eth_call` calls, such as `balanceOf(address)`. A key
 * may end with a space and a block: it is preferred for that block. A function gets the first parameter.
 */
export type Responses = Readonly<Record<string, Response | ((first: unknown) => Response)>>;

/** A node of Base Sepolia that responds from a table, without a chain. */
export interface ScriptedNode extends AsyncDisposable {
  readonly node: EvmNode;
  readonly rpcUrl: string;
  responses: Responses;
}

const params = z.tuple([z.unknown()], z.unknown());
const contractCall = z.object({ data: z.string() });

/** The response's names: without a block, and with it. */
function namesOf(method: string, [first, second]: readonly unknown[], known: readonly string[]): readonly string[] {
  if (method === "eth_getBlockByNumber") return [`${method} ${String(first)}`, method];
  if (method !== "eth_call") return [method];
  const { data } = contractCall.parse(first);
  const called = known
    .find((name) => data.startsWith(eventTopic(name.split(" ")[0] ?? "").slice(0, 10)))
    ?.split(" ")[0];
  return called === undefined ? [] : [`${called} ${String(second)}`, called];
}

/** Starts such a node. `time` is that of both clocks of its user, or a clock that they follow, in milliseconds. */
export function startScriptedNode(
  time: number | (() => number),
  change: { readonly confirmations?: number } = {},
): ScriptedNode {
  // No call is passed on.
  const proxy = startNodeProxy("http://127.0.0.1:9");
  const options = { network: "eip155:84532", rpc_url: proxy.rpcUrl, timeout_ms: 60_000, poll_ms: 1, confirmations: 1 };
  const clock = typeof time === "number" ? () => time : time;
  const scripted: ScriptedNode = {
    node: new EvmNode({ ...options, ...change }, clock, clock),
    rpcUrl: proxy.rpcUrl,
    responses: {},
    [Symbol.asyncDispose]: () => proxy.close(),
  };
  proxy.behave((call) => {
    const responses: Responses = { eth_chainId: "0x14a34", ...scripted.responses };
    const sent = params.safeParse(call["params"]).data ?? [];
    const names = namesOf(call.method, sent, Object.keys(responses));
    const name = names.find((one) => responses[one] !== undefined);
    const known = name === undefined ? "fails" : responses[name];
    const response = typeof known === "function" ? known(sent[0]) : known;
    if (response === "fails") return rpcError(call, -32_000, "internal error");
    if (typeof response !== "string" || !response.startsWith("reverts")) return rpcResult(call, response);
    const error = { code: 3, message: "execution reverted", data: response.split(" ")[1] };
    return { jsonrpc: "2.0", id: call.id, error };
  });
  return scripted;
}

/** A number as the result of a call. */
export function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

/** A number as JSON-RPC has it. */
export function quantity(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}
