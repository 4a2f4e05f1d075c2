import { type Tenant } from "../api/shapes.ts";
import { askToCall } from "../parts/ask.tsx";
import { agoCell } from "../parts/bits.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, numberColumn, Table } from "../parts/table.tsx";
import { Button } from "../parts/button.tsx";

interface TenantTableProps {
  readonly tenants: readonly Tenant[];
  /** At least one route leads to tenants. */
  readonly hasTenants: boolean;
  readonly onChange: () => void;
}

/** The warm tenants of all workers, each with a button to evict it. */
export function TenantTable({ tenants, hasTenants, onChange }: TenantTableProps) {
  const columns: readonly Column<Tenant>[] = [
    { name: "Tenant", sort: ({ key }) => key, cell: ({ key }) => <code>{key}</code> },
    { name: "Socket", cell: ({ path }) => <code>{path}</code> },
    numberColumn("Last used", (tenant) => tenant.last_used_ms, agoCell),
    numberColumn("Workers", ({ workers }) => workers),
  ];
  return (
    <Table
      caption="Warm tenants"
      rows={tenants}
      keyOf={({ key, path }) => `${key} ${path}`}
      columns={columns}
      actions={({ key }) => <Button label="Evict" of={key} kind="small danger" onClick={() => evict(key, onChange)} />}
      empty={
        <Empty title="No tenant is warm">
          {hasTenants ? (
            "A tenant is listed from its first request on, until it has had no requests for a while."
          ) : (
            <>
              No route leads to tenants. One with <code>tenant</code> in the place of <code>upstream</code> does.
            </>
          )}
        </Empty>
      }
    />
  );
}

function evict(key: string, onChange: () => void): void {
  askToCall({
    title: "Evict this tenant?",
    action: "Evict tenant",
    body: (
      <p>
        All workers forget where <code>{key}</code> runs. Its next request starts it again, which takes longer. The
        virtual machine itself is not stopped.
      </p>
    ),
    path: `/v1/tenants?key=${encodeURIComponent(key)}`,
    done: `The tenant ${key} is evicted.`,
    onChange,
  });
}
