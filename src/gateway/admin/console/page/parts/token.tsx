import { type Amount } from "../api/shapes.ts";
import { abbreviated } from "../format/money.ts";

/** The token's symbol, if it is known, or else its shortened address; for charges to prepaid credit it says so. */
export function tokenName({ asset, symbol, network }: Pick<Amount, "asset" | "symbol" | "network">): string {
  return `${symbol ?? abbreviated(asset)}${network.startsWith("credit:") ? " prepaid" : ""}`;
}

/** A token's name, with the full address in its tooltip. */
export function Token(token: Pick<Amount, "asset" | "symbol" | "network">) {
  return <span title={`${token.asset} of ${token.network}`}>{tokenName(token)}</span>;
}
