import { type QuicSession, type QuicStream } from "node:quic";
import { plainAddress } from "../exchange/client-address.ts";
import { type Transport } from "../exchange/exchange.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { type ConnectionPermit, type ServerConnection, type ServerHost } from "../exchange/server-host.ts";
import { ClientPackets } from "./client-packets.ts";
import * as codes from "./codes.ts";
import { type QuicCounters } from "./figures.ts";
import { type AwaitedHeads, RequestStream, type StreamOwner } from "./request-stream.ts";

export interface SessionOptions {
  readonly host: ServerHost;
  readonly peerAddress: string;
  readonly transport: Transport;
  readonly counters: QuicCounters;
  /** Milliseconds without a packet, or without a request, until the connection ends. */
  readonly maxIdleMs: number;
  readonly onError: (error: unknown) => void;
  readonly heads: AwaitedHeads;
}

/**
 * Milliseconds from GOAWAY, or from the last response after it, to the end, so that requests on their way still arrive.
 */
const LEAVING_MS = 200;
/** Requests that a client may cancel in excess of those it lets finish. More is a flood (CVE-2023-44487). @operator */
const MAX_CANCELLED = 500;
/** Checks of a connection within its idle timeout, if that is not in whole seconds. */
const IDLE_CHECKS = 4;

/** An HTTP/3 connection of a client, from its handshake on. */
export class Http3ServerConnection extends Deadline implements ServerConnection, StreamOwner {
  listIndex = -1;
  permit: ConnectionPermit | undefined;
  readonly host: ServerHost;
  readonly peerAddress: string;
  readonly transport: Transport;
  readonly packets: ClientPackets;
  readonly #quic: QuicSession;
  readonly #options: SessionOptions;
  /** `maxIdleMs` if the engine, which counts in seconds, cannot keep it; else infinite. */
  readonly #exactIdleMs: number;
  #open = 0;
  #idleSince: number;
  #heardBytes = 0n;
  #heardAt: number;
  #bodyBytes = 0;
  #cancelled = 0;
  /** GOAWAY was sent. */
  #leaving = false;
  #over = false;

  constructor(quic: QuicSession, options: SessionOptions) {
    super();
    this.#quic = quic;
    this.#options = options;
    this.#exactIdleMs = options.maxIdleMs % 1000 === 0 ? Number.POSITIVE_INFINITY : options.maxIdleMs;
    this.host = options.host;
    this.peerAddress = plainAddress(options.peerAddress);
    this.transport = options.transport;
    this.packets = new ClientPackets(this.host.wheel, () => quic.stats.bytesReceived);
    this.#idleSince = this.host.wheel.now();
    this.#heardAt = this.#idleSince;
    this.#arm();
  }

  onStream(quic: QuicStream): void {
    const { counters } = this.#options;
    counters.streamsTotal++;
    counters.streamsOpen++;
    this.#open++;
    // The engine keeps and calls this object.
    new RequestStream(quic, this); // oxlint-disable-line no-new
  }

  /** Accepts no further request: sends GOAWAY, and ends after the responses (RFC 9114 §5.2). */
  drain(): void {
    if (this.#over || this.#leaving) return;
    this.#leaving = true;
    this.#quic.close().catch(ignore);
    this.#idleSince = this.host.wheel.now();
    this.#arm();
  }

  get idleSince(): number {
    return this.#open > 0 ? Number.POSITIVE_INFINITY : this.#idleSince;
  }

  makeWay(): void {
    this.cutOff();
  }

  cutOff(): void {
    if (!this.#over) this.#quic.destroy(undefined, { code: codes.NO_ERROR, type: "application" });
  }

  get heads(): AwaitedHeads {
    return this.#options.heads;
  }

  get otherBytes(): number {
    return Number(this.#quic.stats.bytesReceived) - this.#bodyBytes;
  }

  countBody(bytes: number): void {
    this.#bodyBytes += bytes;
  }

  overwhelmed(): void {
    this.#end(codes.EXCESSIVE_LOAD);
  }

  #end(code: bigint): void {
    if (this.#over) return;
    const options = { code, type: "application" } as const;
    // `destroy` takes 150 times as long if 400 streams have ended without a head. After GOAWAY, `close` does nothing.
    if (this.#leaving) this.#quic.destroy(undefined, options);
    else this.#quic.close(options).catch(ignore);
  }

  ended(hasResponse: boolean): void {
    if (hasResponse) this.#cancelled = Math.max(this.#cancelled - 1, 0);
    else if (++this.#cancelled > MAX_CANCELLED) this.overwhelmed();
  }

  malformed(): void {
    this.#options.counters.streamsMalformed++;
  }

  violated(): void {
    this.#end(codes.FRAME_UNEXPECTED);
  }

  streamClosed(): void {
    this.#options.counters.streamsOpen--;
    this.#open--;
    if (this.#open > 0 || this.#over) return;
    this.#idleSince = this.host.wheel.now();
    this.#arm();
  }

  onError(error: unknown): void {
    this.#options.onError(error);
  }

  onEnd(): void {
    if (this.#over) return;
    this.#over = true;
    this.host.wheel.remove(this);
    this.packets.closed();
    this.host.closed(this);
  }

  /** Checks whether the connection should end. */
  override onDeadline(): void {
    if (this.#over) return;
    const now = this.host.wheel.now();
    const { bytesReceived } = this.#quic.stats;
    if (bytesReceived !== this.#heardBytes) {
      this.#heardBytes = bytesReceived;
      this.#heardAt = now;
    } else if (now - this.#heardAt >= this.#exactIdleMs) {
      this.cutOff();
      return;
    }
    if (now - this.idleSince >= this.#idleMs) {
      if (this.#leaving) this.cutOff();
      // RFC 9114 §5.1
      else this.drain();
      return;
    }
    this.#arm();
  }

  get #idleMs(): number {
    // The client responds to the engine's PINGs, so that the engine itself sees no idle connection.
    return this.#leaving ? LEAVING_MS : Math.min(this.host.settings().idleMs, this.#options.maxIdleMs);
  }

  #arm(): void {
    const idle = this.idleSince + this.#idleMs - this.host.wheel.now();
    const due = Math.min(idle, this.#exactIdleMs / IDLE_CHECKS);
    if (due !== Number.POSITIVE_INFINITY) this.host.wheel.set(this, Math.max(due, 0));
  }
}

function ignore(): void {
  // `onEnd` gets the reason.
}
