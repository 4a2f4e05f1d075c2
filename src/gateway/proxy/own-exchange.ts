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

/** Who gets the answer to a request of the gateway's own, in the place of a client. */
export interface OwnSink extends ResponseSink {
  /** There is no answer: the gateway itself would have answered with this error. */
  fail(error: TurnpikeError): void;
}

const NO_BODY: RequestBody = {
  readTo(sink: BodySink) {
    sink.end("");
  },
  pause() {},
  resume() {},
};

/** For whom a request of the gateway's own is made; its Via names the protocol, and upstreams share connections by its addresses. */
export type OwnOrigin = Pick<Exchange, "id" | "protocol" | "peerAddress" | "clientAddress" | "session" | "beganAt">;

/** A request that the gateway makes on its own behalf, for what a client has asked: it goes the way of that client's. */
export class OwnExchange implements Exchange {
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
  readonly #sink: OwnSink;

  /** `head` and `body` are what is asked; all else is as `client` has it. */
  constructor(client: OwnOrigin, head: RequestHead, sink: OwnSink, body: RequestBody = NO_BODY) {
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

  /** What `ForwardTarget.answerError` is for exchanges of this kind. */
  fail(error: TurnpikeError): void {
    this.#sink.fail(error);
  }

  /** Stops who works for it; the sink hears nothing more of that. */
  cancel(): void {
    if (this.gone) return;
    this.gone = true;
    this.onCancel?.();
    this.onGone?.();
  }
}

/** An error in the place of an answer to a request of the gateway's own: its sink is told. */
export function tellOwnSink(exchange: Exchange, error: TurnpikeError): void {
  if (exchange instanceof OwnExchange) exchange.fail(error);
  else exchange.response.abort(error);
}
