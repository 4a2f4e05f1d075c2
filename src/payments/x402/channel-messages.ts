import { z } from "zod";
import {
  addressSchema,
  atomicSchema,
  bytes32Schema,
  paymentFrameSchema,
  paymentRequirementsSchema,
  signatureSchema,
} from "./messages.ts";

/** The scheme of payments from a channel: a deposit on chain, and a voucher for the sum of all charges with each request. */
export const BATCH_SETTLEMENT = "batch-settlement";

const UINT128_MAX = (1n << 128n) - 1n;
const UINT40_MAX = 2 ** 40 - 1;
/** Most vouchers in one claim. @bound The stock server sends 100. Nodes accept transactions of 128 KiB. */
export const MAX_CLAIMS = 200;

/** The contract counts amounts in 128 bits; a larger number would lose its upper bits there. */
const amount = atomicSchema.refine((text) => BigInt(text) <= UINT128_MAX, "must fit in a uint128");

/** The terms of a channel. Their hash is the channel's id, so that nothing in them can change. */
export const channelConfigSchema = z.object({
  payer: addressSchema,
  /** The account that signs vouchers. Zero: the payer itself signs, perhaps as a contract (ERC-1271). */
  payerAuthorizer: addressSchema,
  receiver: addressSchema,
  /** The account that permits claims and refunds. */
  receiverAuthorizer: addressSchema,
  token: addressSchema,
  /** Seconds from the payer's request for a withdrawal until the payer may take the money. */
  withdrawDelay: z.int().min(0).max(UINT40_MAX),
  salt: bytes32Schema,
});

/** The payer's word that up to this sum of all charges may be claimed. */
export const voucherSchema = z.object({
  channelId: bytes32Schema,
  maxClaimableAmount: amount,
  signature: signatureSchema,
});

const onlyOne = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => !("erc3009Authorization" in value && "permit2Authorization" in value),
    "must be one authorization",
  );

const erc3009Deposit = onlyOne.pipe(
  z.object({
    erc3009Authorization: z.object({
      validAfter: atomicSchema,
      validBefore: atomicSchema,
      /** The token's nonce is the hash of channel and salt, so that the authorization is valid only for this channel. */
      salt: bytes32Schema,
      signature: signatureSchema,
    }),
  }),
);

const permit2Deposit = onlyOne.pipe(
  z.object({
    permit2Authorization: z.object({
      from: addressSchema,
      permitted: z.object({ token: addressSchema, amount: atomicSchema }),
      spender: addressSchema,
      nonce: atomicSchema,
      deadline: atomicSchema,
      witness: z.object({ channelId: bytes32Schema }),
      signature: signatureSchema,
    }),
  }),
);

const depositPayload = z.object({
  type: z.literal("deposit"),
  channelConfig: channelConfigSchema,
  voucher: voucherSchema,
  deposit: z.object({ amount, authorization: z.union([erc3009Deposit, permit2Deposit]) }),
});

const voucherPayload = z.object({
  type: z.literal("voucher"),
  channelConfig: channelConfigSchema,
  voucher: voucherSchema,
});

/** Without an amount: all that is not claimed. */
const refundPayload = z.object({
  type: z.literal("refund"),
  channelConfig: channelConfigSchema,
  voucher: voucherSchema,
  amount: amount.optional(),
});

/** A voucher that is to be claimed, and the sum of all charges up to it. */
const claimSchema = z.object({
  voucher: z.object({ channel: channelConfigSchema, maxClaimableAmount: amount }),
  signature: signatureSchema,
  totalClaimed: amount,
});

const claimPayload = z.object({
  type: z.literal("claim"),
  claims: z.array(claimSchema).min(1).max(MAX_CLAIMS),
  claimAuthorizerSignature: signatureSchema.optional(),
});

const settlePayload = z.object({ type: z.literal("settle"), receiver: addressSchema, token: addressSchema });

/** A refund that the seller passes on, with the receiver authorizer's signatures. */
const refundOrderPayload = refundPayload.extend({
  amount,
  refundNonce: atomicSchema,
  claims: z.array(claimSchema).max(MAX_CLAIMS),
  refundAuthorizerSignature: signatureSchema.optional(),
  claimAuthorizerSignature: signatureSchema.optional(),
});

/** `maxTimeoutSeconds` is 0 in a seller's own orders. */
export const channelRequirementsSchema = paymentRequirementsSchema.extend({
  scheme: z.literal(BATCH_SETTLEMENT),
  maxTimeoutSeconds: z.int().nonnegative(),
});

/** A client's payment from a channel. Unknown keys of its payload are dropped. */
export const channelPaymentSchema = paymentFrameSchema.extend({
  accepted: channelRequirementsSchema,
  payload: z.discriminatedUnion("type", [depositPayload, voucherPayload, refundPayload]),
});

/** An order to a facilitator to change the chain: a deposit of the client, or an order of the seller. */
export const channelOrderSchema = paymentFrameSchema.extend({
  accepted: channelRequirementsSchema,
  payload: z.discriminatedUnion("type", [depositPayload, claimPayload, settlePayload, refundOrderPayload]),
});

export type ChannelConfig = z.infer<typeof channelConfigSchema>;
export type Voucher = z.infer<typeof voucherSchema>;
export type Deposit = z.infer<typeof depositPayload>;
export type DepositAuthorization = Deposit["deposit"]["authorization"];
export type Claim = z.infer<typeof claimSchema>;
export type ClaimOrder = z.infer<typeof claimPayload>;
export type SettleOrder = z.infer<typeof settlePayload>;
export type RefundOrder = z.infer<typeof refundOrderPayload>;
export type ChannelRequirements = z.infer<typeof channelRequirementsSchema>;
export type ChannelPayment = z.infer<typeof channelPaymentSchema>;
export type ChannelOrder = z.infer<typeof channelOrderSchema>;
