import { type PoolRefusal, type UpstreamConnection, Waiter } from "../upstream/server-pool.ts";

export interface WaitingForward {
  send(connection: UpstreamConnection): void;
  refused(reason: PoolRefusal): void;
}

/** The entry of a forwarded request in the queue for connections. */
export class ForwardWaiter extends Waiter {
  readonly #forward: WaitingForward;
  constructor(owner: WaitingForward) {
    super();
    this.#forward = owner;
  }
  override onConnection(connection: UpstreamConnection): void {
    this.#forward.send(connection);
  }
  override onRefusal(reason: PoolRefusal): void {
    this.#forward.refused(reason);
  }
}
