import { type Exchange } from "../exchange.ts";
import { type ClientStream } from "../http2/client-stream.ts";
import { deadlineOf, msUntil } from "./grpc.ts";
import { type Carrier } from "./request-pump.ts";
import { type ResponseKind } from "./response-flow.ts";
import { type ForwardTarget } from "./target.ts";

/** How long a request may take at its upstream, in the wheel's time: in all, for each try, and by a gRPC call's own deadline. */
export class ForwardTime {
  readonly #target: ForwardTarget;
  /** When a call of gRPC is over by its own time. */
  readonly #deadline: number;
  #dueAt = Number.POSITIVE_INFINITY;
  #tryEndsAt = Number.POSITIVE_INFINITY;

  constructor(exchange: Exchange, target: ForwardTarget) {
    this.#target = target;
    this.#deadline = exchange.head.isGrpc
      ? target.wheel.now() + msUntil(deadlineOf(exchange))
      : Number.POSITIVE_INFINITY;
  }

  /** When the response must be whole. */
  get dueAt(): number {
    return this.#dueAt;
  }

  /** When the try that is under way must have its answer. */
  get tryDueAt(): number {
    return Math.min(this.#dueAt, this.#tryEndsAt);
  }

  /** The client's own time is up, which says nothing of the server. */
  get isLate(): boolean {
    return this.#deadline <= this.#target.wheel.now();
  }

  /** Milliseconds of the whole time. */
  get msLeft(): number {
    return Math.max(this.#dueAt - this.#target.wheel.now(), 0);
  }

  /** Milliseconds that the try may wait for a connection. */
  get msToConnect(): number {
    return Math.min(this.#target.connectTimeoutMs, Math.max(this.tryDueAt - this.#target.wheel.now(), 0));
  }

  /** The whole time counts from now. */
  begin(): void {
    this.#dueAt = Math.min(this.#target.wheel.now() + this.#target.totalTimeoutMs, this.#deadline);
  }

  /** The time of a try counts from now. */
  beginTry(): void {
    this.#tryEndsAt = this.#target.wheel.now() + this.#target.retry.tryTimeoutMs;
  }

  /** The whole request was sent: the try has its time to be answered. */
  boundAnswer(carrier: Carrier | undefined): void {
    carrier?.waitAtMost(this.#target.readTimeoutMs, this.tryDueAt);
  }

  /** The response has begun: no other try follows. */
  boundRest(carrier: Carrier | undefined): void {
    carrier?.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
  }

  /** A call of gRPC may last for days until its deadline: what is limited is its silence. */
  letCallLast(stream: ClientStream): void {
    stream.silenceMs = this.#target.readTimeoutMs;
    this.#dueAt = this.#deadline;
    this.#tryEndsAt = Number.POSITIVE_INFINITY;
  }

  /** The client may wait for the end of the response for days; for that of a call, until its deadline. */
  letResponseLast(kind: ResponseKind, carrier: Carrier | undefined): void {
    this.#dueAt = kind === "call" ? this.#deadline : Number.POSITIVE_INFINITY;
    this.boundRest(carrier);
  }
}
