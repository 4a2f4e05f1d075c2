import { type TurnpikeError } from "../../../lib/errors.ts";
import { eachField, type Fields } from "../../../lib/http/fields.ts";
import { CannedError } from "../../exchange/local-response.ts";
import { type RequestHead, type ResponseHead } from "../../exchange/exchange.ts";
import { WholeBody } from "../../exchange/whole-body.ts";
import { type HttpCallOutcome, type Pairs } from "./call.ts";
import { MAX_CALL_BODY_BYTES } from "./call-limits.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { type CallKeeper, NO_ROOM, UpstreamCall } from "./upstream-call.ts";

const TOO_LARGE = new CannedError("response-too-large", "the response is larger than a call allows");

export interface HttpCallParts {
  readonly head: RequestHead;
  readonly body: Uint8Array;
  readonly trailers: Fields;
}

/** A request of a filter and its complete response. */
export class HttpCall extends UpstreamCall {
  readonly #done: (outcome: HttpCallOutcome) => void;
  readonly #requestBytes: number;
  #fields: Pairs = [];
  readonly #body = new GrowingBytes();

  constructor(keeper: CallKeeper, { head, body, trailers }: HttpCallParts, done: (outcome: HttpCallOutcome) => void) {
    super(keeper, head, new WholeBody(body, trailers));
    this.#done = done;
    this.#requestBytes = body.length;
  }

  /** Reserves memory for the bytes that the call buffers. Returns false if memory is short. */
  account(): boolean {
    return this.holds(this.#requestBytes + this.#body.memory);
  }

  start(head: ResponseHead): void {
    if (head.status < 200) return;
    const length = head.bodyLength === -1 ? [] : [["content-length", String(head.bodyLength)] as const];
    this.#fields = [[":status", String(head.status)], ...pairsOf(head.fields), ...length];
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.isOver) return true;
    if (this.#body.length + end - start > MAX_CALL_BODY_BYTES) this.breakOff(TOO_LARGE);
    else {
      this.#body.add(chunk, start, end);
      if (!this.account()) this.breakOff(NO_ROOM);
    }
    return true;
  }

  end(trailers: Fields): void {
    const body = this.#body.take();
    this.finish(() => this.#done({ kind: "response", fields: this.#fields, body, trailers: pairsOf(trailers) }));
  }

  protected failed(error: TurnpikeError): void {
    this.#done({ kind: "failed", error });
  }
}

/** Names, in lower case, and values of field lines. */
export function pairsOf(fields: Fields): Pairs {
  return Array.from(eachField(fields), ([name, value]) => [name.toLowerCase(), value] as const);
}
