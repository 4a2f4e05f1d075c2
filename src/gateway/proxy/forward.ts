import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { GRPC } from "../../lib/grpc-status.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../exchange.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { ClientStream } from "../http2/client-stream.ts";
import { isRetryableStatus, type UpstreamServer } from "../upstream/server.ts";
import { type PoolRefusal, type UpstreamConnection } from "../upstream/server-pool.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { isEventStream } from "./event-stream.ts";
import * as errors from "./forward-errors.ts";
import { ForwardWaiter } from "./forward-waiter.ts";
import { deadlineOf, httpHead, msUntil, resetError } from "./grpc.ts";
import { KeptBody } from "./kept-body.ts";
import { type RequestCopy } from "./request-copy.ts";
import { http1Head, http2Request, isRetryable } from "./request-head.ts";
import { type Carrier, RequestPump } from "./request-pump.ts";
import { ServerTries } from "./server-tries.ts";
import { type ForwardTarget } from "./target.ts";
import { handshakeKey, Tunnel } from "./websocket.ts";

/** Connections that may turn out dead, or answer that they have done nothing, before that counts as a failure. */
const MAX_REPLAYS = 2;

/** Sends an exchange to the route's upstream, or one of those that its traffic is split among, and the upstream's answer to the exchange's response. */
export function forward(exchange: Exchange, target: ForwardTarget): void {
  const forwarding = new Forward(exchange, target);
  forwarding.begin();
  forwarding.copy?.begin();
}

/**
 * One exchange's way through an upstream: picks a server, gets a connection, sends, relays, and tries again where that
 * is safe: GET, HEAD and OPTIONS only, and only before the client got a byte.
 */
class Forward implements ResponseSink {
  /** What goes to the route's mirror. */
  readonly copy: RequestCopy | undefined;
  readonly #exchange: Exchange;
  readonly #target: ForwardTarget;
  readonly #tries: ServerTries;
  #dueAt: number;
  #carrier: Carrier | undefined;
  #waiter: ForwardWaiter | undefined;
  #replays = 0;
  /** Requests begun on a connection, this one too; a request that fails before this is over was begun last. */
  #sent = 0;
  #bodyTaken = false;
  #pump: RequestPump | undefined;
  /** When a call of gRPC is over by its own time, in wheel time. */
  #deadline = Number.POSITIVE_INFINITY;
  /** The connection has served others before: its server may have closed it meanwhile. */
  #reused = false;
  #received = 0;
  /** The final head was handed on: no other try, and an error can only cut the answer off. */
  #begun = false;
  /** The final answer's. */
  #status = 0;
  #over = false;

  constructor(exchange: Exchange, target: ForwardTarget) {
    this.#exchange = exchange;
    this.#target = target;
    const upstream = target.split === undefined ? target.upstream : target.split.choose(exchange);
    this.#tries = new ServerTries(upstream, exchange.clientAddress, target.maxRetries);
    this.copy = target.mirror === undefined ? undefined : target.mirror.copy(exchange);
    const now = target.wheel.now();
    if (exchange.head.isGrpc) this.#deadline = now + msUntil(deadlineOf(exchange));
    this.#dueAt = Math.min(now + target.totalTimeoutMs, this.#deadline);
    exchange.onCancel = () => this.#cancel();
    exchange.onDrain = () => this.#carrier?.resume();
  }

  /** Makes the first try. */
  begin(): void {
    const server = this.#tries.next();
    if (server === undefined) this.fail(errors.NO_SERVER);
    else this.#try(server);
  }

  #try(server: UpstreamServer): void {
    this.#tries.begin(server);
    this.#exchange.trace?.tryBegan(server.key, this.#tries.upstream.scheme, this.#target.rewrite);
    const connection = server.pool.take();
    if (connection === undefined) this.#waitAt(server);
    else this.send(connection);
  }

  #waitAt(server: UpstreamServer): void {
    this.#waiter = new ForwardWaiter(this);
    server.pool.wait(this.#waiter, Math.min(this.#target.connectTimeoutMs, this.#msLeft()));
  }

  /** Begins the request on a connection. */
  send(connection: UpstreamConnection): void {
    const { head, body, trace } = this.#exchange;
    trace?.connected();
    this.#waiter = undefined;
    this.#reused = connection.requests > 0;
    const sent = ++this.#sent;
    const carrier = this.#begin(connection);
    // It may have failed within, and be tried elsewhere by now.
    if (sent !== this.#sent || this.#over) return;
    if (carrier === undefined) {
      if (this.#tries.server !== undefined) this.#waitAt(this.#tries.server);
      return;
    }
    this.#carrier = carrier;
    carrier.onTimeout = () => this.#timedOut();
    const isCall = head.isGrpc && carrier instanceof ClientStream;
    if (isCall) this.#letLast(carrier);
    if (head.bodyLength === 0) {
      carrier.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
      return;
    }
    this.#bodyTaken = true;
    carrier.waitAtMost(this.#target.sendTimeoutMs, this.#dueAt);
    if (this.#pump === undefined) {
      this.#pump = new RequestPump(this, body, isCall ? new KeptBody() : undefined);
      this.#pump.begin(carrier);
    } else this.#pump.again(carrier);
  }

  /** A call of gRPC has its own time, and may last for days without one: what is limited is its silence. */
  #letLast(stream: ClientStream): void {
    this.#dueAt = this.#deadline;
    stream.silenceMs = this.#target.readTimeoutMs;
    this.#exchange.body.liftTimeLimit?.();
  }

  /** Undefined: the connection takes no more requests. */
  #begin(connection: UpstreamConnection): Carrier | undefined {
    const exchange = this.#exchange;
    const target = this.#target;
    const { method, bodyLength } = exchange.head;
    const endpoint = this.#tries.server?.pool.endpoint;
    if (endpoint === undefined) return undefined;
    if (exchange.head.upgrade !== "") return this.#beginUpgrade(connection, endpoint);
    if (!(connection instanceof ClientConnection)) {
      return connection.request(http2Request(exchange, target, endpoint, this.#tries.upstream.scheme), this);
    }
    connection.request(method, http1Head(exchange, target, endpoint), bodyLength, this);
    return connection;
  }

  #beginUpgrade(connection: UpstreamConnection, endpoint: Endpoint): Carrier | undefined {
    if (!(connection instanceof ClientConnection)) {
      this.fail(errors.NO_TUNNEL);
      return undefined;
    }
    // It may open something that lasts: as a body that has left, it is not sent twice.
    this.#bodyTaken = true;
    const key = handshakeKey(this.#exchange.head);
    connection.upgrade(http1Head(this.#exchange, this.#target, endpoint), key, this);
    return connection;
  }

  /** The whole request is with the upstream: from now on it is the upstream's turn. */
  requestSent(): void {
    if (this.#carrier instanceof ClientStream && this.#exchange.head.isGrpc && !this.#begun) {
      this.#dueAt = Math.min(this.#target.wheel.now() + this.#target.totalTimeoutMs, this.#deadline);
    }
    this.#carrier?.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
  }

  refused(reason: PoolRefusal): void {
    this.#waiter = undefined;
    if (reason === "full") {
      this.fail(errors.QUEUE_FULL);
      return;
    }
    if (this.#isLate) {
      this.fail(errors.LATE);
      return;
    }
    const noConnection = this.#exchange.head.isGrpc ? errors.NO_CONNECTION_FOR_CALL : errors.NO_CONNECTION;
    if (reason !== "busy") this.#tries.server?.failed();
    else if (this.#tries.upstream.servers.length < 2) {
      // It would wait again, behind all others.
      this.fail(noConnection);
      return;
    }
    // What was replayed was processed nowhere.
    const anyMethod = this.#target.connectAnyMethod || this.#replays > 0;
    this.#retryOrFail(reason !== "refused" ? noConnection : errors.REFUSED, anyMethod);
  }

  start(received: ResponseHead): void {
    const { isGrpc } = this.#exchange.head;
    const { grpcStatus } = received;
    const head = grpcStatus === undefined || isGrpc ? received : httpHead(received, grpcStatus);
    const { status } = head;
    this.#exchange.trace?.answered(status);
    if (status === 101 && this.#carrier instanceof ClientConnection) {
      this.#openTunnel(this.#carrier, head);
      return;
    }
    if (status < 200) {
      this.#exchange.response.start(head);
      return;
    }
    this.#tries.server?.answered(status);
    if (isRetryableStatus(status) && this.#refusedByServer()) return;
    const noBody = this.#exchange.head.method === "HEAD" || status === 304;
    if (!noBody && head.bodyLength > this.#target.maxResponseBytes) {
      this.fail(errors.TOO_LARGE);
      return;
    }
    this.#begun = true;
    this.#pump?.forget();
    this.#status = grpcStatus === GRPC.UNAVAILABLE ? 503 : status;
    if (isGrpc && this.#carrier instanceof ClientStream) {
      this.#dueAt = this.#deadline;
      this.#carrier.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
    } else if (isEventStream(head)) {
      // Who waits for its end may wait for days.
      this.#tries.server?.served(status);
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#carrier?.waitAtMost(this.#target.readTimeoutMs, this.#dueAt);
    }
    this.#exchange.response.start(head);
  }

  /** From now on the exchange is the tunnel's; the request stays counted at the server. */
  #openTunnel(connection: ClientConnection, head: ResponseHead): void {
    const { wheel, readTimeoutMs, sendTimeoutMs } = this.#target;
    this.#tries.server?.answered(head.status);
    this.#tries.server?.served(head.status);
    this.#over = true;
    this.#carrier = undefined;
    const onOver = (): void => this.#tries.leave();
    const options = { wheel, idleMs: readTimeoutMs, writeMs: sendTimeoutMs, onOver };
    new Tunnel(this.#exchange, connection, options).open(head);
  }

  /** The server cannot serve now: its connection is not used again, and another try goes elsewhere. True: it does. */
  #refusedByServer(): boolean {
    const carrier = this.#carrier;
    if (carrier instanceof ClientConnection) carrier.closeWhenDone();
    const server = this.#mayRetry(false) ? this.#tries.next() : undefined;
    if (server === undefined) return false;
    this.#carrier = undefined;
    carrier?.destroy();
    this.#try(server);
    return true;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.#received += end - start;
    if (this.#received > this.#target.maxResponseBytes) {
      this.fail(errors.TOO_LARGE);
      return true;
    }
    return this.#exchange.response.data(chunk, start, end);
  }

  end(trailers: Fields): void {
    if (this.#over) return;
    this.#over = true;
    this.#carrier = undefined;
    this.#tries.server?.served(this.#status);
    this.#tries.leave();
    this.copy?.close();
    this.#exchange.trace?.tryEnded("");
    this.#exchange.response.end(trailers);
  }

  abort(error: TurnpikeError): void {
    const carrier = this.#carrier;
    this.#carrier = undefined;
    this.#sent++;
    if (this.#mayReplay(carrier) && this.#tries.server !== undefined) {
      this.#replay(this.#tries.server, carrier);
      return;
    }
    // A server is not to blame for what this worker has no room for, or for what a client sends.
    if (error.code === "overloaded" || error.code === "head-too-large") {
      this.fail(error);
      return;
    }
    this.#tries.server?.failed();
    const isReset = this.#exchange.head.isGrpc && carrier instanceof ClientStream;
    this.#retryOrFail(isReset ? resetError(error, carrier.resetCode) : error, false);
  }

  /**
   * A pooled connection that its server closed meanwhile says nothing about the server, and a request that an HTTP/2 server
   * says it has done nothing for may be sent again whatever its method (RFC 9113 §8.7): by another connection, at no cost.
   */
  #mayReplay(carrier: Carrier | undefined): boolean {
    if (carrier === undefined || this.#bodyLost || this.#begun || this.#replays >= MAX_REPLAYS) return false;
    if (carrier instanceof ClientStream && carrier.unprocessed) return true;
    return this.#reused && !carrier.heard && isRetryable(this.#exchange.head.method);
  }

  /** The body, or some of it, has left, and cannot be sent again. */
  get #bodyLost(): boolean {
    return this.#bodyTaken && this.#pump?.isKept !== true;
  }

  #replay(server: UpstreamServer, carrier: Carrier | undefined): void {
    this.#replays++;
    this.#pump?.detach();
    // What one stale connection of a pool tells holds for the others; a stream that was refused says nothing of its connection.
    const connection = carrier instanceof ClientStream && carrier.unprocessed ? server.pool.take() : undefined;
    if (connection === undefined) this.#waitAt(server);
    else this.send(connection);
  }

  /** Ends the exchange with an error, whatever state it is in. */
  fail(error: TurnpikeError): void {
    if (this.#over) return;
    this.#release();
    this.#exchange.trace?.tryEnded(error.code);
    if (this.#begun) this.#exchange.response.abort(error);
    else this.#target.answerError(this.#exchange, error);
  }

  #mayRetry(anyMethod: boolean): boolean {
    if (!this.#tries.mayFollow || this.#begun || this.#over || this.#bodyLost || this.#msLeft() <= 0) return false;
    return anyMethod || isRetryable(this.#exchange.head.method);
  }

  #retryOrFail(error: TurnpikeError, anyMethod: boolean): void {
    const server = this.#mayRetry(anyMethod) ? this.#tries.next() : undefined;
    this.#exchange.trace?.tryEnded(error.code);
    if (server === undefined) {
      this.fail(error);
      return;
    }
    this.#try(server);
  }

  #timedOut(): void {
    const carrier = this.#carrier;
    // A client that sends or reads slowly can use up the time as well: that must take no server out of rotation.
    const isLate = this.#isLate;
    if (carrier?.awaited === true && !isLate) {
      this.#tries.server?.failed();
      if (carrier instanceof ClientStream) carrier.unanswered();
    } else if (carrier instanceof ClientStream) carrier.givenUp();
    this.#carrier = undefined;
    carrier?.destroy();
    if (isLate) this.fail(errors.LATE);
    else this.#retryOrFail(errors.NO_ANSWER, false);
  }

  /** The client's own time is up, which says nothing of the server. */
  get #isLate(): boolean {
    return this.#deadline <= this.#target.wheel.now();
  }

  #msLeft(): number {
    return Math.max(this.#dueAt - this.#target.wheel.now(), 0);
  }

  #cancel(): void {
    if (this.#over) return;
    if (this.#carrier instanceof ClientStream) this.#carrier.givenUp();
    this.#release();
  }

  /** Lets go of whatever the exchange holds of the upstream. */
  #release(): void {
    this.#over = true;
    this.#pump?.forget();
    if (this.#waiter !== undefined) this.#tries.server?.pool.leave(this.#waiter);
    this.#waiter = undefined;
    this.#carrier?.destroy();
    this.#carrier = undefined;
    this.#tries.leave();
    this.copy?.close();
  }
}
