import { finalizeWithdrawCall, initiateWithdrawCall } from "../../evm/batch/calls.ts";
import { readChannel } from "../../evm/batch/state.ts";
import { type EvmNode } from "../../evm/node/node.ts";
import { isRpcError } from "../../evm/node/rpc.ts";
import { KeySender } from "../../evm/sender.ts";
import { keySigner } from "../../evm/signers/signer.ts";
import { BATCH_SETTLEMENT_CONTRACT } from "../../signatures/batch-settlement.ts";
import { type Account } from "../../signatures/signature.ts";
import { type Hex } from "../../x402/address.ts";
import { type ChannelState } from "../../x402/channel-facilitator.ts";
import { PaymentDeclined } from "../choice.ts";
import { type Channel, without } from "./channel-file.ts";
import { type Channels } from "./channels.ts";

/** The limits of a wallet's own transaction: wei per unit of gas, gas, and milliseconds for its confirmation. @bound */
const BOUNDS = { maxFeePerGas: 500_000_000_000n, maxGas: 300_000n, maxPending: 1, receiptTimeoutMs: 120_000 };

/** A step of a withdrawal. `from`: the Unix time in seconds from which the last step is possible; undefined if it is done. */
export interface Withdrawal {
  readonly transaction: Hex;
  readonly from: number | undefined;
}

/**
 * Takes the next step to get the rest of a channel back from the chain, without its server: asks for the withdrawal, or, after
 * the channel's delay, takes the money. Each step is a transaction, for which the wallet pays gas. Throws PaymentDeclined.
 */
export async function withdrawChannel(
  id: string,
  { channels, account, node }: { readonly channels: Channels; readonly account: Account; readonly node: EvmNode },
): Promise<Withdrawal> {
  const hold = channels.hold(id);
  const { config } = hold.channel;
  try {
    const { balance, totalClaimed, withdrawRequestedAt } = await read(node, hold.channel);
    if (withdrawRequestedAt !== 0) {
      const from = withdrawRequestedAt + config.withdrawDelay;
      if (from * 1000 > channels.now())
        throw new PaymentDeclined(`Cannot withdraw yet: it is possible at ${new Date(from * 1000).toISOString()}`);
      const transaction = await send(node, account, id, finalizeWithdrawCall(config));
      const left = (await read(node, hold.channel)).balance.toString();
      channels.change(hold, (now) => ({ ...without(now, "withdrawable"), balance: left }));
      return { transaction, from: undefined };
    }
    const rest = balance - totalClaimed;
    if (rest <= 0n) {
      // The seller may have paid it back.
      channels.change(hold, (now) => ({ ...now, balance: balance.toString() }));
      throw new PaymentDeclined(`Cannot withdraw from the channel ${id}: nothing is left in it`);
    }
    // Before the transaction: the wallet must not pay from a channel that it closes.
    channels.change(hold, (now) => ({ ...now, withdrawable: 0 }));
    const transaction = await send(node, account, id, initiateWithdrawCall(config, rest));
    const from = (await read(node, hold.channel)).withdrawRequestedAt + config.withdrawDelay;
    channels.change(hold, (now) => ({ ...now, withdrawable: from }));
    return { transaction, from };
  } finally {
    channels.release(hold);
  }
}

async function read(node: EvmNode, { id, network }: Channel): Promise<ChannelState> {
  const state = await readChannel(node, id);
  if (isRpcError(state)) throw new PaymentDeclined(`Cannot read the channel ${id} on ${network}: ${state.cause}`);
  return state;
}

async function send(node: EvmNode, account: Account, id: string, data: Hex): Promise<Hex> {
  const sender = new KeySender(node, keySigner(account), BOUNDS);
  const { address: payer } = account;
  const share = { payer, asset: BATCH_SETTLEMENT_CONTRACT, value: 0n, isContract: false, funds: async () => 0n };
  const sent = await sender.send({ tag: id, to: BATCH_SETTLEMENT_CONTRACT, data, share });
  sender.close();
  if (sent.kind === "mined") return sent.transaction;
  const reason = sent.kind === "withheld" || sent.kind === "open" ? sent.cause : `the transaction is ${sent.kind}`;
  throw new PaymentDeclined(`Cannot withdraw from the channel ${id}: ${reason}`);
}
