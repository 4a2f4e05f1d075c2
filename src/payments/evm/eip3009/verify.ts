import { type Address, type Hex, isAddress } from "../../x402/address.ts";
import { type Checked } from "../../signatures/signature.ts";
import { checkSignature, checkTerms } from "../../signatures/check-payment.ts";
import { type Verification } from "../../x402/facilitator.ts";
import { type Eip3009Payment, type PaymentRequirements } from "../../x402/messages.ts";
import { parseEvmNetwork } from "../../x402/networks.ts";
import { type Reason } from "../../x402/reasons.ts";
import { authorizationHash } from "../../signatures/typed-data.ts";
import { isSignedByContract } from "../node/account-signature.ts";
import { abiText, wordAt } from "../node/abi.ts";
import { gasFor } from "../node/gas.ts";
import { type Block, blockRequest, callRequest, codeRequest } from "../node/requests.ts";
import { type RpcError, isRpcError, unjudged } from "../node/rpc.ts";
import { type Chain } from "../node/scheme.ts";
import { refused } from "../node/settlements.ts";
import { planCall, type PlannedCall } from "../node/undeployed.ts";
import { balanceCall, nameCall, stateCall, transferCall, versionCall } from "./calls.ts";

/** True for a contract's own refusal. It is a valid result, not a fault of the node. */
function isRevert(response: unknown): boolean {
  return isRpcError(response) && response.refusal === "reverted";
}

/** The state of a payment on the chain, read in one batch. */
interface ChainState {
  readonly payerCode: Hex;
  /** False if a call to the asset returns no data, as a call to an address without code does. */
  readonly isContract: boolean;
  /** Undefined if the token does not have this function. */
  readonly balance: bigint | undefined;
  readonly used: bigint | undefined;
  readonly block: Block;
  readonly runs: boolean;
}

async function look(
  { node, sender }: Chain,
  { payload: { authorization } }: Eip3009Payment,
  { asset }: PaymentRequirements,
  transfer: PlannedCall,
): Promise<ChainState | RpcError> {
  const [payerCode, balance, state, run, block] = await node.readAll<[Hex, Hex, Hex, Hex, Block | null]>(
    codeRequest(authorization.from),
    callRequest(asset, balanceCall(authorization.from)),
    callRequest(asset, stateCall(authorization)),
    callRequest(transfer.to, transfer.data, {
      from: sender.account,
      gas: gasFor(transfer.settlements ?? 1, sender.maxGas),
    }),
    blockRequest("latest"),
  );
  if (isRpcError(payerCode)) return payerCode;
  if (isRpcError(block)) return block;
  if (block === null) return { error: "failed", cause: "the node has no block" };
  for (const response of [balance, state, run]) if (isRpcError(response) && !isRevert(response)) return response;
  return {
    payerCode,
    isContract: balance !== "0x",
    balance: isRpcError(balance) ? undefined : wordAt(balance, 0),
    used: isRpcError(state) ? undefined : wordAt(state, 0),
    block,
    runs: !isRpcError(run),
  };
}

/** The reason why the chain refuses a payment, if it can be found without a simulation. */
function wrongWith(chainState: ChainState, { payload: { authorization } }: Eip3009Payment): Reason | undefined {
  const { isContract, used, balance, block, runs } = chainState;
  if (!isContract) return "asset_not_deployed_contract";
  if (used === undefined) return "invalid_exact_evm_eip3009_not_supported";
  if (used !== 0n) return "invalid_exact_evm_nonce_already_used";
  // A token compares with the block's time, not with our clock.
  if (block.timestamp >= BigInt(authorization.validBefore)) {
    return "invalid_exact_evm_payload_authorization_valid_before";
  }
  if (!runs && block.timestamp <= BigInt(authorization.validAfter)) {
    return "invalid_exact_evm_payload_authorization_valid_after";
  }
  if (balance === undefined || balance < BigInt(authorization.value)) return "invalid_exact_evm_insufficient_balance";
  return undefined;
}

/** The call that moves the money. */
export function planTransfer(
  { node }: Chain,
  { payload: { authorization, signature } }: Eip3009Payment,
  to: Address,
): Promise<PlannedCall | RpcError> {
  const payer = { payer: authorization.from, signature };
  return planCall(node, payer, (plain) => ({ to, data: transferCall(authorization, plain) }));
}

/** Asks the payer's contract, with the gas limit of a settlement, whether it has signed. */
async function checkContract(
  { node, sender }: Chain,
  { payload: { authorization } }: Eip3009Payment,
  { asset, extra: { name, version }, network }: PaymentRequirements,
  signature: Hex,
): Promise<Reason | RpcError | undefined> {
  const known = parseEvmNetwork(network);
  if (typeof name !== "string" || typeof version !== "string" || !isAddress(asset) || known === undefined) {
    return "invalid_exact_evm_missing_eip712_domain";
  }
  const hash = authorizationHash({ name, version, network: known, asset }, authorization);
  const isSigned = await isSignedByContract(node, authorization.from, { hash, signature, gas: sender.maxGas });
  if (isRpcError(isSigned)) return isSigned;
  return isSigned ? undefined : "invalid_exact_evm_signature";
}

/** Finds why the token refuses a valid-looking payment: often its domain differs from the requirements. */
async function explain({ node }: Chain, { asset, extra }: PaymentRequirements): Promise<Reason> {
  const [name, version] = await node.readAll<[Hex, Hex]>(
    callRequest(asset, nameCall()),
    callRequest(asset, versionCall()),
  );
  const [ownName, ownVersion] = [name, version].map((response) =>
    isRpcError(response) ? undefined : abiText(response),
  );
  if (ownName !== undefined && ownName !== extra["name"]) return "invalid_exact_evm_token_name_mismatch";
  if (ownVersion !== undefined && ownVersion !== extra["version"]) return "invalid_exact_evm_token_version_mismatch";
  return "invalid_exact_evm_transaction_simulation_failed";
}

/** Verifies a payment by our clock and the chain's: terms, signature, nonce, balance, and a simulation. */
export async function verifyEip3009(
  chain: Chain,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
): Promise<Verification> {
  const { authorization, signature } = payment.payload;
  if (!chain.factories.allows(signature)) return refused("eip6492_factory_not_allowed");
  if (!isAddress(requirements.asset)) return refused("invalid_exact_evm_missing_eip712_domain");
  const reason = checkTerms(payment, requirements, chain.node.now() / 1000);
  if (reason !== undefined) return refused(reason);
  const transfer = await planTransfer(chain, payment, requirements.asset);
  if (isRpcError(transfer)) return unjudged(transfer);
  const looking = look(chain, payment, requirements, transfer);
  // Runs while the node works.
  const signed: Checked | Reason = checkSignature(payment, requirements);
  const chainState = await looking;
  if (isRpcError(chainState)) return unjudged(chainState);
  const isAccount = chainState.payerCode === "0x";
  if (isAccount && !transfer.isUndeployed && typeof signed === "string") return refused(signed);
  const wrong = wrongWith(chainState, payment);
  if (wrong !== undefined) return refused(wrong);
  const contract = isAccount ? undefined : await checkContract(chain, payment, requirements, transfer.signature);
  if (isRpcError(contract)) return unjudged(contract);
  if (contract !== undefined) return refused(contract);
  if (!chainState.runs) return refused(await explain(chain, requirements));
  return { kind: "valid", payer: authorization.from };
}
