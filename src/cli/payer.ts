import { messageOf } from "../lib/caught.ts";
import { parseAllowedAsset } from "../payments/client/allowed-asset.ts";
import { type Asset } from "../payments/x402/assets.ts";
import { type PayOptions } from "../payments/client/client.ts";
import { createFunds } from "../payments/client/funds.ts";
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

const DOLLARS = /^\$(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?$/;

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
    maxTotal: total === undefined || total === "" ? defaults.maxTotal : amount(totalName, total),
    assets: (flags["allow-asset"] ?? []).map(allowed),
  };
}

function amount(name: string, text: string): string {
  if (!DOLLARS.test(text) || !/[1-9]/.test(text)) throw new UsageError(`${name} "${text}" is no amount such as $0.05`);
  return text;
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
