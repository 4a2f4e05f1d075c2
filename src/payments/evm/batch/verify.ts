import { BATCH_SETTLEMENT_CONTRACT, voucherHash } from "../../signatures/batch-settlement.ts";
import { checkVoucher } from "../../signatures/check-voucher.ts";
import { depositHash, type DepositTerms } from "../../signatures/channel-deposit.ts";
import {
  checkChannelTerms,
  checkCumulative,
  checkDepositTerms,
  checkFunds,
  depositTermsOf,
} from "../../signatures/channel-terms.ts";
import { type Hex } from "../../x402/address.ts";
import { EARLY, type ChannelState, type ChannelVerification } from "../../x402/channel-facilitator.ts";
import {
  type ChannelConfig,
  type ChannelPayment,
  type ChannelRequirements,
  type Deposit,
  type Voucher,
} from "../../x402/channel-messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { isSignedBy } from "../node/account-signature.ts";
import { balanceCall } from "../eip3009/calls.ts";
import { wordAt } from "../node/abi.ts";
import { callRequest } from "../node/requests.ts";
import { gasFor } from "../node/gas.ts";
import { type RpcError, isRpcError, unjudged } from "../node/rpc.ts";
import { planCall, type PlannedCall } from "../node/undeployed.ts";
import { type Chain } from "../node/scheme.ts";
import { fundsRequests } from "../permit2/funds-requests.ts";
import { channelCall, depositCall } from "./calls.ts";
import { channelOf, channelRequests, countedState, readChannel } from "./state.ts";

/** The reason for a refusal, or the error because of which the chain could not be asked. */
export type Problem = Reason | RpcError;

function concluded(
  payer: ChannelConfig["payer"],
  result: ChannelState | Problem,
  state?: ChannelState,
): ChannelVerification {
  if (typeof result === "string") return { kind: "refused", reason: result, ...(state === undefined ? {} : { state }) };
  if (!isRpcError(result)) return { kind: "valid", payer, state: result };
  return unjudged(result);
}

/** Verifies a client's deposit, voucher or refund against its channel on the chain. */
export async function verifyChannelPayment(
  chain: Chain,
  { payload }: ChannelPayment,
  requirements: ChannelRequirements,
): Promise<ChannelVerification> {
  const { payer } = payload.channelConfig;
  if (payload.type === "deposit") return concluded(payer, await verifyDeposit(chain, payload, requirements));
  const { channelConfig, voucher } = payload;
  const checked = checkVoucher(chain.node.network, channelConfig, voucher);
  const problem =
    checkChannelTerms(channelConfig, voucher.channelId, requirements) ??
    (checked === "invalid" ? "invalid_batch_settlement_evm_voucher_signature" : undefined) ??
    (await existenceProblem(chain, voucher.channelId)) ??
    (checked === "chain" ? await voucherProblem(chain, channelConfig, voucher) : undefined);
  if (problem !== undefined) return concluded(payer, problem);
  const state = await readChannel(chain.node, voucher.channelId);
  if (isRpcError(state)) return concluded(payer, state);
  const wrong = checkCumulative(voucher.maxClaimableAmount, state, payload.type === "refund");
  if (wrong !== undefined) return concluded(payer, wrong, state);
  const counted = await countedState(chain.node, voucher.channelId, state);
  const isEarly = !isRpcError(counted) && checkFunds(voucher.maxClaimableAmount, counted) !== undefined;
  return isEarly ? EARLY : concluded(payer, counted);
}

/** The problem of a channel without money, by a single read: anyone can name and sign channels that do not exist. */
async function existenceProblem({ node }: Chain, id: Hex): Promise<Problem | undefined> {
  const found = await node.read(callRequest(BATCH_SETTLEMENT_CONTRACT, channelCall(id)));
  if (isRpcError(found)) return found;
  return wordAt(found, 0) === 0n ? "invalid_batch_settlement_evm_channel_not_found" : undefined;
}

/** Undefined if the voucher is signed by the channel's payer. */
export async function voucherProblem(
  { node, sender }: Chain,
  config: ChannelConfig,
  voucher: Voucher,
): Promise<Problem | undefined> {
  const checked = checkVoucher(node.network, config, voucher);
  if (checked === "valid") return undefined;
  if (checked === "invalid") return "invalid_batch_settlement_evm_voucher_signature";
  const { channelId: id, maxClaimableAmount, signature } = voucher;
  const hash = voucherHash(node.network, id, maxClaimableAmount);
  const isSigned = await isSignedBy(node, config.payer, { hash, signature, gas: sender.maxGas });
  if (isRpcError(isSigned)) return isSigned;
  return isSigned ? undefined : "invalid_batch_settlement_evm_voucher_signature";
}

/** The call that makes a deposit. */
export function planDeposit({ node }: Chain, deposit: Deposit): Promise<PlannedCall | RpcError> {
  const payer = { payer: deposit.channelConfig.payer, signature: signatureOf(deposit) };
  return planCall(node, payer, (plain) => ({ to: BATCH_SETTLEMENT_CONTRACT, data: depositCall(deposit, plain) }));
}

function signatureOf({ deposit: { authorization } }: Deposit): Hex {
  return "erc3009Authorization" in authorization
    ? authorization.erc3009Authorization.signature
    : authorization.permit2Authorization.signature;
}

async function authorizationProblem(
  { node, sender }: Chain,
  deposit: Deposit,
  terms: DepositTerms,
  planned: PlannedCall,
): Promise<Problem | undefined> {
  const { authorization } = deposit.deposit;
  if (planned.isUndeployed) return undefined;
  const signed = { hash: depositHash(terms, deposit), signature: planned.signature, gas: sender.maxGas };
  const isSigned = await isSignedBy(node, terms.payer, signed);
  if (isRpcError(isSigned)) return isSigned;
  if (isSigned) return undefined;
  return "erc3009Authorization" in authorization
    ? "invalid_batch_settlement_evm_receive_authorization_signature"
    : "invalid_batch_settlement_evm_permit2_invalid_signature";
}

/** The channel before the deposit, or the reason why the deposit cannot be made. */
export async function verifyDeposit(
  chain: Chain,
  deposit: Deposit,
  requirements: ChannelRequirements,
): Promise<ChannelState | Problem> {
  const { channelConfig, voucher } = deposit;
  const terms = depositTermsOf(deposit, requirements);
  const problem =
    checkChannelTerms(channelConfig, voucher.channelId, requirements) ??
    (typeof terms === "string" ? terms : checkDepositTerms(deposit, terms, chain.node.now() / 1000));
  if (problem !== undefined || typeof terms === "string") return problem ?? "payment_refused";
  if (!chain.factories.allows(signatureOf(deposit))) {
    return "invalid_batch_settlement_evm_eip6492_factory_not_allowed";
  }
  // One or two reads refuse the deposits of accounts without money, of which anyone can make many.
  const funds = await depositFunds(chain, deposit);
  if (isRpcError(funds)) return funds;
  const amount = BigInt(deposit.deposit.amount);
  if (funds.owned < amount) return "invalid_batch_settlement_evm_insufficient_balance";
  if (funds.allowed < amount) return "invalid_batch_settlement_evm_permit2_allowance_required";
  const planned = await planDeposit(chain, deposit);
  if (isRpcError(planned)) return planned;
  const unsigned =
    (await voucherProblem(chain, channelConfig, voucher)) ??
    (await authorizationProblem(chain, deposit, terms, planned));
  if (unsigned !== undefined) return unsigned;
  const state = await simulateDeposit(chain, deposit, planned);
  if (typeof state === "string" || isRpcError(state)) return state;
  const after = { ...state, balance: state.balance + amount };
  return checkCumulative(voucher.maxClaimableAmount, after) ?? state;
}

async function simulateDeposit(
  { node, sender }: Chain,
  deposit: Deposit,
  { to, data, settlements = 1 }: PlannedCall,
): Promise<ChannelState | Problem> {
  const [run, ...channel] = await node.readAll<[Hex, Hex, Hex, Hex]>(
    callRequest(to, data, { from: sender.account, gas: gasFor(settlements, sender.maxGas) }),
    ...channelRequests(deposit.voucher.channelId),
  );
  const state = channelOf(channel);
  if (isRpcError(state)) return state;
  if (!isRpcError(run)) return state;
  return run.refusal === "reverted" ? "invalid_batch_settlement_evm_deposit_simulation_failed" : run;
}

interface Funds {
  readonly owned: bigint;
  readonly allowed: bigint;
}

/** The payer's balance, and the part of it that the deposit's method may move. */
export async function depositFunds({ node }: Chain, { channelConfig, deposit }: Deposit): Promise<Funds | RpcError> {
  const { token, payer } = channelConfig;
  const isErc3009 = "erc3009Authorization" in deposit.authorization;
  const requests = isErc3009 ? [callRequest(token, balanceCall(payer))] : fundsRequests(token, payer);
  const [balance = "0x", allowance] = await node.readAll<Hex[]>(...requests);
  if (isRpcError(balance)) return balance;
  if (isRpcError(allowance)) return allowance;
  const owned = wordAt(balance, 0) ?? 0n;
  return { owned, allowed: allowance === undefined ? owned : (wordAt(allowance, 0) ?? 0n) };
}
