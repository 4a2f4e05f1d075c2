import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type Client, ClientShares, Share } from "../../lib/net/client-shares.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { ClientConnection, type ConnectionOwner } from "../http1/client-connection.ts";
import type * as Http2 from "../http2/client-connection.ts";
import { type ServerMetrics } from "../telemetry/upstream-metrics.ts";
import { type Connecting, DEAF, type Endpoint, type OnError } from "../wire/tcp.ts";
import { TlsError } from "../wire/tls-connect.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { dial, type DialSettings } from "./dial.ts";

/** Requests that can wait for a connection to one server in one worker. Beyond it, requests get 503. @operator */
const MAX_WAITING = 4096;
/** Requests that a new HTTP/2 connection is expected to take, until its server has announced its limit. */
const HOPED_STREAMS = 100;
/** Milliseconds in which an HTTP/2 server must read some of the data that is sent to it, for all of its requests. */
const WRITE_MS = 30_000;

/** The protocol for a server. `auto`: the one that ALPN agrees on, or HTTP/1.1 if it agrees on none. */
export type UpstreamProtocol = "http1" | "h2" | "auto";

/** Loaded with the first upstream that may speak HTTP/2 (bench start). */
const http2 = (): typeof Http2 => require("../http2/client-connection.ts");

/** A connection that can carry a request. */
export type UpstreamConnection = ClientConnection | Http2.Http2ClientConnection;

/** The limits of a worker's connections to a server. `maxIdle`: HTTP/1 or HTTP/2 ones without a request. */
export interface PoolSettings {
  readonly maxConnections: number;
  readonly maxIdle: number;
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** The part of the capacity not used by other clients that one client may use; 1: all of it. */
  readonly clientPart: number;
  readonly protocol: UpstreamProtocol;
  readonly dial: DialSettings;
}

/** The services of a `ServerPool`. `onError` gets exceptions that the code of a connection throws. */
export interface PoolDeps {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  readonly metrics: ServerMetrics;
  readonly onError: OnError;
  /** Called when the TLS handshake of a new connection failed. */
  readonly onTlsFailure?: (error: TlsError) => void;
}

/** Why there was no connection. `busy`: all were in use, or for other requests. The server is not at fault. */
export type PoolRefusal = "refused" | "timeout" | "busy" | "full";

/** A request that waits for a connection. One of the two is called, unless its waiter leaves. */
export interface WaitingRequest {
  send(connection: UpstreamConnection): void;
  refused(reason: PoolRefusal): void;
}

/** The entry of a request in the queue for connections. */
export class Waiter extends Deadline {
  readonly request: WaitingRequest;
  pool: ServerPool | undefined;
  /** The share of the client that the request is for. Without a client, the request has no limit of its own. */
  share: Share<Waiter> | undefined;
  /** The wheel time at which the wait began. */
  since = 0;

  constructor(request: WaitingRequest) {
    super();
    this.request = request;
  }

  override onDeadline(): void {
    this.pool?.leave(this);
    this.request.refused(this.pool?.isStuckSince(this.since) === true ? "timeout" : "busy");
  }
}

/** A connection that is being opened. It is given up at its timeout. */
class Attempt extends Deadline {
  readonly #pool: ServerPool;
  dialing: Connecting | undefined;

  constructor(pool: ServerPool) {
    super();
    this.#pool = pool;
  }

  override onDeadline(): void {
    this.#pool.giveUp(this);
  }
}

/** The connections of one worker to one server of an upstream. */
export class ServerPool implements ConnectionOwner, Http2.Http2ConnectionOwner {
  readonly endpoint: Endpoint;
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  readonly writeMs = WRITE_MS;
  readonly #settings: PoolSettings;
  readonly #metrics: ServerMetrics;
  readonly #onError: OnError;
  readonly #onTlsFailure: PoolDeps["onTlsFailure"];
  /** HTTP/1 connections without a request. The one used last is at the end. */
  readonly #idle: ClientConnection[] = [];
  /** HTTP/2 connections that take requests, idle or not. */
  readonly #multiplexed: Http2.Http2ClientConnection[] = [];
  /** The capacity that clients use, and the requests that wait. */
  readonly #clients: ClientShares<Waiter>;
  /** The share for requests without a client. */
  readonly #unbounded: Share<Waiter>;
  readonly #attempts = new Set<Attempt>();
  /** The number of connections that are open or being opened. */
  #connections = 0;
  /** Requests that one more connection is likely to take. */
  #perConnection: number;
  #closed = false;
  /** The wheel time at which a waiting request last got a connection. */
  #servedAt = Number.NEGATIVE_INFINITY;

  constructor(endpoint: Endpoint, settings: PoolSettings, deps: PoolDeps) {
    this.endpoint = endpoint;
    this.wheel = deps.wheel;
    this.buffers = deps.buffers;
    this.#metrics = deps.metrics;
    this.#settings = settings;
    this.#onError = deps.onError;
    this.#onTlsFailure = deps.onTlsFailure;
    this.#perConnection = settings.protocol === "http1" ? 1 : HOPED_STREAMS;
    if (settings.protocol !== "http1") http2();
    this.#clients = new ClientShares(settings.clientPart, () => settings.maxConnections * this.#perConnection);
    this.#unbounded = new Share(this.#clients, 1, undefined);
  }

  get connecting(): boolean {
    return this.#unsettled > 0;
  }

  /** Connections are being opened, and no waiting request has got one since `time` (wheel time). */
  isStuckSince(time: number): boolean {
    return this.connecting && this.#servedAt < time;
  }

  /** The connections that are being opened, or whose server has not announced its number of requests. */
  get #unsettled(): number {
    return this.#multiplexed.reduce((count, { knowsRoom }) => count + (knowsRoom ? 0 : 1), this.#attempts.size);
  }

  /** The client's share of this pool. The request counts against it from `Share.take` to `Share.give`. */
  shareOf(client: Client): Share<Waiter> {
    return this.#clients.of(client);
  }

  /** A connection that takes a request of the client now; undefined without one. The one used last comes first. */
  take(share?: Share<Waiter>): UpstreamConnection | undefined {
    return share === undefined || share.allowance > 0 ? this.#available() : undefined;
  }

  #available(): UpstreamConnection | undefined {
    return this.#idle.pop() ?? this.#multiplexed.findLast((connection) => connection.room > 0);
  }

  /** Waits at most `connectTimeoutMs` for a connection that becomes free or is opened. */
  wait(waiter: Waiter, connectTimeoutMs: number): void {
    waiter.share ??= this.#unbounded;
    if (!this.#clients.enqueue(waiter.share, waiter, MAX_WAITING)) {
      waiter.request.refused("full");
      return;
    }
    waiter.pool = this;
    waiter.since = this.wheel.now();
    this.#metrics.waiting(1);
    this.wheel.set(waiter, Math.min(connectTimeoutMs, this.#settings.connectTimeoutMs));
    this.#grow();
  }

  leave(waiter: Waiter): void {
    this.wheel.remove(waiter);
    if (waiter.share === undefined || !this.#clients.remove(waiter.share, waiter)) return;
    this.#metrics.waiting(-1);
  }

  /** The connection can take a request again, or one more. */
  released(connection: UpstreamConnection): void {
    if (connection instanceof ClientConnection) this.#releasedIdle(connection);
    else this.#releasedStreams(connection);
  }

  /** An HTTP/2 connection accepts no more requests. */
  retired(connection: Http2.Http2ClientConnection): void {
    remove(this.#multiplexed, connection);
    this.#grow();
  }

  closed(connection: UpstreamConnection): void {
    if (connection instanceof ClientConnection) remove(this.#idle, connection);
    else remove(this.#multiplexed, connection);
    this.#ended();
  }

  /** Gives up a connect. Otherwise a server that drops SYNs would block connections after its recovery. */
  giveUp(attempt: Attempt): void {
    if (!this.#attempts.delete(attempt)) return;
    this.wheel.remove(attempt);
    attempt.dialing?.abort();
    this.#ended();
  }

  /** Closes idle connections. Requests in flight or waiting are served, and then their connections close. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
    for (const connection of this.#multiplexed.slice()) if (this.#clients.waiting === 0) connection.retire();
  }

  #releasedIdle(connection: ClientConnection): void {
    const waiter = this.#nextWaiter();
    if (waiter !== undefined) this.#serve(waiter, connection);
    else if (this.#closed || this.#idle.length >= this.#settings.maxIdle) connection.destroy();
    else {
      this.#idle.push(connection);
      connection.closeAfter(this.#settings.idleTimeoutMs);
    }
    this.#serveIdle();
  }

  /** A client that has used up its share may get an idle connection after another request has given one back. */
  #serveIdle(): void {
    while (this.#idle.length > 0) {
      const waiter = this.#nextWaiter();
      if (waiter === undefined) return;
      // The loop checks that there is one.
      this.#serve(waiter, this.#idle.pop() as ClientConnection);
    }
  }

  #serve(waiter: Waiter, connection: ClientConnection): void {
    this.#servedAt = this.wheel.now();
    waiter.request.send(connection);
  }

  #releasedStreams(connection: Http2.Http2ClientConnection): void {
    if (connection.knowsRoom) this.#perConnection = Math.max(Math.min(connection.peer.maxStreams, HOPED_STREAMS), 1);
    while (connection.room > 0) {
      const waiter = this.#nextWaiter();
      if (waiter === undefined) break;
      // The first request is sent before the server has sent anything, so it does not count.
      if (connection.knowsRoom) this.#servedAt = this.wheel.now();
      waiter.request.send(connection);
    }
    this.#grow();
    if (connection.streams.size > 0 || connection.isRetired) return;
    const idle = this.#multiplexed.reduce((count, { streams }) => count + (streams.size === 0 ? 1 : 0), 0);
    if (this.#closed || idle > this.#settings.maxIdle) connection.retire();
    else connection.closeAfter(this.#settings.idleTimeoutMs);
  }

  #nextWaiter(mayHave = true): Waiter | undefined {
    const waiter = mayHave ? this.#clients.next() : this.#clients.first();
    if (waiter === undefined) return undefined;
    this.wheel.remove(waiter);
    this.#metrics.waiting(-1);
    return waiter;
  }

  #ended(): void {
    this.#connections--;
    this.#metrics.closed();
    this.#grow();
  }

  #grow(): void {
    this.#serveIdle();
    const { maxConnections } = this.#settings;
    let hoped = this.#unsettled * this.#perConnection;
    const wanted = this.#clients.wanted(hoped + (maxConnections - this.#connections) * this.#perConnection);
    while (wanted > hoped && this.#connections < maxConnections) {
      this.#connect();
      hoped += this.#perConnection;
    }
  }

  #connect(): void {
    const attempt = new Attempt(this);
    this.#metrics.connecting();
    this.#connections++;
    this.#attempts.add(attempt);
    this.wheel.set(attempt, this.#settings.connectTimeoutMs);
    let opened: UpstreamConnection | undefined;
    const accept = (wire: Wire, agreed: string): WireHandler => {
      opened = this.#opened(wire, agreed);
      if (opened === undefined) wire.terminate();
      return opened ?? DEAF;
    };
    attempt.dialing = dial(this.endpoint, this.#settings.dial, accept, this.#onError);
    attempt.dialing.done.then(
      () => (opened === undefined ? this.#refused(attempt) : this.#begin(attempt, opened)),
      (error: unknown) => {
        if (error instanceof TlsError && this.#attempts.has(attempt)) this.#onTlsFailure?.(error);
        this.#refused(attempt);
      },
    );
  }

  /** Creates the connection on a wire. Undefined if ALPN chose another protocol. */
  #opened(wire: Wire, agreed: string): UpstreamConnection | undefined {
    const { protocol, dial: settings } = this.#settings;
    if (protocol === "h2" && settings.tls !== undefined && agreed !== "h2") return undefined;
    if (protocol === "h2" || (protocol === "auto" && agreed === "h2"))
      return new (http2().Http2ClientConnection)(wire, this);
    const connection = new ClientConnection(this);
    connection.attach(wire);
    return connection;
  }

  #begin(attempt: Attempt, connection: UpstreamConnection): void {
    // The connection may have closed meanwhile; then `closed` has counted it.
    this.#attempts.delete(attempt);
    this.wheel.remove(attempt);
    const isHttp2 = !(connection instanceof ClientConnection);
    if (!isHttp2) this.#perConnection = 1;
    if (isHttp2 ? connection.isRetired : !connection.open) return;
    if (isHttp2) this.#multiplexed.push(connection);
    try {
      this.released(connection);
      this.#grow();
    } catch (error) {
      // No socket event is under way to catch the error. The requests see a closed connection.
      connection.onClose();
      this.#onError(error);
    }
  }

  /** The server refused a connection. The oldest waiting requests fail: as many as the connection would have carried. */
  #refused(attempt: Attempt): void {
    // An attempt that was given up does not affect later requests.
    if (!this.#attempts.has(attempt)) return;
    const refused: Waiter[] = [];
    while (refused.length < this.#perConnection) {
      const waiter = this.#nextWaiter(false);
      if (waiter === undefined) break;
      refused.push(waiter);
    }
    this.giveUp(attempt);
    for (const waiter of refused) waiter.request.refused("refused");
  }
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
}
