import { openConfiguredUsage } from "../../store/configured-store.ts";
import { type OpenUsageStore, type UsageStore } from "../../store/usage-store.ts";
import { UsageKeeper } from "../admin/usage/usage-keeper.ts";
import { type Config } from "../config/config.ts";
import { type GatewayFigures } from "./gateway-figures.ts";

interface UsageKeepingOptions {
  readonly figures: Pick<GatewayFigures, "zone" | "usage">;
  /** The SQLite file of ledger and usage, or `:memory:`. */
  readonly storePath: string;
  readonly postgres: Config["postgres"];
  readonly log: (message: string) => void;
}

/**
 * Keeps the usage of a running gateway, from `start` on. Close it after the gateway: then nobody counts any more. It has a connection
 * of its own to the store, since its writes may wait, and the process must not: it may have requests to serve. What is in memory alone is kept
 * beside the ledger, which is there too.
 */
export function createUsageKeeper({ figures, storePath, postgres, log }: UsageKeepingOptions): UsageKeeper {
  const inMemory = storePath === ":memory:" && (postgres.url ?? "") === "";
  const open = (): OpenUsageStore => {
    const beside = inMemory ? figures.usage?.() : undefined;
    return beside === undefined ? openConfiguredUsage(postgres, storePath) : withoutClose(beside);
  };
  return new UsageKeeper({ zone: figures.zone, open, inMemory, log });
}

/** The store is closed by who has opened it. */
function withoutClose(usage: UsageStore): OpenUsageStore {
  return {
    add: (batch) => usage.add(batch),
    read: (gateway) => usage.read(gateway),
    reset: (id, gateway) => usage.reset(id, gateway),
    async close() {},
  };
}
