import { z } from "zod";
import { type Kind } from "../x402/facilitator.ts";
import { paymentPayloadSchema, paymentRequirementsSchema } from "../x402/messages.ts";

/** Turnpike's own extension of a facilitator: `POST /find` returns the outcome of a payment. */
export const FIND_EXTENSION = "turnpike-find";

/** Turnpike's own member of the /supported response: true if it left out a chain that it could not reach. */
export const PARTIAL = "turnpikePartial";

/** Turnpike's own member of the /supported response: true if it settles nothing. */
export const SIMULATED = "turnpikeSimulated";

/** Kinds that one facilitator may list; a longer list is invalid. The largest known list has some 60. */
const MAX_KINDS = 1024;
/**
 * Longest name in a kind, and longest value of its `extra`, in characters of JSON. Kinds beyond it are ignored, because
 * these values are sent in the headers of challenges.
 */
const MAX_NAME = 128;
const MAX_EXTRA = 2048;
/** Accounts of a facilitator on the networks of a namespace. A longer list is ignored. */
const MAX_SIGNERS = 256;

/** The /supported response. Entries that are not valid kinds are ignored, above all those of version 1. */
export const supportedSchema = z.looseObject({
  kinds: z.array(z.unknown()).max(MAX_KINDS),
  extensions: z.array(z.unknown()).catch([]).default([]),
  /** The facilitator's accounts, by patterns of networks. */
  signers: z
    .record(z.string(), z.array(z.string().max(MAX_NAME)).max(MAX_SIGNERS))
    .catch({})
    .default({}),
  [PARTIAL]: z.unknown().optional(),
  [SIMULATED]: z.unknown().optional(),
});

const kindSchema = z.object({
  x402Version: z.literal(2),
  scheme: z.string().min(1).max(MAX_NAME),
  network: z.string().min(1).max(MAX_NAME),
  extra: z
    .record(z.string(), z.unknown())
    .refine((extra) => JSON.stringify(extra).length <= MAX_EXTRA)
    .nullish(),
});

/**
 * The version 2 kinds of a list. Of several accounts that may pay fees, a facilitator names another one each time. The first
 * of `signers` in the order of the alphabet is taken, so that all workers and gateways name the same one in challenges.
 */
export function readKinds(list: readonly unknown[], signers: Readonly<Record<string, string[]>> = {}): readonly Kind[] {
  return list.flatMap((item) => {
    const parsed = kindSchema.safeParse(item);
    if (!parsed.success) return [];
    const { scheme, network, extra } = parsed.data;
    if (extra === undefined || extra === null) return [{ scheme, network }];
    const accounts = signers[`${network.slice(0, network.indexOf(":"))}:*`] ?? [];
    const isOneOf = typeof extra["feePayer"] === "string" && accounts.includes(extra["feePayer"]);
    return [{ scheme, network, extra: isOneOf ? { ...extra, feePayer: accounts.toSorted()[0] } : extra }];
  });
}

/** The body of /verify, /settle and /find. */
export const facilitatorRequestSchema = z.looseObject({
  x402Version: z.literal(2),
  paymentPayload: paymentPayloadSchema,
  paymentRequirements: paymentRequirementsSchema,
});

export const findResponseSchema = z.looseObject({
  outcome: z.enum(["settled", "unspent", "void", "unknown"]),
  transaction: z.string().max(MAX_NAME).optional(),
  payer: z.string().max(MAX_NAME).optional(),
});
