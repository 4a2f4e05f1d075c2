import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { exactByEip3009 } from "./eip3009/method.ts";
import { exactByPermit2, uptoByPermit2 } from "./permit2/method.ts";
import { type Method } from "./scheme.ts";

/** Every way of paying that the embedded facilitator and the chain reader know. */
export const METHODS: readonly Method[] = [exactByEip3009, exactByPermit2, uptoByPermit2];

/** The one that settles such a payment; undefined where there is none. */
export function methodFor(payment: PaymentPayload, { scheme }: PaymentRequirements): Method | undefined {
  return METHODS.find((method) => method.scheme === scheme && method.takes(payment));
}
