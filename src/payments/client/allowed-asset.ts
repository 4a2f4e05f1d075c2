import { isAddress } from "../signatures/address.ts";
import { type Asset } from "../x402/assets.ts";
import { parseNetwork } from "../x402/networks.ts";

/** The places in which amounts are compared; more than any token has. */
const MAX_DECIMALS = 36;

/**
 * A token that the user lets the wallet pay with: `NETWORK:ADDRESS:NAME:VERSION:DECIMALS`, as in
 * `eip155:31337:0x…:Test USD:1:6`. The name may hold colons. Throws where it is none.
 */
export function parseAllowedAsset(text: string): Asset {
  const match = /^((?:eip155:)?[a-z0-9-]{1,40}):(0x[0-9a-fA-F]{40}):(.{1,100}):([^:]{1,20}):([0-9]{1,2})$/.exec(text);
  const [, networkText = "", address = "", name = "", version = "", decimals = ""] = match ?? [];
  const network = parseNetwork(networkText);
  if (network === undefined || !isAddress(address) || Number(decimals) > MAX_DECIMALS) {
    throw new Error(`Cannot allow the token "${text}": it is not NETWORK:ADDRESS:NAME:VERSION:DECIMALS`);
  }
  return { network, address, symbol: name, name, version, decimals: Number(decimals) };
}
