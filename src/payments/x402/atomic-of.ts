import { findAsset } from "./assets.ts";
import { parsePrice } from "./price.ts";

/** An amount of a token in atomic units; undefined for dollars of a token whose decimals are not known. Throws like `parsePrice`. */
export function atomicOf(
  amount: string,
  { network, token }: { readonly network: string; readonly token: string },
): bigint | undefined {
  const asset = findAsset(network, token);
  if (asset === undefined && amount.startsWith("$")) return undefined;
  return BigInt(parsePrice(amount, asset?.decimals ?? 0));
}
