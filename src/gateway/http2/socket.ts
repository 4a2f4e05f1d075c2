import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { SharedPart } from "../../lib/memory/shared-part.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Outgoing } from "../wire/outgoing.ts";
import { type SendingOwner, SendingSide } from "../wire/sending-side.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { type Taken } from "../wire/arrivals.ts";
import { NO_ERROR } from "./frame.ts";
import { beginEvent, endEvent } from "../../lib/time/event-clock.ts";

/**
 * Bytes that wait for a peer that does not read. Beyond it, the gateway stops reading from the peer (CVE-2019-9512,
 * CVE-2019-9515).
 */
const MAX_BACKLOG = 262_144;
/** Milliseconds for which a closed connection is still read, so that a reset does not destroy the last frames. */
const LINGER_MS = 2000;
const OPEN = 0;
const LINGERING = 1;
const CLOSED = 2;

/** The resources and time limits of a connection's socket. */
export interface SocketOptions {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  /** Milliseconds in which the peer must read some of the data that waits. */
  readonly writeMs: () => number;
}

/**
 * The socket of an HTTP/2 connection: it reads and writes with backpressure between both, and closes. It does not know
 * frames.
 *
 *   OPEN ─ close ─▶ LINGERING ─ the peer closes, or time is up ─▶ CLOSED
 *     └──────────────── the peer closes, or is cut off ───────────▶
 */
export abstract class Http2Socket extends Deadline implements WireHandler, SendingOwner {
  readonly out: Outgoing;
  /** Accounts for the memory that buffered data takes, for the socket and all streams. */
  readonly buffers: SharedPart;
  readonly wire: Wire;
  readonly wheel: TimerWheel;
  readonly #writeMs: () => number;
  readonly #sending: SendingSide;
  #state = OPEN;
  #peerEnded = false;
  #paused = false;
  /** Wheel time until which this side lingers while the peer still sends. */
  #lingerUntil = 0;

  constructor(wire: Wire, { wheel, buffers, writeMs }: SocketOptions) {
    super();
    this.wire = wire;
    this.wheel = wheel;
    this.buffers = new SharedPart(buffers);
    this.#writeMs = writeMs;
    this.#sending = new SendingSide(this);
    this.out = this.#sending.out;
  }

  get writeMs(): number {
    return this.#writeMs();
  }

  onArrived(): void {
    if (this.#state === LINGERING) this.#closeSending();
  }

  get isOpen(): boolean {
    return this.#state === OPEN;
  }

  protected abstract read(chunk: Uint8Array): void;
  /** Sends data that waits for room. */
  protected abstract sendWaiting(): void;
  /** Bytes were read: timeouts may have to be set again. */
  protected abstract onActivity(): void;
  /** No stream is open. */
  protected abstract get isIdle(): boolean;
  protected abstract sendGoAway(code: number, reason: string): void;
  /** Stops reading, and ends every open stream. */
  protected abstract cutStreams(): void;
  protected abstract onGone(): void;

  onData(chunk: Uint8Array): void {
    if (this.#state === LINGERING) this.#lingerOn();
    if (this.#state !== OPEN) return;
    beginEvent();
    this.read(chunk);
    if (this.isOpen) {
      this.sendWaiting();
      this.onActivity();
      if (this.out.backlogBytes > MAX_BACKLOG && !this.#paused) {
        this.#paused = true;
        this.wire.pause();
      }
    }
    endEvent();
  }

  onDrain(): void {
    if (!this.#sending.drain()) return;
    if (this.#paused) {
      this.#paused = false;
      this.wire.resume();
    }
    if (this.#state === LINGERING) this.#closeSending();
    else this.sendWaiting();
  }

  onEnd(): void {
    this.#peerEnded = true;
    this.#sending.peerEnded();
    // A peer that ends with a message unfinished has left, as in HTTP/1. Any other peer may still read the data sent to
    // it.
    if (!this.isIdle) this.wire.terminate();
    else if (this.#state === OPEN) this.close(NO_ERROR);
    else this.#closeSending();
  }

  onClose(isReset = false): void {
    if (this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.wheel.remove(this);
    this.#sending.closed(isReset);
    try {
      this.cutStreams();
    } finally {
      this.onGone();
    }
  }

  awaitArrival(told: Taken): void {
    this.#sending.awaitArrival(told);
  }

  protected refused(told: Taken): void {
    this.#sending.refused(told);
  }

  cutOff(): void {
    this.out.flush();
    this.wire.terminate();
  }

  /** Sends the reason (RFC 9113 §6.8) and closes. Open streams are cut short. */
  close(code: number, reason = ""): void {
    if (this.#state !== OPEN) return;
    this.#state = LINGERING;
    this.sendGoAway(code, reason);
    this.cutStreams();
    this.out.flush();
    if (this.#paused) this.wire.resume();
    this.#paused = false;
    // After an error of the peer, this side does not wait for the peer.
    if (code === NO_ERROR) this.#lingerUntil = this.wheel.now() + this.#writeMs();
    // The write timeout covers data that the socket has not taken.
    this.wheel.clear(this);
    this.#closeSending();
  }

  override onDeadline(): void {
    // For a slow peer, the kernel may still hold much data, which `terminate` would discard. A peer that caused an
    // error must see the end of the connection even if it does not read.
    if (this.#state === LINGERING && this.#lingerUntil > 0) this.wire.close();
    else this.wire.terminate();
  }

  /** Shuts this side down once the socket has taken all data. */
  #closeSending(): void {
    if (this.#sending.isUnderWay) return;
    this.wheel.set(this, LINGER_MS);
    // Last, because the socket may be closed within this call.
    this.wire.shutdown();
    if (this.#peerEnded) this.wire.close();
  }

  /**
   * A peer that gives its window back still reads. If the socket were closed already, it would respond to that with a
   * reset.
   */
  #lingerOn(): void {
    const left = this.#lingerUntil - this.wheel.now();
    if (left > 0 && !this.out.blocked) this.wheel.set(this, Math.min(LINGER_MS, left));
  }
}
