/** Requests of one worker that wait for a tenant which another request starts. @internal */
export const MAX_WAITING = 1024;

/** A request to a tenant that is being started. It is told one of these, once. */
export interface ColdRequest<T> {
  /** The tenant is reached by `mapping`. */
  warm(mapping: T): void;
  /** Whoever was to start the tenant has not: it is this request's turn. */
  lead(): void;
}

/**
 * One cold start for all who want the same tenant at the same time: the first request starts it, the others wait. Where the first
 * one fails, is refused or leaves, the next one takes its place, since its filter may decide otherwise. Decision 0712.
 */
export class ColdStarts<T> {
  /** Those who wait, by tenant; an entry is there for as long as somebody leads. */
  readonly #waiting = new Map<string, ColdRequest<T>[]>();
  #count = 0;

  /** `leads`: this request starts the tenant, and must end with `started` or `failed`. `full`: too many wait. */
  enter(tenant: string, request: ColdRequest<T>): "leads" | "waits" | "full" {
    const waiting = this.#waiting.get(tenant);
    if (waiting === undefined) {
      this.#waiting.set(tenant, []);
      return "leads";
    }
    if (this.#count === MAX_WAITING) return "full";
    this.#count++;
    waiting.push(request);
    return "waits";
  }

  /** A request that waits has lost its client. */
  leave(tenant: string, request: ColdRequest<T>): void {
    const waiting = this.#waiting.get(tenant) ?? [];
    const at = waiting.indexOf(request);
    if (at === -1) return;
    waiting.splice(at, 1);
    this.#count--;
  }

  /** The tenant is warm. */
  started(tenant: string, mapping: T): void {
    const waiting = this.#waiting.get(tenant) ?? [];
    this.#waiting.delete(tenant);
    this.#count -= waiting.length;
    for (const request of waiting) request.warm(mapping);
  }

  /** Whoever led has not started the tenant. */
  failed(tenant: string): void {
    const next = this.#waiting.get(tenant)?.shift();
    if (next === undefined) {
      this.#waiting.delete(tenant);
      return;
    }
    this.#count--;
    next.lead();
  }
}
