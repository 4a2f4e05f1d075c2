import { type BufferPool } from "../../lib/buffer-pool.ts";
import { SharedPart } from "../../lib/shared-part.ts";
import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { flushCork, holdCork, type Outgoing } from "../wire/outgoing.ts";
import { type SendingOwner, SendingSide } from "../wire/sending-side.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { type Taken } from "../wire/arrivals.ts";
import { NO_ERROR } from "./frame.ts";

/** Bytes that wait for a peer that does not read, from which on it is not read from either (CVE-2019-9512, CVE-2019-9515). */
const MAX_BACKLOG = 262_144;
/** Milliseconds that a closed-off connection is read from, so that the last frames are not lost to a reset. */
const LINGER_MS = 2000;
const OPEN = 0;
const LINGERING = 1;
const CLOSED = 2;

export interface SocketOptions {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  /** Milliseconds. */
  readonly writeMs: () => number;
  /** What several events write leaves together: see `Outgoing`. */
  readonly gathers?: boolean | undefined;
}

/**
 * The life of an HTTP/2 connection's socket: reading and writing, each held back by the other, and how it ends. It knows no
 * frames.
 *
 *   OPEN ─ close ─▶ LINGERING ─ the peer closes, or time is up ─▶ CLOSED
 *     └──────────────── the peer closes, or is cut off ───────────▶
 */
export abstract class Http2Socket extends Deadline implements WireHandler, SendingOwner {
  readonly out: Outgoing;
  /** The account of what waits in memory, for the socket and all streams. */
  readonly buffers: SharedPart;
  readonly wire: Wire;
  readonly wheel: TimerWheel;
  /** What the peer sent is being read: what is to be sent goes when that is done. */
  protected reading = false;
  readonly #writeMs: () => number;
  readonly #sending: SendingSide;
  #state = OPEN;
  #peerEnded = false;
  #paused = false;
  /** Wheel time up to which a peer that still sends has this side linger. */
  #lingerUntil = 0;

  constructor(wire: Wire, { wheel, buffers, writeMs, gathers }: SocketOptions) {
    super();
    this.wire = wire;
    this.wheel = wheel;
    this.buffers = new SharedPart(buffers);
    this.#writeMs = writeMs;
    this.#sending = new SendingSide(this, gathers);
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
  /** Sends what waits for room. */
  protected abstract sendWaiting(): void;
  /** Bytes were read: time-outs may have to be set anew. */
  protected abstract onActivity(): void;
  /** No stream is open. */
  protected abstract get isIdle(): boolean;
  protected abstract sayGoodbye(code: number, reason: string): void;
  /** Nothing more is read, and every stream that is open ends. */
  protected abstract cutStreams(): void;
  protected abstract onGone(): void;

  onData(chunk: Uint8Array): void {
    if (this.#state === LINGERING) this.#lingerOn();
    if (this.#state !== OPEN) return;
    holdCork();
    this.reading = true;
    this.read(chunk);
    this.reading = false;
    if (this.isOpen) {
      this.sendWaiting();
      this.onActivity();
      if (this.out.backlogBytes > MAX_BACKLOG && !this.#paused) {
        this.#paused = true;
        this.wire.pause();
      }
    }
    flushCork();
  }

  onDrain(): void {
    if (!this.#sending.drain()) return;
    if (this.#paused) {
      this.#paused = false;
      this.wire.resume();
    }
    if (this.#state === LINGERING) this.#closeSending();
    else this.sendWaiting();
    flushCork();
  }

  onEnd(): void {
    this.#peerEnded = true;
    this.#sending.peerEnded();
    // Whoever ends with a message unfinished has left, as in HTTP/1; any other may still read what it was sent.
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
      flushCork();
    }
  }

  awaitArrival(told: Taken): void {
    this.#sending.awaitArrival(told);
  }

  cutOff(): void {
    this.out.flush();
    this.wire.terminate();
  }

  /** Tells the peer why (RFC 9113 §6.8), and closes; streams that are open are cut. */
  close(code: number, reason = ""): void {
    if (this.#state !== OPEN) return;
    this.#state = LINGERING;
    this.sayGoodbye(code, reason);
    this.cutStreams();
    this.out.flush();
    if (this.#paused) this.wire.resume();
    this.#paused = false;
    // A peer at fault is not waited for.
    if (code === NO_ERROR) this.#lingerUntil = this.wheel.now() + this.#writeMs();
    // What the socket has not taken is the write deadline's.
    this.wheel.clear(this);
    this.#closeSending();
  }

  override onDeadline(): void {
    // A peer that reads slowly may have much still to come from the kernel, which `terminate` would drop; one at fault is to hear
    // that it is over even where it reads nothing.
    if (this.#state === LINGERING && this.#lingerUntil > 0) this.wire.close();
    else this.wire.terminate();
  }

  /** Closes this side once all of it was taken. */
  #closeSending(): void {
    if (this.#sending.isUnderWay) return;
    this.wheel.set(this, LINGER_MS);
    // Last, since the socket may be gone with it.
    this.wire.shutdown();
    if (this.#peerEnded) this.wire.close();
  }

  /** A peer that gives its window back still reads; a socket that is closed before would answer it with a reset. */
  #lingerOn(): void {
    const left = this.#lingerUntil - this.wheel.now();
    if (left > 0 && !this.out.blocked) this.wheel.set(this, Math.min(LINGER_MS, left));
  }
}
