import { type Tracer } from "./tracer.ts";

/**
 * Milliseconds in which the remaining spans must reach their collectors when the gateway stops. Later spans are
 * dropped. @bound
 */
const TRACE_FLUSH_MS = 1500;
/** Replaced tracers that are remembered. If there are more, the oldest sends its spans at once. */
const MAX_REPLACED = 8;

/** The replaced tracers of a process. They begin no new traces, but requests in flight still end in them. */
export class Tracers {
  readonly #replaced: Tracer[] = [];

  replaced(tracer: Tracer): void {
    this.#replaced.push(tracer);
    if (this.#replaced.length > MAX_REPLACED) void this.#replaced.shift()?.flush(TRACE_FLUSH_MS);
  }

  /** Sends the remaining spans. It takes at most 1.5 s. */
  async flush(): Promise<void> {
    await Promise.all(this.#replaced.splice(0).map((tracer) => tracer.flush(TRACE_FLUSH_MS)));
  }
}
