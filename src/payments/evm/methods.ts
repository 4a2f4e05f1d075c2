import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { exactByEip3009 } from "./eip3009/method.ts";
import { exactByPermit2, uptoByPermit2 } from "./permit2/method.ts";
import { type Method } from "./node/scheme.ts";

/** All transfer methods of the embedded facilitator and the chain reader. */
export const METHODS: readonly Method[] = [exactByEip3009, exactByPermit2, uptoByPermit2];

/** The method that settles this payment; undefined if no method does. */
export function methodFor(payment: PaymentPayload, { scheme }: PaymentRequirements): Method | undefined {
  return METHODS.find((method) => method.scheme === scheme && method.takes(payment));
}
