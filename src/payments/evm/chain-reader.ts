import { type Outcome } from "../x402/facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { methodFor } from "./methods.ts";
import { type ChainOptions, EvmNode } from "./node/node.ts";

/** Looks up the outcome of payments on their chains. It has no key and changes nothing. */
export interface ChainReader {
  find(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Outcome>;
}

/** Reads `chains`; `now` is in milliseconds. Throws if a URL or a network is invalid. */
export function createChainReader(chains: readonly ChainOptions[], now: () => number = Date.now): ChainReader {
  const nodes = new Map(chains.map((chain) => new EvmNode(chain, now)).map((node) => [node.network, node]));
  return { find: (payment, requirements) => findOn(nodes, payment, requirements) };
}

/** Asks the node of the payment's network; `unknown` without a node, or if no method takes the payment. */
export async function findOn(
  nodes: ReadonlyMap<string, EvmNode>,
  payment: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<Outcome> {
  const node = nodes.get(requirements.network);
  if (node === undefined) return { kind: "unknown", cause: "the payment's network is not one of x402.chains" };
  const method = methodFor(payment, requirements);
  if (method === undefined) return { kind: "unknown", cause: "no known way to pay" };
  return await method.find(node, requirements);
}
