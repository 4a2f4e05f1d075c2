/** Requests of one worker that wait for a tenant while another request starts it. @internal */
export const MAX_WAITING = 1024;

/** A request to a tenant that is being started. One of the methods is called, once. */
export interface ColdRequest<T> {
  /** The tenant can be reached by `mapping`. */
  warm(mapping: T): void;
  /** The first request has not started the tenant: now this request starts it. */
  lead(): void;
}

/**
 * One cold start for all requests that want the same tenant at the same time: the first request starts it, the others
 * wait. If the first request fails, is rejected or loses its client, the next one starts the tenant, because its filter
 * can decide differently.
 */
export class ColdStarts<T> {
  /** Waiting requests by tenant. An entry exists as long as one request is starting the tenant. */
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

  /** A waiting request has lost its client. */
  leave(tenant: string, request: ColdRequest<T>): void {
    const waiting = this.#waiting.get(tenant) ?? [];
    const at = waiting.indexOf(request);
    if (at === -1) return;
    waiting.splice(at, 1);
    this.#count--;
  }

  started(tenant: string, mapping: T): void {
    const waiting = this.#waiting.get(tenant) ?? [];
    this.#waiting.delete(tenant);
    this.#count -= waiting.length;
    for (const request of waiting) request.warm(mapping);
  }

  /** The request that was starting the tenant has not succeeded. */
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
