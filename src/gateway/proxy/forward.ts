import * as errors from "./forward-errors.ts";
import { type Share } from "../../lib/net/client-shares.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { Alarm } from "../../lib/time/timer-wheel.ts";
import { GRPC } from "../../lib/http/grpc-status.ts";
import { type Exchange, type ResponseHead, type ResponseSink, type TimeKeeper } from "../exchange/exchange.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { type UpstreamServer } from "../upstream/server.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type PoolRefusal, type UpstreamConnection, Waiter } from "../upstream/server-pool.ts";
import { sendContinue } from "../exchange/expect-continue.ts";
import { beginRequest, mayGather } from "./request-head.ts";
import { isEventStream } from "./event-stream.ts";
import { ForwardTime } from "./forward-time.ts";
import { httpHead, resetError } from "./grpc.ts";
import { KeptBody } from "./retry/kept-body.ts";
import { MessageMeter } from "./message-meter.ts";
import { type RequestCopy } from "./request-copy.ts";
import { isStream, type UpstreamRequest, RequestPump } from "./request-pump.ts";
import { ResponseFlow, type ResponseKind } from "./response-flow.ts";
import { Retries } from "./retry/retries.ts";
import { type ForwardTarget } from "./target.ts";
import { withCredential } from "./with-credential.ts";
import { Tunnel } from "./websocket.ts";

/** Sends an exchange to the route's upstream, or to one of its traffic split, and relays the response. */
export function forward(exchange: Exchange, target: ForwardTarget): void {
  const { variants } = target;
  const chosen = variants === undefined ? target : variants.choose(exchange).apply(exchange, target);
  if (chosen !== undefined) new Forward(exchange, chosen).begin();
}

/**
 * Forwards one exchange: picks a server, gets a connection, sends the request and relays the response. Tries again only if
 * that is safe: for GET, HEAD and OPTIONS, and before the client has received a byte.
 */
class Forward implements ResponseSink, TimeKeeper {
  /** The copy for the route's mirror; created with the first try. */
  copy: RequestCopy | undefined;
  readonly #exchange: Exchange;
  readonly #target: ForwardTarget;
  readonly #retries: Retries;
  readonly #time: ForwardTime;
  #upstreamRequest: UpstreamRequest | undefined;
  #waiter: Waiter | undefined;
  /** The client's share of connections to the current server. */
  #share: Share<Waiter> | undefined;
  #pause: Alarm | undefined;
  /** Counts the requests sent on connections, including this one. It shows if a request failed while it was being sent. */
  #sent = 0;
  #bodyTaken = false;
  #pump: RequestPump | undefined;
  /** The connection has carried other requests, so the server may have closed it meanwhile. */
  #reused = false;
  readonly #flow: ResponseFlow;
  /** The client has received the final head: no other try is possible, and an error can only abort the response. */
  #begun = false;
  #status = 0;
  #over = false;

  constructor(exchange: Exchange, target: ForwardTarget) {
    this.#exchange = exchange;
    this.#target = target;
    this.#flow = new ResponseFlow(exchange, this, target);
    this.#retries = new Retries(exchange, upstreamOf(exchange, target), target.retry);
    this.#time = new ForwardTime(exchange, target);
    exchange.onCancel = () => this.#cancel();
    exchange.onDrain = () => this.#flow.drained();
  }

  /** Makes the first try, after the body was gathered as far as possible. A connection must not wait for a slow client. */
  begin(): void {
    const { gather } = this.#target;
    if (this.#retries.upstream.isEmpty) this.fail(errors.EMPTY);
    else if (gather === undefined || !mayGather(this.#exchange.head, gather.maxBytes)) this.gathered();
    else if (!this.#retries.isPossible) this.fail(errors.NO_SERVER);
    else {
      this.#pump = new RequestPump(this, this.#exchange.body, { kept: this.#retries.newKept() });
      sendContinue(this.#exchange);
      this.#pump.gather(gather);
    }
  }

  gathered(): void {
    if (this.#over) return;
    if (this.#exchange.isUncopied !== true) this.copy = this.#target.mirror?.copy(this.#exchange);
    this.#time.begin();
    this.#tryNext(errors.NO_SERVER);
    this.copy?.begin();
  }

  #tryNext(otherwise: TurnpikeError): void {
    const server = this.#retries.next();
    if (server === undefined) this.fail(otherwise);
    else this.#try(server);
  }

  #try(server: UpstreamServer): void {
    this.#time.beginTry();
    this.#retries.begin(server);
    this.#exchange.triedServer = server.key;
    this.#exchange.triedUpstream = this.#retries.upstream.name;
    this.#exchange.trace?.tryBegan(server.key, this.#retries.upstream.scheme, this.#target.rewrite);
    this.#takeAt(server);
  }

  #takeAt(server: UpstreamServer): void {
    this.#share = server.pool.shareOf(this.#exchange);
    const connection = server.pool.take(this.#share);
    if (connection === undefined) this.#waitAt(server);
    else this.send(connection);
  }

  #waitAt(server: UpstreamServer): void {
    this.#waiter = new Waiter(this);
    this.#waiter.share = this.#share;
    server.pool.wait(this.#waiter, this.#time.msToConnect);
  }

  send(connection: UpstreamConnection): void {
    const { head, body, trace } = this.#exchange;
    trace?.connected();
    this.#waiter = undefined;
    this.#reused = connection.requests > 0;
    const sent = ++this.#sent;
    const upstreamRequest = this.#begin(connection);
    // The request may have failed during the call, and another try may have begun.
    if (sent !== this.#sent || this.#over) return;
    if (upstreamRequest === undefined) {
      if (this.#retries.server !== undefined) this.#waitAt(this.#retries.server);
      return;
    }
    this.#upstreamRequest = upstreamRequest;
    this.#share?.take();
    upstreamRequest.share = this.#share;
    upstreamRequest.timeKeeper = this;
    const isCall = head.isGrpc && isStream(upstreamRequest);
    if (isCall) {
      this.#time.letCallLast(upstreamRequest);
      body.liftLimits?.();
    }
    if (head.bodyLength === 0) {
      this.#time.boundResponse(upstreamRequest);
      return;
    }
    upstreamRequest.waitAtMost(this.#target.sendTimeoutMs, this.#time.tryDueAt);
    this.#bodyTaken = true;
    if (this.#pump === undefined) {
      const messages = isCall ? new MessageMeter(this.#target.maxBodyBytes) : undefined;
      this.#pump = new RequestPump(this, body, { kept: isCall ? new KeptBody() : this.#retries.newKept(), messages });
    }
    this.#pump.sendBy(upstreamRequest);
  }

  /** Undefined: the connection accepts no more requests. */
  #begin(connection: UpstreamConnection): UpstreamRequest | undefined {
    const exchange = this.#exchange;
    const { server, upstream } = this.#retries;
    if (server === undefined) return undefined;
    const target = upstream.credential === "" ? this.#target : withCredential(this.#target, upstream.credential);
    const to = { target, endpoint: server.pool.endpoint, scheme: upstream.scheme };
    if (exchange.head.upgrade !== "") {
      if (!(connection instanceof ClientConnection)) {
        this.fail(errors.NO_TUNNEL);
        return undefined;
      }
      // The upgrade may open a lasting tunnel. Like a sent body, it is not repeated.
      this.#bodyTaken = true;
    }
    return beginRequest(connection, exchange, to, this);
  }

  /** The whole request was sent: the time limits now apply to the upstream. */
  requestSent(): void {
    if (isStream(this.#upstreamRequest) && this.#exchange.head.isGrpc && !this.#begun) this.#time.begin();
    if (this.#begun) this.#time.boundRest(this.#upstreamRequest);
    else this.#time.boundResponse(this.#upstreamRequest);
  }

  refused(reason: PoolRefusal): void {
    this.#waiter = undefined;
    if (reason === "full" || this.#time.isLate) {
      this.fail(reason === "full" ? errors.QUEUE_FULL : errors.LATE);
      return;
    }
    const noConnection = this.#exchange.head.isGrpc ? errors.NO_CONNECTION_FOR_CALL : errors.NO_CONNECTION;
    if (reason !== "busy") this.#retries.server?.failed(reason === "refused" ? "refused" : "unreachable");
    else if (this.#retries.upstream.servers.length < 2) {
      // Another try would wait again, at the end of the queue.
      this.fail(noConnection);
      return;
    }
    this.#retryOrFail(reason !== "refused" ? noConnection : errors.REFUSED, true);
  }

  start(received: ResponseHead): void {
    const { isGrpc } = this.#exchange.head;
    const { grpcStatus } = received;
    const head = grpcStatus === undefined || isGrpc ? received : httpHead(received, grpcStatus);
    const { status } = head;
    this.#exchange.trace?.responded(status);
    if (status === 101 && this.#upstreamRequest instanceof ClientConnection) {
      this.#openTunnel(this.#upstreamRequest, head);
      return;
    }
    if (status < 200) {
      this.#exchange.response.start(head);
      return;
    }
    this.#retries.server?.responded(status);
    if (this.#retries.retriesStatus(status) && this.#refusedByServer()) return;
    const noBody = this.#exchange.head.method === "HEAD" || status === 304;
    if (!noBody && head.bodyLength > this.#target.maxResponseBytes) {
      this.fail(errors.TOO_LARGE);
      return;
    }
    this.#begun = true;
    this.#pump?.forget();
    this.#status = grpcStatus === GRPC.UNAVAILABLE ? 503 : status;
    const isCall = isGrpc && isStream(this.#upstreamRequest);
    const kind = isCall ? "call" : isEventStream(head) ? "events" : "whole";
    this.#flow.begin(head, kind);
    if (kind !== "whole") this.#letResponseLast(kind);
    else if (this.#time.tryDueAt < this.#time.dueAt) this.#time.boundRest(this.#upstreamRequest);
    this.#exchange.response.start(head);
  }

  #letResponseLast(kind: ResponseKind): void {
    if (kind === "events") this.#retries.server?.served(this.#status);
    this.#time.letResponseLast(kind, this.#upstreamRequest);
  }

  /** Hands the exchange over to the tunnel. The request still counts as in flight at the server. */
  #openTunnel(connection: ClientConnection, head: ResponseHead): void {
    const { wheel, readTimeoutMs, sendTimeoutMs } = this.#target;
    this.#retries.server?.responded(head.status);
    this.#retries.server?.served(head.status);
    this.#over = true;
    this.#upstreamRequest = undefined;
    const times = { wheel, idleMs: readTimeoutMs, writeMs: sendTimeoutMs };
    const onOver = (): void => this.#retries.leave(this.#exchange.bytesReceived, this.#exchange.bytesSent);
    new Tunnel(this.#exchange, connection, { ...times, onOver }).open(head);
  }

  /** The server refuses the request for now. Closes its connection and tries another server. True: another try follows. */
  #refusedByServer(): boolean {
    const upstreamRequest = this.#upstreamRequest;
    if (upstreamRequest instanceof ClientConnection) upstreamRequest.closeWhenDone();
    const ms = this.#msBeforeRetry(false);
    const server = ms < 0 ? undefined : this.#retries.next();
    if (server === undefined) return false;
    this.#upstreamRequest = undefined;
    upstreamRequest?.destroy();
    this.#retry(server, ms);
    return true;
  }

  #retry(server: UpstreamServer, ms: number): void {
    this.#pump?.detach();
    if (ms === 0) {
      this.#try(server);
      return;
    }
    this.#retries.leave();
    // Another server may be better after the pause.
    this.#pause = new Alarm(() => this.#try(this.#retries.next() ?? server));
    this.#target.wheel.set(this.#pause, ms);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    return this.#flow.data(chunk, start, end);
  }

  get keepsNoChunk(): boolean {
    return this.#flow.keepsNoChunk;
  }

  resume(): void {
    this.#upstreamRequest?.resume();
  }

  end(trailers: Fields): void {
    if (this.#over) return;
    this.#over = true;
    this.#upstreamRequest = undefined;
    this.#pump?.close();
    this.#retries.server?.served(this.#status);
    this.#retries.leave(this.#pump?.sent, this.#flow.received);
    this.copy?.close();
    this.#exchange.trace?.tryEnded("");
    this.#flow.end(trailers);
  }

  abort(error: TurnpikeError): void {
    const upstreamRequest = this.#upstreamRequest;
    this.#upstreamRequest = undefined;
    this.#sent++;
    const { server } = this.#retries;
    if (server !== undefined && this.#mayReplay(upstreamRequest)) {
      this.#replay(server, upstreamRequest);
      return;
    }
    // The server is not at fault if this worker has no memory left, or if the client sent too large a head.
    if (error.code === "overloaded" || error.code === "head-too-large") {
      this.fail(error);
      return;
    }
    server?.failed("broken");
    const isReset = this.#exchange.head.isGrpc && isStream(upstreamRequest);
    this.#retryOrFail(isReset ? resetError(error, upstreamRequest.resetCode) : error, false);
  }

  /** Another connection may get the request, without counting as a try. */
  #mayReplay(upstreamRequest: UpstreamRequest | undefined): boolean {
    if (upstreamRequest === undefined || !this.#mayBeSentAgain) return false;
    const isUnprocessed = isStream(upstreamRequest) && upstreamRequest.unprocessed;
    return this.#retries.mayReplay(isUnprocessed, this.#reused && !upstreamRequest.heard);
  }

  /** The client has received nothing, and no part of the body that was sent is lost. */
  get #mayBeSentAgain(): boolean {
    return !this.#begun && (!this.#bodyTaken || this.#pump?.isKept === true);
  }

  #replay(server: UpstreamServer, upstreamRequest: UpstreamRequest | undefined): void {
    this.#pump?.detach();
    // If one pooled connection is stale, the others may be as well, so a new one is used. A refused stream says nothing
    // about its connection.
    if (isStream(upstreamRequest) && upstreamRequest.unprocessed) this.#takeAt(server);
    else this.#waitAt(server);
  }

  /** Ends the exchange with an error, in any state. */
  fail(error: TurnpikeError): void {
    if (this.#over) {
      this.#flow.failLate(error);
      return;
    }
    this.#release();
    this.#exchange.trace?.tryEnded(error.code);
    if (this.#begun) this.#exchange.response.abort(error);
    else this.#target.respondWithError(this.#exchange, error);
  }

  /** Milliseconds of the pause before the next try; -1 if no try may follow. */
  #msBeforeRetry(isUnsent: boolean): number {
    return this.#over || !this.#mayBeSentAgain ? -1 : this.#retries.msBeforeRetry(this.#time.msLeft, isUnsent);
  }

  #retryOrFail(error: TurnpikeError, isUnsent: boolean): void {
    const ms = this.#msBeforeRetry(isUnsent);
    const server = ms < 0 ? undefined : this.#retries.next();
    this.#exchange.trace?.tryEnded(error.code);
    if (server === undefined) this.fail(error);
    else this.#retry(server, ms);
  }

  timedOut(): void {
    const upstreamRequest = this.#upstreamRequest;
    // A slow client can also use up the time. That must not take a server out of rotation.
    const isLate = this.#time.isLate;
    if (upstreamRequest?.awaited === true && !isLate) {
      this.#retries.server?.failed("late");
      if (isStream(upstreamRequest)) upstreamRequest.timedOut();
    } else if (isStream(upstreamRequest)) upstreamRequest.givenUp();
    this.#upstreamRequest = undefined;
    upstreamRequest?.destroy();
    if (isLate) this.fail(errors.LATE);
    else this.#retryOrFail(errors.NO_RESPONSE, false);
  }

  #cancel(): void {
    this.#flow.drop();
    if (this.#over) return;
    if (isStream(this.#upstreamRequest)) this.#upstreamRequest.givenUp();
    this.#release();
  }

  /** Releases the connection, the buffers and all else that the exchange uses. */
  #release(): void {
    this.#over = true;
    this.#pump?.close();
    this.#flow.drop();
    if (this.#waiter !== undefined) this.#retries.server?.pool.leave(this.#waiter);
    this.#waiter = undefined;
    if (this.#pause !== undefined) this.#target.wheel.remove(this.#pause);
    this.#upstreamRequest?.destroy();
    this.#upstreamRequest = undefined;
    this.#retries.leave(this.#pump?.sent, this.#flow.received);
    this.copy?.close();
  }
}

/** The upstream of all tries: that of the route, or one of its traffic split. */
function upstreamOf(exchange: Exchange, { split, upstream }: ForwardTarget): Upstream {
  return split === undefined ? upstream : split.choose(exchange);
}
