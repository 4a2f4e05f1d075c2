import { type TenantDirectory } from "../../admin/operations/parts.ts";
import { type Tenant } from "../../admin/shapes/common.ts";
import { type WarmTenant, type WarmTenants } from "../../tenants/warm-tenants.ts";
import { type TenantQuestions } from "./tenant-questions.ts";

/** The tenants of the only worker. */
export function ownTenants(own: Pick<WarmTenants, "list" | "drop">): TenantDirectory {
  return {
    list: async () => merged([own.list()]),
    drop: async (key) => own.drop(key),
  };
}

/** The tenants of all workers. `workers` is called for each query. */
export function tenantsOf(workers: () => readonly TenantQuestions[]): TenantDirectory {
  return {
    async list() {
      const responses = await Promise.all(workers().map((worker) => worker.ask()));
      return merged(responses.map(({ tenants }) => tenants));
    },
    async drop(key) {
      const responses = await Promise.all(workers().map((worker) => worker.ask(key)));
      return responses.some(({ dropped }) => dropped);
    },
  };
}

/** One entry for each tenant and socket, with the number of its workers; the tenant used last comes first. */
function merged(lists: readonly (readonly WarmTenant[])[]): Tenant[] {
  const found = new Map<string, { key: string; path: string; last_used_ms: number; workers: Set<number> }>();
  for (const [worker, tenants] of lists.entries()) {
    for (const { key, path, lastUsedMs } of tenants) {
      const id = `${key}\0${path}`;
      const known = found.getOrInsert(id, { key, path, last_used_ms: lastUsedMs, workers: new Set() });
      known.last_used_ms = Math.max(known.last_used_ms, lastUsedMs);
      known.workers.add(worker);
    }
  }
  return [...found.values()]
    .map(({ workers, ...tenant }) => ({ ...tenant, workers: workers.size }))
    .toSorted((a, b) => b.last_used_ms - a.last_used_ms);
}
