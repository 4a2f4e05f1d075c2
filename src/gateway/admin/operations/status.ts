import { VERSION } from "../../../lib/process/version.ts";
import { type Config } from "../../config/config.ts";
import { Page } from "../../telemetry/metrics/page.ts";
import { findProblems } from "../overview/find-problems.ts";
import { type FacilitatorState } from "../overview/read-facilitators.ts";
import { type Status, status } from "../shapes/status.ts";
import { type UsageReading } from "../shapes/usage.ts";
import { liveResponse } from "./config-response.ts";
import { type Operation, operationTable } from "./operation.ts";

export const STATUS_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/status": {
    name: "showStatus",
    summary: "State of the gateway, and changes that are not in the file",
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
  "GET /v1/metrics": {
    name: "showMetrics",
    summary: "The metrics of the whole server, in Prometheus' text format",
    success: { description: "As /metrics of the traffic listeners, and the amounts of sales", types: ["text/plain"] },
    async run(_call, { view, usage }) {
      const { text, contentType } = view.metrics();
      // The other metrics are needed most while the store is away.
      const sales = await usage.read().then(salesOf, () => "");
      return new Response(text + sales, { headers: { "content-type": contentType } });
    },
  },
});

/** They are not among the metrics of the traffic listeners, whose clients must not see the amounts. */
function salesOf({ body }: UsageReading): string {
  const page = new Page().metric(
    "turnpike_sales_atomic_units_total",
    "counter",
    "Settled amounts in atomic units of the asset, since the last reset of the usage.",
  );
  for (const { route, other, amounts } of body.routes)
    for (const { network, asset, amount } of amounts)
      page.sample(Number(amount), { route: other === true ? "other" : route, network, asset });
  return page.text;
}

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
