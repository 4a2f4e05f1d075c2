import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";

/** Mappings of one worker; the one that was used longest ago makes room for another. */
export const MAX_WARM_TENANTS = 256;

/** A tenant whose socket is known, as the admin interface shows it. */
export interface WarmTenant {
  readonly key: string;
  /** Its socket, with all links resolved. */
  readonly path: string;
  /** Unix milliseconds. */
  readonly lastUsedMs: number;
}

interface Mapping {
  readonly key: string;
  readonly path: string;
  lastUsedMs: number;
  /** Wheel time. */
  usedAt: number;
}

export interface WarmTenantsOptions {
  readonly wheel: TimerWheel;
  /** Milliseconds without use after which a mapping is forgotten: `tenant_idle_ttl_ms`. */
  readonly idleMs: () => number;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/**
 * Where the tenants of one worker are reached. A mapping is forgotten when nobody has used it for a while, when its socket fails, or
 * when an operator says so; the VM behind it is left alone. It lives over reloads.
 */
export class WarmTenants extends Deadline {
  readonly #options: WarmTenantsOptions;
  /** Used longest ago first. Tenants of routes with different `socket_dir` are different ones. */
  readonly #mappings = new Map<string, Mapping>();
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor(options: WarmTenantsOptions) {
    super();
    this.#options = options;
  }

  /** How often a tenant was found, was not found, and was forgotten other than for idleness. */
  get counts(): { readonly hits: number; readonly misses: number; readonly evictions: number } {
    return { hits: this.#hits, misses: this.#misses, evictions: this.#evictions };
  }

  get size(): number {
    return this.#mappings.size;
  }

  /** The socket of a tenant that is warm, which counts as a use. */
  find(socketDir: string, key: string): string | undefined {
    const id = idOf(socketDir, key);
    const mapping = this.#mappings.get(id);
    if (mapping === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    const { wheel, clock } = this.#options;
    mapping.usedAt = wheel.now();
    mapping.lastUsedMs = clock();
    this.#mappings.delete(id);
    this.#mappings.set(id, mapping);
    return mapping.path;
  }

  /** The tenant is reached by `path` from now on. */
  warm(socketDir: string, key: string, path: string): void {
    const { wheel, clock, idleMs } = this.#options;
    const id = idOf(socketDir, key);
    this.#mappings.delete(id);
    const [oldest] = this.#mappings.keys();
    if (this.#mappings.size === MAX_WARM_TENANTS && oldest !== undefined) {
      this.#mappings.delete(oldest);
      this.#evictions++;
    }
    this.#mappings.set(id, { key, path, lastUsedMs: clock(), usedAt: wheel.now() });
    if (this.due === Number.POSITIVE_INFINITY) wheel.set(this, idleMs());
  }

  /** `path` has failed: whoever comes next starts the tenant, unless it was started again meanwhile. */
  failed(socketDir: string, key: string, path: string): void {
    const id = idOf(socketDir, key);
    if (this.#mappings.get(id)?.path !== path) return;
    this.#mappings.delete(id);
    this.#evictions++;
  }

  /** Forgets the tenant on every route; false where nobody knew it. */
  drop(key: string): boolean {
    let found = false;
    for (const [id, mapping] of this.#mappings) {
      if (mapping.key !== key) continue;
      this.#mappings.delete(id);
      this.#evictions++;
      found = true;
    }
    return found;
  }

  list(): WarmTenant[] {
    return [...this.#mappings.values()].map(({ key, path, lastUsedMs }) => ({ key, path, lastUsedMs }));
  }

  close(): void {
    this.#options.wheel.remove(this);
    this.#mappings.clear();
  }

  override onDeadline(): void {
    const { wheel, idleMs } = this.#options;
    const since = wheel.now() - idleMs();
    for (const [id, { usedAt }] of this.#mappings) {
      if (usedAt > since) {
        wheel.set(this, usedAt - since);
        return;
      }
      this.#mappings.delete(id);
    }
  }
}

function idOf(socketDir: string, key: string): string {
  return `${socketDir}\0${key}`;
}
