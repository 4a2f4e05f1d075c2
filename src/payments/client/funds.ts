import { messageOf } from "../../lib/caught.ts";
import { type Address } from "../x402/address.ts";
import { encodeCall, wordAt } from "../evm/node/abi.ts";
import { type Environment, openChain, rpcVariable } from "../evm/balances.ts";
import { type EvmNode } from "../evm/node/node.ts";
import { callRequest } from "../evm/node/requests.ts";
import { type Network } from "../x402/networks.ts";
import { type Funds, type Choice, PaymentDeclined } from "./choice.ts";
import { PERMIT2 } from "../x402/transfer.ts";

function openNamed(network: Network, url: string): EvmNode {
  try {
    return openChain(network, url);
  } catch (error) {
    throw new PaymentDeclined(messageOf(error), { cause: error });
  }
}

/**
 * Looks up the funds that could pay by a payment method, on the chains whose endpoints `env` names; undefined for other chains.
 * Throws PaymentDeclined if a variable does not contain a URL.
 */
export function createFunds(env: Environment, owner: () => Address): (choice: Choice) => Promise<Funds | undefined> {
  const nodes = new Map<Network, EvmNode>();
  return async ({ asset }) => {
    const url = env[rpcVariable(asset.network)];
    if (url === undefined || url === "") return undefined;
    const node = nodes.get(asset.network) ?? openNamed(asset.network, url);
    nodes.set(asset.network, node);
    const account = owner();
    const [balance, allowance] = await node.readAll<[string, string]>(
      callRequest(asset.address, encodeCall("balanceOf(address)", [account])),
      callRequest(asset.address, encodeCall("allowance(address,address)", [account, PERMIT2])),
    );
    const has = typeof balance === "string" ? wordAt(balance, 0) : undefined;
    if (has === undefined) return undefined;
    return { balance: has, allowance: (typeof allowance === "string" ? wordAt(allowance, 0) : undefined) ?? 0n };
  };
}
