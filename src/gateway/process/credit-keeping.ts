import { openConfiguredStore } from "../../store/open/configured-store.ts";
import { type Credits } from "../../store/credits.ts";
import { type Config } from "../config/config.ts";
import { type GatewayFigures } from "./gateway/gateway-figures.ts";

interface CreditKeepingOptions {
  readonly figures: Pick<GatewayFigures, "store">;
  /** The SQLite file of the ledger, or `:memory:`. */
  readonly storePath: string;
  readonly postgres: Config["postgres"];
}

/** The prepaid balances that operators see and change. */
export interface OpenCredits {
  readonly credits: Credits;
  close(): Promise<void>;
}

/** Opens the prepaid balances in the store of this process, or else in that of its workers. Throws if that fails. */
export function openCredits({ figures, storePath, postgres }: CreditKeepingOptions): OpenCredits {
  const own = figures.store?.();
  // The gateway closes its own store.
  if (own !== undefined) return { credits: own.credits, async close() {} };
  const store = openConfiguredStore(postgres, storePath);
  return { credits: store.credits, close: () => store.close() };
}
