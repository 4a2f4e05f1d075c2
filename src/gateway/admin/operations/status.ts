import { VERSION } from "../../../lib/process/version.ts";
import { type Config } from "../../config/config.ts";
import { findProblems } from "../overview/find-problems.ts";
import { type FacilitatorState } from "../overview/read-facilitators.ts";
import { type Status, status } from "../shapes/status.ts";
import { liveResponse } from "./config-response.ts";
import { type Operation } from "./operation.ts";

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
      const certificates = view
        .certificates()
        .map(({ path: key, from, to }) => ({ path: key, valid_from_ms: from, valid_to_ms: to }));
      const facilitators = facilitatorsOf(config.config.x402, overview.facilitators());
      const wasm = overview.wasm();
      const problems = findProblems({
        certificates,
        facilitators,
        wasm,
        upstreams: overview.servers(),
        isLedgerAway: overview.isLedgerAway(),
        nowMs: overview.snapshot().time_ms,
      });
      return liveResponse(request, config, {
        status: "ok",
        problems,
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
        certificates,
        facilitators,
        wasm,
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

function facilitatorsOf(x402: Config["x402"], { breakersOpen, gas }: FacilitatorState): Status["facilitators"] {
  const listed = x402.facilitators.map(({ name }) => name);
  const common = x402.facilitator_url === "" ? [] : ["facilitator_url"];
  const single = x402.embedded.enabled ? ["embedded"] : common;
  const configured = listed.length > 0 ? listed : single;
  return {
    members: (x402.test_mode ? ["test"] : configured).map((name, i) => ({
      name,
      breakers_open: (listed.length > 0 ? breakersOpen[i] : breakersOpen.at(-1)) ?? 0,
    })),
    breakers_open: breakersOpen.reduce((sum, open) => sum + open, 0),
    gas: x402.chains.flatMap(({ network }, i) => {
      const { balance = 0, low = 0 } = gas[i] ?? {};
      return balance + low === 0 ? [] : [{ network, balance, low_keys: low }];
    }),
  };
}
