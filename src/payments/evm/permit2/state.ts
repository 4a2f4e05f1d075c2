import { type GasPermit, gasPermitOf } from "../../signatures/gas-permit.ts";
import { type Address, type Hex, sameAddress } from "../../x402/address.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { addressOfWord, encodeCall, wordAt } from "../node/abi.ts";
import { type EvmNode } from "../node/node.ts";
import { callRequest } from "../node/requests.ts";
import { type RpcError, isRpcError, type Request } from "../node/rpc.ts";
import { type Chain } from "../node/scheme.ts";
import { settleCall } from "./calldata.ts";
import { fundsRequests } from "./funds-requests.ts";
import { planApproval } from "./plan-approval.ts";
import { revertReason } from "./reverts.ts";
import { smallest } from "../../../lib/extremes.ts";

/** Reads the word in which one bit says whether the payment's nonce is spent. */
export function bitmapRequest(
  { payload }: Permit2Payment,
  block: bigint | "latest" | "pending" = "latest",
): Request<Hex> {
  const { from, nonce } = payload.permit2Authorization;
  return callRequest(PERMIT2, encodeCall("nonceBitmap(address,uint256)", [from, BigInt(nonce) >> 8n]), { block });
}

/** Undefined if the contract is not Permit2. A nonce is shared by all tokens and proxies. */
export function isSpent({ payload }: Permit2Payment, bitmap: Hex | RpcError): boolean | undefined {
  const bits = isRpcError(bitmap) ? undefined : wordAt(bitmap, 0);
  if (bits === undefined) return undefined;
  return ((bits >> (BigInt(payload.permit2Authorization.nonce) & 0xffn)) & 1n) === 1n;
}

/**
 * The amount that Permit2 can move for a payment: the owner's balance or allowance, whichever is smaller. `permit` is the
 * allowance of the payment that uses it. Its nonce is that of other permits too, so they must wait for one another.
 */
export async function readFunds(
  node: EvmNode,
  { token, owner }: { readonly token: Address; readonly owner: Address },
  permit?: GasPermit,
): Promise<bigint | RpcError> {
  const [balance, allowance] = await node.readAll<[Hex, Hex]>(...fundsRequests(token, owner));
  if (isRpcError(balance)) return balance;
  if (isRpcError(allowance)) return allowance;
  const owned = wordAt(balance, 0) ?? 0n;
  const allowed = permit === undefined ? (wordAt(allowance, 0) ?? 0n) : BigInt(permit.amount);
  return smallest(owned, allowed);
}

/**
 * The payment's permit if Permit2 needs it to move `charge`. With a sufficient allowance it is not used: its nonce may be
 * spent by then. A node's error counts as a low allowance.
 */
export async function neededPermit(
  node: EvmNode,
  payment: Permit2Payment,
  charge: bigint,
): Promise<GasPermit | undefined> {
  const permit = gasPermitOf(payment);
  if (permit === undefined) return undefined;
  return (await isAllowed(node, payment, charge)) ? undefined : permit;
}

/** True if Permit2 may move `charge` for the payment. A node's error counts as a low allowance. */
export async function isAllowed(node: EvmNode, payment: Permit2Payment, charge: bigint): Promise<boolean> {
  const { permitted, from } = payment.payload.permit2Authorization;
  const [, request] = fundsRequests(permitted.token, from);
  return (numberOf(await node.read(request)) ?? 0n) >= charge;
}

/**
 * Asks the chain whether a settlement of `charge` would succeed now; undefined if it would. Also checks that the
 * contracts exist, because a call to an address without code succeeds.
 */
export async function findHindrance(
  { node, sender, lender }: Omit<Chain, "factories">,
  payment: Permit2Payment,
  charge: bigint,
): Promise<Reason | RpcError | undefined> {
  const { from, spender, permitted } = payment.payload.permit2Authorization;
  const permit = await neededPermit(node, payment, charge);
  const [settlement, permit2, bitmap, balance, allowance] = await node.readAll<[Hex, Hex, Hex, Hex, Hex]>(
    callRequest(spender, settleCall(payment, charge, permit), { from: sender.account, gas: sender.maxGas }),
    callRequest(spender, encodeCall("PERMIT2()")),
    bitmapRequest(payment),
    ...fundsRequests(permitted.token, from),
  );
  const responses = [settlement, permit2, bitmap, balance, allowance];
  const error = responses.find(
    (response): response is RpcError => isRpcError(response) && response.refusal !== "reverted",
  );
  if (error !== undefined) return error;
  const spent = isSpent(payment, bitmap);
  if (!isAddressOf(permit2, PERMIT2) || spent === undefined) return "permit2_proxy_not_deployed";
  const owned = numberOf(balance);
  if (owned === undefined) return "asset_not_deployed_contract";
  if (spent) return "permit2_invalid_nonce";
  if (!isRpcError(settlement)) return undefined;
  const reason = revertReason(settlement.data);
  if (reason !== undefined) return reason;
  if (owned < charge) return "permit2_insufficient_balance";
  if ((numberOf(allowance) ?? 0n) >= charge) return "permit2_simulation_failed";
  const plan = await planApproval({ node, sender, lender }, payment, charge);
  return isRpcError(plan) || typeof plan === "string" ? plan : undefined;
}

function numberOf(response: Hex | RpcError): bigint | undefined {
  return isRpcError(response) ? undefined : wordAt(response, 0);
}

function isAddressOf(response: Hex | RpcError, address: Address): boolean {
  const said = isRpcError(response) ? undefined : addressOfWord(response);
  return said !== undefined && sameAddress(said, address);
}
