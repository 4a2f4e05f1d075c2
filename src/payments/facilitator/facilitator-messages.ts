import { z } from "zod";
import { type Kind } from "./facilitator.ts";
import { paymentPayloadSchema, paymentRequirementsSchema } from "../x402/messages.ts";

/** Our own extension of a facilitator: `POST /find`, by which it says what has become of a payment. */
export const FIND_EXTENSION = "turnpike-find";

/** Our own member of the answer to /supported: true where a chain is left out that the facilitator could not ask. */
export const PARTIAL = "turnpikePartial";

/** Ways of paying that one facilitator may list; the largest known has some 60. */
const MAX_KINDS = 1024;
/** Longest name in a kind, and longest value of its `extra`, in characters of JSON: it goes into the head of challenges. */
const MAX_NAME = 128;
const MAX_EXTRA = 2048;

/** The answer to /supported. What is no kind of ours is left out, and spoils nothing: the kinds of version 1 above all. */
export const supportedSchema = z.looseObject({
  kinds: z.array(z.unknown()).max(MAX_KINDS),
  extensions: z.array(z.unknown()).catch([]).default([]),
  [PARTIAL]: z.unknown().optional(),
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

/** The kinds of version 2 in a list. */
export function readKinds(list: readonly unknown[]): readonly Kind[] {
  return list.flatMap((item) => {
    const parsed = kindSchema.safeParse(item);
    if (!parsed.success) return [];
    const { scheme, network, extra } = parsed.data;
    return [{ scheme, network, ...(extra === undefined || extra === null ? {} : { extra }) }];
  });
}

/** The body of /verify, /settle and /find. */
export const facilitatorRequestSchema = z.looseObject({
  x402Version: z.literal(2),
  paymentPayload: paymentPayloadSchema,
  paymentRequirements: paymentRequirementsSchema,
});

/** The answer to /find. */
export const findResponseSchema = z.looseObject({
  outcome: z.enum(["settled", "unspent", "void", "unknown"]),
  transaction: z.string().max(MAX_NAME).optional(),
  payer: z.string().max(MAX_NAME).optional(),
});
