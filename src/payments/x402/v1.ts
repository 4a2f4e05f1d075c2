import { z } from "zod";
import {
  eip3009PaymentSchema,
  type PaymentPayload,
  type PaymentRequired,
  type PaymentRequirements,
  type Receipt,
} from "./messages.ts";
import { parseNetwork } from "./networks.ts";
import { isAtomic } from "./price.ts";
import { methodOf } from "./terms.ts";

/** The headers of x402 version 1: the payment, and the receipt. */
export const X_PAYMENT = "X-PAYMENT";
export const X_PAYMENT_RESPONSE = "X-PAYMENT-RESPONSE";

/** Version 1 names chains only by these names of x402's reference implementation. */
const NAMED =
  "ethereum sepolia abstract abstract-testnet base-sepolia base avalanche-fuji avalanche iotex sei sei-testnet polygon polygon-amoy " +
  "peaq story educhain skale-base-sepolia megaeth monad stable stable-testnet celo flare";
/** The networks by their version 1 names. */
export const V1_NETWORKS: ReadonlyMap<string, string> = new Map(
  NAMED.split(" ").map((name) => [name, parseNetwork(name) ?? name]),
);
const NAMES = new Map([...V1_NETWORKS].map(([name, network]) => [network, name]));

/** The version 1 name of a network, for example `base-sepolia`; undefined if version 1 does not name it. @internal */
export function v1Network(network: string): string | undefined {
  return NAMES.get(network);
}

/** One set of payment requirements in the body of a 402. */
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

/** The requirements of a challenge that a version 1 client can pay: by EIP-3009, on networks with a version 1 name. */
export function v1Accepts({ resource, accepts }: PaymentRequired): readonly V1Requirements[] {
  return accepts.flatMap((requirements) => {
    const network = v1Network(requirements.network);
    if (network === undefined || !isByEip3009(requirements)) return [];
    return [
      {
        scheme: requirements.scheme,
        network,
        maxAmountRequired: requirements.amount,
        resource: resource.url,
        description: resource.description ?? "",
        mimeType: resource.mimeType ?? "",
        payTo: requirements.payTo,
        maxTimeoutSeconds: requirements.maxTimeoutSeconds,
        asset: requirements.asset,
        extra: requirements.extra,
      },
    ];
  });
}

/** True if the requirements are paid by an EIP-3009 authorization, the only transfer method of version 1. */
export function isByEip3009(requirements: PaymentRequirements): boolean {
  return requirements.scheme === "exact" && methodOf(requirements) === "eip3009";
}

/** A version 1 payment. It does not contain the accepted requirements. */
export const v1PaymentSchema = z.looseObject({
  x402Version: z.literal(1),
  scheme: z.literal("exact"),
  network: z.string().max(64),
  payload: eip3009PaymentSchema.shape.payload,
});

/** A payment of x402 version 1. */
export type V1Payment = z.infer<typeof v1PaymentSchema>;

/** Converts a receipt to version 1: only the name of the network changes. */
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

/**
 * Converts a version 1 challenge, the body of a 402, to version 2 for `url`. Keeps the payment requirements that this
 * build supports. Undefined if `body` is not a challenge.
 */
export function fromV1Challenge(body: unknown, url: string): PaymentRequired | undefined {
  const parsed = v1ChallengeSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const accepts = parsed.data.accepts.flatMap((way) => {
    const { success, data } = v1RequirementsSchema.safeParse(way);
    const network = success ? V1_NETWORKS.get(data.network) : undefined;
    if (!success || network === undefined) return [];
    const { scheme, maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds, extra } = data;
    const requirements = { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra: extra ?? {} };
    return isByEip3009(requirements) ? [requirements] : [];
  });
  return { x402Version: 2, resource: { url }, accepts };
}

/** Converts an EIP-3009 payment to version 1. */
export function toV1Payment({ accepted, payload }: PaymentPayload): object {
  const network = v1Network(accepted.network) ?? accepted.network;
  return { x402Version: 1, scheme: accepted.scheme, network, payload };
}

/** Converts a network's version 1 name to version 2. An unknown name stays as it is. */
export function fromV1Network(network: string): string {
  return V1_NETWORKS.get(network) ?? network;
}
