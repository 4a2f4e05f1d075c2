import { type LedgerView } from "../../../store/ledger-view.ts";
import { type Channels } from "../../../store/channels.ts";
import { type Credits } from "../../../store/credits.ts";
import { type EventLog } from "../events/event-log.ts";
import { type RequestLog } from "../events/request-log.ts";
import { type ContentJobs } from "../overview/content-jobs.ts";
import { type Overview } from "../overview/overview.ts";
import { type LiveConfig } from "../running-config/live-config.ts";
import { type Actor } from "../../telemetry/event.ts";
import { type Tenant } from "../shapes/common.ts";
import { type UsageKeeper } from "../usage/usage-keeper.ts";
import { type OptionalRefunds } from "../../policy/payment/refunds/optional-refunds.ts";

/** The warm tenants of all workers. */
export interface TenantDirectory {
  /** Ordered by last use, newest first. Rejects with `overloaded` if a worker does not respond. */
  list(): Promise<readonly Tenant[]>;
  /** Makes every worker forget the tenant. False: no worker knew its key. Rejects as `list` does. */
  drop(key: string): Promise<boolean>;
}

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
  /** Drains a server of an upstream, or ends that, and logs it as an event. False: there is no such server. */
  drain(server: { readonly upstream: string; readonly server: string }, isDrained: boolean, by: Actor): boolean;
}

export interface AdminParts {
  readonly config: LiveConfig;
  readonly view: GatewayView;
  /** The usage of the whole server, and of every gateway that shares its database. */
  readonly usage: Pick<UsageKeeper, "read" | "readAndReset" | "funnel" | "hours">;
  readonly events: EventLog;
  readonly requests: RequestLog;
  readonly overview: Overview;
  readonly jobs: ContentJobs;
  /** The ledger; undefined if no route is paid. Throws if it cannot be opened. */
  ledger(): LedgerView | undefined;
  readonly tenants: TenantDirectory;
  /** The prepaid balances; undefined if only workers have them. Throws if they cannot be opened. */
  readonly credits: () => Credits | undefined;
  /** The payment channels, as `credits`. */
  readonly channels: () => Channels | undefined;
  readonly refunds: Pick<OptionalRefunds, "refund" | "refundCredit">;
}
