import { type EventLog } from "./events/event-log.ts";
import { type Overview } from "./overview/overview.ts";
import { type RunningConfig } from "./running-config/running-config.ts";
import { type Actor } from "../telemetry/event.ts";
import { type UsageReport } from "./usage/usage-report.ts";

/** A tenant that is warm at one socket: its requests go straight to this socket. */
export interface Tenant {
  readonly key: string;
  readonly path: string;
  /** Unix milliseconds. */
  readonly last_used_ms: number;
  /** The number of workers in which it is warm. The other workers start it when they need it. */
  readonly workers: number;
}

/** The warm tenants of all workers. */
export interface TenantDirectory {
  /** Ordered by last use, newest first. Rejects with `overloaded` if a worker does not respond. */
  list(): Promise<readonly Tenant[]>;
  /** Makes every worker forget the tenant. False: no worker knew its key. Rejects as `list` does. */
  drop(key: string): Promise<boolean>;
}

/** The running gateway. */
export interface GatewayView {
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** The port of the first listener; 0 until it is bound. */
  readonly port: number;
  readonly workers: number;
  /** Path prefixes for which at least one worker responds with 503, because a filter of the route cannot be loaded. */
  readonly closedRoutes: readonly string[];
  /** The metrics of the whole server in the Prometheus text format. */
  metrics(): { readonly text: string; readonly contentType: string };
  /** Every certificate that the gateway shows, and the CAs for clients. Times are Unix milliseconds. */
  certificates(): readonly { readonly path: string; readonly from: number; readonly to: number }[];
  /**
   * Stops new requests to a server of an upstream, or allows them again, and logs it as an event. False: there is no
   * such server.
   */
  drain(server: { readonly upstream: string; readonly server: string }, isDrained: boolean, by: Actor): boolean;
}

/** The parts that the admin interface shows and changes. */
export interface AdminParts {
  readonly config: RunningConfig;
  readonly view: GatewayView;
  readonly usage: UsageReport;
  readonly events: EventLog;
  readonly overview: Overview;
  readonly tenants: TenantDirectory;
}
