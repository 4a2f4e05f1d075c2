import { messageOf } from "../../lib/caught.ts";
import { type Address, type Hex } from "../x402/address.ts";
import { encodeCall, wordAt } from "../evm/node/abi.ts";
import { callRequest, transactionCountRequest } from "../evm/node/requests.ts";
import { isRpcError } from "../evm/node/rpc.ts";
import { type ApprovalTerms } from "../evm/permit2/sign-approval.ts";
import { currentFees } from "../evm/transactions/fees.ts";
import { type Environment, openChain, rpcVariable } from "../evm/balances.ts";
import { type EvmNode } from "../evm/node/node.ts";
import { fundsRequests } from "../evm/permit2/funds-requests.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { type Funds, type Choice, PaymentDeclined } from "./choice.ts";

/** Highest fee of an approval that the wallet signs, in wei per unit of gas. Above it no approval is signed. */
const MAX_APPROVAL_FEE = 20_000_000_000n;

async function readApproval(node: EvmNode, owner: Address): Promise<ApprovalTerms | undefined> {
  const [nonce, fees] = await Promise.all([
    node.read(transactionCountRequest(owner, "latest")),
    currentFees(node, MAX_APPROVAL_FEE),
  ]);
  return isRpcError(nonce) || isRpcError(fees) || fees === "too dear" ? undefined : { nonce, fees };
}

function openNamed(network: EvmNetwork, url: string): EvmNode {
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
  const nodes = new Map<EvmNetwork, EvmNode>();
  return async ({ asset }) => {
    const url = env[rpcVariable(asset.network)];
    if (url === undefined || url === "") return undefined;
    const node = nodes.get(asset.network) ?? openNamed(asset.network, url);
    nodes.set(asset.network, node);
    const nonces = callRequest(asset.address, encodeCall("nonces(address)", [owner()]));
    const found = await node.readAll<[Hex, Hex, Hex]>(...fundsRequests(asset.address, owner()), nonces);
    const [balance, allowance, permitNonce] = found.map((data) =>
      typeof data === "string" ? wordAt(data, 0) : undefined,
    );
    if (balance === undefined) return undefined;
    return { balance, allowance: allowance ?? 0n, permitNonce, approval: () => readApproval(node, owner()) };
  };
}
