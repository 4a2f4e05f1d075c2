import { type ErrorCode } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import {
  type DrainStage,
  type Exchange,
  type RequestBody,
  type RequestHead,
  type ResponseHead,
  type UpstreamTrace,
} from "./exchange.ts";

/** The body of a request without one. */
export const NO_BODY: RequestBody = {
  readTo: (sink) => sink.end(""),
  pause() {},
  resume() {},
};

/** An object of values only. Other than a head of HTTP/1, it can be spread. */
export type Plain<Head> = { [Key in keyof Head]: Head[Key] };

/** A copy of the head with values only. A spread copies no accessors: it would lose the query and the fields of an HTTP/1 head. */
export function plainHead(head: RequestHead): Plain<RequestHead> {
  const { query, fields } = head;
  // oxlint-disable-next-line typescript/no-misused-spread -- Its accessors are copied beside it.
  return { ...head, query, fields };
}

/** A copy of a response's head, with changes. A spread copies no accessors: it would lose the fields of an HTTP/1 head. */
export function changedHead(head: ResponseHead, changes: Partial<ResponseHead>): Plain<ResponseHead> {
  const { fields } = head;
  // oxlint-disable-next-line typescript/no-misused-spread -- Its accessors are copied beside it.
  return { ...head, fields, ...changes };
}

/** A class to extend. TypeScript requires this shape of the bases of mixins (TS2545). */
// oxlint-disable-next-line typescript/no-explicit-any
type Base = abstract new (...args: any[]) => object;

/**
 * The members of an exchange that the codecs and subrequests keep alike. A mixin, because an HTTP/2 exchange is a stream
 * and an HTTP/3 exchange has a deadline.
 */
export function withExchangeState<B extends Base>(base: B) {
  abstract class ExchangeState extends base {
    clientAddress = "";
    addedFields: Fields = "";
    consumer = "";
    payer = "";
    // Not a field of each exchange, as `lastStage`: few requests are lost.
    declare loss?: string | undefined;
    isAuthorized = false;
    beganAt = 0;
    triedServer = "";
    triedUpstream = "";
    trace: UpstreamTrace | undefined = undefined;
    started = false;
    status = 0;
    truncated = "";
    onDrain: (() => void) | undefined = undefined;
    // Not a field of each exchange: with it, an exchange of HTTP/1 takes 432 bytes instead of 320 (bun:jsc, estimateShallowMemoryUsageOf).
    declare lastStage?: DrainStage | undefined;
    onCancel: (() => void) | undefined = undefined;
    onGoAway: (() => void) | undefined = undefined;
    gone = false;
    onGone: (() => void) | undefined = undefined;
    onFinish: ((exchange: Exchange) => void) | undefined = undefined;
    onTaken: ((taken: boolean) => void) | undefined = undefined;

    /** The client takes more of the response. */
    drained(): void {
      if (this.lastStage === undefined) this.onDrain?.();
      else this.lastStage.drained();
    }

    /** The client has left: stops the sender of the response. */
    protected leave(): void {
      this.gone = true;
      this.onCancel?.();
      this.onGone?.();
    }

    /** Marks the response as cut off. The head of a tunnel is a whole response. */
    protected markTruncated(code: ErrorCode): void {
      if (this.status > 101) this.truncated = code;
    }

    /** The response was passed on or cut off. Later calls do nothing. */
    protected finish(exchange: Exchange): void {
      const listener = this.onFinish;
      this.onFinish = undefined;
      this.onDrain = undefined;
      listener?.(exchange);
    }

    /** Tells once if the client's side received the whole response. */
    protected tellTaken(taken: boolean): void {
      const told = this.onTaken;
      this.onTaken = undefined;
      told?.(taken);
    }
  }
  return ExchangeState;
}
