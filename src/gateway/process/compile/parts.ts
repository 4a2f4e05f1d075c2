import { type BufferPool } from "../../../lib/buffer-pool.ts";
import { type Facilitators } from "../../../payments/facilitator/facilitators.ts";
import { type LateWrites } from "../../../store/late-writes.ts";
import { type Store } from "../../../store/store.ts";
import { type Config } from "../../config/config.ts";
import { type LoadedFilters } from "../../filters/loaded-filters.ts";
import { type WorkerFilters } from "../../filters/worker-filters.ts";
import { type GatewayState } from "../../gateway-paths.ts";
import { type RespondWithError } from "../../local-response.ts";
import { type LogFiles } from "../../policy/access-log/log-files.ts";
import { type LedgerWatch } from "../../policy/payment/maintenance/ledger-watch.ts";
import { type ResponseStore } from "../../policy/payment/responses/response-store.ts";
import { type RateLimits } from "../../policy/rate-limit/rate-limit.ts";
import { type RouteTargets } from "../../proxy/provide-targets.ts";
import { type Spool } from "../../proxy/spool.ts";
import { type OnEvent } from "../../telemetry/event.ts";
import { type Tracers } from "../../telemetry/tracing/tracers.ts";
import { type TenantRoutes } from "../../tenants/provide-tenants.ts";
import { type Tenants } from "../../tenants/tenants.ts";
import { type UpstreamDeps } from "../../upstream/upstreams.ts";

/** Objects that outlive a configuration: one of each per process. */
export interface ProcessDeps extends UpstreamDeps {
  readonly state: GatewayState;
  /** For bodies that a feature buffers whole. */
  readonly bodies: BufferPool;
  /** For responses to slow clients. */
  readonly spool: Spool;
  readonly responses: ResponseStore;
  readonly logFiles: LogFiles;
  readonly workerFilters: WorkerFilters;
  /** The buckets of all workers. */
  readonly rateLimits: RateLimits;
  readonly tenants: Tenants;
  /** Receives the tracer of a closed configuration if the next configuration has another one. */
  readonly tracers: Tracers;
  /** Opens the store when it is first needed: a gateway without paid routes has no store. */
  readonly store: () => Store;
  readonly ledgerWatch: LedgerWatch;
  readonly lateWrites: LateWrites;
  readonly facilitators: Facilitators;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly onEvent: OnEvent;
  /** The URL of the first listener, for payment challenges if `x402.public_url` is not set. */
  readonly baseUrl: string;
  /** The upstream that is the content service of this program; undefined without one. */
  readonly contentUpstream: string | undefined;
  /** Static files that can be open at once. */
  readonly maxOpenFiles: number;
  readonly listeners: readonly { readonly address: string; readonly port: number }[];
}

/** The parts from which policies are made: the configuration, the process, and what other features have made. */
export interface PolicyParts extends ProcessDeps {
  readonly config: Config;
  readonly respondWithError: RespondWithError;
  readonly filters: LoadedFilters;
  readonly tenantRoutes: TenantRoutes;
  readonly targets: RouteTargets;
}
