import { type Address, canonicalAddress } from "../x402/address.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { type Reason } from "../x402/reasons.ts";

/** A token on a chain. */
export interface TakenAsset {
  readonly network: string;
  readonly address: Address;
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
      // The payment may have been settled when its token was still allowed.
      if (refusalOf(requirements) !== undefined) {
        return { kind: "unknown", cause: "the facilitator does not accept this token or network" };
      }
      return await facilitator.find(payment, requirements);
    },
    close: () => facilitator.close(),
  };
}

function idOf(network: string, address: string): string {
  return `${network} ${canonicalAddress(address)}`;
}
