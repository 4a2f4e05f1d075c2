import { z } from "zod";
import { sameAddress } from "../signatures/address.ts";
import { checkSignature } from "../signatures/check-payment.ts";
import {
  eip3009PaymentSchema,
  type PaymentPayload,
  type PaymentRequired,
  type PaymentRequirements,
  type Receipt,
} from "./messages.ts";
import { isAtomic } from "./price.ts";

/** The headers of x402's version 1: the payment, and what became of it. */
export const X_PAYMENT = "X-PAYMENT";
export const X_PAYMENT_RESPONSE = "X-PAYMENT-RESPONSE";

/** Version 1 knows chains by these names alone, those of x402's reference implementation. */
const CHAIN_IDS: Readonly<Record<string, number>> = {
  ethereum: 1,
  sepolia: 11155111,
  abstract: 2741,
  "abstract-testnet": 11124,
  "base-sepolia": 84532,
  base: 8453,
  "avalanche-fuji": 43113,
  avalanche: 43114,
  iotex: 4689,
  sei: 1329,
  "sei-testnet": 1328,
  polygon: 137,
  "polygon-amoy": 80002,
  peaq: 3338,
  story: 1514,
  educhain: 41923,
  "skale-base-sepolia": 324705682,
  megaeth: 4326,
  monad: 143,
  stable: 988,
  "stable-testnet": 2201,
  celo: 42220,
  flare: 14,
};

const NETWORKS = new Map(Object.entries(CHAIN_IDS).map(([name, id]) => [name, `eip155:${id}`]));
const NAMES = new Map(Object.entries(CHAIN_IDS).map(([name, id]) => [`eip155:${id}`, name]));

/** What version 1 calls a network, `base-sepolia`; undefined where it has no name for it. */
export function v1Network(network: string): string | undefined {
  return NAMES.get(network);
}

/** One way of paying, in the body of a 402. */
export interface V1Requirements {
  readonly scheme: string;
  readonly network: string;
  readonly maxAmountRequired: string;
  readonly resource: string;
  readonly description: string;
  readonly mimeType: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly asset: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The ways of a challenge by which a client of version 1 can pay: by EIP-3009, on networks that it has names for. */
export function v1Accepts({ resource, accepts }: PaymentRequired): readonly V1Requirements[] {
  return accepts.flatMap((offer) => {
    const network = v1Network(offer.network);
    if (network === undefined || !isByEip3009(offer)) return [];
    return [
      {
        scheme: offer.scheme,
        network,
        maxAmountRequired: offer.amount,
        resource: resource.url,
        description: resource.description ?? "",
        mimeType: resource.mimeType ?? "",
        payTo: offer.payTo,
        maxTimeoutSeconds: offer.maxTimeoutSeconds,
        asset: offer.asset,
        extra: offer.extra,
      },
    ];
  });
}

function isByEip3009({ scheme, extra }: PaymentRequirements): boolean {
  return scheme === "exact" && (extra["assetTransferMethod"] ?? "eip3009") === "eip3009";
}

/** A payment of version 1, which does not say what it accepted. */
export const v1PaymentSchema = z.looseObject({
  x402Version: z.literal(1),
  scheme: z.literal("exact"),
  network: z.string().max(64),
  payload: eip3009PaymentSchema.shape.payload,
});

export type V1Payment = z.infer<typeof v1PaymentSchema>;

/**
 * The payment as one of version 2: the signature is the same. What was accepted is found among `offers`, by what was
 * signed; undefined where none is on its network.
 */
export function fromV1(
  { network, payload }: V1Payment,
  offers: readonly PaymentRequirements[],
): PaymentPayload | undefined {
  const { to, value } = payload.authorization;
  const there = offers.filter((offer) => isByEip3009(offer) && offer.network === NETWORKS.get(network));
  const alike = there.filter((offer) => sameAddress(offer.payTo, to) && offer.amount === value);
  const choices = (alike.length === 0 ? there : alike).map(
    (accepted): PaymentPayload => ({ x402Version: 2, accepted, payload }),
  );
  // Several tokens at one price to one payee: only the signature says which it is for.
  if (alike.length < 2) return choices[0];
  return choices.find((choice) => typeof checkSignature(choice, choice.accepted) !== "string") ?? choices[0];
}

/** A receipt as version 1 has it: the same, with the network's name. */
export function v1Receipt(receipt: Receipt): Receipt {
  return { ...receipt, network: v1Network(receipt.network) ?? receipt.network };
}

const v1RequirementsSchema = z.looseObject({
  scheme: z.literal("exact"),
  network: z.string(),
  maxAmountRequired: z.string().refine(isAtomic),
  payTo: z.string(),
  maxTimeoutSeconds: z.int().positive(),
  asset: z.string(),
  extra: z.record(z.string(), z.unknown()).nullish(),
});

const v1ChallengeSchema = z.looseObject({
  x402Version: z.literal(1),
  accepts: z.array(z.unknown()).max(32),
});

/** A challenge of version 1, the body of a 402, as one of version 2 for `url`, with the ways that this build knows; undefined where `body` is none. */
export function fromV1Challenge(body: unknown, url: string): PaymentRequired | undefined {
  const parsed = v1ChallengeSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const accepts = parsed.data.accepts.flatMap((way) => {
    const { success, data } = v1RequirementsSchema.safeParse(way);
    const network = success ? NETWORKS.get(data.network) : undefined;
    if (!success || network === undefined) return [];
    const { scheme, maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds, extra } = data;
    const offer = { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra: extra ?? {} };
    return isByEip3009(offer) ? [offer] : [];
  });
  return { x402Version: 2, resource: { url }, accepts };
}

/** A payment by EIP-3009 as version 1 has it. */
export function toV1Payment({ accepted, payload }: PaymentPayload): object {
  const network = v1Network(accepted.network) ?? accepted.network;
  return { x402Version: 1, scheme: accepted.scheme, network, payload };
}

/** A network by the name that version 2 has for it; one that version 1 does not know stays as it is. */
export function fromV1Network(network: string): string {
  return NETWORKS.get(network) ?? network;
}
