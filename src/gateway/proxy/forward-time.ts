import { type Exchange } from "../exchange/exchange.ts";
import { type ClientStream } from "../http2/client-stream.ts";
import { deadlineOf, msUntil } from "./grpc.ts";
import { type UpstreamRequest } from "./request-pump.ts";
import { type ResponseKind } from "./response-flow.ts";
import { type ForwardTarget } from "./target.ts";

/** The time limits of a request at its upstream, in wheel time: in total, for each try, and the deadline of a gRPC call. */
export class ForwardTime {
  readonly #target: ForwardTarget;
  /** The end of a gRPC call's own deadline. */
  readonly #deadline: number;
  #dueAt = Number.POSITIVE_INFINITY;
  #tryEndsAt = Number.POSITIVE_INFINITY;

  constructor(exchange: Exchange, target: ForwardTarget) {
    this.#target = target;
    this.#deadline = callDeadline(exchange, target);
  }

  /** The time by which the response must be complete. */
  get dueAt(): number {
    return this.#dueAt;
  }

  /** The time by which the current try must have a response. */
  get tryDueAt(): number {
    return Math.min(this.#dueAt, this.#tryEndsAt);
  }

  /** True if the client's own deadline has passed. This is not a failure of the server. */
  get isLate(): boolean {
    return this.#deadline <= this.#target.wheel.now();
  }

  /** Milliseconds that remain of the total time. */
  get msLeft(): number {
    return Math.max(this.#dueAt - this.#target.wheel.now(), 0);
  }

  /** Milliseconds that the try may wait for a connection. */
  get msToConnect(): number {
    return Math.min(this.#target.connectTimeoutMs, Math.max(this.tryDueAt - this.#target.wheel.now(), 0));
  }

  /** Starts the total time. */
  begin(): void {
    this.#dueAt = Math.min(this.#target.wheel.now() + this.#target.totalTimeoutMs, this.#deadline);
  }

  beginTry(): void {
    this.#tryEndsAt = this.#target.wheel.now() + this.#target.retry.tryTimeoutMs;
  }

  /** The whole request was sent: limits the wait for the response. */
  boundResponse(upstreamRequest: UpstreamRequest | undefined): void {
    upstreamRequest?.waitAtMost(this.#target.readTimeoutMs, this.tryDueAt);
  }

  /** The response has begun, so no other try follows: limits the rest of the response by the total time. */
  boundRest(upstreamRequest: UpstreamRequest | undefined): void {
    upstreamRequest?.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
  }

  /** A gRPC call may last until its deadline: only its idle time is limited. */
  letCallLast(stream: ClientStream): void {
    stream.silenceMs = this.#target.readTimeoutMs;
    this.#dueAt = this.#deadline;
    this.#tryEndsAt = Number.POSITIVE_INFINITY;
  }

  /** Removes the total limit of a long response. A gRPC call may last until its deadline, an event stream without limit. */
  letResponseLast(kind: ResponseKind, upstreamRequest: UpstreamRequest | undefined): void {
    this.#dueAt = kind === "call" ? this.#deadline : Number.POSITIVE_INFINITY;
    this.boundRest(upstreamRequest);
  }
}

/** The end of a gRPC call's own deadline, in wheel time. */
function callDeadline(exchange: Exchange, { wheel }: ForwardTarget): number {
  return exchange.head.isGrpc ? wheel.now() + msUntil(deadlineOf(exchange)) : Number.POSITIVE_INFINITY;
}
