import { type ErrorCode, TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields, fieldValue, fieldValues } from "../../../../lib/http/fields.ts";
import { GRPC, isServersFault, parseGrpcStatus } from "../../../../lib/http/grpc-status.ts";
import { sendContinue } from "../../../exchange/expect-continue.ts";
import { type Exchange, type ResponseHead } from "../../../exchange/exchange.ts";
import { PausingSink } from "../../../exchange/pausing-sink.ts";
import { changedHead } from "../../../exchange/exchange-state.ts";
import { type ResponseFile } from "./response-file.ts";
import { type PaidResponse, type ResponseStore } from "./response-store.ts";
import { sendResponse } from "./deliver.ts";
import { DEFERRAL, OVERRIDES, paidFields, withoutPaymentClaims } from "../protocol/response-fields.ts";
import { type DiskBuffer } from "./disk-buffer.ts";
import { unsellable } from "./unsellable.ts";

const NO_ROOM = "Too many paid responses wait for settlement";
const NO_DISK = "The disk has no room for a response that waits for settlement";
const NEEDS_BEFORE = 'this route settles after the complete response; set settle: "before" on its route';

/** The side at fault if a response is not sold. */
export type Failure = "none" | "client" | "server";

/** The result of buffering a response. Exactly one of the three is called, once. */
export interface BufferedResponseEvents {
  /** The response is complete; call `answers.release` for it afterwards. */
  complete(response: PaidResponse): void;
  /** The upstream failed, or charges nothing. The response is on its way to the client without a payment. */
  unpaid(failure: Failure): void;
  /** There is no response that can be sold. Nothing was sent to the client. */
  broken(error: TurnpikeError): void;
}

export interface BufferedResponseOptions {
  readonly exchange: Exchange;
  readonly responses: ResponseStore;
  /** Whether a response with this status and these Settlement-Overrides fields is free; called when its head arrives. */
  readonly isFree: (status: number, overrides: readonly string[]) => boolean;
  /** The receipt fields of a settled payment, else empty. An unsold response is then still owed, with them. */
  readonly receipt: Fields;
}

/**
 * Stands before an exchange's response and holds the upstream's response back until it is paid for: in memory, or on the
 * disk if it is long. When the response has been passed on or has failed, this object forwards everything unchanged.
 *
 *   waiting ──start of what is sold──▶ holding ──end──▶ (writing) ──▶ over: complete
 *      │                           └──abort, too long, no room──▶ over: broken
 *      │                           ├──end with a failure of gRPC──▶ over: unpaid
 *      └──start 4xx, 5xx, a failure of gRPC, or what is free of charge──▶ passing: unpaid
 */
export class BufferedResponse extends PausingSink {
  readonly #responses: ResponseStore;
  readonly #events: BufferedResponseEvents;
  readonly #isFree: BufferedResponseOptions["isFree"];
  readonly #receipt: Fields;
  #state: "waiting" | "holding" | "writing" | "passing" | "over" = "waiting";
  #head: ResponseHead | undefined;
  /** The upstream's Settlement-Overrides fields, and the Settlement-Deferral fields of a response 200 or 202. They are removed from it. */
  overrides: readonly string[] = [];
  deferral: readonly string[] = [];
  #body: Uint8Array[] = [];
  #size = 0;
  /** The disk buffer, as soon as the body is too long for memory. */
  #diskBuffer: DiskBuffer | undefined;

  constructor(options: BufferedResponseOptions, events: BufferedResponseEvents) {
    super(options.exchange);
    this.#responses = options.responses;
    this.#events = events;
    this.#isFree = options.isFree;
    this.#receipt = options.receipt;
  }

  start(head: ResponseHead): void {
    if (this.#state !== "waiting") return;
    const endless = endlessKind(head);
    if (endless !== undefined) {
      this.#fail("not-implemented", `Cannot charge for ${endless}: ${NEEDS_BEFORE}`);
      return;
    }
    if (head.status < 200) {
      // The client may never pay for the content of an interim response. It only gets the 100 that it waits for.
      if (head.status === 100) sendContinue({ head: this.exchange.head, response: this.sink });
      return;
    }
    this.overrides = fieldValues(head.fields, OVERRIDES);
    if (head.status === 200 || head.status === 202) this.deferral = fieldValues(head.fields, DEFERRAL);
    const clean = changedHead(head, { fields: withoutPaymentClaims(head.fields) });
    if (hasFailedCall(head) || this.#isFree(head.status, this.overrides)) {
      this.#state = "passing";
      this.#events.unpaid(failureOf(clean));
      this.sink.start(this.#unsold(clean));
    } else this.#hold(clean);
  }

  #hold(head: ResponseHead): void {
    const reason = unsellable(this.exchange, head);
    if (reason !== undefined) {
      this.#stop(reason);
      return;
    }
    this.#state = "holding";
    this.#head = head;
    if (!this.#hasBody()) return;
    const { maxResponseBytes, maxBufferedBytes } = this.#responses;
    if (head.bodyLength > maxResponseBytes) this.#tooLong();
    else if (head.bodyLength > maxBufferedBytes) this.#openDiskBuffer(head.bodyLength);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#state === "passing") return this.sink.data(chunk, start, end);
    if (this.#state !== "holding" || start === end) return true;
    const responses = this.#responses;
    const size = this.#size + end - start;
    if (size > responses.maxResponseBytes) {
      this.#tooLong();
      return true;
    }
    if (!responses.take(end - start)) {
      this.#fail("overloaded", NO_ROOM);
      return true;
    }
    this.#size = size;
    if (this.#diskBuffer !== undefined) return this.#diskBuffer.data(chunk, start, end);
    // A small view would keep its whole large buffer alive, uncounted. (`Buffer.slice` is a view.)
    const view = chunk.subarray(start, end);
    this.#body.push(view.length * 2 < chunk.buffer.byteLength ? new Uint8Array(view) : view);
    return size <= responses.maxBufferedBytes || this.#openDiskBuffer(-1);
  }

  end(trailers: Fields): void {
    if (this.#state === "passing") this.sink.end(withoutPaymentClaims(trailers));
    if (this.#state !== "holding" || this.#head === undefined) return;
    const head = this.#head;
    if (this.#hasBody() && head.bodyLength >= 0 && head.bodyLength !== this.#size) {
      this.#fail("upstream-failed", "The length of the upstream's response differs from its Content-Length");
    } else if (this.#diskBuffer === undefined) this.#complete(head, this.#body, trailers);
    else void this.#completeWritten(this.#diskBuffer, head, trailers);
  }

  /** The head of an unsold response. Others may have to pay for it, so no shared cache may store it. */
  #unsold(head: ResponseHead): ResponseHead {
    if (failureOf(head) !== "none" && this.#receipt === "") return head;
    return changedHead(head, { fields: paidFields(head, this.#receipt) });
  }

  /** The response is complete when its last bytes are on the disk. */
  async #completeWritten(diskBuffer: DiskBuffer, head: ResponseHead, trailers: Fields): Promise<void> {
    this.#state = "writing";
    const file = await diskBuffer.finish().catch(() => undefined);
    if (file === undefined) return;
    if (this.#state === "writing") this.#complete(head, file, trailers);
    else file.release();
  }

  #complete(head: ResponseHead, body: Uint8Array[] | ResponseFile, trailers: Fields): void {
    this.stepAside();
    const response = this.#responses.complete({
      head: changedHead(head, this.#hasBody() ? { bodyLength: this.#size } : {}),
      body,
      trailers: withoutPaymentClaims(trailers),
      size: this.#size,
    });
    // A gRPC call can report at its end that it failed. A failed call is free.
    const grpcStatus = parseGrpcStatus(fieldValue(trailers, "grpc-status")) ?? head.grpcStatus ?? GRPC.UNKNOWN;
    if (!this.exchange.head.isGrpc || grpcStatus === GRPC.OK) {
      this.#events.complete(response);
      return;
    }
    this.#events.unpaid(failureOf({ status: head.status, grpcStatus }));
    void sendResponse(this.exchange, response, this.#unsold(head))
      .catch(() => this.sink.abort(new TurnpikeError("internal", "the response could not be sent")))
      .finally(() => this.#responses.release(response));
  }

  /** True: more data can come at once. */
  #openDiskBuffer(announced: number): boolean {
    this.#diskBuffer = this.#responses.openDiskBuffer(announced, {
      written: (bytes) => this.#responses.give(bytes),
      onDrain: () => this.resumeSource(),
      onBroken: () => {
        if (this.#state === "holding" || this.#state === "writing") this.#fail("overloaded", NO_DISK);
      },
    });
    if (this.#diskBuffer === undefined) {
      this.#fail("overloaded", NO_ROOM);
      return true;
    }
    const pieces = this.#body;
    this.#body = [];
    let isWelcome = true;
    for (const piece of pieces) isWelcome = this.#diskBuffer.data(piece, 0, piece.length);
    return isWelcome;
  }

  abort(error: TurnpikeError): void {
    if (this.#state === "passing") this.sink.abort(error);
    else if (this.#state === "waiting" || this.#state === "holding") this.#break(error);
  }

  /** While the response is held, the room on the disk decides when its source goes on. */
  drained(): void {
    if (this.#state === "passing" || this.#state === "over") this.resumeSource();
  }

  /** Discards the response: it is not needed any more. */
  drop(): void {
    if (this.#diskBuffer !== undefined) this.#diskBuffer.drop();
    else if (this.#state === "holding") this.#responses.give(this.#size);
    if (this.#state !== "passing") this.stepAside();
    this.#body = [];
  }

  protected override stepAside(): void {
    this.#state = "over";
    super.stepAside();
  }

  #hasBody(): boolean {
    const status = this.#head?.status;
    return this.exchange.head.method !== "HEAD" && status !== 204 && status !== 304;
  }

  #tooLong(): void {
    const { maxResponseBytes } = this.#responses;
    this.#fail(
      "response-too-large",
      `The upstream's response exceeds the ${maxResponseBytes} bytes that can wait for settlement`,
    );
  }

  #fail(code: ErrorCode, detail: string): void {
    this.#stop(new TurnpikeError(code, detail));
  }

  #stop(error: TurnpikeError): void {
    this.#break(error);
    this.exchange.onCancel?.();
  }

  #break(error: TurnpikeError): void {
    this.drop();
    this.#events.broken(error);
  }
}

/** A response that would be delivered before it is paid for, because it has no end that a settlement could wait for. */
function endlessKind({ status, fields }: ResponseHead): string | undefined {
  if (status === 101) return "a change of protocols";
  const type = fieldValue(fields, "content-type") ?? "";
  return status < 400 && status >= 200 && /^text\/event-stream\s*(?:;|$)/i.test(type)
    ? "a stream of events"
    : undefined;
}

function failureOf(head: Pick<ResponseHead, "status" | "grpcStatus">): Failure {
  if (isServersFault(head)) return "server";
  return head.status >= 400 || hasFailedCall(head) ? "client" : "none";
}

/** A gRPC call whose head reports a failure. */
function hasFailedCall({ grpcStatus = GRPC.OK }: Pick<ResponseHead, "grpcStatus">): boolean {
  return grpcStatus !== GRPC.OK;
}
