import { eventTime } from "../../../lib/event-clock.ts";
import { contextFields } from "./trace-context.ts";
import { UpstreamRecord } from "./upstream-record.ts";

/** Spans of one request; what comes beyond them is left out. A retry makes one, and so do policies that guard and invocations of filters. */
const MAX_CHILDREN = 64;

/** Where a try goes. */
interface Try {
  readonly server: string;
  readonly scheme: "http" | "https";
  readonly rewrite: ((path: string) => string) | undefined;
}

/** An invocation of a filter that has ended. */
export interface FilterRun {
  readonly filter: string;
  readonly phase: string;
  readonly outcome: string;
  readonly fuel: number;
  readonly microseconds: number;
}

/** Outcomes of filters that are failures; a list of strings, since the shape of metrics knows the others. */
const FILTER_FAILURES: ReadonlySet<string> = new Set(["fuel", "trap", "misuse", "deadline", "control", "start"]);

/** A part of a request; times are those of `eventTime`. */
export interface ChildSpan {
  readonly spanId: string;
  /** The request's, or that of the policy that it is a part of. */
  readonly parentId: string;
  /** `upstream`, the policy's name, or that of its work. */
  readonly name: string;
  beganAt: number;
  endedAt: number;
  /** Undefined but for a try. */
  readonly to: Try | undefined;
  /** Undefined but for the invocation of a filter. */
  readonly run: FilterRun | undefined;
  /** It may go on when the request is over, and is told of once it has ended. */
  readonly lasts: boolean;
  /** From 0 on. */
  readonly resends: number;
  status: number;
  /** Empty: none. */
  error: string;
}

/** What is sampled of a request: it gathers the spans. */
export class RequestTrace extends UpstreamRecord {
  readonly traceId: string;
  readonly spanId: string;
  /** The client's; empty where the trace begins here. */
  readonly parentId: string;
  readonly children: ChildSpan[] = [];
  readonly state: string;
  /** Hears of a lasting part that ends when the request is over. */
  onLate: ((span: ChildSpan) => void) | undefined;
  readonly #newSpanId: () => string;
  /** The policy at work. */
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

  /** A policy begins its work: what begins before it ends is a part of it. */
  policyBegan(name: string): ChildSpan {
    this.#policy = this.#begin(name);
    return this.#policy;
  }

  /** `error` is empty, or what went wrong in a word. */
  policyEnded(span: ChildSpan, error: string): void {
    if (this.#policy === span) this.#policy = undefined;
    span.endedAt = eventTime();
    span.error = error;
  }

  /** A filter was invoked, and that has ended just now. */
  filterRan(run: FilterRun): void {
    const span = this.#begin(`filter ${run.phase}`, { parentId: this.#policy?.spanId ?? this.spanId, run });
    // The time of an event stands still: the clock is asked for what is shorter than that.
    span.endedAt = performance.now();
    span.beganAt = span.endedAt - run.microseconds / 1000;
    span.error = FILTER_FAILURES.has(run.outcome) ? run.outcome : "";
  }

  /** Work begins that may go on when the request is over. */
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
