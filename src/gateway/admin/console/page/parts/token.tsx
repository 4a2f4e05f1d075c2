import { type Amount } from "../api/shapes.ts";
import { abbreviated } from "../format/money.ts";

/** The token's symbol, where it is known; else enough of its address to tell it apart. */
export function tokenName({ asset, symbol }: Pick<Amount, "asset" | "symbol">): string {
  return symbol ?? abbreviated(asset);
}

/** The token's address whole on demand. */
export function Token(token: Pick<Amount, "asset" | "symbol" | "network">) {
  return <span title={`${token.asset} of ${token.network}`}>{tokenName(token)}</span>;
}
