import { type ContentFigures, type SemaphoreFigures } from "../api/shapes.ts";
import { count, NONE, percent } from "../format/numbers.ts";
import { Panel } from "../parts/bits.tsx";
import { Empty } from "../parts/states.tsx";
import { numberColumn, Table } from "../parts/table.tsx";

interface SemaphoreRow extends SemaphoreFigures {
  readonly name: string;
}

interface OperationRow {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  /** The error codes of failed operations, most frequent first. */
  readonly codes: readonly (readonly [code: string, times: number])[];
}

/** The load of the content service, and the outcomes of its operations. */
export function Busy({ figures }: { readonly figures: ContentFigures }) {
  const { engines, extraction, operations } = figures;
  const rows = Object.entries(operations).map(([name, { calls, failures }]): OperationRow => {
    const codes = Object.entries(failures).toSorted(([, a], [, b]) => b - a);
    return { name, calls, codes, failed: codes.reduce((sum, [, times]) => sum + times, 0) };
  });
  return (
    <>
      <Panel title="Slots" isFlush>
        <Table<SemaphoreRow>
          caption="Page slots of each engine, and requests that wait for one"
          rows={[
            { name: "Static engine", ...engines.static },
            { name: "Browser", ...engines.browser },
            { name: "Extraction", ...extraction },
          ]}
          keyOf={({ name }) => name}
          columns={[
            { name: "Engine", cell: ({ name }) => name },
            { name: "Under way", isNumber: true, cell: (row) => count(row.under_way) },
            { name: "Slots", isNumber: true, cell: ({ places }) => count(places) },
            {
              name: "Waiting",
              isNumber: true,
              cell: ({ waiting }) => <span class={waiting > 0 ? "text-bad" : undefined}>{count(waiting)}</span>,
            },
          ]}
        />
      </Panel>
      <Panel title="Operations" isFlush>
        <Table<OperationRow>
          caption="Calls of each operation since the start, and how many failed"
          rows={rows}
          keyOf={({ name }) => name}
          sortedBy="Calls"
          empty={<Empty title="Nothing was called yet">Calls are counted from the start of the service.</Empty>}
          columns={[
            { name: "Operation", sort: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
            numberColumn("Calls", ({ calls }) => calls),
            numberColumn("Failed", ({ failed }) => failed),
            {
              name: "Share",
              isNumber: true,
              cell: ({ calls, failed }) => (calls === 0 ? NONE : percent(failed / calls)),
            },
            {
              name: "Why",
              cell: ({ codes }) =>
                codes.length === 0 ? NONE : codes.map(([code, times]) => `${code} ${count(times)}`).join(", "),
            },
          ]}
        />
      </Panel>
    </>
  );
}
