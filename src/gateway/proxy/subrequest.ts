import { type TurnpikeError } from "../../lib/errors.ts";
import { type Exchange, type RequestBody, type RequestHead, type ResponseSink } from "../exchange/exchange.ts";
import { NO_BODY, withExchangeState } from "../exchange/exchange-state.ts";

/** Receives the response to a subrequest, in place of a client. */
export interface SubrequestSink extends ResponseSink {
  /** The subrequest has no response. A client would have received this error from the gateway. */
  fail(error: TurnpikeError): void;
}

/**
 * The client on whose behalf a subrequest is made. Via names its protocol, and its addresses decide the share of upstream
 * connections.
 */
export type OwnOrigin = Pick<Exchange, "id" | "protocol" | "peerAddress" | "clientAddress" | "session" | "beganAt">;

/** A subrequest: a request that the gateway itself makes on behalf of a client, on the route of that client's request. */
export class Subrequest extends withExchangeState(Object) implements Exchange {
  readonly id: string;
  readonly protocol: Exchange["protocol"];
  readonly head: RequestHead;
  body: RequestBody;
  readonly peerAddress: string;
  readonly session: object | undefined;
  response: ResponseSink;
  readonly bytesReceived = 0;
  readonly bytesSent = 0;
  readonly #sink: SubrequestSink;

  /** `head` and `body` are those of the subrequest; everything else comes from `client`. */
  constructor(client: OwnOrigin, head: RequestHead, sink: SubrequestSink, body: RequestBody = NO_BODY) {
    super();
    this.id = client.id;
    this.protocol = client.protocol;
    this.peerAddress = client.peerAddress;
    this.clientAddress = client.clientAddress;
    this.session = client.session;
    this.beganAt = client.beganAt;
    this.head = head;
    this.body = body;
    this.response = sink;
    this.#sink = sink;
  }

  /** The counterpart of `ForwardTarget.respondWithError` for subrequests. */
  fail(error: TurnpikeError): void {
    this.#sink.fail(error);
  }

  /** Stops the forwarding of the subrequest. The sink receives nothing more. */
  cancel(): void {
    if (!this.gone) this.leave();
  }
}

/** Reports the error of a subrequest to its sink. */
export function tellOwnSink(exchange: Exchange, error: TurnpikeError): void {
  if (exchange instanceof Subrequest) exchange.fail(error);
  else exchange.response.abort(error);
}

/** The parts of the head of a subrequest that come from no client. */
export const OWN_HEAD = {
  scheme: "http",
  payment: "",
  expectContinue: false,
  via: "",
  forwardedFor: "",
  isGrpc: false,
  upgrade: "",
} as const;

/** The parts of a target that subrequests do without: nothing is chosen, copied or buffered for them. */
export const OWN_TARGET = {
  split: undefined,
  variants: undefined,
  mirror: undefined,
  gather: undefined,
  responses: undefined,
  respondWithError: tellOwnSink,
} as const;
