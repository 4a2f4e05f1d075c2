import { type Address } from "../signatures/address.ts";
import { type Facilitator } from "./facilitator.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { type Reason } from "../x402/reasons.ts";

/** A token on a chain. */
export interface TakenAsset {
  readonly network: string;
  readonly address: Address;
}

/**
 * The same facilitator for these tokens alone, on these networks: of any other nothing is asked of a chain. A token is a
 * program of whoever made it, and may burn the gas of every settlement up to its bound, for as many payers as there are.
 */
export function takeOnly(
  facilitator: Facilitator,
  networks: readonly string[],
  assets: readonly TakenAsset[],
): Facilitator {
  const taken = new Set(assets.map(({ network, address }) => idOf(network, address)));

  function refusalOf({ network, asset }: PaymentRequirements): Reason | undefined {
    if (!networks.includes(network)) return "invalid_network";
    return taken.has(idOf(network, asset)) ? undefined : "invalid_payment_requirements";
  }

  return {
    supported: () => facilitator.supported(),
    async verify(payment, requirements) {
      const reason = refusalOf(requirements);
      return reason === undefined ? await facilitator.verify(payment, requirements) : { kind: "refused", reason };
    },
    async settle(payment, requirements) {
      const reason = refusalOf(requirements);
      return reason === undefined ? await facilitator.settle(payment, requirements) : { kind: "refused", reason };
    },
    async find(payment, requirements) {
      // It may have been settled when its token was taken.
      if (refusalOf(requirements) !== undefined) {
        return { kind: "unknown", cause: "the facilitator does not take this token or network" };
      }
      return await facilitator.find(payment, requirements);
    },
    close: () => facilitator.close(),
  };
}

function idOf(network: string, address: string): string {
  return `${network} ${address.toLowerCase()}`;
}
