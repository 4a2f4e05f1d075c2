import { MemberList } from "../../../lib/member-list.ts";
import { type ServerConnection } from "../../exchange/server-host.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type Transport } from "../../telemetry/metrics/metrics.ts";
import { type ConnectionLimiter } from "../connections/connection-limiter.ts";

/** The open connections of one listener, as its metrics and the limits of connections count them. */
export class OpenConnections {
  readonly #shared: { readonly limiter: ConnectionLimiter; readonly counts: Counts };
  readonly #transport: Transport;
  readonly #members = new MemberList<ServerConnection>();
  #emptied: (() => void) | undefined;

  constructor(shared: { readonly limiter: ConnectionLimiter; readonly counts: Counts }, transport: Transport) {
    this.#shared = shared;
    this.#transport = transport;
  }

  get size(): number {
    return this.#members.size;
  }

  all(): readonly ServerConnection[] {
    return this.#members.all();
  }

  add(connection: ServerConnection): void {
    this.#members.add(connection);
    this.#shared.counts.add("connectionsOpen", 1, this.#transport);
  }

  /** Has no effect on a connection that has left already. */
  leave(connection: ServerConnection): void {
    if (!this.#members.delete(connection)) return;
    this.#shared.limiter.leave(connection);
    this.#shared.counts.add("connectionsOpen", -1, this.#transport);
    if (this.size === 0) this.#emptied?.();
  }

  /** Waits until there is no connection, for `ms` milliseconds at most. */
  async empty(ms: number): Promise<void> {
    if (this.size === 0 || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }
}
