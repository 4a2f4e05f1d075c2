import { findAsset } from "../../../../payments/x402/assets.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { isSolana } from "../../../../payments/x402/networks.ts";
import { type Call, stockProgram } from "../../../../payments/x402/stock-client.ts";
import { ownMember } from "../../../../lib/is-object.ts";

/** The default limit of the stock client, in whole units of a token that is worth one dollar. */
const LIMIT = 1n;
/** The only known token that the stock client does not pay with by default is on Avalanche Fuji. */
const UNKNOWN_TO_STOCK = "eip155:43113";

/** The call that is sold: with the method and body of the `bazaar` extension if it has them, else as requested. */
export function callOf({ resource, extensions }: PaymentRequired, method: string): Call {
  const input = ownMember(ownMember(ownMember(extensions, "bazaar"), "info"), "input");
  const named = ownMember(input, "method");
  const { url } = resource;
  if (typeof named !== "string") return { method: method === "HEAD" ? "GET" : method, url, body: undefined };
  return { method: named, url, body: ownMember(input, "bodyType") === "json" ? ownMember(input, "body") : undefined };
}

/** A program that makes the call with the stock client. */
export function programSnippet(call: Call, required: PaymentRequired): string {
  const { accepts } = required;
  const isUpto = accepts.every(({ scheme }) => scheme === "upto");
  return stockProgram(call, {
    scheme: isUpto ? "upto" : "exact",
    isSolana: isOnSolana(required),
    controls: controls(accepts),
  });
}

/** True if all payments are on Solana. */
export function isOnSolana({ accepts }: PaymentRequired): boolean {
  return accepts.every(({ network }) => isSolana(network));
}

/** The options of the stock client for these requirements: it has a price limit, and knows few tokens. */
function controls(accepts: readonly PaymentRequirements[]): readonly string[] {
  const told = accepts.filter((requirements) => requirements.network === UNKNOWN_TO_STOCK || !isCheap(requirements));
  if (told.length === 0) return [];
  const allowed = told.map(({ network, asset, amount }) => ({ network, asset, maxAmountPerPayment: amount }));
  return [`client.setSpendControls({ allowedAssets: ${JSON.stringify(allowed)} });`];
}

/** True for an amount of a known token that the stock client pays by default. */
function isCheap({ network, asset, amount }: PaymentRequirements): boolean {
  const known = findAsset(network, asset);
  return known !== undefined && BigInt(amount) <= LIMIT * 10n ** BigInt(known.decimals);
}
