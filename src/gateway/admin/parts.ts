import { type EventLog } from "./events/event-log.ts";
import { type Overview } from "./overview/overview.ts";
import { type RunningConfig } from "./running-config/running-config.ts";
import { type Actor } from "../telemetry/event.ts";
import { type UsageReport } from "./usage/usage-report.ts";

/** A tenant that is warm at one socket: its requests go straight to its socket. */
export interface Tenant {
  readonly key: string;
  readonly path: string;
  /** Unix milliseconds. */
  readonly last_used_ms: number;
  /** In so many workers it is warm; the other ones start it when they need it. */
  readonly workers: number;
}

/** The warm tenants of all workers. */
export interface TenantDirectory {
  /** The one used last comes first. Rejects with `overloaded` where a worker gives no response. */
  list(): Promise<readonly Tenant[]>;
  /** Every worker has forgotten it then. False: none knew one with that key. Rejects as `list` does. */
  drop(key: string): Promise<boolean>;
}

/** The gateway as it runs. */
export interface GatewayView {
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Of the first listener; 0 before it is bound. */
  readonly port: number;
  readonly workers: number;
  /** Path prefixes that some worker answers 503, since a filter of theirs cannot be loaded. */
  readonly closedRoutes: readonly string[];
  /** The metrics of the whole server in Prometheus' text format. */
  metrics(): { readonly text: string; readonly contentType: string };
  /** Keeps new requests from a server of an upstream, or does not any more, and tells so. False: there is no such server. */
  drain(server: { readonly upstream: string; readonly server: string }, isDrained: boolean, by: Actor): boolean;
}

/** What the admin interface shows and changes. */
export interface AdminParts {
  readonly config: RunningConfig;
  readonly view: GatewayView;
  readonly usage: UsageReport;
  readonly events: EventLog;
  readonly overview: Overview;
  readonly tenants: TenantDirectory;
}
