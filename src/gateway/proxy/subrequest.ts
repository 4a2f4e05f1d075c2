import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import {
  type BodySink,
  type Exchange,
  type RequestBody,
  type RequestHead,
  type ResponseSink,
  type UpstreamTrace,
} from "../exchange.ts";

/** Receives the response to a subrequest, in place of a client. */
export interface SubrequestSink extends ResponseSink {
  /** The subrequest has no response. A client would have received this error from the gateway. */
  fail(error: TurnpikeError): void;
}

const NO_BODY: RequestBody = {
  readTo(sink: BodySink) {
    sink.end("");
  },
  pause() {},
  resume() {},
};

/**
 * The client on whose behalf a subrequest is made. Via names its protocol, and its addresses decide the share of upstream
 * connections.
 */
export type OwnOrigin = Pick<Exchange, "id" | "protocol" | "peerAddress" | "clientAddress" | "session" | "beganAt">;

/** A subrequest: a request that the gateway itself makes on behalf of a client, on the route of that client's request. */
export class Subrequest implements Exchange {
  readonly id: string;
  readonly protocol: Exchange["protocol"];
  readonly head: RequestHead;
  body: RequestBody;
  readonly peerAddress: string;
  clientAddress: string;
  readonly session: object | undefined;
  response: ResponseSink;
  addedFields: Fields = "";
  consumer = "";
  isLetIn = false;
  beganAt: number;
  trace: UpstreamTrace | undefined = undefined;
  readonly started = false;
  readonly status = 0;
  readonly bytesReceived = 0;
  readonly bytesSent = 0;
  onDrain: (() => void) | undefined = undefined;
  onCancel: (() => void) | undefined = undefined;
  gone = false;
  onGone: (() => void) | undefined = undefined;
  onFinish: ((exchange: Exchange) => void) | undefined = undefined;
  onTaken: ((taken: boolean) => void) | undefined = undefined;
  readonly #sink: SubrequestSink;

  /** `head` and `body` are those of the subrequest; everything else comes from `client`. */
  constructor(client: OwnOrigin, head: RequestHead, sink: SubrequestSink, body: RequestBody = NO_BODY) {
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
    if (this.gone) return;
    this.gone = true;
    this.onCancel?.();
    this.onGone?.();
  }
}

/** Reports the error of a subrequest to its sink. */
export function tellOwnSink(exchange: Exchange, error: TurnpikeError): void {
  if (exchange instanceof Subrequest) exchange.fail(error);
  else exchange.response.abort(error);
}
