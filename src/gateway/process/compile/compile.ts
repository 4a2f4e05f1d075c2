import { createAllowedHosts } from "../../../lib/http/allowed-hosts.ts";
import { inSlices, Slices } from "../../../lib/slices.ts";
import { hostOf } from "../../../lib/http/url-host.ts";
import { createClientAddress } from "../../exchange/client-address.ts";
import { type Config, type RouteConfig } from "../../config/config.ts";
import { withCreditRoute } from "../../config/credit-route.ts";
import { isGuarded } from "../../config/guards.ts";
import { provideFilters } from "../../filters/provide-filters.ts";
import { respondPreencoded, respondWithError } from "../../exchange/local-response.ts";
import { type GatewayState } from "../../pipeline/gateway-paths.ts";
import { type Pipeline, type Route } from "../../pipeline/pipeline.ts";
import { providePayments } from "../../policy/payment/provide-payments.ts";
import { type Policy, type PolicyFeature } from "../../policy/policy.ts";
import { provideRateLimits } from "../../policy/rate-limit/provide-rate-limits.ts";
import { tracedPolicy } from "../../policy/traced-policy.ts";
import { provideObservers } from "../../pipeline/observer.ts";
import { provideCaches } from "../../proxy/cache/provide-caches.ts";
import { provideTargets } from "../../proxy/provide-targets.ts";
import { matchOf } from "../../routing/conditions.ts";
import { RouteTable } from "../../routing/table.ts";
import { serverSettings, type ServerSettings } from "../../exchange/server-host.ts";
import { ownResponse } from "../../static/own-response.ts";
import { provideStaticFiles } from "../../static/provide-static-files.ts";
import { provideTenants } from "../../tenants/provide-tenants.ts";
import { provideUpstreams, type Upstreams } from "../../upstream/upstreams.ts";
import { connectionLimits, type ConnectionLimits } from "../connections/connection-limiter.ts";
import { Holdings, type Provide } from "./holdings.ts";
import { POLICIES } from "./policies.ts";

type Features =
  | (typeof POLICIES)[keyof typeof POLICIES]
  | typeof provideCaches
  | typeof provideFilters
  | typeof provideObservers
  | typeof provideStaticFiles
  | typeof provideTargets
  | typeof provideTenants
  | typeof provideUpstreams;

/** The parts that all functions of a union take together. */
type PartsOf<F> = (F extends Provide<infer Parts, object> ? (parts: Parts) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The parts that are made here, not by the process. */
type Made = "config" | "respondWithError" | "upstreams" | "filters" | "tenantRoutes" | "targets" | "routeLimits";

/** The objects that features use and that outlive a configuration: one of each per process. */
export interface ProcessDeps extends Omit<PartsOf<Features>, Made> {
  readonly state: GatewayState;
}

/** A configuration that is ready to serve. */
export interface Compiled {
  readonly pipeline: Pipeline;
  readonly settings: ServerSettings;
  readonly connectionLimits: ConnectionLimits;
  readonly upstreams: Upstreams;
  /** Closed when another configuration takes its place. Exchanges in flight end as before. */
  readonly held: Holdings;
}

/**
 * Has every feature make its objects from a checked configuration. They take over the parts of `previous` that hold
 * connections and have not changed. Rejects if the configuration cannot be served; then `previous` is as before.
 */
export async function compile(config: Config, deps: ProcessDeps, previous?: Compiled): Promise<Compiled> {
  const held = new Holdings();
  try {
    return await compileWith(held, { config: withCreditRoute(config), deps, before: previous?.held });
  } catch (error) {
    held.close(previous?.held);
    throw error;
  }
}

interface Compilation {
  readonly config: Config;
  readonly deps: ProcessDeps;
  readonly before: Holdings | undefined;
}

// No closure is made in this function: it would keep `before`, and all configurations before it, in memory.
async function compileWith(held: Holdings, { config, deps, before }: Compilation): Promise<Compiled> {
  const common = {
    ...deps,
    config,
    respondWithError: config.server.preencoded ? respondPreencoded : respondWithError,
  };
  const upstreams = await held.add(provideUpstreams, common, before);
  const { filters } = await held.add(provideFilters, { ...common, upstreams }, before);
  const tenantRoutes = await held.add(provideTenants, { ...common, filters }, before);
  const targets = provideTargets({ ...common, upstreams });
  const caches = await held.add(provideCaches, common, before);
  const observers = await held.add(provideObservers, common, before);
  const staticFiles = await held.add(provideStaticFiles, common, before);
  const routeLimits = await held.add(provideRateLimits, common, before);
  const parts = { ...common, upstreams, filters, tenantRoutes, targets, routeLimits };
  const payments = await held.add(providePayments, parts, before);
  const features: PolicyFeature[] = [];
  const provided = Object.values<Provide<PartsOf<Features>, PolicyFeature>>(POLICIES);
  for (const provide of provided) features.push(await held.add(provide, parts, before));
  const isTracing = observers.tracer !== undefined;
  const routes: Route[] = [];
  const slices = new Slices();
  for (const route of config.routes) {
    if (slices.isOver) await slices.next();
    const target = targets.of(route, tenantRoutes.get(route));
    const policies = chainOf(features, route, isTracing);
    routes.push({
      ...matchOf(route),
      host: route.host === undefined ? undefined : hostOf(route.host),
      // A filter may decide which requests pass.
      isGuarded: isGuarded(route) || filters.route(route) !== undefined,
      policies,
      target,
      handler:
        payments.handlerOf(route) ?? ownResponse(route) ?? caches.of(route, target) ?? caches.beside(route, target),
      observer: await observers.of(route),
    });
  }
  const table = await inSlices(RouteTable.steps(routes));
  const { allowed_hosts: allowedHosts, trusted_proxies: proxies } = config.server;
  return {
    pipeline: {
      routes: table,
      limitsBodies: config.routes.some(({ max_body_bytes: max }) => max !== undefined),
      isAllowedHost: allowedHosts.length === 0 ? undefined : createAllowedHosts(allowedHosts),
      observer: await observers.of(undefined),
      state: deps.state,
      catalogue: payments.catalogue(table, routes),
      blockhashes: payments.blockhashes,
      buffers: deps.buffers,
      clientAddress: createClientAddress(proxies),
      unrouted: chainOf(features, undefined, isTracing),
      staticFiles: staticFiles.files,
      respondWithError: common.respondWithError,
      onError: deps.onError,
    },
    settings: serverSettings(config),
    connectionLimits: connectionLimits(config),
    upstreams,
    held,
  };
}

/** The policies of a route, or of the requests without a route, in the order in which they run. */
function chainOf(features: readonly PolicyFeature[], route: RouteConfig | undefined, isTracing: boolean): Policy[] {
  const chain: Policy[] = [];
  // With flatMap, this took 8 % of the time to add one route to 10,000 (bench admin).
  for (const feature of features) {
    const policy = feature.policy(route);
    if (policy !== undefined) chain.push(isTracing && feature.isTraced === true ? tracedPolicy(policy) : policy);
  }
  return chain;
}
