import { Changes } from "../parts/button.tsx";
import { type JsonObject, type Overview, type Tenant, type WasmState } from "../api/shapes.ts";
import { itemsOf } from "../form/drafts.ts";
import { count, counted, NONE, percent } from "../format/numbers.ts";
import { traffic } from "../live/overview-feed.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { useStore } from "../api/store.ts";
import { Badge, Head, Panel, Tile, Tiles } from "../parts/bits.tsx";
import { Empty, Loaded, Loading } from "../parts/states.tsx";
import { FilterTable, filterRows } from "./filter-table.tsx";
import { TenantTable } from "./tenant-table.tsx";

const READ_MS = 5_000;
/** The page warns from this share of the limit for parked requests on. */
const NEARLY_FULL = 0.8;

/** WebAssembly filters, their results, and the tenants that they start. */
export function Filters() {
  const { now } = useStore(traffic);
  const config = useResource<JsonObject>("/v1/config", { on: ["change", "reload"] });
  return (
    <>
      <Head
        title="Filters and tenants"
        lead="WebAssembly filters allow, reject or change requests, and start the tenants that serve them."
      />
      {now === undefined ? (
        <Loading />
      ) : (
        <Loaded resource={config}>{(document) => <Content now={now} document={document} />}</Loaded>
      )}
    </>
  );
}

function Content({ now, document }: { readonly now: Overview; readonly document: JsonObject }) {
  const { window } = useStore(traffic);
  const tenants = useResource<{ readonly tenants: readonly Tenant[] }>("/v1/tenants", {
    everyMs: READ_MS,
    on: ["tenant"],
  });
  const rows = filterRows(itemsOf(document, "wasm_filters"), now, window);
  const hasTenants = itemsOf(document, "routes").some((route) => route["tenant"] !== undefined);
  if (rows.length === 0 && !now.wasm.control_configured && !hasTenants) return <NoFilters />;
  return (
    <>
      <Figures wasm={now.wasm} />
      <Panel title={counted(rows.length, "filter")} isFlush>
        <FilterTable rows={rows} />
      </Panel>
      <Panel title="Warm tenants" isFlush>
        <Loaded resource={tenants}>
          {(data) => <TenantTable tenants={data.tenants} hasTenants={hasTenants} onChange={tenants.reload} />}
        </Loaded>
      </Panel>
    </>
  );
}

function NoFilters() {
  return (
    <Empty title="No filters yet">
      <p>
        A filter is a WebAssembly module that sees each request of a route before the upstream does. List it in{" "}
        <code>wasm_filters</code> of the configuration, with the route's path prefix in <code>match</code>. Check it
        first: <code>turnpike filter check guard.wasm</code>.
      </p>
      <Changes>
        <a href={linkTo("config")}>Open the configuration</a>
      </Changes>
    </Empty>
  );
}

function Figures({ wasm }: { readonly wasm: WasmState }) {
  const asked = wasm.tenant_hits + wasm.tenant_misses;
  const isFull = wasm.park_active > 0 && wasm.park_active >= wasm.park_capacity * NEARLY_FULL;
  return (
    <Tiles>
      <Tile
        label="Parked requests"
        value={count(wasm.park_active)}
        tone={isFull ? "warn" : undefined}
        detail={`room for ${count(wasm.park_capacity)}`}
      />
      <Tile label="Instances" value={count(wasm.pool_instances)} detail={`${count(wasm.pool_pinned)} pinned`} />
      <Tile
        label="Sandbox"
        value={
          <Badge tone={!wasm.control_configured ? "none" : wasm.control_ready ? "good" : "bad"}>
            {!wasm.control_configured ? "none" : wasm.control_ready ? "connected" : "not connected"}
          </Badge>
        }
        detail={sandboxDetail(wasm)}
      />
      <Tile
        label="Warm tenants"
        value={count(wasm.tenants_active)}
        detail={`all workers, ${count(wasm.tenant_evictions)} evicted`}
      />
      <Tile
        label="Warm requests"
        value={asked === 0 ? NONE : percent(wasm.tenant_hits / asked)}
        detail={counted(wasm.tenant_misses, "cold start")}
      />
    </Tiles>
  );
}

function sandboxDetail({ control_configured: isConfigured, control_ready: isReady }: WasmState): string {
  if (!isConfigured) return "wasm_control_socket is not set";
  return isReady ? "takes host calls" : "filters that park fail";
}
