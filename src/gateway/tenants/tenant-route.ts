import { type BufferAccount } from "../../lib/memory/buffer-pool.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields, firstFieldValue } from "../../lib/http/fields.ts";
import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { CannedError } from "../exchange/local-response.ts";
import { atDeparture } from "../exchange/endings.ts";
import { type Exchange, type RequestHead } from "../exchange/exchange.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { NO_ROOM, TOO_LARGE_TO_PARK } from "../filters/errors.ts";
import { type FilterDecision } from "../filters/runtime/filter.ts";
import { roomForBody } from "../filters/parked-request.ts";
import { PeekedBody } from "../filters/peeked-body.ts";
import { type BodyMemory } from "../policy/gathered-body.ts";
import { type Decision, type Policy } from "../policy/policy.ts";
import { forward } from "../proxy/forward.ts";
import { isRetryable } from "../proxy/retry/retries.ts";
import { type Splittable, type TrafficSplit } from "../proxy/split.ts";
import { type ForwardTarget } from "../proxy/target.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type ColdStarts } from "./cold-starts.ts";
import { ColdWait, type Turn } from "./cold-wait.ts";
import { BufferedResponse } from "./buffered-response.ts";
import { tenantKey } from "./tenant-key.ts";
import { tenantSocket } from "./tenant-socket.ts";
import { type Mapping, type WarmTenants } from "./warm-tenants.ts";

const NO_SOCKET = new CannedError("no-upstream", "the filter has not named a socket of the tenant");
const WRONG_SOCKET = new CannedError("no-upstream", "the socket that the filter has named cannot be used");
const PARKED_WARM = new CannedError("filter-failed", "the filter has parked a request of a warm tenant");
const TOO_MANY = new CannedError("overloaded", "too many requests wait for tenants that are being started");
const LATE = new CannedError("tenant-starting", "the tenant was not started in time");

/** Failures after which a request can have the server started again. After a timeout it may still work. */
const STARTS_AGAIN = new Set(["upstream-failed", "no-upstream"]);

export interface TenantConfig {
  readonly socket_dir: string;
  readonly header: string;
  readonly skip_filter_when_warm: boolean;
}

/** The data that all tenant routes of a worker share. It survives reloads. */
export interface Tenants {
  readonly wheel: TimerWheel;
  readonly warm: WarmTenants;
  readonly starts: ColdStarts<Mapping>;
}

export interface TenantRouteDeps extends Pick<FeatureParts, "respondWithError" | "log" | "onError"> {
  readonly tenants: Tenants;
  /** The route, for operators. */
  readonly name: string;
  /** Identifies the route: after a reload the same route keeps its mappings. */
  readonly scope: string;
  readonly filters: {
    request(exchange: Exchange): FilterDecision | Promise<FilterDecision>;
    /** A filter can read all messages of a gRPC call before it decides. */
    readonly readsCalls: boolean;
  };
  /** The last policy of the route, which runs after the filters. */
  readonly requestHeaders: Policy | undefined;
  /** Milliseconds that a request waits while another one starts its tenant: the same limit as for a parked request. */
  readonly waitMs: number;
  /** Buffers for the bodies of requests that start a tenant. */
  readonly bodies: BodyMemory;
  /** The memory budget for responses that are buffered until they are complete. */
  readonly memory: BufferAccount;
}

/**
 * The role of a request in a cold start. `leads`: for all waiting requests. `unread`: the same, once the gateway has its
 * body, because its client can be slow. `alone`: no request waits for it, because its body is too long for a parked
 * request or can be endless.
 */
type Start = "leads" | "unread" | "alone";

interface Visit {
  readonly key: string | undefined;
  /** The head's fields, before later policies changed them. */
  readonly fields: Fields;
  upstream: Upstream | undefined;
  /** The filters have run, and can have put sinks before the response. */
  isFiltered: boolean;
  start: Start;
  /** Milliseconds that it can wait while other requests start its tenant. */
  waitMs: number;
  /** The time at which it was first sent to its tenant, by the timer wheel. */
  sentAt: number;
}

/** A request to a tenant that is not warm. */
interface Cold {
  readonly exchange: Exchange;
  readonly visit: Visit;
  readonly key: string;
}

/**
 * A route whose requests go to the socket of their tenant.
 *
 *   key ── warm ─────────────────────────────────────────▶ (the filters, unless they are skipped) ─▶ socket.
 *    └──── cold ── not being started ─▶ read the body ──▶ filters ── name a socket ──▶ warm ──▶ socket.
 *             └─── being started ─────▶ wait ──── until it is warm, or this request must start it.
 *
 * A request without a body goes back to "cold" once if its socket has failed.
 */
export class TenantRoute implements TrafficSplit {
  readonly policy: Policy = {
    name: "tenant",
    guards: true,
    request: (exchange) => this.#request(exchange),
  };
  readonly #config: TenantConfig;
  readonly #deps: TenantRouteDeps;
  readonly #header: string;
  readonly #visits = new WeakMap<object, Visit>();

  constructor(config: TenantConfig, deps: TenantRouteDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#header = config.header.toLowerCase();
  }

  /** The target of the route. Its requests are sent to their tenants. */
  target(plain: ForwardTarget): ForwardTarget {
    const { respondWithError } = plain;
    const target: ForwardTarget = {
      ...plain,
      split: this,
      respondWithError: (exchange, error, extraFields) => {
        if (plain.retry.maxRetries === 0 || !this.#startsAgain(exchange, error, target))
          respondWithError(exchange, error, extraFields);
      },
    };
    return target;
  }

  choose(exchange: Splittable): Upstream {
    const visit = this.#visits.get(exchange);
    if (visit?.upstream === undefined) throw new Error("Cannot forward: the request has no tenant");
    visit.sentAt = this.#now;
    return visit.upstream;
  }

  #request(exchange: Exchange): Decision | Promise<Decision> {
    const { head } = exchange;
    const key = this.#keyOf(head);
    const visit: Visit = {
      key,
      fields: head.fields,
      upstream: undefined,
      isFiltered: false,
      start: this.#startOf(exchange),
      waitMs: this.#deps.waitMs,
      sentAt: this.#now,
    };
    this.#visits.set(exchange, visit);
    return key === undefined ? this.#withoutKey(exchange, visit) : this.#enter(exchange, visit, key);
  }

  #keyOf({ authority, fields }: RequestHead): string | undefined {
    const isHost = this.#header === "host";
    return tenantKey(isHost ? authority : (firstFieldValue(fields, this.#header) ?? ""), isHost);
  }

  #startOf(exchange: Exchange): Start {
    const { bodyLength, isGrpc, upgrade } = exchange.head;
    if (bodyLength === 0 || upgrade !== "") return "leads";
    // The client of a gRPC call can wait for the server before it sends more.
    if (isGrpc) return this.#deps.filters.readsCalls ? "alone" : "leads";
    const room = roomForBody(exchange);
    return room < 0 || bodyLength > room ? "alone" : "unread";
  }

  get #now(): number {
    return this.#deps.tenants.wheel.now();
  }

  #enter(exchange: Exchange, visit: Visit, key: string): Decision | Promise<Decision> {
    const mapping = this.#deps.tenants.warm.find(this.#deps.scope, key);
    return mapping === undefined ? this.#cold({ exchange, visit, key }) : this.#warm(exchange, visit, mapping);
  }

  #warm(exchange: Exchange, visit: Visit, mapping: Mapping): Decision | Promise<Decision> {
    if (this.#config.skip_filter_when_warm) return this.#send(exchange, visit, mapping.upstream);
    return this.#warmFiltered(exchange, visit, mapping);
  }

  async #warmFiltered(exchange: Exchange, visit: Visit, { upstream }: Mapping): Promise<Decision> {
    const decision = await this.#filter(exchange, visit);
    if (decision.kind === "responded") return "responded";
    // The specification says: without a socket, the request is allowed without parking.
    if (decision.upstream === undefined) return this.#send(exchange, visit, upstream);
    return this.#refuse(exchange, PARKED_WARM);
  }

  /** The filters start the tenant, without a mapping for later requests. */
  async #withoutKey(exchange: Exchange, visit: Visit): Promise<Decision> {
    const path = await this.#start(exchange, visit);
    if (path === undefined) return "responded";
    const upstream = this.#deps.tenants.warm.upstreamOf(path);
    // Its connections end with their requests.
    upstream.close();
    return this.#send(exchange, visit, upstream);
  }

  async #cold(cold: Cold): Promise<Decision> {
    const { exchange, visit, key } = cold;
    const { tenants } = this.#deps;
    const id = this.#idOf(key);
    const wait = new ColdWait<Mapping>(tenants.wheel, (left) => tenants.starts.leave(id, left));
    const place = tenants.starts.enter(id, wait);
    if (place === "leads") return this.#turn(cold);
    if (place === "full") return this.#refuse(exchange, TOO_MANY);
    const since = this.#now;
    wait.begin(visit.waitMs);
    atDeparture(exchange, () => wait.gone());
    const turn = await wait.turn;
    visit.waitMs = Math.max(visit.waitMs - (this.#now - since), 1);
    return this.#after(turn, cold);
  }

  #after(turn: Turn<Mapping>, cold: Cold): Decision | Promise<Decision> {
    const { exchange, visit } = cold;
    // If its client has left, the next waiting request starts the tenant at once.
    if (turn.kind === "leads") return this.#turn(cold);
    const isWarm = turn.kind === "warm" && !exchange.gone;
    return isWarm ? this.#warm(exchange, visit, turn.mapping) : this.#refuse(exchange, LATE);
  }

  /** This request must start the tenant, or leaves it to the next: the others must not wait for its slow client. */
  #turn(cold: Cold): Promise<Decision> {
    const { exchange, visit, key } = cold;
    if (visit.start === "leads") return this.#lead(exchange, visit, key);
    this.#deps.tenants.starts.failed(this.#idOf(key));
    return visit.start === "alone" ? this.#alone(cold) : this.#readBody(cold);
  }

  async #alone({ exchange, visit, key }: Cold): Promise<Decision> {
    const { tenants, scope } = this.#deps;
    const path = await this.#start(exchange, visit);
    if (path === undefined) return "responded";
    return this.#send(exchange, visit, tenants.warm.warm(scope, key, path).upstream);
  }

  /** Reads the body, up to the limit of a parked request, before the request joins the queue again. */
  async #readBody({ exchange, visit, key }: Cold): Promise<Decision> {
    const { tenants, scope, bodies: memory } = this.#deps;
    const maxBytes = roomForBody(exchange) + 1;
    const body = new PeekedBody(exchange, { maxBytes, memory, tooLong: TOO_LARGE_TO_PARK, noRoom: NO_ROOM });
    const error = await body.peek();
    if (exchange.gone) return "responded";
    if (error !== undefined) return this.#refuse(exchange, error);
    visit.start = body.isWhole ? "leads" : "alone";
    const mapping = tenants.warm.startedMeanwhile(scope, key);
    return mapping === undefined ? this.#cold({ exchange, visit, key }) : this.#warm(exchange, visit, mapping);
  }

  #idOf(key: string): string {
    return `${this.#deps.scope}\0${key}`;
  }

  /** Starts the tenant for all waiting requests. */
  async #lead(exchange: Exchange, visit: Visit, key: string): Promise<Decision> {
    const { tenants, scope } = this.#deps;
    const id = this.#idOf(key);
    let leads = true;
    const passOn = (): void => {
      if (leads) tenants.starts.failed(id);
      leads = false;
    };
    atDeparture(exchange, passOn);
    try {
      const path = exchange.gone ? undefined : await this.#start(exchange, visit);
      if (path === undefined || exchange.gone) return "responded";
      const mapping = tenants.warm.warm(scope, key, path);
      tenants.starts.started(id, mapping);
      return this.#send(exchange, visit, mapping.upstream);
    } finally {
      passOn();
    }
  }

  /** Runs the filters, which name the tenant's socket; undefined if a filter has responded or the client has left. */
  async #start(exchange: Exchange, visit: Visit): Promise<string | undefined> {
    const decision = await this.#filter(exchange, visit);
    if (decision.kind === "responded" || exchange.gone) return undefined;
    const { upstream: named } = decision;
    if (named === undefined) {
      this.#refuse(exchange, NO_SOCKET);
      return undefined;
    }
    const { path, error } = tenantSocket(this.#config.socket_dir, named);
    if (path !== undefined) return path;
    this.#deps.log(`Cannot use the tenant socket ${JSON.stringify(named)} of route ${this.#deps.name}: ${error}`);
    this.#refuse(exchange, WRONG_SOCKET);
    return undefined;
  }

  #send(exchange: Exchange, visit: Visit, upstream: Upstream): "continue" {
    const { tenants, memory, respondWithError } = this.#deps;
    // After the filters, so that their sinks see a response only if there is one.
    if (visit.upstream === undefined)
      new BufferedResponse(exchange, { wheel: tenants.wheel, memory, respondWithError }).begin();
    visit.upstream = upstream;
    return "continue";
  }

  #filter(exchange: Exchange, visit: Visit): FilterDecision | Promise<FilterDecision> {
    visit.isFiltered = true;
    return this.#deps.filters.request(exchange);
  }

  #refuse(exchange: Exchange, error: TurnpikeError): "responded" {
    if (!exchange.gone) this.#deps.respondWithError(exchange, error);
    return "responded";
  }

  /** True: the socket failed before a response came, and the request has its tenant started again. */
  #startsAgain(exchange: Exchange, { code }: TurnpikeError, target: ForwardTarget): boolean {
    const { method, bodyLength, upgrade } = exchange.head;
    const visit = this.#visits.get(exchange);
    if (visit?.key === undefined || visit.isFiltered || exchange.started || exchange.gone) return false;
    if (!STARTS_AGAIN.has(code) || !isRetryable(method) || bodyLength !== 0 || upgrade !== "") return false;
    // Only once: from now on it counts as filtered, whichever request starts the tenant.
    visit.isFiltered = true;
    void this.#startAgain(exchange, { ...visit, key: visit.key }, target);
    return true;
  }

  async #startAgain(exchange: Exchange, visit: Visit & { readonly key: string }, target: ForwardTarget): Promise<void> {
    const { requestHeaders, onError, respondWithError } = this.#deps;
    try {
      this.#visits.set(exchange, visit);
      exchange.head.fields = visit.fields;
      const decision = await this.#enter(exchange, visit, visit.key);
      if (decision !== "continue" || exchange.gone) return;
      await requestHeaders?.request(exchange);
      const totalTimeoutMs = Math.max(target.totalTimeoutMs - (this.#now - visit.sentAt), 1);
      forward(exchange, { ...target, totalTimeoutMs });
    } catch (error) {
      onError(error);
      respondWithError(exchange, INTERNAL);
    }
  }
}

const INTERNAL = new CannedError("internal", "the request could not be handled");
