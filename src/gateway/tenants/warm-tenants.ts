import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type TenantServerDeps, TenantUpstream } from "./tenant-server.ts";

/** A tenant with a known socket, as the admin API shows it. */
export interface WarmTenant {
  readonly key: string;
  /** The resolved path of its socket. */
  readonly path: string;
  /** Unix milliseconds. */
  readonly lastUsedMs: number;
}

export interface Mapping extends WarmTenant {
  readonly upstream: Upstream;
}

/** Counts the events of mappings. */
export interface TenantMetrics {
  hit(): void;
  miss(): void;
  /** A mapping was forgotten for a reason other than idleness. */
  evicted(): void;
  /** The number of mappings has changed. */
  active(count: number): void;
}

export interface WarmTenantsOptions {
  readonly servers: TenantServerDeps;
  readonly wheel: TimerWheel;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly metrics: TenantMetrics;
}

export interface WarmTenantsLimits {
  /** Milliseconds without use after which a mapping is forgotten: `tenant_idle_ttl_ms`. */
  readonly idleMs: number;
  /** The most mappings in a worker: `tenant_max_warm`. The least recently used one makes room. */
  readonly most: number;
}

interface WarmEntry extends Mapping {
  readonly upstream: TenantUpstream;
  lastUsedMs: number;
  /** By the timer wheel. */
  usedAt: number;
}

/**
 * The sockets of the tenants of one worker. A mapping is forgotten when it was not used for a while, when its socket
 * fails, or when an operator asks for it: its connections close as they become free, and the VM continues. It survives
 * reloads. Tenants of different scopes (routes) are separate: the filters of one route start no tenant of another.
 */
export class WarmTenants extends Deadline {
  readonly #options: WarmTenantsOptions;
  #limits: WarmTenantsLimits;
  /** Least recently used first. */
  readonly #entries = new Map<string, WarmEntry>();

  constructor(options: WarmTenantsOptions, limits: WarmTenantsLimits) {
    super();
    this.#options = options;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  set limits(limits: WarmTenantsLimits) {
    this.#limits = limits;
    this.#makeRoom(0);
    this.onDeadline();
  }

  /** Finds a warm tenant, which counts as a use. */
  find(scope: string, key: string): Mapping | undefined {
    const id = idOf(scope, key);
    const entry = this.#entries.get(id);
    const { metrics } = this.#options;
    if (entry === undefined) {
      metrics.miss();
      return undefined;
    }
    metrics.hit();
    this.#used(id, entry);
    return entry;
  }

  /** Like `find`, for a request that was already counted as a miss. */
  startedMeanwhile(scope: string, key: string): Mapping | undefined {
    const id = idOf(scope, key);
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#used(id, entry);
    return entry;
  }

  /** The tenant can be reached by `path` from now on. */
  warm(scope: string, key: string, path: string): Mapping {
    const { wheel, clock, metrics } = this.#options;
    const id = idOf(scope, key);
    const before = this.#entries.get(id);
    if (before?.path === path) {
      this.#used(id, before);
      return before;
    }
    if (before !== undefined) this.#forget(id, before);
    this.#makeRoom(1);
    const upstream = this.upstreamOf(path, {
      ended: () => this.#ended(id, entry),
      failed: () => this.#evict(id, entry),
    });
    const entry: WarmEntry = { key, path, upstream, lastUsedMs: clock(), usedAt: wheel.now() };
    this.#entries.set(id, entry);
    metrics.active(this.#entries.size);
    if (this.due === Number.POSITIVE_INFINITY) wheel.set(this, this.#limits.idleMs);
    return entry;
  }

  /** An upstream for one socket, without a mapping. */
  upstreamOf(path: string, owner = NO_OWNER): TenantUpstream {
    return new TenantUpstream(path, this.#options.servers, owner);
  }

  /** Forgets the tenant in every scope; false if it was unknown. */
  drop(key: string): boolean {
    let found = false;
    for (const [id, entry] of this.#entries) {
      if (entry.key !== key) continue;
      this.#evict(id, entry);
      found = true;
    }
    return found;
  }

  list(): WarmTenant[] {
    return [...this.#entries.values()].map(({ key, path, lastUsedMs }) => ({ key, path, lastUsedMs }));
  }

  close(): void {
    this.#options.wheel.remove(this);
    for (const [id, entry] of this.#entries) this.#forget(id, entry);
  }

  override onDeadline(): void {
    const { wheel } = this.#options;
    const since = wheel.now() - this.#limits.idleMs;
    // A copy, because entries in use are moved to the end.
    const entries = [...this.#entries];
    for (const [id, entry] of entries) {
      // A download or a WebSocket can last longer than the idle time.
      if (entry.upstream.states.inFlight() > 0) this.#used(id, entry);
      else if (entry.usedAt <= since) this.#forget(id, entry);
      else break;
    }
    const [oldest] = this.#entries.values();
    if (oldest !== undefined) wheel.set(this, Math.max(oldest.usedAt - since, 1));
  }

  #used(id: string, entry: WarmEntry): void {
    const { wheel, clock } = this.#options;
    entry.usedAt = wheel.now();
    entry.lastUsedMs = clock();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
  }

  #ended(id: string, entry: WarmEntry): void {
    if (this.#entries.get(id) === entry) this.#used(id, entry);
  }

  #makeRoom(places: number): void {
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size + places <= this.#limits.most) break;
      this.#evict(id, entry);
    }
  }

  #evict(id: string, entry: WarmEntry): void {
    if (this.#forget(id, entry)) this.#options.metrics.evicted();
  }

  #forget(id: string, entry: WarmEntry): boolean {
    if (this.#entries.get(id) !== entry) return false;
    this.#entries.delete(id);
    this.#options.metrics.active(this.#entries.size);
    entry.upstream.close();
    return true;
  }
}

const NO_OWNER = { ended() {}, failed() {} };

function idOf(scope: string, key: string): string {
  return `${scope}\0${key}`;
}
