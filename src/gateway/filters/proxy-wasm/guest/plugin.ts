import { type FilterCalls } from "../../calls/call-group.ts";
import { type FilterModule } from "../../module/module-cache.ts";
import { type FilterCounts, type FilterRuntime, type FilterSettings } from "../../runtime/runtime.ts";
import { type MetricTable } from "./metric-table.ts";
import { type SetProperties } from "../../runtime/set-properties.ts";
import { type SharedStore } from "../../runtime/shared-store.ts";

/** A filter, in the form that its instances need. */
export interface Plugin {
  readonly module: FilterModule;
  readonly settings: FilterSettings;
  readonly runtime: FilterRuntime;
  readonly shared: SharedStore;
  readonly counts: FilterCounts;
  readonly defined: MetricTable;
  readonly properties: SetProperties;
  /** Calls of the filter itself. Those for a request are a separate group. */
  readonly calls: FilterCalls;
}
