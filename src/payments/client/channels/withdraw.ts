import { type Account } from "../../signatures/signature.ts";
import { BATCH_SETTLEMENT_CONTRACT } from "../../signatures/batch-settlement.ts";
import { type Hex } from "../../x402/address.ts";
import { type ChannelConfig } from "../../x402/channel-messages.ts";
import { encodeCall, wordAt } from "../../evm/node/abi.ts";
import { type EvmNode } from "../../evm/node/node.ts";
import { callRequest } from "../../evm/node/requests.ts";
import { KeySender } from "../../evm/sender.ts";
import { keySigner } from "../../evm/signers/signer.ts";
import { PaymentDeclined } from "../choice.ts";
import { without } from "./channel-file.ts";
import { type Channels } from "./channels.ts";

const CONFIG = "(address,address,address,address,address,uint40,bytes32)";
/** The limits of a wallet's own transaction: wei per unit of gas, gas, and milliseconds for its confirmation. @bound */
const BOUNDS = { maxFeePerGas: 500_000_000_000n, maxGas: 300_000n, maxPending: 1, receiptTimeoutMs: 120_000 };

/** A channel's money on the chain. */
interface OnChain {
  readonly balance: bigint;
  readonly totalClaimed: bigint;
  /** A withdrawal that the payer has asked for: Unix seconds; 0 without one. */
  readonly initiatedAt: number;
}

/** A step of a withdrawal. `from`: the Unix time in seconds from which the last step is possible; undefined if it is done. */
export interface Withdrawal {
  readonly transaction: Hex;
  readonly from: number | undefined;
}

/** Reads a channel on the chain. Throws PaymentDeclined if the node fails. */
async function readChannel(node: EvmNode, id: Hex): Promise<OnChain> {
  const [channel, pending] = await node.readAll<[Hex, Hex]>(
    callRequest(BATCH_SETTLEMENT_CONTRACT, encodeCall("channels(bytes32)", [id])),
    callRequest(BATCH_SETTLEMENT_CONTRACT, encodeCall("pendingWithdrawals(bytes32)", [id])),
  );
  const words = [channel, channel, pending].map((data, i) =>
    typeof data === "string" ? wordAt(data, i === 0 ? 0 : 1) : undefined,
  );
  const [balance, totalClaimed, initiatedAt] = words;
  if (balance === undefined || totalClaimed === undefined || initiatedAt === undefined)
    throw new PaymentDeclined(`Cannot read the channel ${id} on ${node.network}: the RPC endpoint failed`);
  return { balance, totalClaimed, initiatedAt: Number(initiatedAt) };
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
  try {
    const { channel } = hold;
    const { balance, totalClaimed, initiatedAt } = await readChannel(node, channel.id);
    const from = initiatedAt + channel.config.withdrawDelay;
    if (initiatedAt !== 0) {
      const wait = from * 1000 - channels.now();
      if (wait > 0)
        throw new PaymentDeclined(`Cannot withdraw yet: it is possible at ${new Date(from * 1000).toISOString()}`);
      const data = encodeCall(`finalizeWithdraw(${CONFIG})`, wordsOf(channel.config));
      const transaction = await send(node, account, id, data);
      const left = await readChannel(node, channel.id);
      channels.change(hold, (now) => ({ ...without(now, "withdrawable"), balance: left.balance.toString() }));
      return { transaction, from: undefined };
    }
    const rest = balance - totalClaimed;
    if (rest <= 0n) throw new PaymentDeclined(`Cannot withdraw from the channel ${id}: nothing is left in it`);
    const data = encodeCall(`initiateWithdraw(${CONFIG},uint128)`, [...wordsOf(channel.config), rest]);
    const transaction = await send(node, account, id, data);
    const asked = await readChannel(node, channel.id);
    const withdrawable = asked.initiatedAt + channel.config.withdrawDelay;
    channels.change(hold, (now) => ({ ...now, withdrawable }));
    return { transaction, from: withdrawable };
  } finally {
    channels.release(hold);
  }
}

function wordsOf(config: ChannelConfig): (Hex | bigint)[] {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
  return [payer, payerAuthorizer, receiver, receiverAuthorizer, token, BigInt(withdrawDelay), salt];
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
