import { type BufferPool } from "../../lib/buffer-pool.ts";
import { inSlices, Slices } from "../../lib/slices.ts";
import { SpareAccount } from "../../lib/spare-account.ts";
import { type Facilitators, type Lease } from "../../payments/facilitator/facilitators.ts";
import { requireLoopback } from "../../payments/facilitator/loopback-only.ts";
import type * as Templates from "../../payments/x402/template.ts";
import { type Store } from "../../store/store.ts";
import { type RespondWithError, respondWithError, respondPreencoded } from "../local-response.ts";
import { createClientAddress, createProxyCheck } from "../client-address.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type ServerSettings } from "../server-host.ts";
import { createFilterPolicy, createUnfilteredPolicy } from "../filters/filter-policy.ts";
import { type FilterDeps, LoadedFilters } from "../filters/loaded-filters.ts";
import { type GatewayState } from "../gateway-paths.ts";
import { type AccessLog, Observer } from "../observer.ts";
import { type Pipeline, type Route } from "../pipeline.ts";
import type * as Auth from "../policy/auth/auth.ts";
import type * as Methods from "../policy/auth/create-method.ts";
import type * as BodySchemas from "../policy/body-schema/body-schema.ts";
import { createMethodOverridePolicy } from "../policy/method-override/method-override.ts";
import { type Policy } from "../policy/policy.ts";
import { tracedPolicy } from "../policy/traced-policy.ts";
import { type ResponseStore } from "../policy/payment/responses/response-store.ts";
import type * as Catalogues from "../policy/payment/challenge/catalogue.ts";
import type * as Payments from "../policy/payment/payment.ts";
import { type Spool } from "../proxy/spool.ts";
import { createAllowedHosts } from "../../lib/allowed-hosts.ts";
import { matchOf } from "../routing/conditions.ts";
import { routeName } from "../routing/route-name.ts";
import { hostOf } from "../../lib/url-host.ts";
import { RouteTable } from "../routing/table.ts";
import { type Tenants } from "../tenants/tenants.ts";
import { type OnEvent } from "../telemetry/event.ts";
import { HiddenParameters } from "../telemetry/hidden-parameters.ts";
import type * as Tracing from "../telemetry/tracing/tracer.ts";
import { type Tracers } from "../telemetry/tracing/tracers.ts";
import type * as Files from "../static/static-files.ts";
import { type UpstreamDeps, Upstreams } from "./upstreams.ts";
import { type ConnectionLimits } from "./connection-limiter.ts";
import { fileRoom } from "./descriptor-limit.ts";
import { decidingFields } from "./deciding-fields.ts";
import { fieldPolicies } from "./field-policies.ts";
import { isContentRoute } from "./content-route.ts";
import { Holdings } from "./holdings.ts";
import { type LogFiles, type LogLease, openAccessLog } from "./log-files.ts";
import { type LateWrites } from "../../store/late-writes.ts";
import { type LedgerWatch } from "./ledger-watch.ts";
import { type MaintenanceSettings, maintenanceSettings, counted } from "./payment-maintenance.ts";
import { mirrorsOf, routeMirror } from "./route-mirror.ts";
import { ownResponse } from "./route-handler.ts";
import { routePolicies } from "./route-policies.ts";
import { RouteCaches } from "./route-caches.ts";
import { type LimitDeps, RouteLimits } from "./route-limits.ts";
import { NO_UPSTREAM, tenantRoutes } from "./tenant-routes.ts";
import { isServed, routeSplit, routeVariants } from "./route-split.ts";
import { createTarget } from "./route-target.ts";

/** Loaded as `bodySchemas` is. */
const templates = (): typeof Templates => require("../../payments/x402/template.ts");

/** Loaded as `bodySchemas` is. */
const catalogues = (): typeof Catalogues => require("../policy/payment/challenge/catalogue.ts");

/** Loaded as `bodySchemas` is. */
const payments = (): typeof Payments => require("../policy/payment/payment.ts");

/** Loaded as `bodySchemas` is. */
const auths = (): typeof Auth => require("../policy/auth/auth.ts");

/** Loaded as `bodySchemas` is. */
const authMethods = (): typeof Methods => require("../policy/auth/create-method.ts");

/** Loaded as `bodySchemas` is. */
const fileServers = (): typeof Files => require("../static/static-files.ts");

/** Loaded as `bodySchemas` is. */
const openTelemetry = (): typeof Tracing => require("../telemetry/tracing/tracer.ts");

/**
 * Loaded with the first route that needs it: these modules take as long to load as the rest of a start (bench start).
 */
const bodySchemas = (): typeof BodySchemas => require("../policy/body-schema/body-schema.ts");

/**
 * The part of the memory for gathered bodies that `request_buffering` leaves to other features, so that slow uploads do
 * not displace paid requests. It gets no memory while less than this part is free. @bound
 */
const LEFT_TO_FEATURES = 1 / 2;

/**
 * The part of the buffers that buffered responses leave to requests. Responses to slow clients get no more buffers
 * while less than this part is free. @bound
 */
const LEFT_TO_REQUESTS = 1 / 2;

/** Objects that outlive a configuration: one of each per process. */
export interface ProcessDeps extends UpstreamDeps, LimitDeps {
  readonly state: GatewayState;
  /** For bodies that a feature buffers whole. */
  readonly bodies: BufferPool;
  /** For responses to slow clients. */
  readonly spool: Spool;
  readonly responses: ResponseStore;
  readonly logFiles: LogFiles;
  readonly filters: FilterDeps;
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
  readonly log: (message: string) => void;
  readonly onEvent: OnEvent;
  /** The URL of the first listener, for payment challenges if `x402.public_url` is not set. */
  readonly baseUrl: string;
  /** The upstream that is the content service of this program; undefined without one. */
  readonly contentUpstream: string | undefined;
  readonly listeners: readonly { readonly address: string; readonly port: number }[];
}

/** A configuration that is ready to serve. */
export interface Compiled {
  readonly pipeline: Pipeline;
  readonly settings: ServerSettings;
  readonly connectionLimits: ConnectionLimits;
  readonly upstreams: Upstreams;
  readonly caches: RouteCaches;
  readonly limits: RouteLimits;
  readonly filters: LoadedFilters;
  /** Undefined if nothing is traced. Outlives the configuration if the next one has the same settings. */
  readonly tracer: Tracing.Tracer | undefined;
  /** For the ledger, if there is one. */
  readonly maintenance: MaintenanceSettings;
  /** Closes upstream connections, except those that `other` takes over. Exchanges in flight end as before. */
  close(other?: Compiled): void;
}

/**
 * Makes everything that requests need from a checked configuration. Takes over the parts of `previous` that hold
 * connections and have not changed. Rejects if the configuration cannot be served.
 */
export async function compile(config: Config, deps: ProcessDeps, previous?: Compiled): Promise<Compiled> {
  const held = new Holdings<Compiled>();
  try {
    return await compileWith(held, { config, deps, previous });
  } catch (error) {
    held.close(previous);
    throw error;
  }
}

interface Compilation {
  readonly config: Config;
  readonly deps: ProcessDeps;
  readonly previous: Compiled | undefined;
}

async function compileWith(held: Holdings<Compiled>, { config, deps, previous }: Compilation): Promise<Compiled> {
  const lease = held.add(deps.facilitators.lease(config.x402), closeLease);
  const maintenance = maintenanceSettings(config, lease, process.env);
  const upstreams = held.add(new Upstreams(config, deps, previous?.upstreams), closeUpstreams);
  const sell = createSeller(config, { ...deps, upstreams }, lease);
  const { allowed_hosts: allowedHosts, preencoded } = config.server;
  const response = { respondWithError: preencoded ? respondPreencoded : respondWithError };
  const caches = held.add(
    new RouteCaches(config, { telemetry: deps.telemetry, now: deps.clock }, previous?.caches),
    closeCaches,
  );
  const limits = held.add(
    await RouteLimits.create(config, deps, { ...response, previous: previous?.limits }),
    closeLimits,
  );
  deps.filters.callTargets.offer(upstreams, config.otel.service_name);
  const filters = held.add(
    await LoadedFilters.load({ config, deps: deps.filters, ...response, previous: previous?.filters }),
    closeFilters,
  );
  const logs = held.add(deps.logFiles.lease(), closeLease);
  const tracer = createTracer(config, deps, previous?.tracer);
  const traced = (policy: Policy | undefined): Policy | undefined =>
    policy === undefined || tracer === undefined ? policy : tracedPolicy(policy);
  const routes: Route[] = [];
  const sold = new Map<Route, Payments.PaymentPolicy>();
  const authenticate = createAuthenticator(config, deps);
  const gather = {
    maxBytes: config.buffer_pool.body_buffer_size,
    account: new SpareAccount(deps.bodies, LEFT_TO_FEATURES, "bytes"),
    overflow: deps.buffers,
  };
  const responses = {
    wheel: deps.wheel,
    memory: deps.buffers,
    spare: new SpareAccount(deps.buffers, LEFT_TO_REQUESTS, "buffers"),
    spool: deps.spool,
    maxBytes: config.buffer_pool.response_buffer_bytes,
  };
  const tenantOf = tenantRoutes(config, deps, response.respondWithError);
  const besideMethodGuard = methodGuards(config);
  const deciding = decidingFields(config);
  const hidden = new HiddenParameters(keyParameters(config));
  const slices = new Slices();
  for (const route of config.routes) {
    if (slices.isOver) await slices.next();
    const upstream = route.upstream === undefined ? NO_UPSTREAM : upstreams.get(route.upstream);
    const payment = sell(route);
    const own = filters.route(route);
    const fields = fieldPolicies(config, route);
    const tenant = tenantOf(route, own, fields.requestHeaders);
    // A filter may decide which requests pass.
    const guarded = isGuarded(route) || own !== undefined;
    const plain = createTarget(route, {
      upstream,
      split: routeSplit(route, upstreams),
      wheel: deps.wheel,
      maxBodyBytes: route.max_body_bytes ?? config.limits.max_body_bytes,
      serviceName: config.otel.service_name,
      gather: route.request_buffering ? gather : undefined,
      responses: route.response_buffering ? responses : undefined,
      ...response,
    });
    const target = tenant?.target(plain) ?? {
      ...plain,
      mirror: routeMirror(mirrorsOf(route), plain, upstreams, deps),
      variants: routeVariants(route, plain, upstreams, deps),
    };
    const policies = held.add(
      routePolicies({
        ...fields,
        methodOverride:
          guarded || route.cache !== undefined || besideMethodGuard(route) ? createMethodOverridePolicy() : undefined,
        decidingFields: deciding(route),
        auth: traced(authenticate(route)),
        rateLimit: limits.policy(route),
        bodySchema: bodyPolicy(config, route, deps),
        payment: traced(payment),
        filter: traced(tenant?.policy ?? filterPolicy(own, response.respondWithError)),
      }),
      closePolicies,
    );
    const compiled: Route = {
      ...matchOf(route),
      host: route.host === undefined ? undefined : hostOf(route.host),
      isGuarded: guarded,
      policies,
      forgets: policies.every(({ forgets }) => forgets === true),
      target,
      handler: ownResponse(route) ?? caches.create(route, target),
      observer: await createObserver(config, deps, { route, tracer, hidden, logs }),
    };
    routes.push(compiled);
    if (payment !== undefined) sold.set(compiled, payment);
  }
  const table = await inSlices(RouteTable.steps(routes));
  const staticFiles = held.add(
    createStaticFiles(config, { wheel: deps.wheel, onError: deps.onError, ...response }),
    closeFiles,
  );
  return {
    pipeline: {
      routes: table,
      limitsBodies: config.routes.some(({ max_body_bytes: max }) => max !== undefined),
      isAllowedHost: allowedHosts.length === 0 ? undefined : createAllowedHosts(allowedHosts),
      observer: await createObserver(config, deps, { route: undefined, tracer, hidden, logs }),
      state: deps.state,
      catalogue: createCatalogue(sold, table, config.x402.test_mode),
      buffers: deps.buffers,
      clientAddress: createClientAddress(config.server.trusted_proxies),
      unrouted: routePolicies(fieldPolicies(config, undefined)),
      staticFiles,
      ...response,
      onError: deps.onError,
    },
    settings: createSettings(config),
    connectionLimits: {
      max: config.server.max_connections,
      maxPerAddress: config.server.max_connections_per_address,
      isProxy: createProxyCheck(config.server.trusted_proxies),
    },
    upstreams,
    caches,
    limits,
    filters,
    tracer,
    maintenance,
    close: closeOf(held, tracer, deps.tracers),
  };
}

/** Names of the query parameters that hold keys. */
function keyParameters({ routes }: Config): string[] {
  return routes.flatMap(({ auth }) => (auth.type === "none" ? [] : authMethods().keyParameters(auth)));
}

/** True if only requests with credentials, or with a payment, pass. */
function isGuarded({ auth, x402 }: RouteConfig): boolean {
  return x402 !== undefined || (auth.type !== "none" && authMethods().asksCredentials(auth));
}

/**
 * True for a route that gets requests of methods that a guarded route does not take. There a field that changes the
 * method of a request would bypass the guard.
 */
function methodGuards({ routes, wasm_filters: filters }: Config): (route: RouteConfig) => boolean {
  const filtered = new Set(filters.map(({ match }) => match));
  const guards = routes.filter(
    (route) => (route.match?.methods.length ?? 0) > 0 && (isGuarded(route) || filtered.has(route.path_prefix)),
  );
  const prefixes = guards.map((route) => route.path_prefix).toSorted();
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return function isBeside({ path_prefix: prefix }) {
    if (prefixes.length === 0) return false;
    // In this order, the prefixes that begin with `prefix` follow it.
    return (
      lengths.some((length) => known.has(prefix.slice(0, length))) ||
      firstFrom(prefixes, prefix)?.startsWith(prefix) === true
    );
  };
}

/** The first text of a sorted list that is not before `text`. */
function firstFrom(sorted: readonly string[], text: string): string | undefined {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}

// These functions are outside `compileWith`: a function made in it would keep `previous`, and all configurations before
// it, in memory.
const closeLease = (lease: Lease | LogLease): void => lease.close();
const closeUpstreams = (made: Upstreams, other: Compiled | undefined): void => made.close(other?.upstreams);
const closeCaches = (made: RouteCaches, other: Compiled | undefined): void => made.close(other?.caches);
const closeLimits = (made: RouteLimits, other: Compiled | undefined): void => made.close(other?.limits);
const closeFilters = (made: LoadedFilters, other: Compiled | undefined): void => made.close(other?.filters);
const closeFiles = (files: Files.StaticFiles | undefined): void => files?.close();

function closeOf(held: Holdings<Compiled>, tracer: Tracing.Tracer | undefined, tracers: Tracers): Compiled["close"] {
  return function close(other) {
    if (tracer !== undefined && tracer !== other?.tracer) tracers.replaced(tracer);
    held.close(other);
  };
}

function closePolicies(policies: readonly Policy[]): void {
  for (const policy of policies) void policy.close();
}

/** The order in which the catalogue looks up the routes of a path. */
const LISTED_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Undefined if no route is paid. */
function createCatalogue(
  policies: ReadonlyMap<Route, Payments.PaymentPolicy>,
  table: RouteTable<Route>,
  testMode: boolean,
): Catalogues.Catalogue | undefined {
  if (policies.size === 0) return undefined;
  const methods = new Map([...policies].map(([route, policy]) => [policy, route.conditions?.methods ?? []]));
  // If a path has several routes, the policy of the first method with a price.
  const sold = (authority: string, path: string): Payments.PaymentPolicy | undefined => {
    for (const method of LISTED_METHODS) {
      const route = table.match(authority, path, { method, query: "", fields: "" });
      const policy = route === undefined ? undefined : policies.get(route);
      if (policy !== undefined) return policy;
    }
    return undefined;
  };
  return new (catalogues().Catalogue)([...policies.values()], {
    testMode,
    sold,
    methodsOf: (policy) => methods.get(policy) ?? [],
  });
}

function createSettings({ limits, timeouts, http2 }: Config): ServerSettings {
  return {
    maxHeaderBytes: limits.max_header_bytes,
    maxHeaderCount: limits.max_header_count,
    maxBodyBytes: limits.max_body_bytes,
    idleMs: timeouts.idle_ms,
    headerMs: timeouts.header_ms,
    bodyMs: timeouts.body_ms,
    writeMs: timeouts.write_ms,
    http2: {
      maxStreams: http2.max_streams,
      maxHeaderListSize: http2.max_header_list_size,
      initialWindowSize: http2.initial_window_size,
      maxFrameSize: http2.max_frame_size,
    },
  };
}

function createStaticFiles({ server }: Config, deps: Files.StaticFilesDeps): Files.StaticFiles | undefined {
  const { static_root: root, cache_static_files: caches } = server;
  return root === "" ? undefined : new (fileServers().StaticFiles)({ root, caches, maxOpen: fileRoom() }, deps);
}

/** Undefined if the route has no filters. */
function filterPolicy(filters: ReturnType<LoadedFilters["route"]>, error: RespondWithError): Policy | undefined {
  if (filters === undefined) return undefined;
  return filters === "closed" ? createUnfilteredPolicy(error) : createFilterPolicy(filters);
}

/** Makes the check of a route's bodies; undefined without a schema. */
function bodyPolicy({ limits }: Config, route: RouteConfig, { bodies }: ProcessDeps): Policy | undefined {
  const { body_schema } = route;
  if (body_schema === undefined) return undefined;
  const { max_body_bytes = limits.max_body_bytes } = route;
  return bodySchemas().createBodySchemaPolicy({ body_schema, max_body_bytes }, { memory: bodies });
}

/** Makes the authentication of each route; undefined for a route that is open to all clients. */
function createAuthenticator({ routes }: Config, deps: ProcessDeps): (route: RouteConfig) => Policy | undefined {
  const names = new Set<string>();
  for (const { auth } of routes) {
    // Of 10,000 routes most are open: with flatMap over all of them, this took a fifth of a reload (bench admin).
    if (auth.type !== "none") for (const name of authMethods().identityNames(auth)) names.add(name);
  }
  const identities = [...names];
  return function authenticate({ auth, path_prefix: prefix }) {
    if (auth.type === "none" && identities.length === 0) return undefined;
    const where = `route ${JSON.stringify(prefix)}`;
    const { wheel, buffers, onError, clock, log } = deps;
    return auths().createAuthPolicy(
      { auth, identityNames: identities },
      { wheel, buffers, onError, clock, log, where },
    );
  };
}

/** Makes the payment policy of a paid route; undefined for a free one. */
function createSeller(
  config: Config,
  deps: ProcessDeps & { readonly upstreams: Upstreams },
  lease: Lease,
): (route: RouteConfig) => Payments.PaymentPolicy | undefined {
  const { x402 } = config;
  if (x402.test_mode && config.routes.some((route) => route.x402 !== undefined)) requireLoopback(deps.listeners);
  const { payment_required_b64: encoded } = x402;
  // A broken template is refused even if no route is paid.
  let template = encoded === "" ? undefined : templates().decodeTemplate(encoded);
  return function sell(route) {
    if (route.x402 === undefined) return undefined;
    template ??= templates().decodeTemplate(encoded);
    const { ledger, paymentIds } = deps.store();
    const { facilitator, kinds } = lease.forRoute(route.x402.facilitator_url);
    return payments().createPaymentPolicy(
      {
        path_prefix: route.path_prefix,
        ...(route.host === undefined ? {} : { host: route.host }),
        ...(route.name === undefined ? {} : { name: route.name }),
        x402: route.x402,
        test_mode: x402.test_mode,
        public_url: x402.public_url,
        base_url: deps.baseUrl,
        template,
      },
      {
        ledger: counted(ledger, { metrics: deps.telemetry.payments, onEvent: deps.onEvent, watch: deps.ledgerWatch }),
        lateWrites: deps.lateWrites,
        paymentIds,
        facilitator,
        kinds,
        responses: deps.responses,
        clock: deps.clock,
        log: deps.log,
        chargesFailures:
          config.content.charge_timeouts && isContentRoute(route, config.upstreams, deps.contentUpstream),
        isServed: isServed(route, deps.upstreams),
        ...(route.x402.description === "" ? {} : { description: route.x402.description }),
      },
    );
  };
}

/**
 * Returns `previous` if its settings are the same, because it may hold spans that are not sent yet. A tracer that is
 * replaced sends its spans and ends.
 */
function createTracer(
  { otel }: Config,
  deps: ProcessDeps,
  previous: Tracing.Tracer | undefined,
): Tracing.Tracer | undefined {
  if (!otel.enabled) return undefined;
  if (previous?.serves(otel) === true) return previous;
  const { log, telemetry } = deps;
  return new (openTelemetry().Tracer)(otel, { counter: telemetry.spans, log, random: Math.random, clock: Date.now });
}

interface Observed {
  readonly route: RouteConfig | undefined;
  readonly tracer: Tracing.Tracer | undefined;
  readonly hidden: HiddenParameters;
  readonly logs: LogLease;
}

async function createObserver(
  config: Config,
  deps: ProcessDeps,
  { route, tracer, hidden, logs }: Observed,
): Promise<Observer> {
  const { http, traffic, usage } = deps.telemetry;
  const metrics = config.server.disable_middleware ? undefined : http;
  const name = route && metrics && routeName(route);
  const counters = name === undefined ? undefined : { traffic: traffic.route(name), usage: usage.route(name) };
  const tracing = tracer && { tracer, route: route?.path_prefix ?? "", hidden };
  return new Observer(metrics, await accessLogOf(config, { route, hidden, logs }), counters, tracing);
}

async function accessLogOf(
  config: Config,
  { route, hidden, logs }: Pick<Observed, "route" | "hidden" | "logs">,
): Promise<AccessLog | undefined> {
  const settings = { ...config.access_log, ...route?.access_log };
  if (!settings.enabled || config.server.disable_middleware) return undefined;
  return openAccessLog(settings, logs, hidden);
}
