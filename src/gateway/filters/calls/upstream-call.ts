import { eventTime } from "../../../lib/time/event-clock.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { nextRequestId } from "../../../lib/http/request-id.ts";
import { Deadline } from "../../../lib/time/timer-wheel.ts";
import { CannedError } from "../../exchange/local-response.ts";
import { type Exchange, type RequestBody, type RequestHead, type ResponseHead } from "../../exchange/exchange.ts";
import { type BodyMemory } from "../../policy/gathered-body.ts";
import { forward } from "../../proxy/forward.ts";
import { Subrequest, type OwnOrigin, type SubrequestSink } from "../../proxy/subrequest.ts";
import { type ForwardTarget } from "../../proxy/target.ts";
import { type OpenCall } from "./call.ts";
import { MAX_CALL_MS } from "./call-limits.ts";

const TIMED_OUT = new CannedError("upstream-timeout", "the upstream did not respond within the time of the call");
/** The error of a call whose response finds no free memory. */
export const NO_ROOM = new CannedError("overloaded", "no memory is left for the response of the call");
const BROKEN = new CannedError("internal", "the call could not be made");

/** The services that a call needs from its owner. */
export interface CallKeeper {
  readonly target: ForwardTarget;
  /** The request that the filter processes. Undefined if the filter calls for itself, in a tick or while it starts. */
  readonly client: Exchange | undefined;
  readonly memory: BodyMemory;
  readonly onError: (error: unknown) => void;
  /** Called once, at the end of the call, which no longer counts. */
  left(call: OpenCall): void;
}

/** One request of a filter: the base of http_call and grpc_call. Its upstream ends it, or its timeout, or `cancel`. */
export abstract class UpstreamCall extends Deadline implements SubrequestSink, OpenCall {
  readonly #keeper: CallKeeper;
  readonly #exchange: Subrequest;
  /** Bytes of bodies that it holds. */
  #held = 0;
  /** True while a function of the call runs. Events in that time are reported later. */
  #isInside = false;
  #isOver = false;
  #isCancelled = false;

  constructor(keeper: CallKeeper, head: RequestHead, body: RequestBody) {
    super();
    this.#keeper = keeper;
    this.#exchange = new Subrequest(originOf(keeper.client), head, this, body);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  protected get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Sends the request. `ms` is the timeout of the whole call in milliseconds, or Infinity. */
  begin(ms: number): void {
    const { target } = this.#keeper;
    if (ms < Number.POSITIVE_INFINITY) target.wheel.set(this, ms);
    this.inside(() => forward(this.#exchange, target));
  }

  cancel(): void {
    this.#isCancelled = true;
    if (this.#isOver) return;
    this.#leave();
    this.#release();
    this.#cancelExchange();
  }

  override onDeadline(): void {
    this.breakOff(TIMED_OUT);
  }

  abstract start(head: ResponseHead): void;
  abstract data(chunk: Uint8Array, start?: number, end?: number): boolean;
  abstract end(trailers: Fields): void;
  /** Reports to the filter that the call has failed. */
  protected abstract failed(error: TurnpikeError): void;

  abort(error: TurnpikeError): void {
    this.fail(error);
  }

  fail(error: TurnpikeError): void {
    this.finish(() => this.failed(error));
  }

  /** Ends the call from this side, with an error. */
  protected breakOff(error: TurnpikeError): void {
    if (this.#isOver) return;
    this.fail(error);
    this.#cancelExchange();
  }

  /** Ends the call. `words` makes the last reports to the filter. */
  protected finish(words: () => void): void {
    if (this.#isOver) return;
    this.#leave();
    this.tell(() => {
      words();
      this.#release();
    });
  }

  /** Sets the number of bytes of bodies that it holds. False: there is no memory, and nothing changed. */
  protected holds(bytes: number): boolean {
    const more = bytes - this.#held;
    if (more > 0 && !this.#keeper.memory.take(more)) return false;
    if (more < 0) this.#keeper.memory.give(-more);
    this.#held = bytes;
    return true;
  }

  /** The upstream can send more. */
  protected drained(): void {
    this.#exchange.drained();
  }

  /** Executes a request of the filter. The filter receives no report before `work` has returned. */
  protected inside(work: () => void): void {
    this.#isInside = true;
    try {
      work();
    } catch (error) {
      this.#keeper.onError(error);
      this.breakOff(BROKEN);
    } finally {
      this.#isInside = false;
    }
  }

  protected tell(words: () => void): void {
    if (!this.#isInside) this.#tellNow(words);
    else {
      setImmediate(() => {
        this.#tellNow(words);
      });
    }
  }

  #tellNow(words: () => void): void {
    try {
      if (this.#isCancelled) this.#release();
      else words();
    } catch (error) {
      this.#keeper.onError(error);
    }
  }

  #leave(): void {
    this.#isOver = true;
    this.#keeper.target.wheel.remove(this);
    this.#keeper.left(this);
  }

  #release(): void {
    this.holds(0);
  }

  #cancelExchange(): void {
    try {
      this.#exchange.cancel();
    } catch (error) {
      this.#keeper.onError(error);
    }
  }
}

/** The timeout of a call, in milliseconds, for the timeout that the filter requests. */
export function callMs(asked: number): number {
  return asked > 0 && asked < MAX_CALL_MS ? asked : MAX_CALL_MS;
}

/** A call for a client counts as the client's if an upstream shares its connections by client. */
function originOf(client: Exchange | undefined): OwnOrigin {
  const beganAt = eventTime();
  if (client === undefined) {
    return { id: nextRequestId(), protocol: "HTTP/1.1", peerAddress: "", clientAddress: "", beganAt };
  }
  const { id, protocol, peerAddress, clientAddress, session } = client;
  return { id, protocol, peerAddress, clientAddress, session, beganAt };
}
