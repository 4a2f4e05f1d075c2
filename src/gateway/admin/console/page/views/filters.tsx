import { call } from "../api/client.ts";
import { type Json, type JsonObject, type Status, type Tenant, type WasmState } from "../api/shapes.ts";
import { itemsOf } from "../form/drafts.ts";
import { count, NONE, percent } from "../format/numbers.ts";
import { useResource } from "../live/resource.ts";
import { useMayChange } from "../parts/access.ts";
import { ask } from "../parts/ask.tsx";
import { Ago, Badge, Head, Panel, Tile, Tiles } from "../parts/bits.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { tell } from "../parts/told.tsx";

const READ_MS = 5_000;

/** WASM filters and the tenants that they start. */
export function Filters() {
  const status = useResource<Status>("/v1/status", { everyMs: READ_MS });
  const config = useResource<JsonObject>("/v1/config", { on: ["change", "reload"] });
  const tenants = useResource<{ readonly tenants: readonly Tenant[] }>("/v1/tenants", { everyMs: READ_MS });
  const mayChange = useMayChange();
  return (
    <>
      <Head
        title="Filters and tenants"
        lead="WASM filters run before a route's upstream; tenants are started by them."
      />
      <Loaded resource={status}>{({ wasm }) => <Figures wasm={wasm} />}</Loaded>
      <Panel title="Filters" isFlush>
        <Loaded resource={config}>{(document) => <FilterTable filters={itemsOf(document, "wasm_filters")} />}</Loaded>
      </Panel>
      <Panel title="Warm tenants" isFlush>
        <Loaded resource={tenants}>
          {(data) => <TenantTable tenants={data.tenants} mayChange={mayChange} onChange={tenants.reload} />}
        </Loaded>
      </Panel>
    </>
  );
}

function Figures({ wasm }: { readonly wasm: WasmState }) {
  const asked = wasm.tenant_hits + wasm.tenant_misses;
  return (
    <Tiles>
      <Tile label="Parked requests" value={count(wasm.park_active)} detail={`of ${count(wasm.park_capacity)}`} />
      <Tile label="Instances" value={count(wasm.pool_instances)} detail={`${count(wasm.pool_pinned)} pinned`} />
      <Tile
        label="Control socket"
        value={
          <Badge tone={!wasm.control_configured ? "none" : wasm.control_ready ? "good" : "bad"}>
            {!wasm.control_configured ? "none" : wasm.control_ready ? "ready" : "not ready"}
          </Badge>
        }
        detail={wasm.control_configured ? "" : "wasm_control_socket is not set"}
      />
      <Tile
        label="Warm tenants"
        value={count(wasm.tenants_active)}
        detail={`${count(wasm.tenant_evictions)} evicted`}
      />
      <Tile
        label="Warm starts"
        value={asked === 0 ? NONE : percent(wasm.tenant_hits / asked)}
        detail={`${count(wasm.tenant_misses)} cold starts`}
      />
    </Tiles>
  );
}

function textOf(value: Json | undefined): string {
  return value === undefined ? NONE : typeof value === "string" ? value : JSON.stringify(value);
}

function FilterTable({ filters }: { readonly filters: readonly JsonObject[] }) {
  return (
    <Table<JsonObject>
      caption="Configured filters"
      rows={filters}
      keyOf={(filter) => `${textOf(filter["match"])} ${textOf(filter["module"])}`}
      empty={
        <Empty title="No filters">
          Filters are listed in <code>wasm_filters</code> of the configuration.
        </Empty>
      }
      columns={[
        { name: "Requests", cell: (filter) => <code>{textOf(filter["match"])}</code> },
        { name: "Module", cell: (filter) => <code>{textOf(filter["module"])}</code> },
        { name: "Instances", isNumber: true, cell: (filter) => textOf(filter["instances"] ?? 1) },
        { name: "Fuel", isNumber: true, cell: (filter) => count(Number(filter["fuel"] ?? 5_000_000)) },
        {
          name: "When its response step fails",
          isMinor: true,
          cell: (filter) => (filter["response_fail_closed"] === true ? "answers 503" : "passes the response on"),
        },
      ]}
    />
  );
}

interface TenantTableProps {
  readonly tenants: readonly Tenant[];
  readonly mayChange: boolean;
  readonly onChange: () => void;
}

function TenantTable({ tenants, mayChange, onChange }: TenantTableProps) {
  const columns: Column<Tenant>[] = [
    { name: "Tenant", sort: ({ key }) => key, cell: ({ key }) => <code>{key}</code> },
    { name: "Socket", cell: ({ path }) => <code>{path}</code> },
    {
      name: "Last used",
      isNumber: true,
      sort: (tenant) => tenant.last_used_ms,
      cell: (tenant) => <Ago ms={tenant.last_used_ms} />,
    },
  ];
  if (mayChange) {
    columns.push({
      name: "Actions",
      cell: ({ key }) => (
        <button class="button small danger" type="button" onClick={() => evict(key, onChange)}>
          Evict<span class="visually-hidden"> {key}</span>
        </button>
      ),
    });
  }
  return (
    <Table
      caption="Warm tenants"
      rows={tenants}
      keyOf={({ key }) => key}
      columns={columns}
      empty={<Empty title="No tenant is warm">A tenant's first request starts it, and it is listed here.</Empty>}
    />
  );
}

function evict(key: string, onChange: () => void): void {
  ask({
    title: "Evict this tenant?",
    action: "Evict tenant",
    isDangerous: true,
    body: (
      <p>
        The gateway forgets where <code>{key}</code> runs. Its next request starts it again, which takes longer. The
        virtual machine itself is not stopped.
      </p>
    ),
    async run() {
      await call(`/v1/tenants?key=${encodeURIComponent(key)}`, { method: "DELETE" });
      tell(`The tenant ${key} is evicted.`);
      onChange();
    },
  });
}
