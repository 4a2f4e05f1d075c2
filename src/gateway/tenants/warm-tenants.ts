import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type TenantServerDeps, TenantUpstream } from "./tenant-server.ts";

/** A tenant whose socket is known, as the admin interface shows it. */
export interface WarmTenant {
  readonly key: string;
  /** Its socket, with all links resolved. */
  readonly path: string;
  /** Unix milliseconds. */
  readonly lastUsedMs: number;
}

/** A mapping: where requests of a tenant go. */
export interface Mapping extends WarmTenant {
  readonly upstream: Upstream;
}

/** Hears what becomes of mappings. */
export interface TenantMetrics {
  /** A request has found its tenant warm. */
  hit(): void;
  miss(): void;
  /** A mapping was forgotten, other than for idleness. */
  evicted(): void;
  /** So many mappings there are now. */
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
  /** Mappings of the worker; the one that was used longest ago makes room for another: `tenant_max_warm`. */
  readonly most: number;
}

interface Entry extends Mapping {
  readonly upstream: TenantUpstream;
  lastUsedMs: number;
  /** Wheel time. */
  usedAt: number;
}

/**
 * Where the tenants of one worker are reached. A mapping is forgotten when nobody has used it for a while, when its socket fails, or
 * when an operator says so: its connections close as they become free, and the VM behind it is left alone. It lives over reloads.
 * Tenants of different scopes, which are routes, are different ones: the filters of one route start no tenant of another.
 */
export class WarmTenants extends Deadline {
  readonly #options: WarmTenantsOptions;
  #limits: WarmTenantsLimits;
  /** Used longest ago first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: WarmTenantsOptions, limits: WarmTenantsLimits) {
    super();
    this.#options = options;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Other limits from now on. */
  set limits(limits: WarmTenantsLimits) {
    this.#limits = limits;
    this.#makeRoom(0);
    if (this.#entries.size > 0) this.onDeadline();
  }

  /** A tenant that is warm, which counts as a use. */
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

  /** As `find`, for a request that was counted as a miss before. */
  startedMeanwhile(scope: string, key: string): Mapping | undefined {
    const id = idOf(scope, key);
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#used(id, entry);
    return entry;
  }

  /** The tenant is reached by `path` from now on. */
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
    const entry: Entry = { key, path, upstream, lastUsedMs: clock(), usedAt: wheel.now() };
    this.#entries.set(id, entry);
    metrics.active(this.#entries.size);
    if (this.due === Number.POSITIVE_INFINITY) wheel.set(this, this.#limits.idleMs);
    return entry;
  }

  /** An upstream of one socket, which is in no mapping. */
  upstreamOf(path: string, owner = NO_OWNER): TenantUpstream {
    return new TenantUpstream(path, this.#options.servers, owner);
  }

  /** Forgets the tenant in every scope; false where nobody knew it. */
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
    // As they are now: what is used goes to the end.
    const entries = [...this.#entries];
    for (const [id, entry] of entries) {
      // A download or a WebSocket may last for longer than anything is remembered.
      if (entry.upstream.states.inFlight() > 0) this.#used(id, entry);
      else if (entry.usedAt <= since) this.#forget(id, entry);
      else break;
    }
    const [oldest] = this.#entries.values();
    if (oldest !== undefined) wheel.set(this, Math.max(oldest.usedAt - since, 1));
  }

  #used(id: string, entry: Entry): void {
    const { wheel, clock } = this.#options;
    entry.usedAt = wheel.now();
    entry.lastUsedMs = clock();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
  }

  #ended(id: string, entry: Entry): void {
    if (this.#entries.get(id) === entry) this.#used(id, entry);
  }

  #makeRoom(places: number): void {
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size + places <= this.#limits.most) break;
      this.#evict(id, entry);
    }
  }

  #evict(id: string, entry: Entry): void {
    if (this.#forget(id, entry)) this.#options.metrics.evicted();
  }

  #forget(id: string, entry: Entry): boolean {
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
