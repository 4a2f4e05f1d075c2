import { messageOf } from "../../lib/caught.ts";
import { parseAllowedAsset } from "../../payments/client/allowed-asset.ts";
import { type Asset } from "../../payments/x402/assets.ts";
import { channelsPath } from "../../payments/client/channels/channel-file.ts";
import { Channels } from "../../payments/client/channels/channels.ts";
import { payerFrom } from "../../payments/client/channels/pay-from-channel.ts";
import { type PayOptions } from "../../payments/client/client.ts";
import { createFunds } from "../../payments/client/funds.ts";
import { readLimit } from "../../payments/client/limit.ts";
import { parsePreferences, type Preference } from "../../payments/client/preference.ts";
import { Spending, spendingPath } from "../../payments/client/spending.ts";
import { createSolanaPayer } from "../../payments/client/solana-payer.ts";
import { readSolanaWallet, solanaWalletPath } from "../../payments/client/solana-wallet.ts";
import { type SolanaAccount } from "../../payments/solana/transfer.ts";
import { openWallet, walletPath } from "../../payments/client/wallet.ts";
import { type Account } from "../../payments/signatures/signature.ts";
import { flagTable } from "../common/flags.ts";
import { fetchTrusting } from "../common/trust.ts";
import { UsageError } from "../common/usage-error.ts";

/** The flags of every command that pays. The usage text names the limits that apply without them. */
export function payerFlags({ maxPrice, maxTotal }: { readonly maxPrice: string; readonly maxTotal: string }) {
  return flagTable({
    "max-price X": `maximum price of one request, as 0.05 or "0.05 USDC" (default ${maxPrice})`,
    "max-total X": `maximum sum that the wallet pays in a day (UTC), over all requests (default $TURNPIKE_MAX_TOTAL, else ${maxTotal})`,
    "max-deposit X":
      "pay from channels (batch-settlement), which may hold this sum unspent at once (default $TURNPIKE_MAX_DEPOSIT, else no channels)",
    "allow-asset TOKEN...": "another token to pay with, counted as a dollar: NETWORK:ADDRESS:NAME:VERSION:DECIMALS",
    "prefer METHOD...":
      "a network, scheme or token to pay with first, or several, as base/USDC; the next flag names the second (default: the cheapest)",
    "ca FILE": "trust this CA too, or this self-signed certificate",
  });
}

/** The settings of a payer, as texts of the command line. */
export interface PayerFlags {
  readonly "max-price"?: string | undefined;
  readonly "max-total"?: string | undefined;
  readonly "max-deposit"?: string | undefined;
  readonly "allow-asset"?: readonly string[] | undefined;
  readonly prefer?: readonly string[] | undefined;
  readonly ca?: string | undefined;
}

/** The spending limits of a wallet, and the way to the server. */
export interface PayerSettings {
  /** The most that one request may cost. */
  readonly maxPrice: string;
  /** The most that all requests of a day may cost; undefined: no limit. */
  readonly maxTotal: string | undefined;
  /** The most that all channels may hold unspent; undefined: no channels. */
  readonly maxDeposit: string | undefined;
  /** Tokens to pay with, in addition to the known ones. */
  readonly assets: readonly Asset[];
  /** The order of payment methods. */
  readonly prefer: readonly Preference[];
  /** Sends the requests. It trusts the CA of `--ca` too. */
  readonly send: (url: string, init: RequestInit) => Promise<Response>;
}

/** Reads the flags; others come from `defaults`, the total first from $TURNPIKE_MAX_TOTAL. Throws UsageError. */
export function payerSettings(
  flags: PayerFlags,
  defaults: Pick<PayerSettings, "maxPrice" | "maxTotal">,
  env: Readonly<Record<string, string | undefined>> = process.env,
): PayerSettings {
  const assets = (flags["allow-asset"] ?? []).map((text) => asUsage(() => parseAllowedAsset(text)));
  return {
    maxPrice: amount("--max-price", flags["max-price"] ?? defaults.maxPrice),
    maxTotal: limitOf("max-total", flags["max-total"], env) ?? preset(defaults.maxTotal),
    maxDeposit: limitOf("max-deposit", flags["max-deposit"], env),
    assets,
    prefer: asUsage(() => parsePreferences(flags.prefer ?? [], assets)),
    send: fetchTrusting(flags.ca),
  };
}

function preset(total: string | undefined): string | undefined {
  return total === undefined ? undefined : amount("--max-total", total);
}

/** An empty environment variable counts as not set. An empty flag is an error: a shell may have replaced an unquoted `$5`. */
function limitOf(
  name: string,
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (flag !== undefined) return amount(`--${name}`, flag);
  const variable = `TURNPIKE_${name.toUpperCase().replace("-", "_")}`;
  const text = env[variable];
  return text === undefined || text === "" ? undefined : amount(variable, text);
}

/** The text that remains of an unquoted `$0.05` or `$5` after a shell has expanded it. */
const EATEN = /^$|^\.\d|sh\.\d/;

function amount(name: string, text: string): string {
  const limit = readLimit(text);
  if (limit !== undefined) return limit;
  const hint = EATEN.test(text) ? "; leave out the dollar sign, which a shell replaces" : "";
  throw new UsageError(`${name} "${text}" is not an amount such as 0.05 or "0.05 USDC"${hint}`);
}

function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The wallet in $TURNPIKE_HOME, which pays within `settings`. If the wallet is created, `say` receives a line about it. */
export function createPayer(
  { maxPrice, maxTotal, maxDeposit, assets, prefer, send }: PayerSettings,
  say: (line: string) => void,
  paying?: PayOptions["paying"],
): PayOptions {
  const path = walletPath();
  const spending = new Spending(spendingPath(path));
  let opened: Account | undefined;
  let solana: SolanaAccount | undefined;
  const account = (): Account => {
    if (opened !== undefined) return opened;
    const wallet = openWallet(path);
    if (wallet.created) say(`made a wallet at ${path}: ${wallet.account.address}`);
    opened = wallet.account;
    return opened;
  };
  return {
    account,
    maxPrice,
    assets,
    prefer,
    channels:
      maxDeposit === undefined ? undefined : payerFrom(new Channels(channelsPath(path), { maxDeposit }), process.env),
    fetch: send,
    ...(paying === undefined ? {} : { paying }),
    spend: (dollars) => spending.add(dollars, maxTotal),
    solana: createSolanaPayer(process.env, () => (solana ??= readSolanaWallet(solanaWalletPath(path)))),
    funds: createFunds(process.env, () => account().address),
  };
}
