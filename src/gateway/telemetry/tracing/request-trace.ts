import { eventTime } from "../../../lib/time/event-clock.ts";
import { contextFields } from "./trace-context.ts";
import { UpstreamRecord } from "./upstream-record.ts";

/** Child spans of a request; more are left out. Retries, guarding policies, filters have spans. */
const MAX_CHILDREN = 64;

interface Try {
  readonly server: string;
  readonly scheme: "http" | "https";
  readonly rewrite: ((path: string) => string) | undefined;
}

export interface FilterRun {
  readonly filter: string;
  readonly phase: string;
  readonly outcome: string;
  readonly fuel: number;
  readonly microseconds: number;
}

/** Outcomes of filters that are failures. A set of strings, because the metrics' layout defines them. */
const FILTER_FAILURES: ReadonlySet<string> = new Set(["fuel", "trap", "misuse", "deadline", "control", "start"]);

/** A part of a request. Its times are times of `eventTime`. */
export interface ChildSpan {
  readonly spanId: string;
  /** The span of the request, or of the policy that it is a part of. */
  readonly parentId: string;
  /** `upstream`, the policy's name, or the name of the policy's work. */
  readonly name: string;
  beganAt: number;
  endedAt: number;
  /** Set for a try only. */
  readonly to: Try | undefined;
  /** Set for the invocation of a filter only. */
  readonly run: FilterRun | undefined;
  /** It can last longer than the request. It is exported when it has ended. */
  readonly lasts: boolean;
  /** Tries of the request before this one. */
  readonly resends: number;
  status: number;
  /** Empty: no error. */
  error: string;
}

/** The trace of a sampled request: it collects the spans. */
export class RequestTrace extends UpstreamRecord {
  readonly traceId: string;
  readonly spanId: string;
  /** The client's span; empty if the trace begins here. */
  readonly parentId: string;
  readonly children: ChildSpan[] = [];
  readonly state: string;
  /** Called with a lasting span that ends after the request. */
  onLate: ((span: ChildSpan) => void) | undefined;
  readonly #newSpanId: () => string;
  #policy: ChildSpan | undefined;
  #try: ChildSpan | undefined;

  constructor(ids: { traceId: string; parentId: string; state: string }, newSpanId: () => string) {
    super("");
    this.traceId = ids.traceId;
    this.parentId = ids.parentId;
    this.state = ids.state;
    this.spanId = newSpanId();
    this.#newSpanId = newSpanId;
  }

  override tryBegan(server: string, scheme: Try["scheme"], rewrite: Try["rewrite"]): void {
    this.tryEnded("");
    super.tryBegan(server, scheme, rewrite);
    this.#try = this.#begin("upstream", { to: { server, scheme, rewrite } });
    const { spanId } = this.#try;
    this.fields = contextFields({ traceId: this.traceId, spanId, sampled: true }, this.state);
  }

  override responded(status: number): void {
    super.responded(status);
    if (this.#try !== undefined) this.#try.status = status;
  }

  override tryEnded(error: string): void {
    if (this.#try === undefined) return;
    this.#try.endedAt = eventTime();
    this.#try.error = error;
    this.#try = undefined;
  }

  /** A policy begins. Spans that begin before it ends are its children. */
  policyBegan(name: string): ChildSpan {
    this.#policy = this.#begin(name);
    return this.#policy;
  }

  /** `error` is empty, or one word for the failure. */
  policyEnded(span: ChildSpan, error: string): void {
    if (this.#policy === span) this.#policy = undefined;
    span.endedAt = eventTime();
    span.error = error;
  }

  /**
   * The invocation of a filter has ended at `now`, in monotonic milliseconds. `eventTime` does not advance within one
   * event, so the default is the clock's own time.
   */
  filterRan(run: FilterRun, now = performance.now()): void {
    const span = this.#begin(`filter ${run.phase}`, { parentId: this.#policy?.spanId ?? this.spanId, run });
    span.endedAt = now;
    span.beganAt = now - run.microseconds / 1000;
    span.error = FILTER_FAILURES.has(run.outcome) ? run.outcome : "";
  }

  /** Begins a span that can last longer than the request. */
  workBegan(name: string): ChildSpan {
    return this.#begin(name, { parentId: this.#policy?.spanId ?? this.spanId, lasts: true });
  }

  workEnded(span: ChildSpan, error: string): void {
    span.endedAt = eventTime();
    span.error = error;
    if (this.children.includes(span)) this.onLate?.(span);
  }

  #begin(name: string, more: Partial<Pick<ChildSpan, "parentId" | "to" | "run" | "lasts">> = {}): ChildSpan {
    const span: ChildSpan = {
      spanId: this.#newSpanId(),
      parentId: this.spanId,
      name,
      beganAt: eventTime(),
      endedAt: -1,
      to: undefined,
      run: undefined,
      lasts: false,
      ...more,
      resends: more.to === undefined ? 0 : this.tries - 1,
      status: 0,
      error: "",
    };
    if (this.children.length < MAX_CHILDREN) this.children.push(span);
    return span;
  }
}
