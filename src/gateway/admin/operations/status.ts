import { z } from "@hono/zod-openapi";
import { VERSION } from "../../../lib/version.ts";
import { liveResponse } from "./config-response.ts";
import { type Operation } from "./operation.ts";
import { actor, ETAG, patchOperation, wasm } from "./shapes.ts";

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
      difference: z
        .array(patchOperation)
        .openapi({ description: "Changes from the file to the running configuration" }),
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
    certificates: z
      .array(z.object({ path: z.string(), valid_from_ms: z.number(), valid_to_ms: z.number() }))
      .openapi({ description: "Every certificate that the gateway shows, and the CAs for clients" }),
    wasm,
  })
  .openapi("Status");

/** `GET /v1/status`: version, workers, counts of routes and upstreams, and the state of the configuration file. */
export const showStatus: Operation = {
  name: "showStatus",
  method: "get",
  path: "/v1/status",
  summary: "State of the gateway, and changes that are not in the file",
  access: "read",
  conditional: true,
  success: { status: 200, description: "The status", schema: status, headers: ETAG },
  failures: [],
  async run({ request }, { config, view, overview }) {
    const { routes, upstreams } = config.config;
    const { path, changedInMemory, changedOnDisk } = config.file;
    return liveResponse(request, config, {
      status: "ok",
      version: VERSION,
      started_at_ms: view.startedAt,
      routes: routes.length,
      upstreams: upstreams.length,
      port: view.port,
      workers: view.workers,
      config: {
        path,
        revision: config.revision,
        changed_in_memory: changedInMemory,
        changed_on_disk: changedOnDisk,
        difference: await config.difference(),
      },
      last_reload: config.lastReload,
      certificates: view
        .certificates()
        .map(({ path: key, from, to }) => ({ path: key, valid_from_ms: from, valid_to_ms: to })),
      wasm: overview.wasm(),
    });
  },
};

/** `GET /v1/metrics`: the metrics of all workers, in the text format of Prometheus. */
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
