import { Deadline } from "../../lib/time/timer-wheel.ts";
import { type Wire } from "./wire.ts";

/** Cuts a connection if its peer does not read. */
export class WriteDeadline extends Deadline {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  override onDeadline(): void {
    this.#wire.terminate();
  }
}
