import { z } from "zod";
import { type Address, type Hex, isAddress } from "./address.ts";
import { decodeTransaction } from "../solana/transaction.ts";
import { isForeign, isSolana } from "./networks.ts";
import { isAtomic } from "./price.ts";

/** The names of the three headers, in upper case for sending. Lower-case them to look them up. */
export const PAYMENT_REQUIRED = "PAYMENT-REQUIRED";
export const PAYMENT_SIGNATURE = "PAYMENT-SIGNATURE";
export const PAYMENT_RESPONSE = "PAYMENT-RESPONSE";

/** Longest text from a peer, for members without a limit of the protocol. A longer one is malformed. */
const MAX_TEXT = 2048;
/** A contract wallet's signature may contain another one. The header's limit is stricter. */
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2}){65,4096}$/;

const text = z.string().max(MAX_TEXT);
/** An EVM address in any letter case. */
export const addressSchema = z.custom<Address>(
  (value) => typeof value === "string" && isAddress(value),
  "must be an address",
);
/** A whole number of at most 256 bits, in decimal. Later checks see no other text. */
export const atomicSchema = z.string().refine(isAtomic, { error: "must be a decimal whole number", abort: true });
/** 32 bytes in hex. */
export const bytes32Schema = z.custom<Hex>(
  (value) => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value),
  "must be 32 bytes of hex",
);
/** A signature of an account or of a contract wallet, in hex. */
export const signatureSchema = z.custom<Hex>(
  (value) => typeof value === "string" && SIGNATURE.test(value),
  "must be a signature in hex",
);
const [address, atomic, nonce, signature] = [addressSchema, atomicSchema, bytes32Schema, signatureSchema];
const record = z.record(z.string(), z.unknown());

const resourceInfo = z.looseObject({
  url: text,
  description: text.optional(),
  mimeType: text.optional(),
});

/** Conditions of a payment: `PaymentRequirements` of x402 version 2. `amount` is in atomic units. */
export const paymentRequirementsSchema = z.looseObject({
  scheme: text,
  network: text,
  amount: atomic,
  asset: text,
  payTo: text,
  maxTimeoutSeconds: z.int().positive(),
  extra: record.default({}),
});

/** The content of the PAYMENT-REQUIRED header: `PaymentRequired` of x402 version 2. */
export const paymentRequiredSchema = z.looseObject({
  x402Version: z.literal(2),
  error: text.optional(),
  resource: resourceInfo,
  accepts: z.array(paymentRequirementsSchema).max(32),
  extensions: record.optional(),
});

const authorization = z.object({
  from: address,
  to: address,
  value: atomic,
  validAfter: atomic,
  validBefore: atomic,
  nonce,
});

const ofOneTransfer = z
  .record(z.string(), z.unknown())
  .refine((payload) => !("authorization" in payload && "permit2Authorization" in payload));

const eip3009Payload = ofOneTransfer.pipe(z.object({ signature, authorization }));

const permit2Payload = ofOneTransfer.pipe(
  z.object({
    signature,
    permit2Authorization: z.object({
      permitted: z.object({ token: address, amount: atomic }),
      from: address,
      /** The only contract that may spend it: the proxy of its scheme. */
      spender: address,
      nonce: atomic,
      deadline: atomic,
      /** `facilitator` occurs only under `upto`: only that facilitator may settle. */
      witness: z.object({ to: address, facilitator: address.optional(), validAfter: atomic }),
    }),
  }),
);

const evmPayload = z.union([eip3009Payload, permit2Payload]);

const solanaPayload = z.object({
  /** A transaction in base64, which still lacks the signature of the fee payer. */
  transaction: z.string().refine((base64) => decodeTransaction(base64) !== undefined, "must be a transaction"),
});

/** A payment on a chain that this program does not know: its facilitator reads it. */
const foreignPayload = record;

function payloadOf(network: string): z.ZodType<Payload> {
  if (isSolana(network)) return solanaPayload;
  return isForeign(network) ? foreignPayload : evmPayload;
}

/** A payment without its payload. */
export const paymentFrameSchema = z.looseObject({
  x402Version: z.literal(2),
  resource: resourceInfo.optional(),
  accepted: paymentRequirementsSchema,
  extensions: record.optional(),
});

/**
 * A payment on the network that it accepts. On known chains, unknown keys of `payload` are dropped: a facilitator might
 * settle a second authorization there that the ledger does not know.
 */
export const paymentPayloadSchema = paymentFrameSchema.transform((sent, context): Frame & { payload: Payload } => {
  const parsed = payloadOf(sent.accepted.network).safeParse(sent["payload"]);
  if (parsed.success) return { ...sent, payload: parsed.data };
  context.addIssue({ code: "custom", path: ["payload"], message: "is not a payment on this network" });
  return z.NEVER;
});

/** A payment by EIP-3009. */
export const eip3009PaymentSchema = paymentFrameSchema.extend({ payload: eip3009Payload });

/** A payment by Permit2. @internal */
export const permit2PaymentSchema = paymentFrameSchema.extend({ payload: permit2Payload });

type Frame = z.infer<typeof paymentFrameSchema>;
type Payload = z.infer<typeof evmPayload> | z.infer<typeof solanaPayload> | z.infer<typeof foreignPayload>;

export const verifyResponseSchema = z.looseObject({
  isValid: z.boolean(),
  invalidReason: text.nullish(),
  payer: text.nullish(),
});

/** A facilitator's response to `/settle`. `transaction` is the hash of the transaction. */
export const settleResponseSchema = z.looseObject({
  success: z.boolean(),
  transaction: text.nullish(),
  network: text.nullish(),
  payer: text.nullish(),
  errorReason: text.nullish(),
  /** Set by Turnpike's own facilitator service: a definite refusal, whatever its reason; nothing was sent. */
  extra: z
    .looseObject({
      definite: z.boolean().optional().catch(undefined),
      unsent: z.boolean().optional().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** The receipt of a settlement, in the PAYMENT-RESPONSE header. */
export const receiptSchema = z.looseObject({
  success: z.boolean(),
  transaction: text,
  network: text,
  payer: text.optional(),
  /** Under `upto`: the amount charged. */
  amount: text.optional(),
  errorReason: text.optional(),
  extra: record.optional(),
});

/** The conditions under which a payment is accepted. `amount` is in atomic units. */
export type PaymentRequirements = z.infer<typeof paymentRequirementsSchema>;
/** The content of the PAYMENT-REQUIRED header. */
export type PaymentRequired = z.infer<typeof paymentRequiredSchema>;
/** The content of the PAYMENT-SIGNATURE header. */
export type PaymentPayload = z.infer<typeof paymentPayloadSchema>;
/** A payment by EIP-3009. */
export type Eip3009Payment = z.infer<typeof eip3009PaymentSchema>;
export type Permit2Payment = z.infer<typeof permit2PaymentSchema>;
export type EvmPayment = Eip3009Payment | Permit2Payment;
export type SolanaPayment = Frame & { payload: z.infer<typeof solanaPayload> };
/** The content of the PAYMENT-RESPONSE header. */
export type Receipt = z.infer<typeof receiptSchema>;

/** True if the payment is made by EIP-3009. */
export function isEip3009(payment: PaymentPayload): payment is Eip3009Payment {
  return isEvmPayment(payment) && "authorization" in payment.payload;
}

/** True if the payment is made by Permit2. */
export function isPermit2(payment: PaymentPayload): payment is Permit2Payment {
  return isEvmPayment(payment) && "permit2Authorization" in payment.payload;
}

/** True if the payment is on an EVM chain. Only these are read on networks without a CAIP-2 identifier. */
export function isEvmPayment(payment: PaymentPayload): payment is EvmPayment {
  const { network } = payment.accepted;
  return !isSolana(network) && !isForeign(network);
}

/** True if the payment is on Solana. */
export function isSolanaPayment(payment: PaymentPayload): payment is SolanaPayment {
  return isSolana(payment.accepted.network);
}
