import { type Address, type Hex } from "./address.ts";
import { type EvmPayment, type PaymentRequirements } from "./messages.ts";

/** Uniswap's Permit2, at the same address on every chain. */
export const PERMIT2: Address = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

/** x402's proxies, the spenders under Permit2: equal on every chain, and they send only to the witness's `to`. */
export const PROXIES: Readonly<Record<"exact" | "upto", Address>> = {
  exact: "0x402085c248EeA27D92E8b30b2C58ed07f9E20001",
  upto: "0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002",
};

/** The transfer that a payer has signed, by either method. Numbers are decimal strings, times Unix seconds. */
export interface Transfer {
  /** The contract in which the nonce is used: the token under EIP-3009, Permit2 under Permit2. */
  readonly contract: string;
  readonly from: Address;
  readonly to: Address;
  /** The largest amount that may move; under `exact` the amount that moves. */
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  /** 32 bytes. */
  readonly nonce: Hex;
}

/** The transfer that `payment` permits, of the asset of `requirements`. */
export function transferOf({ payload }: EvmPayment, { asset }: PaymentRequirements): Transfer {
  if ("authorization" in payload) return { contract: asset, ...payload.authorization };
  const { permitted, from, nonce, deadline, witness } = payload.permit2Authorization;
  return {
    contract: PERMIT2,
    from,
    to: witness.to,
    value: permitted.amount,
    validAfter: witness.validAfter,
    validBefore: deadline,
    nonce: `0x${BigInt(nonce).toString(16).padStart(64, "0")}`,
  };
}
