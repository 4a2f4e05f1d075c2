import { isAddress } from "../x402/address.ts";
import { type Asset } from "../x402/assets.ts";
import { parseEvmNetwork } from "../x402/networks.ts";

/** Largest number of decimals of a token; a token with more is refused. No known token has more. */
const MAX_DECIMALS = 36;

/**
 * Parses a token that the user allows the wallet to pay with: `NETWORK:ADDRESS:NAME:VERSION:DECIMALS`, for example
 * `eip155:31337:0x…:Test USD:1:6`. The name may contain colons. Throws if the text does not have this form.
 */
export function parseAllowedAsset(text: string): Asset {
  const match = /^((?:eip155:)?[a-z0-9-]{1,40}):(0x[0-9a-fA-F]{40}):(.{1,100}):([^:]{1,20}):([0-9]{1,2})$/.exec(text);
  const [, networkText = "", address = "", name = "", version = "", decimals = ""] = match ?? [];
  const network = parseEvmNetwork(networkText);
  if (network === undefined || !isAddress(address) || Number(decimals) > MAX_DECIMALS) {
    throw new Error(`Cannot allow the token "${text}": it is not NETWORK:ADDRESS:NAME:VERSION:DECIMALS`);
  }
  return { network, address, symbol: name, name, version, decimals: Number(decimals) };
}
