import { isAddress, sameAddress } from "../x402/address.ts";
import { type Asset, isKnownSymbol } from "../x402/assets.ts";
import { type Network, parseNetwork } from "../x402/networks.ts";

/** The payment methods that one word of a client's order names. A part that is not set fits all methods. */
export interface Preference {
  readonly network?: Network;
  readonly scheme?: string;
  /** A symbol in lower case, or an address. */
  readonly token?: string;
}

/** The words of a client's order. More are refused. @bound */
const MAX_PREFERENCES = 32;
const SCHEMES: ReadonlySet<string> = new Set(["exact", "upto", "batch-settlement"]);

/**
 * Reads a client's order of payment methods. Each text names a network, a scheme, a token, or several of them: `base`, `upto`,
 * `base/USDC`. `assets` are the tokens that are known in addition. Throws for an unknown word.
 */
export function parsePreferences(texts: readonly string[], assets: readonly Asset[] = []): readonly Preference[] {
  if (texts.length > MAX_PREFERENCES)
    throw new Error(`Cannot order payment methods: at most ${MAX_PREFERENCES} can be named`);
  return texts.map((text) =>
    text.split("/").reduce<Preference>((preference, word) => ({ ...preference, ...partOf(word, text, assets) }), {}),
  );
}

function partOf(word: string, text: string, assets: readonly Asset[]): Preference {
  const network = parseNetwork(word) ?? parseNetwork(word.toLowerCase());
  if (network !== undefined) return { network };
  if (SCHEMES.has(word.toLowerCase())) return { scheme: word.toLowerCase() };
  const token = word.toLowerCase();
  const isToken = isAddress(word) || isKnownSymbol(word) || assets.some(({ symbol }) => symbol.toLowerCase() === token);
  if (isToken) return { token };
  throw new Error(
    `Cannot order payment methods by "${text}": "${word}" is not a network, scheme or known token, as in base/USDC`,
  );
}

/** The place of a payment method in the client's order: the lowest place whose word fits, and the last if none does. */
export function placeOf(preferences: readonly Preference[], scheme: string, asset: Asset): number {
  const place = preferences.findIndex(
    (wanted) =>
      (wanted.network ?? asset.network) === asset.network &&
      (wanted.scheme ?? scheme) === scheme &&
      (wanted.token === undefined ||
        wanted.token === asset.symbol.toLowerCase() ||
        sameAddress(wanted.token, asset.address)),
  );
  return place === -1 ? preferences.length : place;
}
