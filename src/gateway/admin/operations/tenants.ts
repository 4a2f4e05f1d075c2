import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../../lib/errors.ts";
import { tenant } from "../shapes/common.ts";
import { callerOf, type Operation, operationTable } from "./operation.ts";

export const TENANT_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/tenants": {
    name: "listTenants",
    summary: "The warm tenants of all workers",
    success: { description: "The tenants", schema: z.object({ tenants: z.array(tenant) }) },
    failures: ["overloaded"],
    run: async (_call, { tenants }) => Response.json({ tenants: await tenants.list() }),
  },
  "DELETE /v1/tenants": {
    name: "dropTenant",
    summary: "Evict a tenant: its next request starts it again",
    query: { key: "The tenant's key" },
    success: {
      description: "No worker has it in memory any more",
      schema: z.object({ ok: z.literal(true), deleted: z.string() }),
    },
    failures: ["not-found", "overloaded"],
    async run(call, { tenants, events }) {
      const key = call.query.get("key");
      if (key === null || key === "")
        throw new TurnpikeError("bad-request", "Cannot tell which tenant is meant: name its key with ?key=");
      if (!(await tenants.drop(key)))
        throw new TurnpikeError("not-found", `Cannot find the tenant ${JSON.stringify(key)}`);
      const message = `the tenant ${JSON.stringify(key)} is evicted: its next request starts it again`;
      events.add({ kind: "tenant", message, by: callerOf(call).by, outcome: "done", details: { key } });
      return Response.json({ ok: true, deleted: key });
    },
  },
});
