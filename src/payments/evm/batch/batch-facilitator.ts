import { type ChannelFacilitator, type ChannelSettlement } from "../../x402/channel-facilitator.ts";
import { type ChannelOrder } from "../../x402/channel-messages.ts";
import { createFlights } from "../node/flights.ts";
import { type Chain } from "../node/scheme.ts";
import { refused } from "../node/settlements.ts";
import { settleDeposit } from "./deposit.ts";
import { settleClaims, settleReceiver } from "./orders.ts";
import { settleRefund } from "./refund.ts";
import { verifyChannelPayment } from "./verify.ts";

async function settle(
  chain: Chain,
  { payload }: ChannelOrder,
  requirements: Parameters<ChannelFacilitator["settle"]>[1],
): Promise<ChannelSettlement> {
  switch (payload.type) {
    case "deposit":
      return await settleDeposit(chain, payload, requirements);
    case "claim":
      return await settleClaims(chain, payload);
    case "settle":
      return await settleReceiver(chain, payload);
    case "refund":
    default:
      return await settleRefund(chain, payload);
  }
}

/** Payments from channels on these chains. `maxFlights`: orders in progress at the same time. */
export function createBatchFacilitator(chains: ReadonlyMap<string, Chain>, maxFlights: number): ChannelFacilitator {
  /** A repeated order finds what the first one has sent. */
  const fly = createFlights<ChannelSettlement>(maxFlights);

  return {
    async verify(payment, requirements) {
      const chain = chains.get(requirements.network);
      if (chain === undefined || payment.accepted.network !== requirements.network) {
        return refused("invalid_batch_settlement_evm_network_mismatch");
      }
      if (chain.sender.bars(payment.payload.channelConfig.payer)) {
        return refused("invalid_batch_settlement_evm_deposit_transaction_failed");
      }
      return await verifyChannelPayment(chain, payment, requirements);
    },

    async settle(order, requirements) {
      const chain = chains.get(requirements.network);
      if (chain === undefined || order.accepted.network !== requirements.network) {
        return refused("invalid_batch_settlement_evm_network_mismatch");
      }
      const key = JSON.stringify([requirements.network, order.payload]);
      return await fly(key, JSON.stringify(requirements), () => settle(chain, order, requirements));
    },
  };
}
