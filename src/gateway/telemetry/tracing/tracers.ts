import { type Tracer } from "./tracer.ts";

/** Milliseconds that the spans which are left have to reach their collectors when the gateway stops. @bound */
const TRACE_FLUSH_MS = 1500;
/** Tracers that are remembered once others took their place; of more, the oldest sends what it has at once. */
const MAX_REPLACED = 8;

/** The tracers of a process that nobody begins traces with any more: requests in flight still end in them. */
export class Tracers {
  readonly #replaced: Tracer[] = [];

  replaced(tracer: Tracer): void {
    this.#replaced.push(tracer);
    if (this.#replaced.length > MAX_REPLACED) void this.#replaced.shift()?.flush(TRACE_FLUSH_MS);
  }

  /** Sends what is left; takes 1.5 s at most. */
  async flush(): Promise<void> {
    await Promise.all(this.#replaced.splice(0).map((tracer) => tracer.flush(TRACE_FLUSH_MS)));
  }
}
