import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields, fieldValue, withoutFields } from "../../lib/fields.ts";
import {
  GRPC,
  GrpcError,
  grpcMessage,
  grpcStatusOfError,
  grpcStatusOfHttp,
  grpcStatusOfReset,
  grpcTimeoutMs,
  httpStatusOfGrpc,
  parseGrpcStatus,
} from "../../lib/grpc-status.ts";
import { eventTime } from "../../lib/event-clock.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../exchange.ts";

/** What is said of a body that is not sent. */
const BODY_FIELDS = ["content-type", "content-encoding", "content-language", "content-range", "grpc-message"];

const NOT_GRPC = new TurnpikeError("upstream-failed", "the answer is not one of gRPC");

/** Who counts how calls end. */
export interface GrpcWatcher {
  grpcEnded(status: number): void;
}

/**
 * Stands last before a gRPC client and sees to it that whatever the chain before it answers has a status of gRPC. Policies
 * before it see answers of HTTP, so that none takes a failure for a success.
 *
 *   an answer of gRPC ──▶ as it is; cut off, it ends with trailers that say why
 *   any other         ──▶ trailers alone (grpc/grpc, doc/PROTOCOL-HTTP2.md, Trailers-Only), HTTP status 200
 */
export class GrpcResponse implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #sink: ResponseSink;
  #begun = false;
  #over = false;
  /** A call without a status is one that its client has left. */
  #status: number = GRPC.CANCELLED;

  private constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#sink = exchange.response;
  }

  /** Puts one before the exchange's response; `watcher` is told how the call ended. */
  static answer(exchange: Exchange, watcher: GrpcWatcher): void {
    const response = new GrpcResponse(exchange);
    exchange.response = response;
    const { onFinish } = exchange;
    exchange.onFinish = (finished) => {
      watcher.grpcEnded(response.#status);
      onFinish?.(finished);
    };
  }

  start(head: ResponseHead): void {
    if (head.status < 200) {
      this.#sink.start(head);
      return;
    }
    this.#begun = true;
    const status = head.grpcStatus ?? parseGrpcStatus(fieldValue(head.fields, "grpc-status"));
    if (status !== undefined && head.bodyLength === 0) {
      this.#status = status;
      this.#sink.start({ ...head, status: 200, grpcStatus: status });
    } else if (head.status === 200 && isGrpcType(head.fields)) {
      this.#status = status ?? GRPC.UNKNOWN;
      this.#sink.start(head);
    } else this.#answerFor(head);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    return this.#over || this.#sink.data(chunk, start, end);
  }

  end(trailers: Fields): void {
    if (this.#over) return;
    this.#over = true;
    this.#status = parseGrpcStatus(fieldValue(trailers, "grpc-status")) ?? this.#status;
    this.#sink.end(trailers);
  }

  abort(error: TurnpikeError): void {
    if (this.#over) return;
    this.#over = true;
    this.#status = grpcStatusOfError(error);
    if (!this.#begun) this.#sink.abort(error);
    else this.#sink.end(statusFields(this.#status, error.message));
  }

  /** Says in gRPC what an answer says that is none of gRPC; what follows its head is dropped. */
  #answerFor({ status, error, fields, bodyLength }: ResponseHead): void {
    this.#over = true;
    const grpcStatus = error === undefined ? grpcStatusOfHttp(status) : grpcStatusOfError(error);
    this.#status = grpcStatus;
    const message = error?.message ?? `the answer is not one of gRPC, and has the HTTP status ${status}`;
    const own = `content-type: application/grpc\r\n${statusFields(grpcStatus, message)}`;
    const kept = withoutFields(fields, BODY_FIELDS);
    this.#sink.start({ status: 200, reason: "", fields: own + kept, bodyLength: 0, grpcStatus });
    this.#sink.end("");
    // Policies before this one are in the midst of their start.
    if (bodyLength !== 0) queueMicrotask(() => this.#stopBody());
  }

  /** Nobody wants the body: who sends it stops, and policies that have begun with it let go of it. */
  #stopBody(): void {
    this.#exchange.onCancel?.();
    this.#exchange.response.abort(NOT_GRPC);
  }
}

function isGrpcType(fields: Fields): boolean {
  const type = fieldValue(fields, "content-type")?.toLowerCase() ?? "";
  return type.startsWith("application/grpc") && !type.startsWith("application/grpc-web");
}

function statusFields(status: number, message: string): Fields {
  return `grpc-status: ${status}\r\ngrpc-message: ${grpcMessage(message)}\r\n`;
}

/** When a call's own deadline ends, in the time of `eventTime`; Infinity where it has none. */
export function deadlineOf({ head, beganAt }: Exchange): number {
  return beganAt + grpcTimeoutMs(fieldValue(head.fields, "grpc-timeout"));
}

/** Milliseconds left of it. */
export function msUntil(deadline: number): number {
  return Math.max(deadline - eventTime(), 0);
}

/** What a failed call is told where its stream was reset with `resetCode`; -1: it was not. */
export function resetError(error: TurnpikeError, resetCode: number): TurnpikeError {
  if (resetCode === -1) return error;
  return new GrpcError(error.code, error.message, grpcStatusOfReset(resetCode));
}

/** A failed call's answer as a client that knows nothing of gRPC is told of it: by the HTTP status. */
export function httpHead(head: ResponseHead, grpcStatus: number): ResponseHead {
  const { status, reason, fields, bodyLength } = head;
  return { status: status === 200 ? httpStatusOfGrpc(grpcStatus) : status, reason, fields, bodyLength };
}
