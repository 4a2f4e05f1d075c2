import { isLostAccount, isSolanaAddress } from "../solana/address.ts";
import { isMemo, MAX_MEMO_BYTES } from "../solana/memo.ts";
import { expectedAsset, findAsset } from "./assets.ts";
import { type PaymentRequirements } from "./messages.ts";
import { isSolana, isTestNetwork, type Network, networkTitle } from "./networks.ts";
import { parsePrice, PriceError } from "./price.ts";

/** An address or a token of a network that this program does not know. */
const FOREIGN_NAME = /^[!-~]{1,128}$/;

interface OtherTerms {
  readonly price: string;
  readonly asset: string;
  readonly pay_to: string;
  readonly scheme: string;
  readonly max_timeout_seconds: number;
  readonly asset_transfer_method?: string;
  readonly memo?: string;
}

/** The payment requirements of a route on a network that is not an EVM chain. Throws like `compileTerms`. */
export function compileOtherTerms(terms: OtherTerms, network: Network): PaymentRequirements {
  const { scheme, pay_to: payTo, max_timeout_seconds: maxTimeoutSeconds, memo = "" } = terms;
  const where = networkTitle(network);
  if (scheme !== "exact") refuse(`scheme "${scheme}" does not work on ${where}; use "exact"`);
  if (terms.asset_transfer_method !== undefined) refuse(`asset_transfer_method has no meaning on ${where}`);
  const isAddress = isSolana(network) ? isSolanaAddress : (text: string): boolean => FOREIGN_NAME.test(text);
  if (!isAddress(payTo)) refuse(`pay_to "${payTo}" is not an address of ${where}`);
  const token = findAsset(network, terms.asset);
  const asset = token?.address ?? terms.asset;
  if (!isAddress(asset)) refuse(`asset "${asset}" is unknown on ${where}; expected ${expectedAsset(network)}`);
  if (token === undefined && terms.price.startsWith("$")) {
    throw new PriceError(
      `Cannot accept payments: the price "${terms.price}" of an unknown asset must be in atomic units`,
    );
  }
  if (!isTestNetwork(network) && (isLostAccount(payTo) || payTo === asset)) {
    refuse(`pay_to "${payTo}" on ${where}: no one can spend from it; name your own account`);
  }
  if (memo !== "" && !isSolana(network)) refuse(`memo has no meaning on ${where}`);
  if (!isMemo(memo)) refuse(`memo has more than ${MAX_MEMO_BYTES} bytes`);
  return {
    scheme,
    network,
    amount: parsePrice(terms.price, token?.decimals ?? 0),
    asset,
    payTo,
    maxTimeoutSeconds,
    extra: memo === "" ? {} : { memo },
  };
}

function refuse(why: string): never {
  throw new Error(`Cannot accept payments: ${why}`);
}
