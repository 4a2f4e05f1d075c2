import { type BufferPool } from "../../lib/buffer-pool.ts";
import { SpareAccount } from "../../lib/spare-account.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type LoadedFilters } from "../filters/loaded-filters.ts";
import { type RespondWithError } from "../local-response.ts";
import { createRequestHeadersPolicy } from "../policy/headers/headers.ts";
import { routeName } from "../routing/route-name.ts";
import type * as TenantRoutes from "./tenant-route.ts";
import { type Tenants } from "./tenants.ts";

/** Loaded with the first tenant route (bench start). */
const tenantRoutes = (): typeof TenantRoutes => require("./tenant-route.ts");

interface TenantParts {
  readonly config: Config;
  readonly filters: LoadedFilters;
  readonly tenants: Tenants;
  readonly bodies: BufferPool;
  readonly respondWithError: RespondWithError;
  readonly log: (message: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The part of the memory for gathered bodies that buffered responses leave to requests. Responses get no memory while
 * less than this part is free.
 */
const LEFT_TO_BODIES = 1 / 2;

/** Provides `routes[].tenant`: the tenant routes, except those whose filters cannot be loaded. */
export function provideTenants(parts: TenantParts): ReadonlyMap<RouteConfig, TenantRoutes.TenantRoute> {
  const { config, tenants, bodies, respondWithError, log, onError } = parts;
  const memory = new SpareAccount(bodies, LEFT_TO_BODIES, "bytes");
  const made = new Map<RouteConfig, TenantRoutes.TenantRoute>();
  for (const route of config.routes) {
    const filters = parts.filters.route(route);
    if (route.tenant === undefined || filters === undefined || filters === "closed") continue;
    const { TenantRoute } = tenantRoutes();
    const tenantRoute = new TenantRoute(route.tenant, {
      tenants,
      scope: JSON.stringify([routeName(route), route.tenant.socket_dir, route.tenant.header]),
      filters,
      requestHeaders: route.headers && createRequestHeadersPolicy(route.headers),
      waitMs: config.wasm_host_call_deadline_ms,
      bodies,
      memory,
      respondWithError,
      log,
      onError,
    });
    made.set(route, tenantRoute);
  }
  return made;
}
