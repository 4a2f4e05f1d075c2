import { type ErrorCode, TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldValue } from "../../../lib/fields.ts";
import { GRPC, parseGrpcStatus } from "../../../lib/grpc-status.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../../exchange.ts";
import { type Answer, type Answers } from "./answers.ts";
import { withoutPaymentClaims } from "./response-fields.ts";

/** What the holder of an answer is told, one of the three, once. */
export interface HeldEvents {
  /** The answer is there as a whole; `answers.release` it. */
  complete(answer: Answer): void;
  /** The upstream refused; its answer is on its way to the client, free of charge. */
  unpaid(): void;
  /** No answer that could be sold; nothing went to the client. */
  broken(error: TurnpikeError): void;
}

export interface HeldOptions {
  readonly exchange: Exchange;
  readonly answers: Answers;
}

/**
 * Stands before an exchange's response and holds the upstream's answer back until it is paid for. Once over it steps aside.
 *
 *   waiting ──start 2xx, 3xx──▶ holding ──end──▶ over: complete
 *      │                           └──abort, too long──▶ over: broken
 *      │                           ├──end with a failure of gRPC──▶ over: unpaid
 *      └──start 4xx, 5xx, or a failure of gRPC──▶ passing: unpaid
 */
export class HeldResponse implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #answers: Answers;
  readonly #sink: ResponseSink;
  readonly #events: HeldEvents;
  #state: "waiting" | "holding" | "passing" | "over" = "waiting";
  #head: ResponseHead | undefined;
  #body: Uint8Array[] = [];
  #size = 0;

  constructor(options: HeldOptions, events: HeldEvents) {
    this.#exchange = options.exchange;
    this.#answers = options.answers;
    this.#sink = options.exchange.response;
    this.#events = events;
    options.exchange.response = this;
  }

  start(head: ResponseHead): void {
    if (this.#state !== "waiting") return;
    const clean = { ...head, fields: withoutPaymentClaims(head.fields) };
    // After a 101 bytes flow that no settlement could hold back.
    if (head.status === 101)
      this.#fail("not-implemented", "Cannot switch protocols on a route that is paid by request");
    else if (head.status < 200) this.#sink.start(clean);
    else if (head.status >= 400 || (head.grpcStatus ?? GRPC.OK) !== GRPC.OK) {
      this.#state = "passing";
      this.#events.unpaid();
      this.#sink.start(clean);
    } else {
      this.#state = "holding";
      this.#head = clean;
      if (this.#hasBody() && head.bodyLength > this.#answers.maxAnswerBytes) this.#tooLong();
    }
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#state === "passing") return this.#sink.data(chunk, start, end);
    if (this.#state !== "holding") return true;
    const answers = this.#answers;
    if (this.#size + end - start > answers.maxAnswerBytes) {
      this.#tooLong();
    } else if (answers.take(end - start)) {
      this.#size += end - start;
      // A small piece of a large buffer would keep all of it, uncounted. (`Buffer.slice` is a view.)
      const view = chunk.subarray(start, end);
      this.#body.push(view.length * 2 < chunk.buffer.byteLength ? Uint8Array.from(view) : view);
    } else {
      this.#fail("overloaded", "Too many paid answers wait for settlement");
    }
    return true;
  }

  end(trailers: Fields): void {
    if (this.#state === "passing") this.#sink.end(withoutPaymentClaims(trailers));
    if (this.#state !== "holding" || this.#head === undefined) return;
    const head = this.#head;
    if (this.#hasBody() && head.bodyLength >= 0 && head.bodyLength !== this.#size) {
      this.#fail("upstream-failed", "The upstream's answer is not as long as it announced");
      return;
    }
    if (this.#exchange.head.isGrpc && head.grpcStatus === undefined && !isSuccess(trailers)) {
      this.#giveAway(head, trailers);
      return;
    }
    this.#stepAside();
    const answer = this.#answers.complete({
      head: this.#hasBody() ? { ...head, bodyLength: this.#size } : head,
      body: this.#body,
      trailers: withoutPaymentClaims(trailers),
      size: this.#size,
    });
    this.#events.complete(answer);
  }

  abort(error: TurnpikeError): void {
    if (this.#state === "passing") this.#sink.abort(error);
    if (this.#state === "waiting" || this.#state === "holding") this.#break(error);
  }

  /** A call of gRPC says at its end that it has failed: nobody pays for that. */
  #giveAway(head: ResponseHead, trailers: Fields): void {
    const body = this.#body;
    this.drop();
    this.#events.unpaid();
    this.#sink.start(head);
    for (const piece of body) this.#sink.data(piece);
    this.#sink.end(withoutPaymentClaims(trailers));
  }

  /** Nobody wants the answer any more. */
  drop(): void {
    if (this.#state === "holding") this.#answers.give(this.#size);
    if (this.#state !== "passing") this.#stepAside();
    this.#body = [];
  }

  #stepAside(): void {
    this.#state = "over";
    this.#exchange.response = this.#sink;
  }

  #hasBody(): boolean {
    const status = this.#head?.status;
    return this.#exchange.head.method !== "HEAD" && status !== 204 && status !== 304;
  }

  #tooLong(): void {
    const { maxAnswerBytes } = this.#answers;
    this.#fail(
      "response-too-large",
      `The upstream's answer exceeds the ${maxAnswerBytes} bytes that can wait for settlement`,
    );
  }

  #fail(code: ErrorCode, detail: string): void {
    this.#break(new TurnpikeError(code, detail));
    this.#exchange.onCancel?.();
  }

  #break(error: TurnpikeError): void {
    this.drop();
    this.#events.broken(error);
  }
}

/** Of a call of gRPC; one without a status has failed as well. */
function isSuccess(trailers: Fields): boolean {
  return parseGrpcStatus(fieldValue(trailers, "grpc-status")) === GRPC.OK;
}
