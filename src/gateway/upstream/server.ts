import { type Candidate } from "./balancers/balancer.ts";
import { type ServerMetrics } from "../telemetry/upstream-metrics.ts";
import { type Member, serverKey } from "./member.ts";
import { type SlowStart } from "./slow-start.ts";
import { type ServerPool } from "./server-pool.ts";
import { type ActiveState, type Failure, type WorkerStates } from "./outlier-detection.ts";

/** A status which says that the server cannot serve now, while another server may. */
function isRetryableStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** One server of an upstream, as a worker uses it: its connections and its state. */
export class UpstreamServer implements Candidate {
  readonly key: string;
  readonly member: Member;
  readonly pool: ServerPool;
  readonly metrics: ServerMetrics;
  /** The balancer must pick another server; see `Upstream.pick`. */
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

  /** Both probes and real requests allow requests to the server. */
  get inRotation(): boolean {
    const isIn = this.#states.isInRotation(this.member.slot, this.member.failTimeoutMs);
    this.#slowStart?.saw(isIn);
    return isIn && !this.passedOver;
  }

  get active(): ActiveState {
    return this.#states.active(this.member.slot);
  }

  /** A request is sent to the server, or waits for a connection. `ended` follows once. */
  began(isRetry: boolean): void {
    this.#states.began(this.member.slot);
    this.metrics.requested(isRetry);
  }

  ended(): void {
    this.#states.ended(this.member.slot);
  }

  /** The head of a final response arrived. */
  responded(status: number): void {
    this.metrics.responded(status);
  }

  /** A complete response resets the failures in a row, unless its status says that the server cannot serve. */
  served(status: number): void {
    if (!isRetryableStatus(status)) this.#states.succeeded(this.member.slot);
  }

  /** A request failed by the server's fault. */
  failed(failure: Failure): void {
    this.metrics.failed();
    this.#states.failed(this.member.slot, this.member, failure);
  }
}
