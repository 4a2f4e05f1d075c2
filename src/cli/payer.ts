import { messageOf } from "../lib/caught.ts";
import { parseAllowedAsset } from "../payments/client/allowed-asset.ts";
import { type Asset } from "../payments/x402/assets.ts";
import { type PayOptions } from "../payments/client/client.ts";
import { createFunds } from "../payments/client/funds.ts";
import { readLimit } from "../payments/client/limit.ts";
import { Spending, spendingPath } from "../payments/client/spending.ts";
import { type Account, openWallet, walletPath } from "../payments/client/wallet.ts";
import { UsageError } from "./usage-error.ts";

/** The flags of every command that pays. */
export const PAYER_FLAGS = {
  "max-price": { type: "string" },
  "max-total": { type: "string" },
  "allow-asset": { type: "string", multiple: true },
} as const;

export interface PayerFlags {
  readonly "max-price"?: string | undefined;
  readonly "max-total"?: string | undefined;
  readonly "allow-asset"?: readonly string[] | undefined;
}

/** The limits that a wallet pays within. */
export interface PayerSettings {
  /** The most that one request may cost. */
  readonly maxPrice: string;
  /** The most that a day's requests may cost; undefined: no limit. */
  readonly maxTotal: string | undefined;
  /** Tokens to pay with beside the known ones. */
  readonly assets: readonly Asset[];
}

/** Reads the flags; what they do not say is as in `defaults`, the total also as in $TURNPIKE_MAX_TOTAL. Throws UsageError. */
export function payerSettings(
  flags: PayerFlags,
  defaults: Pick<PayerSettings, "maxPrice" | "maxTotal">,
  env: Readonly<Record<string, string | undefined>> = process.env,
): PayerSettings {
  const total = flags["max-total"] ?? env["TURNPIKE_MAX_TOTAL"];
  const totalName = flags["max-total"] === undefined ? "TURNPIKE_MAX_TOTAL" : "--max-total";
  return {
    maxPrice: amount("--max-price", flags["max-price"] ?? defaults.maxPrice),
    maxTotal: totalOf(totalName, total, defaults.maxTotal),
    assets: (flags["allow-asset"] ?? []).map(allowed),
  };
}

/** A variable of the environment that is set to nothing is not set; a flag that a shell has emptied is an error. */
function totalOf(name: string, text: string | undefined, preset: string | undefined): string | undefined {
  const given = text === undefined || (text === "" && !name.startsWith("-")) ? preset : text;
  return given === undefined ? undefined : amount(name, given);
}

/** What a shell makes of `$0.05` or `$5` without quotes. */
const EATEN = /^$|^\.\d|sh\.\d/;

function amount(name: string, text: string): string {
  const limit = readLimit(text);
  if (limit !== undefined) return limit;
  const hint = EATEN.test(text) ? "; shells replace a dollar sign and what follows it, so write none" : "";
  throw new UsageError(`${name} "${text}" is not an amount such as 0.05 or "0.05 USDC"${hint}`);
}

function allowed(text: string): Asset {
  try {
    return parseAllowedAsset(text);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** How the wallet in $TURNPIKE_HOME pays within `settings`; `say` is told of a wallet that was made for it. */
export function createPayer({ maxPrice, maxTotal, assets }: PayerSettings, say: (line: string) => void): PayOptions {
  const path = walletPath();
  const spending = new Spending(spendingPath(path));
  let opened: Account | undefined;
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
    spend: (dollars) => spending.add(dollars, maxTotal),
    funds: createFunds(process.env, () => account().address),
  };
}
