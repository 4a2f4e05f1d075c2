import { type FacilitatorClient } from "@x402/core/server";

/** A facilitator whose chain is a table: deposits, claims and refunds. */
export function tableFacilitator(network: `${string}:${string}`) {
  const balances = new Map<string, bigint>();
  const deposits: bigint[] = [];
  const facilitator: FacilitatorClient = {
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: "batch-settlement", network }],
      extensions: [],
      signers: {},
    }),
    async verify({ payload }) {
      const { voucher, deposit, channelConfig } = payload as unknown as SentChannel;
      const held = (balances.get(voucher.channelId) ?? 0n) + BigInt(deposit?.amount ?? "0");
      if (BigInt(voucher.maxClaimableAmount) > held)
        return { isValid: false, invalidReason: "invalid_batch_settlement_evm_cumulative_exceeds_balance" };
      const extra = { balance: held.toString(), totalClaimed: "0", withdrawRequestedAt: 0, refundNonce: "0" };
      return { isValid: true, payer: channelConfig.payer, extra: { channelId: voucher.channelId, ...extra } };
    },
    async settle({ payload }) {
      const { type, voucher, deposit, channelConfig, amount } = payload as unknown as SentChannel;
      const { channelId } = voucher;
      const change = type === "refund" ? -BigInt(amount ?? "0") : BigInt(deposit?.amount ?? "0");
      const balance = (balances.get(channelId) ?? 0n) + change;
      balances.set(channelId, balance);
      if (type === "deposit") deposits.push(change);
      const channelState = {
        channelId,
        balance: balance.toString(),
        totalClaimed: "0",
        withdrawRequestedAt: 0,
        refundNonce: "0",
      };
      const extra = { channelState };
      return { success: true, transaction: "0xab", network, payer: channelConfig.payer, amount: "1", extra };
    },
  };
  return { facilitator, balances, deposits };
}

/** The payload of a payment from a channel. */
export interface SentChannel {
  readonly type: string;
  readonly amount?: string;
  readonly voucher: { readonly channelId: string; readonly maxClaimableAmount: string };
  readonly deposit?: { readonly amount: string };
  readonly channelConfig: { readonly payer: string };
}
