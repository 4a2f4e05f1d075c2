import { type BufferPool } from "../../lib/buffer-pool.ts";
import { SpareAccount } from "../../lib/spare-account.ts";
import { type RespondWithError } from "../local-response.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type LoadedFilters } from "../filters/loaded-filters.ts";
import { type Policy } from "../policy/policy.ts";
import { routeName } from "../routing/route-name.ts";
import type * as TenantRoutes from "../tenants/tenant-route.ts";
import { type Tenants } from "../tenants/tenants.ts";
import { Upstream } from "../upstream/upstream.ts";

/** Loaded with the first tenant route (bench start). */
const routes = (): typeof TenantRoutes => require("../tenants/tenant-route.ts");

/** The upstream of a route without one. It has no servers. */
export const NO_UPSTREAM = new Upstream({ name: "", balancing: "round_robin", scheme: "http" }, () => {
  throw new Error("Cannot make a server: this upstream never has one");
});

interface TenantDeps {
  readonly tenants: Tenants;
  readonly bodies: BufferPool;
  readonly log: (message: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The part of the memory for gathered bodies that buffered responses leave to requests. Responses get no memory while
 * less than this part is free.
 */
const LEFT_TO_BODIES = 1 / 2;

/** Makes the tenant routes of a configuration. */
export function tenantRoutes(config: Config, deps: TenantDeps, respondWithError: RespondWithError) {
  const memory = new SpareAccount(deps.bodies, LEFT_TO_BODIES, "bytes");
  /** Undefined if the route has no tenants, or if its filters cannot be loaded. */
  return function tenantRoute(
    route: RouteConfig,
    filters: ReturnType<LoadedFilters["route"]>,
    requestHeaders: Policy | undefined,
  ): TenantRoutes.TenantRoute | undefined {
    if (route.tenant === undefined || filters === undefined || filters === "closed") return undefined;
    const { TenantRoute } = routes();
    return new TenantRoute(route.tenant, {
      tenants: deps.tenants,
      scope: JSON.stringify([routeName(route), route.tenant.socket_dir, route.tenant.header]),
      filters,
      requestHeaders,
      waitMs: config.wasm_host_call_deadline_ms,
      bodies: deps.bodies,
      memory,
      respondWithError,
      log: deps.log,
      onError: deps.onError,
    });
  };
}
