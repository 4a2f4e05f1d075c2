import { z } from "zod";
import { type Address, type Hex, isAddress } from "../x402/address.ts";
import {
  type ChannelFacilitator,
  EARLY,
  type ChannelSettlement,
  type ChannelState,
  type ChannelVerification,
} from "../x402/channel-facilitator.ts";
import {
  BATCH_SETTLEMENT,
  type ChannelOrder,
  channelOrderSchema,
  type ChannelPayment,
  channelPaymentSchema,
  type ChannelRequirements,
  channelRequirementsSchema,
  MAX_CLAIMS,
} from "../x402/channel-messages.ts";
import { atomicSchema, bytes32Schema, settleResponseSchema, verifyResponseSchema } from "../x402/messages.ts";
import { isDefinite, toReason } from "../x402/reasons.ts";

/** A channel as facilitators send it. Numbers may be text. */
const stateSchema = z.object({
  balance: atomicSchema,
  totalClaimed: atomicSchema,
  withdrawRequestedAt: z.coerce.number().int().nonnegative(),
  refundNonce: z.coerce.string().pipe(atomicSchema),
});

/** The body of /verify for a payment from a channel. */
export const channelVerifySchema = z.looseObject({
  x402Version: z.literal(2),
  paymentPayload: channelPaymentSchema,
  paymentRequirements: channelRequirementsSchema,
});

/** The body of /settle for a channel. */
export const channelSettleSchema = channelVerifySchema.extend({ paymentPayload: channelOrderSchema });

const schemeSchema = z.looseObject({ paymentRequirements: z.looseObject({ scheme: z.literal(BATCH_SETTLEMENT) }) });

/** True for the body of a call for a channel. */
export function isForChannel(body: unknown): boolean {
  return schemeSchema.safeParse(body).success;
}

function stateJson(id: Hex | undefined, state: ChannelState): object {
  const { balance, totalClaimed, withdrawRequestedAt, refundNonce } = state;
  return {
    ...(id === undefined ? {} : { channelId: id }),
    balance: String(balance),
    totalClaimed: String(totalClaimed),
    withdrawRequestedAt,
    refundNonce: String(refundNonce),
  };
}

/** The response to /verify. */
export function verificationJson(verification: ChannelVerification, { payload }: ChannelPayment): object {
  const { payer } = payload.channelConfig;
  if (verification.kind === "valid") {
    return { isValid: true, payer, extra: stateJson(payload.voucher.channelId, verification.state) };
  }
  if (verification.kind !== "refused") {
    const extra = verification.kind === "early" ? { extra: { early: true } } : {};
    return { isValid: false, invalidReason: "invalid_batch_settlement_evm_rpc_read_failed", payer, ...extra };
  }
  const { reason, state } = verification;
  const extra = state === undefined ? {} : { extra: stateJson(payload.voucher.channelId, state) };
  return { isValid: false, invalidReason: reason, payer, ...extra };
}

/** The response to /settle. */
export function settlementJson(settlement: ChannelSettlement, order: ChannelOrder, network: string): object {
  const { payload } = order;
  const payer = "channelConfig" in payload ? { payer: payload.channelConfig.payer } : {};
  if (settlement.kind === "settled") {
    const { transaction, amount, state } = settlement;
    const id = "voucher" in payload ? payload.voucher.channelId : undefined;
    const extra = state === undefined ? {} : { extra: { channelState: stateJson(id, state) } };
    return { success: true, transaction, network, ...payer, amount, ...extra };
  }
  if (settlement.kind === "refused") {
    const { reason, reverting } = settlement;
    const extra = { definite: true, ...(reverting === undefined ? {} : { reverting }) };
    return { success: false, errorReason: reason, transaction: "", network, ...payer, extra };
  }
  const { transaction, isUnsent } = settlement;
  const extra = isUnsent === true ? { extra: { unsent: true } } : {};
  return { success: false, errorReason: "settlement_pending", transaction, network, ...payer, ...extra };
}

/** A response of a facilitator elsewhere, whose status is not 3xx, or the reason why there is no response. */
type Said<T> =
  | { readonly status: number; readonly data: T }
  | { readonly error: "unavailable" | "failed"; readonly cause: string; readonly isUnsent?: boolean };

/** Calls a facilitator over HTTP. */
export type AskFacilitator = <T>(call: {
  readonly path: "/verify" | "/settle";
  readonly schema: z.ZodType<T>;
  readonly payment: object;
  readonly requirements: object;
  readonly mayRepeat: boolean;
}) => Promise<Said<T>>;

const verifiedSchema = verifyResponseSchema.extend({ extra: z.unknown().optional() });
const earlySchema = z.looseObject({ early: z.literal(true) });
const settledSchema = settleResponseSchema.extend({
  amount: z.string().max(78).nullish(),
  extra: z
    .looseObject({
      definite: z.boolean().optional().catch(undefined),
      unsent: z.boolean().optional().catch(undefined),
      reverting: z.array(bytes32Schema).max(MAX_CLAIMS).optional().catch(undefined),
      channelState: z.unknown().optional(),
    })
    .nullish()
    .catch(undefined),
});

function stateOf(json: unknown): ChannelState | undefined {
  const { data } = stateSchema.safeParse(json);
  if (data === undefined) return undefined;
  const { balance, totalClaimed, withdrawRequestedAt, refundNonce } = data;
  return {
    balance: BigInt(balance),
    totalClaimed: BigInt(totalClaimed),
    withdrawRequestedAt,
    refundNonce: BigInt(refundNonce),
  };
}

const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;

/** Payments from channels by a facilitator over HTTP. `isOwn`: its word counts that it has sent nothing. */
export function httpChannels(ask: AskFacilitator, isOwn: boolean): ChannelFacilitator {
  return {
    async verify(payment, requirements): Promise<ChannelVerification> {
      const said = await ask({ path: "/verify", schema: verifiedSchema, payment, requirements, mayRepeat: true });
      if ("error" in said) return { kind: said.error, cause: said.cause };
      const { status, data } = said;
      if (data.isValid && status < 400) {
        const state = stateOf(data.extra);
        if (state === undefined) return { kind: "failed", cause: "its response does not describe the channel" };
        return { kind: "valid", payer: payerOf(data.payer, payment), state };
      }
      if (!data.isValid && earlySchema.safeParse(data.extra).success) return EARLY;
      const reason = toReason(data.invalidReason);
      const isJudged = reason !== "payment_refused" && reason !== "invalid_batch_settlement_evm_rpc_read_failed";
      if (!data.isValid && (isJudged || (status < 500 && reason === "payment_refused"))) {
        const state = stateOf(data.extra);
        return { kind: "refused", reason, ...(state === undefined ? {} : { state }) };
      }
      return { kind: status < 500 ? "failed" : "unavailable", cause: `it responded with ${status}` };
    },

    async settle(order, requirements): Promise<ChannelSettlement> {
      const call = { path: "/settle", schema: settledSchema, payment: order, requirements, mayRepeat: false } as const;
      const said = await ask(call);
      if ("error" in said) {
        const { cause, isUnsent } = said;
        return { kind: "unknown", cause, transaction: "", isUnsent };
      }
      const { status, data } = said;
      const transaction = TRANSACTION.test(data.transaction ?? "") ? (data.transaction ?? "") : "";
      if (!data.success) return notSettled(data, transaction, isOwn);
      if (status >= 400 || data.network !== requirements.network) {
        return { kind: "unknown", cause: "its receipt is for no transaction on this network", transaction };
      }
      const state = stateOf(data.extra?.channelState);
      return { kind: "settled", transaction, amount: data.amount ?? "", ...(state === undefined ? {} : { state }) };
    },
  };
}

function notSettled(data: z.infer<typeof settledSchema>, transaction: string, isOwn: boolean): ChannelSettlement {
  const reason = toReason(data.errorReason);
  const { definite = false, unsent = false, reverting } = data.extra ?? {};
  if (isDefinite(reason, transaction) || definite) {
    return { kind: "refused", reason, ...(reverting === undefined ? {} : { reverting }) };
  }
  const cause = "it left the outcome open";
  return { kind: "unknown", cause, transaction, ...(isOwn && unsent ? { isUnsent: true } : {}) };
}

function payerOf(said: string | null | undefined, { payload }: ChannelPayment): Address {
  return typeof said === "string" && isAddress(said) ? said : payload.channelConfig.payer;
}

/** The tokens that an order moves or a payment is in. */
export function tokensIn(
  { payload }: ChannelOrder | ChannelPayment,
  { asset }: ChannelRequirements,
): readonly string[] {
  if (payload.type === "settle") return [asset, payload.token];
  return payload.type === "claim" ? [asset] : [asset, payload.channelConfig.token];
}
