import { messageOf } from "../../lib/caught.ts";
import { openChain, rpcVariable } from "../../payments/evm/balances.ts";
import { type Channel, channelsPath, unspentOf } from "../../payments/client/channels/channel-file.ts";
import { Channels } from "../../payments/client/channels/channels.ts";
import { refundChannel } from "../../payments/client/channels/refund.ts";
import { withdrawChannel } from "../../payments/client/channels/withdraw.ts";
import { openWallet } from "../../payments/client/wallet.ts";
import { networkTitle } from "../../payments/x402/networks.ts";
import { formatAmount } from "../../payments/x402/price.ts";
import { printLine } from "../common/standard-output.ts";
import { unknownSubcommand, UsageError } from "../common/usage-error.ts";

/** The commands of `turnpike wallet channels`. */
const CHANNEL_ACTIONS = ["list", "refund", "withdraw"] as const;

/** The words after `turnpike wallet channels`. */
export interface ChannelsCommand {
  readonly action: (typeof CHANNEL_ACTIONS)[number];
  /** Channels by their ids or the beginnings of them; none: all. */
  readonly ids: readonly string[];
}

/** Reads the words. Throws UsageError. */
export function parseChannels([name = "list", ...ids]: readonly string[]): ChannelsCommand {
  const action = CHANNEL_ACTIONS.find((known) => known === name);
  if (action === undefined) throw unknownSubcommand(name, CHANNEL_ACTIONS);
  return { action, ids };
}

/** Shows, refunds or withdraws channels. Returns the exit code: 1 if one failed. */
export async function walletChannels(
  { action, ids }: ChannelsCommand,
  { wallet, json }: { readonly wallet: string; readonly json: boolean },
): Promise<number> {
  // No deposit is made here, so the limit does not matter.
  const channels = new Channels(channelsPath(wallet), { maxDeposit: "$1" });
  const now = channels.now();
  const all = channels.file.channels();
  const chosen = ids.length === 0 ? all : ids.map((id) => oneOf(all, id));
  if (action === "list") {
    await printLine(
      json
        ? JSON.stringify(chosen.map(shown))
        : chosen.map((channel) => lineOf(channel, now)).join("\n") || "no channels",
    );
    return 0;
  }
  const { account } = openWallet(wallet);
  let code = 0;
  for (const channel of chosen.filter((one) => unspentOf(one, now) > 0n || ids.length > 0)) {
    try {
      console.log(`${channel.id.slice(0, 10)}  ${await perform(action, channel, { channels, account })}`);
    } catch (error) {
      code = 1;
      console.error(`${channel.id.slice(0, 10)}  ${messageOf(error)}`);
    }
  }
  return code;
}

type Wallet = Omit<Parameters<typeof refundChannel>[1], "send">;

async function perform(action: "refund" | "withdraw", channel: Channel, wallet: Wallet): Promise<string> {
  const { id, network, decimals, symbol } = channel;
  if (action === "refund") {
    const { amount, transaction } = await refundChannel(id, { ...wallet, send: fetch });
    return `refunded ${formatAmount(amount, decimals)} ${symbol}, transaction ${transaction}`;
  }
  const url = process.env[rpcVariable(network)];
  if (url === undefined || url === "") {
    throw new Error(`Cannot withdraw on ${networkTitle(network)}: its RPC endpoint is not in $${rpcVariable(network)}`);
  }
  const { transaction, from } = await withdrawChannel(id, { ...wallet, node: openChain(network, url) });
  if (from === undefined) return `withdrawn, transaction ${transaction}`;
  const time = new Date(from * 1000).toISOString();
  return `withdrawal begun, transaction ${transaction}; run the command again after ${time}`;
}

function oneOf(channels: readonly Channel[], start: string): Channel {
  const found = channels.filter(({ id }) => start.length >= 6 && id.startsWith(start.toLowerCase()));
  const [channel] = found;
  if (channel === undefined || found.length > 1) {
    const which = found.length === 0 ? "No channel" : "Several channels";
    throw new UsageError(`${which} with an id that begins with "${start}" (at least 6 characters)`);
  }
  return channel;
}

function shown(channel: Channel): object {
  const { id, network, config, symbol, decimals, url, balance, charged, signed, withdrawable, disputed } = channel;
  const { receiver, token } = config;
  return { id, network, receiver, token, symbol, decimals, url, balance, charged, signed, withdrawable, disputed };
}

function lineOf(channel: Channel, now: number): string {
  const { id, network, symbol, decimals, url, charged, disputed, withdrawable } = channel;
  const left = formatAmount(unspentOf(channel, now).toString(), decimals);
  const state = disputed === true ? "  disputed" : withdrawable === undefined ? "" : "  being withdrawn";
  const amounts = `${left} ${symbol} left, ${formatAmount(charged, decimals)} spent`;
  return `${id.slice(0, 10)}  ${amounts}  ${networkTitle(network)}  ${new URL(url).host}${state}`;
}
