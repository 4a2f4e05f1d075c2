import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type ColdRequest } from "./cold-starts.ts";

export type Turn<T> =
  /** Another request has started the tenant. */
  | { readonly kind: "warm"; readonly mapping: T }
  /** This request must start the tenant. */
  | { readonly kind: "leads" }
  /** The request has waited for the maximum time. */
  | { readonly kind: "late" }
  | { readonly kind: "gone" };

/** A request that waits while another one starts its tenant. */
export class ColdWait<T> extends Deadline implements ColdRequest<T> {
  readonly turn: Promise<Turn<T>>;
  readonly #wheel: TimerWheel;
  readonly #leave: (wait: ColdWait<T>) => void;
  readonly #tell: (turn: Turn<T>) => void;

  /** `leave` removes it from the queue. */
  constructor(wheel: TimerWheel, leave: (wait: ColdWait<T>) => void) {
    super();
    this.#wheel = wheel;
    this.#leave = leave;
    const { promise, resolve } = Promise.withResolvers<Turn<T>>();
    this.turn = promise;
    this.#tell = resolve;
  }

  /** Called after the request was added to the queue. */
  begin(ms: number): void {
    this.#wheel.set(this, ms);
  }

  warm(mapping: T): void {
    this.#end({ kind: "warm", mapping });
  }

  lead(): void {
    this.#end({ kind: "leads" });
  }

  /** Its client has left. Does nothing if it does not wait any more. */
  gone(): void {
    this.#leave(this);
    this.#end({ kind: "gone" });
  }

  override onDeadline(): void {
    this.#leave(this);
    this.#end({ kind: "late" });
  }

  #end(turn: Turn<T>): void {
    this.#wheel.remove(this);
    this.#tell(turn);
  }
}
