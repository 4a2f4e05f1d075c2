import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { SpareAccount } from "../../lib/memory/spare-account.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { type BodySink, type Exchange, type RequestBody, type ResponseHead } from "../exchange/exchange.ts";
import { plainHead } from "../exchange/exchange-state.ts";
import { type Counts } from "../telemetry/metrics/counts.ts";
import { forward } from "./forward.ts";
import { Subrequest, type SubrequestSink, OWN_TARGET } from "./subrequest.ts";
import { type RequestCopier, type RequestCopy } from "./request-copy.ts";
import { type ForwardTarget } from "./target.ts";

/**
 * Copies that a worker sends at the same time for one entry of `mirrors` of a route, or of an entry of its traffic split.
 * Further requests are not copied. @operator
 */
const MAX_COPIES = 128;
/** Bytes of one copy that wait for its server: two reads of the largest size. Beyond them the copy is given up. */
const MAX_WAITING_BYTES = 1_048_576;
/** Bytes of a mirror's response that are read and dropped to reuse the connection. A longer response closes it. */
const MAX_DISCARDED_BYTES = 1_048_576;
/**
 * Milliseconds beyond `total_timeout_ms` that a response may take if no other timeout ends it, such as an event stream.
 * @bound
 */
const ENDLESS_MS = 1000;
/** The part of a worker's buffers that copies leave to requests. @bound */
const LEFT_TO_REQUESTS = 1 / 2;

export interface MirrorDeps {
  readonly buffers: BufferPool;
  readonly counts: Counts;
  readonly onError: (error: unknown) => void;
}

/** The settings that all copies of a route share. */
interface Shared extends MirrorDeps {
  /** The route's target, with the mirror's upstream. */
  readonly target: ForwardTarget;
  /** The account for waiting bytes: at most the mirrors' part of the worker's buffers. */
  readonly account: SpareAccount;
  left(): void;
}

/** Sends a copy of each request of a route to another upstream (`mirror`), and drops the response. */
export class Mirror implements RequestCopier {
  readonly #shared: Shared;
  #copies = 0;

  /** `target` is the route's target, with the mirror's upstream in place of its own. */
  constructor(target: ForwardTarget, deps: MirrorDeps) {
    this.#shared = {
      ...deps,
      target: {
        ...target,
        // The request was gathered before it was copied.
        ...OWN_TARGET,
        retry: { ...target.retry, maxRetries: 0 },
        maxResponseBytes: Math.min(target.maxResponseBytes, MAX_DISCARDED_BYTES),
      },
      account: new SpareAccount(deps.buffers, LEFT_TO_REQUESTS, "buffers"),
      left: () => this.#copies--,
    };
  }

  copy(exchange: Exchange): RequestCopy | undefined {
    // A tunnel cannot connect one client to two servers.
    if (exchange.head.upgrade !== "") return undefined;
    const { counts, account } = this.#shared;
    counts.add("mirrorRequests", 1);
    if (this.#copies >= MAX_COPIES || !account.admits) {
      counts.add("mirrorGivenUp", 1);
      return undefined;
    }
    this.#copies++;
    return new MirrorCopy(exchange, this.#shared);
  }
}

/**
 * The copy of one request, sent as a subrequest. Its body comes from the forwarded request, whose flow does not depend on
 * the copy. Bytes that the mirror does not accept yet wait here; if too many wait, the copy is given up.
 *
 *   request ── data ──▶ waiting ── data ──▶ the mirror's server ── response ──▶ dropped
 */
class MirrorCopy extends Deadline implements RequestCopy, RequestBody {
  readonly #shared: Shared;
  readonly #exchange: Subrequest;
  readonly #waiting: ByteQueue;
  /** The mirror's body sink. Undefined before the mirror reads the body, and after its end. */
  #sink: BodySink | undefined;
  #full = false;
  /** The trailers, after the whole body has arrived. */
  #trailers: Fields | undefined;
  #over = false;

  constructor(exchange: Exchange, shared: Shared) {
    super();
    this.#shared = shared;
    this.#waiting = new ByteQueue(shared.account);
    // A client that waits for 100 gets it for the request itself.
    const head = { ...plainHead(exchange.head), expectContinue: false };
    this.#exchange = new Subrequest(exchange, head, new DroppedResponse(this), this);
    if (exchange.head.bodyLength === 0) this.#trailers = "";
  }

  // --- Calls from the request: no error of the copy reaches it. ---

  begin(): void {
    if (this.#over) return;
    try {
      if (this.#trailers !== undefined) this.#limit();
      forward(this.#exchange, this.#shared.target);
    } catch (error) {
      this.#report(error);
    }
  }

  data(chunk: Uint8Array, start: number, end: number): void {
    if (this.#over) return;
    try {
      if (this.#sink !== undefined && !this.#full) this.#pass(chunk, start, end);
      else if (!this.#wait(chunk, start, end)) this.giveUp();
    } catch (error) {
      this.#report(error);
    }
  }

  end(trailers: Fields): void {
    if (this.#over) return;
    this.#trailers = trailers;
    try {
      this.#limit();
      this.#flush();
    } catch (error) {
      this.#report(error);
    }
  }

  close(): void {
    if (this.#over || this.#trailers !== undefined) return;
    try {
      this.giveUp();
    } catch (error) {
      this.#report(error);
    }
  }

  /** The request is complete: limits the time until the response must be complete too. */
  #limit(): void {
    const { wheel, totalTimeoutMs } = this.#shared.target;
    wheel.set(this, totalTimeoutMs + ENDLESS_MS);
  }

  #report(error: unknown): void {
    const { onError } = this.#shared;
    onError(error);
    this.failed();
    try {
      this.#exchange.cancel();
    } catch (again) {
      onError(again);
    }
  }

  // --- Calls from the mirror ---

  readTo(sink: BodySink): void {
    this.#sink = sink;
    this.#flush();
  }

  pause(): void {
    this.#full = true;
  }

  resume(): void {
    this.#full = false;
    this.#flush();
  }

  /** The response does not end within its time. */
  override onDeadline(): void {
    this.failed();
    this.#exchange.cancel();
  }

  /** The mirror's response was read. With a counter: the copy has ended without one. */
  done(counter?: "mirrorFailures" | "mirrorGivenUp"): void {
    if (this.#over) return;
    this.#over = true;
    if (counter !== undefined) this.#shared.counts.add(counter, 1);
    this.#sink = undefined;
    this.#waiting.clear();
    this.#shared.target.wheel.remove(this);
    this.#shared.left();
  }

  failed(): void {
    this.done("mirrorFailures");
  }

  /** Sends no more of the copy. */
  giveUp(): void {
    this.done("mirrorGivenUp");
    this.#exchange.cancel();
  }

  #wait(chunk: Uint8Array, start: number, end: number): boolean {
    return this.#waiting.length + end - start <= MAX_WAITING_BYTES && this.#waiting.push(chunk, start, end);
  }

  #pass(chunk: Uint8Array, start: number, end: number): void {
    // The connection would buffer bytes that it cannot send at once, on the account that requests need.
    if (!this.#shared.account.admits) this.giveUp();
    else if (this.#sink?.data(chunk, start, end) === false) this.#full = true;
  }

  /** Passes on the waiting bytes as far as the mirror accepts them, then the end. */
  #flush(): void {
    while (this.#sink !== undefined && !this.#full) {
      const piece = this.#waiting.first;
      if (piece === undefined) {
        this.#endBody(this.#sink);
        return;
      }
      const { bytes, start, end } = piece;
      this.#waiting.shift(end - start);
      this.#pass(bytes, start, end);
    }
  }

  #endBody(sink: BodySink): void {
    if (this.#trailers === undefined) return;
    this.#sink = undefined;
    sink.end(this.#trailers);
  }
}

/** Reads a mirror's response to its end so that the connection can be reused, and drops it. */
class DroppedResponse implements SubrequestSink {
  readonly #copy: MirrorCopy;

  constructor(copy: MirrorCopy) {
    this.#copy = copy;
  }

  start(_head: ResponseHead): void {}

  data(): boolean {
    return true;
  }

  end(): void {
    this.#copy.done();
  }

  abort(error: TurnpikeError): void {
    this.fail(error);
  }

  fail({ code }: TurnpikeError): void {
    if (code === "overloaded") this.#copy.giveUp();
    // The mirror has responded, although its response was too large to read.
    else if (code === "response-too-large") this.#copy.done();
    else this.#copy.failed();
  }
}
