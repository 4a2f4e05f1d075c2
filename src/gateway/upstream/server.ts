import { type Candidate } from "./balancers/balancer.ts";
import { type ServerMetrics } from "../telemetry/upstream-metrics.ts";
import { type Member, serverKey } from "./member.ts";
import { type SlowStart } from "./slow-start.ts";
import { type ServerPool } from "./server-pool.ts";
import { type ActiveState, type Failure, type WorkerStates } from "./server-states.ts";

/** What says that a server cannot serve now, where another may. */
function isRetryableStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** One server of an upstream as a worker uses it: its connections, and what is known of it. */
export class UpstreamServer implements Candidate {
  readonly key: string;
  readonly member: Member;
  readonly pool: ServerPool;
  readonly metrics: ServerMetrics;
  /** Another one is looked for: see `Upstream.pick`. */
  passedOver = false;
  readonly #states: WorkerStates;
  readonly #slowStart: SlowStart | undefined;

  constructor(
    member: Member,
    pool: ServerPool,
    shared: { metrics: ServerMetrics; states: WorkerStates; slowStart?: SlowStart | undefined },
  ) {
    this.key = serverKey(member.endpoint);
    this.member = member;
    this.pool = pool;
    this.metrics = shared.metrics;
    this.#states = shared.states;
    this.#slowStart = shared.slowStart;
  }

  get weight(): number {
    const { weight } = this.member;
    return this.#slowStart === undefined ? weight : weight * this.#slowStart.part;
  }

  get inFlight(): number {
    return this.#states.inFlight(this.member.slot);
  }

  /** Probes and real requests both allow it. */
  get inRotation(): boolean {
    const isIn = this.#states.isInRotation(this.member.slot, this.member.failTimeoutMs);
    this.#slowStart?.saw(isIn);
    return isIn && !this.passedOver;
  }

  /** What probes say. */
  get active(): ActiveState {
    return this.#states.active(this.member.slot);
  }

  /** A request is sent to it, or waits for a connection; `ended` follows, once. */
  began(isRetry: boolean): void {
    this.#states.began(this.member.slot);
    this.metrics.requested(isRetry);
  }

  ended(): void {
    this.#states.ended(this.member.slot);
  }

  /** The head of a final response came. */
  responded(status: number): void {
    this.metrics.responded(status);
  }

  /** A response was whole: the row of failures is broken, unless the response is that it cannot serve. */
  served(status: number): void {
    if (!isRetryableStatus(status)) this.#states.succeeded(this.member.slot);
  }

  /** A failure that is the server's own. */
  failed(failure: Failure): void {
    this.metrics.failed();
    this.#states.failed(this.member.slot, this.member, failure);
  }
}
