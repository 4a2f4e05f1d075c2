import { eventTime } from "../../../lib/event-clock.ts";
import { contextFields } from "./trace-context.ts";
import { UpstreamRecord } from "./upstream-record.ts";

/** Spans of one request; what comes beyond them is left out. A retry makes one, and so does each policy that guards. */
const MAX_CHILDREN = 64;

/** A part of a request; times are those of `eventTime`. */
export interface ChildSpan {
  readonly spanId: string;
  /** `upstream`, or the policy's name. */
  readonly name: string;
  readonly beganAt: number;
  endedAt: number;
  /** Empty for a policy. */
  readonly server: string;
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
  readonly #newSpanId: () => string;
  #try: ChildSpan | undefined;

  constructor(ids: { traceId: string; parentId: string; state: string }, newSpanId: () => string) {
    super("");
    this.traceId = ids.traceId;
    this.parentId = ids.parentId;
    this.state = ids.state;
    this.spanId = newSpanId();
    this.#newSpanId = newSpanId;
  }

  override tryBegan(server: string): void {
    this.tryEnded("");
    super.tryBegan(server);
    this.#try = this.begin("upstream", server);
    const { spanId } = this.#try;
    this.fields = contextFields({ traceId: this.traceId, spanId, sampled: true }, this.state);
  }

  override answered(status: number): void {
    super.answered(status);
    if (this.#try !== undefined) this.#try.status = status;
  }

  override tryEnded(error: string): void {
    if (this.#try === undefined) return;
    this.#try.endedAt = eventTime();
    this.#try.error = error;
    this.#try = undefined;
  }

  /** A part begins; who began it ends it. */
  begin(name: string, server = ""): ChildSpan {
    const span: ChildSpan = {
      spanId: this.#newSpanId(),
      name,
      beganAt: eventTime(),
      endedAt: -1,
      server,
      resends: server === "" ? 0 : this.tries - 1,
      status: 0,
      error: "",
    };
    if (this.children.length < MAX_CHILDREN) this.children.push(span);
    return span;
  }
}
