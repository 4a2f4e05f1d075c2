import { canonicalAddress } from "../x402/address.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type ChannelOrder, type ChannelPayment, type ChannelRequirements } from "../x402/channel-messages.ts";
import { tokensIn } from "./channel-calls.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { type Reason } from "../x402/reasons.ts";

/** A token on a chain. */
export interface TakenAsset {
  readonly network: string;
  readonly address: string;
}

/**
 * Limits a facilitator to these tokens on these networks. For all other tokens, no chain is asked. A token is a program
 * of its publisher: it could use gas up to the limit in each settlement, for any number of payers.
 */
export function takeOnly(
  facilitator: Facilitator,
  networks: readonly string[],
  assets: readonly TakenAsset[],
): Facilitator {
  const taken = new Set(assets.map(({ network, address }) => idOf(network, address)));

  function refusalOf({ network, asset }: Pick<PaymentRequirements, "network" | "asset">): Reason | undefined {
    if (!networks.includes(network)) return "invalid_network";
    return taken.has(idOf(network, asset)) ? undefined : "invalid_payment_requirements";
  }

  return {
    supported: () => facilitator.supported(),
    async verify(payment, requirements) {
      const reason = refusalOf(requirements);
      return reason === undefined ? facilitator.verify(payment, requirements) : { kind: "refused", reason };
    },
    async settle(payment, requirements) {
      const reason = refusalOf(requirements);
      return reason === undefined ? facilitator.settle(payment, requirements) : { kind: "refused", reason };
    },
    async find(payment, requirements) {
      // The payment may have been settled when its token was still allowed.
      if (refusalOf(requirements) !== undefined) {
        return { kind: "unknown", cause: "the facilitator does not accept this token or network" };
      }
      return facilitator.find(payment, requirements);
    },
    channels: facilitator.channels && channelsOnly(facilitator.channels, refusalOf),
    close: () => facilitator.close(),
  };
}

function channelsOnly(
  channels: ChannelFacilitator,
  refusalOf: (requirements: Pick<PaymentRequirements, "network" | "asset">) => Reason | undefined,
): ChannelFacilitator {
  function refusal(payment: ChannelOrder | ChannelPayment, requirements: ChannelRequirements) {
    const { network } = requirements;
    const reasons = tokensIn(payment, requirements).map((asset) => refusalOf({ network, asset }));
    const reason = reasons.find((one) => one !== undefined);
    return reason === undefined ? undefined : ({ kind: "refused", reason } as const);
  }
  return {
    verify: async (payment, requirements) => refusal(payment, requirements) ?? channels.verify(payment, requirements),
    settle: async (order, requirements) => refusal(order, requirements) ?? channels.settle(order, requirements),
  };
}

function idOf(network: string, address: string): string {
  return `${network} ${canonicalAddress(address)}`;
}
