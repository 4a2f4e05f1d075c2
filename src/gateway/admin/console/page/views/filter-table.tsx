import { type Json, type JsonObject, type Overview } from "../api/shapes.ts";
import { count, NONE, percent, short } from "../format/numbers.ts";
import { type FilterOutcomes, outcomesOf } from "../../../figures/filter-outcomes.ts";
import { filterKey, type FilterRates } from "../../../figures/filter-rates.ts";
import { type Window } from "../../../figures/rates.ts";
import { Badge } from "../parts/bits.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, latencyColumn, numberColumn, Table } from "../parts/table.tsx";

/** A filter on a route: its configuration and its counts. */
export interface FilterRow {
  readonly key: string;
  readonly name: string;
  readonly route: string;
  /** Undefined if the filter is no longer in the configuration. */
  readonly configured: JsonObject | undefined;
  readonly outcomes: FilterOutcomes | undefined;
  readonly rates: FilterRates | undefined;
}

/** A row for each entry of `wasm_filters`, and for each filter with counts that is no longer configured. */
export function filterRows(
  filters: readonly JsonObject[],
  { filters: { entries } }: Overview,
  window: Window | undefined,
): FilterRow[] {
  const countedOf = new Map(entries.map((entry) => [filterKey(entry.filter, entry.route), outcomesOf(entry)]));
  const configured = filters.map((filter, index): FilterRow => {
    const name = valueText(filter["module"]).split("/").at(-1) ?? "";
    const route = valueText(filter["match"]);
    const key = filterKey(name, route);
    const figures = { outcomes: countedOf.get(key), rates: window?.filters.get(key) };
    return { key: `${key} ${index}`, name, route, configured: filter, ...figures };
  });
  const known = new Set(configured.map(({ name, route }) => filterKey(name, route)));
  const others = entries.flatMap(({ filter, route }): FilterRow[] => {
    const key = filterKey(filter, route);
    if (known.has(key)) return [];
    const figures = { outcomes: countedOf.get(key), rates: window?.filters.get(key) };
    return [{ key, name: filter, route, configured: undefined, ...figures }];
  });
  return [...configured, ...others];
}

function valueText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

const COLUMNS: readonly Column<FilterRow>[] = [
  { name: "Filter", sort: ({ name }) => name, cell: (row) => <FilterName row={row} /> },
  {
    name: "Invocations",
    isNumber: true,
    sort: ({ rates }) => rates?.perSecond ?? 0,
    cell: ({ rates, outcomes }) => (
      <span class="stack end">
        <span>{rates === undefined ? NONE : `${short(rates.perSecond)} /s`}</span>
        <span class="soft">{count(outcomes?.all ?? 0)} in all</span>
      </span>
    ),
  },
  shareColumn("Rejected", ({ outcomes }) => outcomes?.rejected ?? 0),
  { ...shareColumn("Parked", ({ outcomes }) => outcomes?.parked ?? 0), isMinor: true },
  { name: "Failed", sort: failuresOf, cell: (row) => <Failures row={row} /> },
  {
    name: "Fuel",
    isNumber: true,
    sort: ({ rates }) => rates?.fuel ?? 0,
    cell: ({ rates, configured }) => (
      <span class="stack end">
        <span>{rates?.fuel === undefined ? NONE : short(rates.fuel)}</span>
        <span class="soft">
          {configured === undefined ? "" : `of ${short(Number(configured["fuel"] ?? 5_000_000))}`}
        </span>
      </span>
    ),
  },
  latencyColumn("p95", ({ rates }) => rates?.p95),
];

export function FilterTable({ rows }: { readonly rows: readonly FilterRow[] }) {
  return (
    <Table<FilterRow>
      caption="Filters: rates, fuel and times of the last minute, counts since the start"
      rows={rows}
      keyOf={({ key }) => key}
      columns={COLUMNS}
      empty={
        <Empty title="No filters">
          Filters are listed in <code>wasm_filters</code> of the configuration.
        </Empty>
      }
    />
  );
}

function FilterName({ row: { name, route, configured } }: { readonly row: FilterRow }) {
  if (name === "") return <span>all other filters</span>;
  return (
    <span class="stack">
      <code title={valueText(configured?.["module"])}>{name}</code>
      <span class="soft">
        on <code>{route}</code>
        {configured === undefined ? ", removed" : ""}
      </span>
    </span>
  );
}

/** A part of the invocations, with its share of all. */
function shareColumn(name: string, valueOf: (row: FilterRow) => number): Column<FilterRow> {
  return numberColumn(name, valueOf, (value, { outcomes }) =>
    outcomes === undefined || outcomes.all === 0 ? (
      NONE
    ) : (
      <span class="stack end">
        <span>{count(value)}</span>
        <span class="soft">{percent(value / outcomes.all)}</span>
      </span>
    ),
  );
}

const FAILURES: Readonly<Record<string, string>> = {
  fuel: "out of fuel",
  trap: "trapped",
  misuse: "broke the ABI",
  deadline: "parked too long",
  control: "sandbox failed",
  start: "did not start",
  busy: "no instance free",
};

function failuresOf({ outcomes }: FilterRow): number {
  return (outcomes?.failures ?? []).reduce((sum, [, some]) => sum + some, 0);
}

function Failures({ row }: { readonly row: FilterRow }) {
  const all = failuresOf(row);
  if (all === 0) return <>{row.outcomes === undefined ? NONE : "0"}</>;
  const isNow = (row.rates?.failed ?? 0) > 0;
  return (
    <span class="stack">
      <span>
        <Badge tone={isNow ? "bad" : "none"}>{count(all)}</Badge>
      </span>
      <span class="soft">
        {row.outcomes?.failures.map(([kind, some]) => `${count(some)} ${FAILURES[kind] ?? kind}`).join(", ")}
      </span>
    </span>
  );
}
