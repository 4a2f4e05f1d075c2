/** The responses of the admin interface, as far as the console reads them. */
import { type z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../../../lib/deep-readonly.ts";
import { type route } from "../../../../config/schema/routes.ts";
import { type GatewayEvent as AnyEvent } from "../../../events/event-log.ts";
import { type creditWithHistory } from "../../../shapes/credits.ts";
import { type checked, type ListedUpstreams, type problem } from "../../../shapes/common.ts";

export type { WatchedRequest } from "../../../../telemetry/request-watch.ts";
export type { LogLine } from "../../../events/event-log.ts";
export type { Diagnostic, ListedKeys, PatchOperation, Tenant, WasmState } from "../../../shapes/common.ts";
export type { ShownCredit as Credit } from "../../../shapes/credits.ts";
export type { FunnelEntry, FunnelReading } from "../../../shapes/funnel.ts";
export type { JobList, ListedJob } from "../../../shapes/jobs.ts";
export type { ContentSummary, History, OverviewSnapshot as Overview } from "../../../shapes/overview.ts";
export type {
  PaymentDetail,
  PaymentPage,
  PaymentSummary,
  RecentPayment,
  SoldOnDay,
  TopPayers,
} from "../../../shapes/payments.ts";
export type { LastReload, Status } from "../../../shapes/status.ts";
export type { SoldCounts, UsageBody, UsageCounts, UsageHours } from "../../../shapes/usage.ts";

export type CreditHistory = DeepReadonly<z.output<typeof creditWithHistory>>;
export type CheckResponse = DeepReadonly<z.output<typeof checked>>;
export type UpstreamState = ListedUpstreams["upstreams"][number] & { readonly protocol?: string };
export type ServerState = UpstreamState["servers"][number];
/** A proxy in front of the gateway may leave parts out. */
export type ProblemBody = DeepReadonly<Partial<z.output<typeof problem>>>;
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Session {
  readonly access: "full" | "read";
  readonly csrf_token: string;
}

/** A route as it is configured, with only the type of `auth`. */
export type RouteSummary = DeepReadonly<
  Omit<z.input<typeof route>, "auth"> & { auth: string; wasm_filter: boolean; wasm_required?: boolean }
>;
export type RouteRedirect = NonNullable<RouteSummary["redirect"]>;

export interface Amount {
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  /** Missing if the gateway does not know the token. */
  readonly decimals?: number | undefined;
  readonly symbol?: string | undefined;
}

export interface GatewayEvent extends AnyEvent {
  readonly healthy?: boolean;
  readonly in_rotation?: boolean;
}

/** A limit of the content service, its use, and the queue for it. */
export interface SemaphoreFigures {
  readonly places: number;
  readonly under_way: number;
  readonly waiting: number;
}

export interface ContentFigures {
  readonly started_at_ms: number;
  readonly engines: { readonly static: SemaphoreFigures; readonly browser: SemaphoreFigures };
  readonly extraction: SemaphoreFigures;
  readonly browsers: { readonly running: number; readonly started: number; readonly lost: number };
  readonly operations: Readonly<
    Record<string, { readonly calls: number; readonly failures: Readonly<Record<string, number>> }>
  >;
}
