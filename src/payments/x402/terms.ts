import { isSolanaAddress } from "../solana/address.ts";
import { type Address, isAddress, sameAddress, isZero } from "./address.ts";
import { checksumAddress, hasBadChecksum } from "./address-hash.ts";
import { expectedAsset, type EvmAsset, findAsset } from "./assets.ts";
import { type Kind } from "./facilitator.ts";
import { lostPayee } from "./lost-payee.ts";
import { type PaymentPayload, type PaymentRequired, type PaymentRequirements } from "./messages.ts";
import { isEvm, isForeign, isSolana, networkTitle, parseNetwork } from "./networks.ts";
import { compileOtherTerms } from "./other-terms.ts";
import { parsePrice, PriceError } from "./price.ts";

/** A route's price, as in the configuration. An empty string means that the key is not set. */
export interface Terms {
  readonly price: string;
  readonly asset: string;
  readonly network: string;
  readonly pay_to: string;
  readonly scheme: string;
  readonly max_timeout_seconds: number;
  readonly extra_name: string;
  readonly extra_version: string;
  /** The contract that moves the money under `exact`: the token itself, or Permit2, which works with any token. */
  readonly asset_transfer_method?: "eip3009" | "permit2";
  /** On Solana: the text that each payment must contain. */
  readonly memo?: string;
}

/** The facilitator's address under `upto` in test mode. It belongs to no account. */
export const SIMULATED_FACILITATOR = "0x7e577e577e577E577E577e577e577E577e577E57";

/** The payments that test mode simulates. */
export const SIMULATED_KINDS: readonly Kind[] = [
  { scheme: "exact", network: "eip155:*" },
  { scheme: "upto", network: "eip155:*", extra: { facilitatorAddress: SIMULATED_FACILITATOR } },
];

/**
 * The payment requirements of a route. Under `upto` the price is the most that is charged, and `completeTerms` must add
 * the facilitator's address. Throws `Cannot accept payments: ...` if the terms cannot be paid, or would let clients in without
 * payment.
 */
export function compileTerms(terms: Terms): PaymentRequirements {
  const scheme = schemeOf(terms);
  const network = parseNetwork(terms.network);
  if (network === undefined) throw new Error(`Cannot accept payments: network "${terms.network}" is unknown`);
  if (!Number.isSafeInteger(terms.max_timeout_seconds) || terms.max_timeout_seconds < 1) {
    throw new Error(
      `Cannot accept payments: max_timeout_seconds ${terms.max_timeout_seconds} is not a whole number above 0`,
    );
  }
  if (!isEvm(network)) return compileOtherTerms(terms, network);
  if (terms.memo) throw new Error(`Cannot accept payments: memo has no meaning on ${networkTitle(network)}`);
  if (!isAddress(terms.pay_to) || isZero(terms.pay_to)) {
    throw new Error(`Cannot accept payments: pay_to "${terms.pay_to}" is not an address of ${networkTitle(network)}`);
  }
  const token = tokenOf(terms, network);
  const lost = lostPayee(terms.pay_to, network, token.address);
  if (lost !== undefined) {
    const where = networkTitle(network);
    throw new Error(`Cannot accept payments: pay_to "${terms.pay_to}" on ${where}: ${lost}; name your own account`);
  }
  const isPermit2 = scheme === "upto" || terms.asset_transfer_method === "permit2" || token.isPermit2Only === true;
  if (token.isPermit2Only === true && terms.asset_transfer_method === "eip3009") {
    throw new Error(
      `Cannot accept payments: asset "${terms.asset}" has no EIP-3009; use asset_transfer_method "permit2"`,
    );
  }
  return {
    scheme,
    network,
    amount: parsePrice(terms.price, token.decimals),
    asset: token.address,
    payTo: terms.pay_to,
    maxTimeoutSeconds: terms.max_timeout_seconds,
    extra: {
      ...(token.name === undefined ? {} : { name: token.name, version: token.version }),
      ...(isPermit2 ? { assetTransferMethod: "permit2" } : {}),
    },
  };
}

function schemeOf({ scheme, asset_transfer_method }: Terms): "exact" | "upto" | "batch-settlement" {
  if (scheme !== "exact" && scheme !== "upto" && scheme !== "batch-settlement") {
    throw new Error(`Cannot accept payments: scheme "${scheme}" is not "exact", "upto" or "batch-settlement"`);
  }
  if (scheme === "upto" && asset_transfer_method === "eip3009") {
    throw new Error(
      'Cannot accept payments: scheme "upto" moves money only by Permit2, and asset_transfer_method is "eip3009"',
    );
  }
  return scheme;
}

/** The facilitator's kind that accepts `requirements`; undefined if there is no such kind. */
export function findKind(
  kinds: readonly Kind[],
  { scheme, network }: Pick<PaymentRequirements, "scheme" | "network">,
): Kind | undefined {
  const ofScheme = kinds.filter((kind) => kind.scheme === scheme);
  const all = `${network.slice(0, network.indexOf(":"))}:*`;
  return ofScheme.find((kind) => kind.network === network) ?? ofScheme.find((kind) => kind.network === all);
}

/** True if payers sign who may settle: under `upto`, and on Solana, where the facilitator pays the fee. */
function isTied({ scheme, network }: PaymentRequirements): boolean {
  return scheme === "upto" || isSolana(network);
}

/** The only facilitator that may settle, as requirements or a kind name it in `extra`; undefined if missing or invalid. */
function settlerOf({ network }: PaymentRequirements, extra: Kind["extra"]): string | undefined {
  if (!isSolana(network)) return facilitatorOf(extra);
  const feePayer = extra?.["feePayer"];
  return typeof feePayer === "string" && isSolanaAddress(feePayer) ? feePayer : undefined;
}

/** True if the facilitator with this kind may settle payments by `requirements`. */
export function maySettle(requirements: PaymentRequirements, kind: Kind): boolean {
  if (!isTied(requirements)) return true;
  const named = settlerOf(requirements, requirements.extra);
  const own = settlerOf(requirements, kind.extra);
  return named !== undefined && own !== undefined && sameAddress(named, own);
}

/**
 * True if clients can get `requirements` as they are, without values that only the facilitator knows. Channels need a
 * facilitator that knows them.
 */
export function isComplete(requirements: PaymentRequirements): boolean {
  if (isForeign(requirements.network) || requirements.scheme === "batch-settlement") return false;
  return !isTied(requirements) || settlerOf(requirements, requirements.extra) !== undefined;
}

/**
 * Adds to `requirements` the values that only the facilitator knows: under `upto` and on Solana its own address, which the
 * payer must sign, and on unknown networks all that it names. Throws `Cannot accept payments: ...` if `kind` does not
 * contain its address.
 */
export function completeTerms(requirements: PaymentRequirements, kind: Kind): PaymentRequirements {
  if (isForeign(requirements.network)) return { ...requirements, extra: { ...kind.extra, ...requirements.extra } };
  if (isSolana(requirements.network)) {
    const feePayer = settlerOf(requirements, kind.extra);
    // A blockhash of the facilitator's list would be too old for a payment.
    if (feePayer !== undefined) return { ...requirements, extra: { ...requirements.extra, feePayer } };
    throw new Error(
      `Cannot accept payments: the facilitator supports "exact" on ${requirements.network}, and names no feePayer`,
    );
  }
  if (requirements.scheme !== "upto") return requirements;
  const facilitatorAddress = facilitatorOf(kind.extra);
  if (facilitatorAddress === undefined) {
    throw new Error(
      `Cannot accept payments: the facilitator supports "upto" on ${requirements.network}, and names no facilitatorAddress`,
    );
  }
  return { ...requirements, extra: { ...requirements.extra, facilitatorAddress } };
}

/** The only facilitator that may settle under `upto`, by `extra`; undefined if missing or invalid. */
export function facilitatorOf(extra: Readonly<Record<string, unknown>> | undefined): Address | undefined {
  const address = extra?.["facilitatorAddress"];
  if (typeof address !== "string" || !isAddress(address) || isZero(address)) return undefined;
  return checksumAddress(address);
}

/** The keys of `terms` whose address has a wrong checksum. */
export function mistypedIn(terms: Terms): readonly ("pay_to" | "asset")[] {
  return (["pay_to", "asset"] as const).filter((key) => isAddress(terms[key]) && hasBadChecksum(terms[key]));
}

/** A token that only Permit2 moves may lack its domain. */
type Token = Pick<EvmAsset, "address" | "decimals" | "isPermit2Only"> & Partial<Pick<EvmAsset, "name" | "version">>;

function tokenOf(terms: Terms, network: string): Token {
  const known = findAsset(network, terms.asset);
  const name = terms.extra_name || known?.name;
  const version = terms.extra_version || known?.version;
  const address = known?.address ?? terms.asset;
  if (!isAddress(address)) {
    const expected = expectedAsset(network);
    throw new Error(`Cannot accept payments: asset "${terms.asset}" is unknown on ${network}; expected ${expected}`);
  }
  const { scheme, asset_transfer_method: method } = terms;
  // Only signatures for the token itself need its domain: by EIP-3009, and permits.
  const isByPermit2 = scheme === "upto" || (scheme === "exact" && method === "permit2");
  const isNamed = name !== undefined && version !== undefined;
  if (!isNamed && !(isByPermit2 && name === version)) {
    throw new Error(
      `Cannot accept payments: asset "${terms.asset}" needs extra_name and extra_version, its EIP-712 domain`,
    );
  }
  if (known === undefined && terms.price.startsWith("$")) {
    throw new PriceError(
      `Cannot accept payments: the price "${terms.price}" of an unknown asset must be in atomic units`,
    );
  }
  return { ...known, address, decimals: known?.decimals ?? 0, ...(isNamed ? { name, version } : {}) };
}

/** True if `sent` has all members of `advertised` with the same values, at every depth. */
function contains(sent: unknown, advertised: unknown): boolean {
  if (typeof advertised !== "object" || advertised === null) return sent === advertised;
  if (typeof sent !== "object" || sent === null || Array.isArray(sent) !== Array.isArray(advertised)) return false;
  const values = new Map<string, unknown>(Object.entries(sent));
  return Object.entries(advertised).every(([key, value]) => values.has(key) && contains(values.get(key), value));
}

/** The payment is made for other terms than those of the challenge. */
export const NO_MATCH = "No matching payment requirements";

/** The reason why a payment does not fit the challenge. */
export type TermsError = typeof NO_MATCH | "extension_echo_mismatch" | "resource_mismatch";

/**
 * Compares a payment's accepted requirements with the challenge; undefined if they agree. `extra` and extensions may
 * have additional members, but no changed ones. `isFor` returns true if the URL in the payment is the request's URL.
 */
export function findError(
  payment: Pick<PaymentPayload, "accepted" | "extensions" | "resource">,
  required: PaymentRequired,
  isFor: (url: string) => boolean,
): TermsError | undefined {
  const { accepted, extensions, resource } = payment;
  if (!required.accepts.some((requirements) => agrees(accepted, requirements))) return NO_MATCH;
  for (const [key, value] of Object.entries(extensions ?? {})) {
    const advertised = required.extensions?.[key];
    if (advertised !== undefined && !contains(value, advertised)) return "extension_echo_mismatch";
  }
  // An EIP-3009 signature covers token, amount, payee, times and nonce, but no URL. This check finds mistakes, not
  // attacks.
  if (resource !== undefined && !isFor(resource.url)) return "resource_mismatch";
  return undefined;
}

/** The contract that moves the money, as `extra` names it: `eip3009`, `permit2` or an unknown method; undefined beyond EVM. */
export function methodOf({
  scheme,
  network,
  extra,
}: Pick<PaymentRequirements, "scheme" | "network" | "extra">): unknown {
  if (isSolana(network) || isForeign(network)) return extra["assetTransferMethod"];
  return extra["assetTransferMethod"] ?? (scheme === "upto" ? "permit2" : "eip3009");
}

/** The order of settlement and response, as `extra` names it: `authorization`, `upfront` or an unknown flow. */
export function flowOf({ extra }: Pick<PaymentRequirements, "extra">): unknown {
  return extra["paymentFlow"] ?? "authorization";
}

/** True if `extra` prices units of the response. */
function hasMeter({ extra }: Pick<PaymentRequirements, "extra">): boolean {
  return extra["meter"] !== undefined;
}

/** True if the accepted requirements equal these requirements. `extra` may have additional members of other names. */
export function agrees(accepted: PaymentRequirements, requirements: PaymentRequirements): boolean {
  return (
    accepted.scheme === requirements.scheme &&
    accepted.network === requirements.network &&
    accepted.amount === requirements.amount &&
    sameAddress(accepted.asset, requirements.asset) &&
    sameAddress(accepted.payTo, requirements.payTo) &&
    accepted.maxTimeoutSeconds === requirements.maxTimeoutSeconds &&
    contains(accepted.extra, requirements.extra) &&
    methodOf(accepted) === methodOf(requirements) &&
    flowOf(accepted) === flowOf(requirements) &&
    hasMeter(accepted) === hasMeter(requirements)
  );
}
