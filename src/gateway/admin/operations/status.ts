import { VERSION } from "../../../lib/process/version.ts";
import { status } from "../shapes/status.ts";
import { liveResponse } from "./config-response.ts";
import { type Operation } from "./operation.ts";

/** The operations that show the state of the gateway and its metrics. */
export const STATUS_OPERATIONS: readonly Operation[] = [
  {
    name: "showStatus",
    method: "get",
    path: "/v1/status",
    summary: "State of the gateway, and changes that are not in the file",
    access: "read",
    conditional: true,
    success: { description: "The status", schema: status },
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
  },
  {
    name: "showMetrics",
    method: "get",
    path: "/v1/metrics",
    summary: "The metrics of the whole server, in Prometheus' text format",
    access: "read",
    success: { description: "As /metrics of the traffic listeners", types: ["text/plain"] },
    run(_call, { view }) {
      const { text, contentType } = view.metrics();
      return new Response(text, { headers: { "content-type": contentType } });
    },
  },
];
