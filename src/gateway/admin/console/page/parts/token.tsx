import { type Amount } from "../api/shapes.ts";
import { abbreviated } from "../format/money.ts";

/** The token's symbol, if it is known, or else its shortened address. */
export function tokenName({ asset, symbol }: Pick<Amount, "asset" | "symbol">): string {
  return symbol ?? abbreviated(asset);
}

/** A token's name, with the full address in its tooltip. */
export function Token(token: Pick<Amount, "asset" | "symbol" | "network">) {
  return <span title={`${token.asset} of ${token.network}`}>{tokenName(token)}</span>;
}
