import { type Exchange } from "../../exchange/exchange.ts";
import { KeptBody } from "./kept-body.ts";
import { type UpstreamServer } from "../../upstream/server.ts";
import { type Upstream } from "../../upstream/upstream.ts";

/** The retry settings of a route, compiled when the configuration is loaded. Times in milliseconds. */
export interface RetrySettings {
  readonly maxRetries: number;
  /** Requests of any method are retried if no connection could be opened. */
  readonly connectAnyMethod: boolean;
  /** Requests of any method are retried, if their body was kept. */
  readonly anyMethod: boolean;
  readonly statuses: ReadonlySet<number>;
  /** From the beginning of a try to the head of its response. Infinity: only the other limits apply. */
  readonly tryTimeoutMs: number;
  /** The pause before the first retry, doubled for each further retry up to the maximum. 0: no pause. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** From 0 to less than 1. */
  readonly random: () => number;
}

/**
 * The pause before the next retry, after `retries` retries. Half of it is random, so that clients that failed together do
 * not return together. @internal
 */
export function pauseMs({ backoffMs, maxBackoffMs, random }: RetrySettings, retries: number): number {
  const whole = Math.min(backoffMs * 2 ** retries, maxBackoffMs);
  return whole * (1 - random() / 2);
}

/**
 * Replays of a request on another connection, after a stale connection or a refused stream. Further ones count as failed
 * tries.
 */
const MAX_REPLAYS = 2;

/** True for an idempotent method that normally has no body. */
export function isRetryable(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/**
 * Decides whether and where one request is tried again: for GET, HEAD and OPTIONS, and for what the route allows. Counts
 * the request as in flight at the current server.
 */
export class Retries {
  readonly upstream: Upstream;
  /** The server of the last try, which may have ended. */
  server: UpstreamServer | undefined;
  readonly #exchange: Exchange;
  readonly #retry: RetrySettings;
  #tried: readonly UpstreamServer[] | undefined;
  /** The request counts as in flight at `server`. */
  #atServer = false;
  #count = 0;
  #replays = 0;

  constructor(exchange: Exchange, upstream: Upstream, retry: RetrySettings) {
    this.#exchange = exchange;
    this.upstream = upstream;
    this.#retry = retry;
  }

  /** True if a server may receive the request even if another server has processed it. */
  get #mayRepeat(): boolean {
    const { method, isGrpc, upgrade } = this.#exchange.head;
    return isRetryable(method) || (this.#retry.anyMethod && !isGrpc && upgrade === "");
  }

  /** The store for the body of a request that may be repeated. */
  newKept(): KeptBody | undefined {
    const { anyMethod, maxRetries } = this.#retry;
    return anyMethod && maxRetries > 0 && this.#mayRepeat ? new KeptBody() : undefined;
  }

  /** Whether a response with this status leads to another try. */
  retriesStatus(status: number): boolean {
    return this.#retry.statuses.has(status);
  }

  /**
   * Milliseconds of the pause before the next try; -1 if no try may follow. Partly random, so each call returns another
   * value. `isUnsent`: no connection could be opened.
   */
  msBeforeRetry(msLeft: number, isUnsent: boolean): number {
    if (this.#count > this.#retry.maxRetries) return -1;
    const ms = this.#retry.backoffMs === 0 ? 0 : pauseMs(this.#retry, this.#count - 1);
    // No server has processed a replayed request.
    const anyMethod = isUnsent && (this.#retry.connectAnyMethod || this.#replays > 0);
    return ms < msLeft && (anyMethod || this.#mayRepeat) ? ms : -1;
  }

  /**
   * A request may be sent again on another connection in two cases, without counting as a try. Either the server closed a
   * pooled connection (`isStale`), which says nothing about the server. Or an HTTP/2 server reports that it has not
   * processed the request (RFC 9113 §8.7), whatever its method. True: the replay counts.
   */
  mayReplay(isUnprocessed: boolean, isStale: boolean): boolean {
    if (this.#replays >= MAX_REPLAYS || !(isUnprocessed || (isStale && this.#mayRepeat))) return false;
    this.#replays++;
    return true;
  }

  /** False while no server is in rotation. */
  get isPossible(): boolean {
    return this.upstream.servers.some(({ inRotation }) => inRotation);
  }

  /** The next server, if possible one in rotation that was not tried yet. */
  next(): UpstreamServer | undefined {
    return this.upstream.pick(this.#exchange.clientAddress, this.server, this.#tried);
  }

  /** Begins a try at `server`, and ends the one before it. */
  begin(server: UpstreamServer): void {
    this.leave();
    if (this.server !== undefined) this.#tried = [...(this.#tried ?? []), this.server];
    this.server = server;
    server.began(this.#count > 0);
    this.#atServer = true;
    this.#count++;
  }

  /** Ends the try. `sent` and `received` are the bytes of both bodies, if it was the last try. */
  leave(sent = 0, received = 0): void {
    if (!this.#atServer) return;
    this.#atServer = false;
    this.server?.metrics.carried(sent, received);
    this.server?.ended();
  }
}
