import { z } from "@hono/zod-openapi";
import { listAt } from "../../config/finding.ts";
import { VERSION } from "../../../lib/version.ts";
import { liveAnswer } from "./config-answer.ts";
import { type Operation } from "./operation.ts";
import { actor, ETAG, patchOperation } from "./shapes.ts";

/** There are no filters and tenants in this build. */
const NO_WASM = {
  park_active: 0,
  park_capacity: 0,
  pool_instances: 0,
  pool_pinned: 0,
  control_configured: false,
  control_ready: false,
  tenants_active: 0,
  tenant_hits: 0,
  tenant_misses: 0,
  tenant_evictions: 0,
};

const status = z
  .object({
    status: z.literal("ok"),
    version: z.string(),
    started_at_ms: z.number(),
    routes: z.int(),
    upstreams: z.int(),
    port: z.int().openapi({ description: "Of the first listener" }),
    workers: z.int(),
    config: z.object({
      path: z.string().nullable(),
      revision: z.string(),
      changed_in_memory: z.boolean(),
      changed_on_disk: z.boolean(),
      difference: z.array(patchOperation).openapi({ description: "From the file to what is served" }),
    }),
    last_reload: z
      .object({
        time_ms: z.number(),
        by: actor,
        ok: z.boolean(),
        detail: z.string(),
        discarded: z.array(patchOperation),
      })
      .nullable(),
    wasm: z.object({
      park_active: z.int(),
      park_capacity: z.int(),
      pool_instances: z.int(),
      pool_pinned: z.int(),
      control_configured: z.boolean(),
      control_ready: z.boolean(),
      tenants_active: z.int(),
      tenant_hits: z.int(),
      tenant_misses: z.int(),
      tenant_evictions: z.int(),
    }),
  })
  .openapi("Status");

export const showStatus: Operation = {
  name: "showStatus",
  method: "get",
  path: "/v1/status",
  summary: "What runs, and whether memory and file differ",
  access: "read",
  conditional: true,
  success: { status: 200, description: "The status", schema: status, headers: ETAG },
  failures: [],
  run({ request }, { config, view }) {
    const served = config.effective();
    const { path, changedInMemory, changedOnDisk } = config.file;
    return liveAnswer(request, config, {
      status: "ok",
      version: VERSION,
      started_at_ms: view.startedAt,
      routes: listAt(served, ["routes"]).length,
      upstreams: listAt(served, ["upstreams"]).length,
      port: view.port,
      workers: view.workers,
      config: {
        path,
        revision: config.revision,
        changed_in_memory: changedInMemory,
        changed_on_disk: changedOnDisk,
        difference: config.difference(),
      },
      last_reload: config.lastReload,
      wasm: NO_WASM,
    });
  },
};

export const showMetrics: Operation = {
  name: "showMetrics",
  method: "get",
  path: "/v1/metrics",
  summary: "The metrics of the whole server, in Prometheus' text format",
  access: "read",
  success: {
    status: 200,
    description: "As /metrics of the traffic listeners",
    types: ["text/plain"],
  },
  failures: [],
  run(_call, { view }) {
    const { text, contentType } = view.metrics();
    return new Response(text, { headers: { "content-type": contentType } });
  },
};
