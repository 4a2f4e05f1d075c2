import { type Tenant } from "../api/shapes.ts";
import { count } from "../format/numbers.ts";
import { askToDelete } from "../parts/ask.tsx";
import { Ago } from "../parts/bits.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
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
    {
      name: "Last used",
      isNumber: true,
      sort: (tenant) => tenant.last_used_ms,
      cell: (tenant) => <Ago ms={tenant.last_used_ms} />,
    },
    { name: "Workers", isNumber: true, sort: ({ workers }) => workers, cell: ({ workers }) => count(workers) },
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
  askToDelete({
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
