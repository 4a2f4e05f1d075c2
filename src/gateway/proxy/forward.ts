import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { CannedError } from "../answer.ts";
import { type BodySink, type Exchange, type ResponseHead, type ResponseSink } from "../exchange.ts";
import { type ClientConnection } from "../http1/client-connection.ts";
import { type PoolRefusal, type ServerPool, Waiter } from "../upstream/server-pool.ts";
import { upstreamHead } from "./request-head.ts";
import { type ForwardTarget } from "./target.ts";

const NO_SERVER = new CannedError("no-upstream", "no server of the upstream is in rotation");
const QUEUE_FULL = new CannedError("overloaded", "too many requests wait for the upstream");
const NO_CONNECTION = new CannedError("upstream-timeout", "no connection to the upstream could be had in time");
const REFUSED = new CannedError("upstream-failed", "the upstream refused the connection");
const NO_ANSWER = new CannedError("upstream-timeout", "the upstream did not answer in time");
const TOO_LARGE = new CannedError("response-too-large", "the upstream's answer is larger than this route allows");

/** Sends an exchange to the route's upstream, and the upstream's answer to the exchange's response. */
export function forward(exchange: Exchange, target: ForwardTarget): void {
  new Forward(exchange, target).next();
}

function isRetryable(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

class ForwardWaiter extends Waiter {
  readonly #forward: Forward;
  constructor(owner: Forward) {
    super();
    this.#forward = owner;
  }
  override onConnection(connection: ClientConnection): void {
    this.#forward.send(connection);
  }
  override onRefusal(reason: PoolRefusal): void {
    this.#forward.refused(reason);
  }
}

/** Carries the request body from the client to the upstream. */
class RequestPump implements BodySink {
  readonly #forward: Forward;
  readonly #connection: ClientConnection;
  constructor(owner: Forward, connection: ClientConnection) {
    this.#forward = owner;
    this.#connection = connection;
  }
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    return this.#connection.data(chunk, start, end);
  }
  end(trailers: Fields): void {
    this.#connection.end(trailers);
    this.#forward.requestSent();
  }
  abort(error: TurnpikeError): void {
    this.#forward.fail(error);
  }
}

/**
 * One exchange's way through an upstream: picks a server, gets a connection, sends, relays, and tries again where that
 * is safe: GET, HEAD and OPTIONS only, and only before the client got a byte.
 */
class Forward implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #target: ForwardTarget;
  readonly #dueAt: number;
  #server: ServerPool | undefined;
  #connection: ClientConnection | undefined;
  #waiter: ForwardWaiter | undefined;
  #retriesLeft: number;
  #bodyTaken = false;
  #stale = false;
  #received = 0;
  /** The final head was handed on: no other try, and an error can only cut the answer off. */
  #begun = false;
  #over = false;

  constructor(exchange: Exchange, target: ForwardTarget) {
    this.#exchange = exchange;
    this.#target = target;
    this.#dueAt = target.wheel.now() + target.totalTimeoutMs;
    this.#retriesLeft = isRetryable(exchange.head.method) && exchange.head.bodyLength === 0 ? target.maxRetries : 0;
    exchange.onCancel = () => this.#cancel();
    exchange.onDrain = () => this.#connection?.resume();
  }

  /** Tries the next server. */
  next(): void {
    const server = this.#target.upstream.pick(this.#server);
    if (server === undefined) {
      this.fail(NO_SERVER);
      return;
    }
    this.#server = server;
    this.#sendTo(server);
  }

  #sendTo(server: ServerPool): void {
    const idle = server.takeIdle();
    if (idle !== undefined) {
      this.send(idle);
      return;
    }
    this.#waiter = new ForwardWaiter(this);
    server.wait(this.#waiter, Math.min(this.#target.connectTimeoutMs, this.#msLeft()));
  }

  /** Begins the request on a connection. */
  send(connection: ClientConnection): void {
    const { head, body } = this.#exchange;
    this.#waiter = undefined;
    this.#connection = connection;
    this.#stale = connection.requests > 0;
    connection.onTimeout = () => this.#timedOut();
    const text = upstreamHead(this.#exchange, this.#target, this.#server?.endpoint);
    connection.request(head.method, text, head.bodyLength, this);
    if (head.bodyLength === 0) {
      connection.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
      return;
    }
    this.#bodyTaken = true;
    connection.onSendable = () => this.#exchange.body.resume();
    connection.waitAtMost(this.#target.sendTimeoutMs, this.#dueAt);
    body.readTo(new RequestPump(this, connection));
  }

  /** The whole request is with the upstream: from now on it is the upstream's turn. */
  requestSent(): void {
    this.#connection?.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
  }

  refused(reason: PoolRefusal): void {
    this.#waiter = undefined;
    if (reason === "full") {
      this.fail(QUEUE_FULL);
      return;
    }
    if (reason !== "busy") this.#server?.failed();
    this.#retryOrFail(reason !== "refused" ? NO_CONNECTION : REFUSED);
  }

  start(head: ResponseHead): void {
    const { status } = head;
    if (status < 200) {
      this.#exchange.response.start(head);
      return;
    }
    const failing = status === 502 || status === 503 || status === 504;
    if (failing && this.#mayRetry()) {
      this.#retriesLeft--;
      this.#connection?.destroy();
      this.next();
      return;
    }
    this.#server?.succeeded();
    const noBody = this.#exchange.head.method === "HEAD" || status === 304;
    if (!noBody && head.bodyLength > this.#target.maxResponseBytes) {
      this.fail(TOO_LARGE);
      return;
    }
    this.#begun = true;
    this.#exchange.response.start(head);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.#received += end - start;
    if (this.#received > this.#target.maxResponseBytes) {
      this.fail(TOO_LARGE);
      return true;
    }
    return this.#exchange.response.data(chunk, start, end);
  }

  end(trailers: Fields): void {
    if (this.#over) return;
    this.#over = true;
    this.#connection = undefined;
    this.#exchange.response.end(trailers);
  }

  abort(error: TurnpikeError): void {
    const stale = this.#stale && this.#connection?.heard === false;
    this.#connection = undefined;
    // A pooled connection that its server closed meanwhile says nothing about the server: another one, at no cost.
    if (stale && isRetryable(this.#exchange.head.method) && !this.#bodyTaken && this.#server !== undefined) {
      this.#sendTo(this.#server);
      return;
    }
    // A server is not to blame for what this worker has no room for.
    if (error.code === "overloaded") {
      this.fail(error);
      return;
    }
    this.#server?.failed();
    this.#retryOrFail(error);
  }

  /** Ends the exchange with an error, whatever state it is in. */
  fail(error: TurnpikeError): void {
    if (this.#over) return;
    this.#release();
    if (this.#begun) this.#exchange.response.abort(error);
    else this.#target.answerError(this.#exchange, error);
  }

  #mayRetry(): boolean {
    return this.#retriesLeft > 0 && !this.#begun && !this.#over;
  }

  #retryOrFail(error: TurnpikeError): void {
    if (!this.#mayRetry() || this.#msLeft() <= 0) {
      this.fail(error);
      return;
    }
    this.#retriesLeft--;
    this.next();
  }

  #timedOut(): void {
    // A client that sends or reads slowly can use up the time as well: that must take no server out of rotation.
    if (this.#connection?.awaited === true) this.#server?.failed();
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#retryOrFail(NO_ANSWER);
  }

  #msLeft(): number {
    return Math.max(this.#dueAt - this.#target.wheel.now(), 0);
  }

  #cancel(): void {
    if (!this.#over) this.#release();
  }

  /** Lets go of whatever the exchange holds of the upstream. */
  #release(): void {
    this.#over = true;
    if (this.#waiter !== undefined) this.#server?.leave(this.#waiter);
    this.#waiter = undefined;
    this.#connection?.destroy();
    this.#connection = undefined;
  }
}
