import { SpareAccount } from "../../lib/memory/spare-account.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { type LoadedFilters } from "../filters/loaded-filters.ts";
import { createRequestHeadersPolicy } from "../policy/headers/headers.ts";
import { routeName } from "../routing/route-name.ts";
import { ColdStarts } from "./cold-starts.ts";
import type * as Routes from "./tenant-route.ts";
import { WarmTenants, type WarmTenantsLimits } from "./warm-tenants.ts";

/** Loaded with the first tenant route (bench start). */
const tenantRoutes = (): typeof Routes => require("./tenant-route.ts");

interface TenantParts extends FeatureParts {
  readonly filters: LoadedFilters;
  readonly tenants: Routes.Tenants;
}

/**
 * The part of the memory for gathered bodies that is reserved for requests. Responses are buffered only while more than this part is free.
 */
const LEFT_TO_BODIES = 1 / 2;

export interface TenantRoutes {
  get(route: RouteConfig): Routes.TenantRoute | undefined;
  use(): void;
}

/** Provides `routes[].tenant`: the tenant routes, except those whose filters cannot be loaded. */
export function provideTenants(parts: TenantParts): TenantRoutes {
  const { config, tenants, bodies, respondWithError, log, onError } = parts;
  const memory = new SpareAccount(bodies, LEFT_TO_BODIES, "bytes");
  const made = new Map<RouteConfig, Routes.TenantRoute>();
  for (const route of config.routes) {
    const filters = parts.filters.route(route);
    if (route.tenant === undefined || filters === undefined || filters === "closed") continue;
    const { TenantRoute } = tenantRoutes();
    const name = routeName(route);
    const tenantRoute = new TenantRoute(route.tenant, {
      tenants,
      name,
      scope: JSON.stringify([name, route.tenant.socket_dir, route.tenant.header]),
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
  return {
    get: (route) => made.get(route),
    use() {
      tenants.warm.limits = limitsOf(config);
    },
  };
}

type TenantDeps = Pick<FeatureParts, "wheel" | "buffers" | "telemetry" | "onError">;

/** The tenants of a worker. They outlive configurations. */
export function createTenants(config: Config, { telemetry: { counts }, ...servers }: TenantDeps): Routes.Tenants {
  const metrics = {
    hit: () => counts.add("tenantHits", 1),
    miss: () => counts.add("tenantMisses", 1),
    evicted: () => counts.add("tenantEvictions", 1),
    active: (count: number) => counts.set("tenantsActive", count),
  };
  const { wheel } = servers;
  const warm = new WarmTenants({ servers, wheel, clock: Date.now, metrics }, limitsOf(config));
  return { wheel, warm, starts: new ColdStarts() };
}

function limitsOf(config: Config): WarmTenantsLimits {
  return { idleMs: config.tenant_idle_ttl_ms, most: config.tenant_max_warm };
}
