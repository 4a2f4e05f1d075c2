import * as z from "zod";

/** The figures of filters and tenants that `turnpike status` and `turnpike top` show. */
export const wasmSchema = z.object({
  park_active: z.number(),
  park_capacity: z.number(),
  pool_instances: z.number(),
  control_configured: z.boolean(),
  control_ready: z.boolean(),
  tenants_active: z.number(),
});
