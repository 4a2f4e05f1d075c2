import { createEmbeddedFacilitator, type EmbeddedOptions } from "../evm/embedded-facilitator.ts";
import { createSolanaFacilitator, type SolanaOptions } from "../solana-node/solana-facilitator.ts";
import { type Facilitator, type Kind } from "../x402/facilitator.ts";
import { UnsupportedError } from "../x402/kinds.ts";
import { isSolana } from "../x402/networks.ts";

/** The chains and keys of this program's own facilitator. `chains` may be empty if there is `solana`. */
export interface OwnOptions extends EmbeddedOptions {
  readonly solana?: SolanaOptions | undefined;
}

/** The facilitator of this program on all its chains. Throws if a key, a network or a URL is invalid. */
export function createOwn({ solana, ...evm }: OwnOptions): Facilitator {
  if (solana === undefined) return createEmbeddedFacilitator(evm);
  const onSolana = createSolanaFacilitator(solana, evm.steady);
  if (evm.chains.length === 0) return onSolana;
  const onEvm = createEmbeddedFacilitator(evm);
  const on = (network: string): Facilitator => (isSolana(network) ? onSolana : onEvm);
  return {
    supported: () => allKinds([onEvm, onSolana]),
    verify: (payment, requirements) => on(requirements.network).verify(payment, requirements),
    settle: (payment, requirements) => on(requirements.network).settle(payment, requirements),
    find: (payment, requirements) => on(requirements.network).find(payment, requirements),
    channels: onEvm.channels,
    async close() {
      await Promise.all([onEvm.close(), onSolana.close()]);
    },
  };
}

/** The kinds of all. Throws if one of them cannot tell its own; the error contains the others. */
async function allKinds(all: readonly Facilitator[]): Promise<readonly Kind[]> {
  const errors: string[] = [];
  const kinds = await Promise.all(
    all.map(async (one) => {
      try {
        return await one.supported();
      } catch (error) {
        if (!(error instanceof UnsupportedError)) throw error;
        errors.push(error.why);
        return error.kinds;
      }
    }),
  );
  if (errors.length > 0) throw new UnsupportedError(errors.join("; "), kinds.flat());
  return kinds.flat();
}
