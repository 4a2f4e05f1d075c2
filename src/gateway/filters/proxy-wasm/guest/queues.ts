import { Deadline } from "../../../../lib/time/timer-wheel.ts";
import { MESSAGES_A_TURN, MIN_TICK_MS } from "../../module/proxy-wasm-bounds.ts";
import { type Runner } from "./runner.ts";

/**
 * Calls an instance for messages in the shared queues that it has registered. The call never runs within the filter
 * that sends the message, nor at once: a filter that sends a message for each one it receives would leave the worker no
 * time.
 */
export class Queues extends Deadline {
  readonly #instance: Runner;
  /** Messages for which the filter has not been called yet, by queue. */
  readonly #waiting = new Map<number, number>();
  #isOver = false;

  constructor(instance: Runner) {
    super();
    this.#instance = instance;
  }

  /** Called when a message arrives in a queue. */
  readonly hear = (queue: number): void => {
    this.#waiting.set(queue, (this.#waiting.get(queue) ?? 0) + 1);
    if (this.due === Number.POSITIVE_INFINITY) this.#instance.plugin.runtime.wheel.set(this, MIN_TICK_MS);
  };

  close(): void {
    this.#isOver = true;
    const { runtime, shared } = this.#instance.plugin;
    runtime.wheel.remove(this);
    shared.forget(this.hear);
  }

  onDeadline(): void {
    const { callbacks, root } = this.#instance;
    const { queueReady } = callbacks;
    if (queueReady === undefined) return;
    let turn = MESSAGES_A_TURN;
    for (const [queue, count] of this.#waiting) {
      const told = Math.min(count, turn);
      turn -= told;
      if (told === count) this.#waiting.delete(queue);
      else this.#waiting.set(queue, count - told);
      for (let i = 0; i < told && !this.#isOver; i++) {
        this.#instance.run(root, "proxy_on_queue_ready", () => queueReady(root.id, queue));
      }
    }
    if (this.#waiting.size > 0 && !this.#isOver) this.#instance.plugin.runtime.wheel.set(this, MIN_TICK_MS);
  }
}
