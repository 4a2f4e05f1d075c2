/** The responses of the admin interface, as far as the console reads them. */
import { type z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../../../lib/deep-readonly.ts";
import { type route } from "../../../../config/schema/routes.ts";
import { type GatewayEvent as AnyEvent } from "../../../events/event-log.ts";
import { type credit, type creditWithHistory } from "../../../shapes/credits.ts";
import { type checked, type listedServer } from "../../../shapes/common.ts";

export type { WatchedRequest } from "../../../../telemetry/request-watch.ts";
export type { LogLine } from "../../../events/event-log.ts";
export type { ListedKeys, PatchOperation, Tenant, WasmState } from "../../../shapes/common.ts";
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

export type Credit = DeepReadonly<z.output<typeof credit>>;
export type CreditHistory = DeepReadonly<z.output<typeof creditWithHistory>>;
export type CheckResponse = DeepReadonly<z.output<typeof checked>>;
export type ServerState = DeepReadonly<z.output<typeof listedServer>>;
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Session {
  readonly access: "full" | "read";
  readonly csrf_token: string;
}

export interface Diagnostic {
  readonly path: string;
  readonly message: string;
}

export interface ProblemBody {
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly code?: string;
  readonly errors?: readonly Diagnostic[];
}

/** A route as it is configured, with only the type of `auth`. */
export type RouteSummary = DeepReadonly<
  Omit<z.input<typeof route>, "auth"> & { auth: string; wasm_filter: boolean; wasm_required?: boolean }
>;
export type RouteRedirect = NonNullable<RouteSummary["redirect"]>;

export interface UpstreamState {
  readonly name: string;
  readonly load_balancer: string;
  readonly protocol?: string;
  readonly servers: readonly ServerState[];
  readonly deleted?: true;
  /** The routes that name it, if it is deleted. */
  readonly waiting?: readonly string[];
}

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
