import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type ErrorCode, TurnpikeError } from "../../lib/errors.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type BodySink } from "../exchange/exchange.ts";
import { Outgoing } from "../wire/outgoing.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { beginEvent, endEvent } from "../../lib/time/event-clock.ts";

export interface ClientTunnelOptions {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  /** Milliseconds for which the upstream may accept none of the bytes sent to it. */
  readonly writeMs: number;
  /** Called once, when the connection has closed. */
  readonly onGone: () => void;
}

/**
 * An upstream connection that carries raw bytes in both directions after a 101. Received bytes go to `sink`, followed by
 * one `end` if the upstream ends its side, or one `abort` if the connection breaks. After `close` and `destroy` the sink
 * receives nothing.
 */
export class ClientTunnel extends Deadline implements WireHandler {
  readonly #wire: Wire;
  readonly #options: ClientTunnelOptions;
  readonly #out: Outgoing;
  #sink: BodySink | undefined;
  /** This side sends nothing more. */
  #ended = false;
  /** This side expects nothing more either. */
  #closing = false;
  #closed = false;
  #paused = false;
  /** Called when the upstream accepts more, after a `data` that returned false. */
  onSendable: (() => void) | undefined = undefined;

  /** Handles the events of the wire from now on. */
  constructor(wire: Wire, sink: BodySink, options: ClientTunnelOptions) {
    super();
    this.#wire = wire;
    wire.data = this;
    this.#sink = sink;
    this.#options = options;
    this.#out = new Outgoing(wire, this, options.buffers);
  }

  /** Sends bytes. False: wait for `onSendable`. */
  data(chunk: Uint8Array, start: number, end: number): boolean {
    if (this.#ended || this.#closed) return true;
    this.#out.bytes(chunk, start, end);
    return !this.#out.blocked;
  }

  /** Ends this side after the sent bytes. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endSending();
  }

  /** Closes both directions after the sent bytes. */
  close(): void {
    this.#sink = undefined;
    this.#closing = true;
    this.#ended = true;
    this.#endSending();
  }

  /** Closes at once. */
  destroy(): void {
    this.#sink = undefined;
    if (!this.#closed) this.#wire.terminate();
  }

  pause(): void {
    if (this.#paused || this.#closed) return;
    this.#paused = true;
    this.#wire.pause();
  }

  resume(): void {
    if (!this.#paused || this.#closed) return;
    this.#paused = false;
    this.#wire.resume();
  }

  onData(chunk: Buffer): void {
    beginEvent();
    this.receive(chunk, 0);
    endEvent();
  }

  /** Passes on received bytes, from `start`. */
  receive(chunk: Buffer, start: number): void {
    if (this.#sink !== undefined && !this.#sink.data(chunk, start, chunk.length)) this.pause();
  }

  onDrain(): void {
    const before = this.#out.backlogBytes;
    if (this.#out.drain()) {
      this.#options.wheel.clear(this);
      if (this.#ended) this.#endSending();
      else this.onSendable?.();
    } else if (this.#out.backlogBytes < before) this.onBlocked();
  }

  onEnd(): void {
    this.#peerEnded();
  }

  #peerEnded(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.end("");
  }

  onClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.wheel.remove(this);
    this.#out.discard();
    // If the upstream ends after this side, Bun reports no end, only that the connection has closed.
    if (this.#ended) this.#peerEnded();
    else this.#fail("upstream-failed", "the upstream aborted the tunnel");
    this.#options.onGone();
  }

  override onDeadline(): void {
    if (this.#out.exhausted) this.#fail("overloaded", "no memory is left for data that waits for the upstream");
    else this.#fail("upstream-timeout", "the upstream does not read the data that is sent to it");
    this.destroy();
  }

  #fail(code: ErrorCode, detail: string): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.abort(new TurnpikeError(code, detail));
  }

  #endSending(): void {
    if (this.#closed) return;
    this.#out.flush();
    if (this.#out.blocked) return;
    this.#wire.shutdown();
    if (this.#closing) this.#wire.close();
  }

  onBlocked(): void {
    this.#options.wheel.set(this, this.#out.exhausted ? 0 : this.#options.writeMs);
  }
}
