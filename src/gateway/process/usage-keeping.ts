import { openConfiguredUsage } from "../../store/open/configured-store.ts";
import { type OpenUsageStore, type UsageStore } from "../../store/usage-store.ts";
import { UsageKeeper } from "../admin/usage/usage-keeper.ts";
import { type Config } from "../config/config.ts";
import { type GatewayFigures } from "./gateway/gateway-figures.ts";

interface UsageKeepingOptions {
  readonly figures: Pick<GatewayFigures, "zone" | "store">;
  /** The SQLite file of ledger and usage, or `:memory:`. */
  readonly storePath: string;
  readonly postgres: Config["postgres"];
  readonly log: (message: string) => void;
}

/**
 * Keeps the usage of a running gateway, from `start` on. Close it after the gateway, when all counting has ended. It
 * has its own connection to the store, because its writes may wait, and the process must not wait with them. In-memory
 * usage is kept in the store of the in-memory ledger.
 */
export function createUsageKeeper({ figures, storePath, postgres, log }: UsageKeepingOptions): UsageKeeper {
  const inMemory = storePath === ":memory:" && (postgres.url ?? "") === "";
  const open = (): OpenUsageStore => {
    const beside = inMemory ? figures.store?.().usage : undefined;
    return beside === undefined ? openConfiguredUsage(postgres, storePath) : withoutClose(beside);
  };
  return new UsageKeeper({ zone: figures.zone, open, inMemory, log });
}

/** The owner of the store closes it. */
function withoutClose(usage: UsageStore): OpenUsageStore {
  return {
    add: (batch) => usage.add(batch),
    read: (gateway) => usage.read(gateway),
    reset: (id, gateway) => usage.reset(id, gateway),
    funnel: (since) => usage.funnel(since),
    hours: () => usage.hours(),
    async close() {},
  };
}
