import { type Environment, openChain, rpcVariable } from "../../evm/balances.ts";
import { readChannel } from "../../evm/batch/state.ts";
import { isRpcError } from "../../evm/node/rpc.ts";
import { type PaymentRequired } from "../../x402/messages.ts";
import { type Channels, type Hold } from "./channels.ts";
import { toldBalance } from "./resynchronise.ts";

/** The refusals of a voucher for more than the channel has. */
const LACKING = new Set([
  "invalid_batch_settlement_evm_channel_not_found",
  "invalid_batch_settlement_evm_cumulative_exceeds_balance",
]);

/**
 * True if the server has refused a voucher because less is in the channel than the wallet knows, and the chain agrees: the seller
 * has closed the channel. The record has then the balance of the chain. The server's word is not enough, because the wallet would
 * make deposits beyond its limit.
 */
export async function isClosed(
  required: PaymentRequired,
  hold: Hold,
  { channels, endpoints }: { readonly channels: Channels; readonly endpoints: Environment },
): Promise<boolean> {
  const { id, network, balance } = hold.channel;
  const url = endpoints[rpcVariable(network)];
  const told = toldBalance(required, id);
  const isLacking = told === undefined ? LACKING.has(required.error ?? "") : BigInt(told) < BigInt(balance);
  if (!isLacking || url === undefined || url === "") return false;
  const state = await readChannel(openChain(network, url), id);
  if (isRpcError(state) || state.balance >= BigInt(balance)) return false;
  channels.change(hold, (now) => ({ ...now, balance: state.balance.toString() }));
  return true;
}
