import { BATCH_SETTLEMENT_CONTRACT } from "../../signatures/batch-settlement.ts";
import { depositNonce } from "../../signatures/channel-deposit.ts";
import { checkChannelTerms, checkCumulative } from "../../signatures/channel-terms.ts";
import { type Hex, sameAddress } from "../../x402/address.ts";
import { type ChannelSettlement } from "../../x402/channel-facilitator.ts";
import { type ChannelRequirements, type Deposit } from "../../x402/channel-messages.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { stateCall } from "../eip3009/calls.ts";
import { encodeCall, wordAt } from "../node/abi.ts";
import { findEvent } from "../node/log-search.ts";
import { type Block, blockRequest, callRequest, codeRequest, type Log } from "../node/requests.ts";
import { type Request, type RpcError, isRpcError } from "../node/rpc.ts";
import { refused, unknown, unsent } from "../node/settlements.ts";
import { type Chain, type Sent } from "../node/scheme.ts";
import { DEPOSITED } from "./calls.ts";
import { channelOf, channelRequests, readChannel } from "./state.ts";
import { depositFunds, planDeposit, verifyDeposit, voucherProblem } from "./verify.ts";
import { largest, smallest } from "../../../lib/extremes.ts";

/** The age up to which the event of a deposit is searched, in seconds. @bound Few authorizations live longer. */
const SEARCH_S = 3600n;

/** Moves a deposit into its channel, unless that has happened before. */
export function settleDeposit(
  chain: Chain,
  deposit: Deposit,
  requirements: ChannelRequirements,
): Promise<ChannelSettlement> {
  return new DepositSettlement(chain, deposit, requirements).settle();
}

class DepositSettlement {
  readonly #chain: Chain;
  readonly #deposit: Deposit;
  readonly #requirements: ChannelRequirements;
  readonly #id: Hex;

  constructor(chain: Chain, deposit: Deposit, requirements: ChannelRequirements) {
    this.#chain = chain;
    this.#deposit = deposit;
    this.#requirements = requirements;
    this.#id = deposit.voucher.channelId;
  }

  async settle(): Promise<ChannelSettlement> {
    const { channelConfig, deposit } = this.#deposit;
    const reason = checkChannelTerms(channelConfig, this.#id, this.#requirements);
    if (reason !== undefined) return refused(reason);
    const { node, sender } = this.#chain;
    const tag = ["deposit", this.#id, JSON.stringify(deposit)].join(" ").toLowerCase();
    const resumed = sender.resume(tag);
    if (resumed !== undefined) return await this.#conclude(await resumed);

    const [used, next, code] = await node.readAll<[Hex, Hex, Hex]>(
      this.#nonceRequest("latest"),
      this.#nonceRequest("pending"),
      codeRequest(channelConfig.payer),
    );
    if (isRpcError(used) && used.refusal !== "reverted") return unsent(`${used.cause}: nothing was sent`);
    if (isRpcError(code)) return unsent(`${code.cause}: nothing was sent`);
    if (this.#isUsed(used)) return await this.#concludeUsed();
    // An earlier process has probably sent it. Some nodes do not know their pending state.
    if (this.#isUsed(next)) return unknown("a transaction with this deposit is under way");
    const before = await verifyDeposit(this.#chain, this.#deposit, this.#requirements);
    if (typeof before === "string") return refused(before);
    if (isRpcError(before)) return unsent(`${before.cause}: nothing was sent`);
    const planned = await planDeposit(this.#chain, this.#deposit);
    if (isRpcError(planned)) return unsent(`${planned.cause}: nothing was sent`);
    const sent = await sender.send({
      tag,
      ...planned,
      share: {
        payer: channelConfig.payer,
        asset: channelConfig.token,
        value: BigInt(deposit.amount),
        isContract: code !== "0x" || planned.isUndeployed,
        funds: () => this.#funds(),
      },
    });
    return await this.#conclude(sent);
  }

  async #funds(): Promise<bigint | RpcError> {
    const funds = await depositFunds(this.#chain, this.#deposit);
    if (isRpcError(funds)) return funds;
    return smallest(funds.owned, funds.allowed);
  }

  /** Reads whether the authorization's nonce is used, in the contract that keeps it. */
  #nonceRequest(block: bigint | "latest" | "pending"): Request<Hex> {
    const { channelConfig, deposit } = this.#deposit;
    const { payer: from, token } = channelConfig;
    if ("erc3009Authorization" in deposit.authorization) {
      const nonce = depositNonce(this.#id, deposit.authorization.erc3009Authorization.salt);
      return callRequest(token, stateCall({ from, nonce }), { block });
    }
    const word = BigInt(deposit.authorization.permit2Authorization.nonce) >> 8n;
    return callRequest(PERMIT2, encodeCall("nonceBitmap(address,uint256)", [from, word]), { block });
  }

  #isUsed(response: Hex | RpcError): boolean {
    const { authorization } = this.#deposit.deposit;
    const word = isRpcError(response) ? 0n : (wordAt(response, 0) ?? 0n);
    if ("erc3009Authorization" in authorization) return word !== 0n;
    return ((word >> (BigInt(authorization.permit2Authorization.nonce) & 0xffn)) & 1n) === 1n;
  }

  async #conclude(sent: Sent): Promise<ChannelSettlement> {
    if (sent.kind === "withheld") return unsent(sent.cause);
    if (sent.kind === "mined") {
      const event = sent.logs.find((log) => this.#isDeposit(log));
      return event === undefined
        ? unknown("the transaction's events do not show the deposit", sent.transaction)
        : await this.#settled(sent.transaction, event);
    }
    if (sent.kind === "open") return unknown(sent.cause, sent.transaction);
    // Another account may have sent the same authorization.
    const used = await this.#chain.node.read(
      this.#nonceRequest(sent.kind === "reverted" ? sent.blockNumber : "latest"),
    );
    if (isRpcError(used)) return unknown(used.cause, sent.kind === "reverted" ? sent.transaction : "");
    if (this.#isUsed(used)) return await this.#concludeUsed();
    if (sent.kind === "reverted") return refused("invalid_batch_settlement_evm_deposit_transaction_failed");
    const now = await verifyDeposit(this.#chain, this.#deposit, this.#requirements);
    if (typeof now === "string") return refused(now);
    return unknown(isRpcError(now) ? now.cause : "the node contradicts itself: nothing was sent");
  }

  #isDeposit({ address, topics, data }: Log): boolean {
    if (!sameAddress(address, BATCH_SETTLEMENT_CONTRACT) || topics[0] !== DEPOSITED) return false;
    return topics[1] === this.#id.toLowerCase() && wordAt(data, 0) === BigInt(this.#deposit.deposit.amount);
  }

  async #settled(transaction: string, event: Log): Promise<ChannelSettlement> {
    const { amount } = this.#deposit.deposit;
    const state = await readChannel(this.#chain.node, this.#id, event.blockNumber);
    return { kind: "settled", transaction, amount, ...(isRpcError(state) ? {} : { state }) };
  }

  /**
   * The authorization was used, by us or by another account. The deposit was made if the channel, at a block that counts,
   * holds what the voucher promises. Nothing else can have moved: the authorization names this channel.
   */
  async #concludeUsed(): Promise<ChannelSettlement> {
    const { node } = this.#chain;
    const newest = await node.read(blockRequest("latest"));
    if (isRpcError(newest)) return unknown(newest.cause);
    if (newest === null) return unknown("the node has no block");
    const block = largest(newest.number - BigInt(node.confirmations - 1), 0n);
    const [used, ...channel] = await node.readAll<[Hex, Hex, Hex, Hex]>(
      this.#nonceRequest(block),
      ...channelRequests(this.#id, block),
    );
    const state = channelOf(channel);
    if (isRpcError(used)) return unknown(used.cause);
    if (isRpcError(state)) return unknown(state.cause);
    if (!this.#isUsed(used)) return unknown("the deposit is in a block that does not count yet");
    const { voucher, channelConfig, deposit } = this.#deposit;
    const problem =
      checkCumulative(voucher.maxClaimableAmount, state) ?? (await voucherProblem(this.#chain, channelConfig, voucher));
    if (isRpcError(problem)) return unknown(problem.cause);
    if (problem !== undefined) return refused(problem);
    return { kind: "settled", transaction: await this.#find(newest), amount: deposit.amount, state };
  }

  /** The transaction of the deposit, or an empty text if it is not among the searched blocks. */
  async #find(newest: Block): Promise<string> {
    const search = {
      address: BATCH_SETTLEMENT_CONTRACT,
      topics: [DEPOSITED, this.#id],
      since: largest(newest.timestamp - SEARCH_S, 0n),
    };
    const event = await findEvent(this.#chain.node, search, newest);
    return event === undefined || isRpcError(event) ? "" : event.transactionHash;
  }
}
