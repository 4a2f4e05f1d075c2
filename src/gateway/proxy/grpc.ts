import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields, fieldValue, withoutFields } from "../../lib/http/fields.ts";
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
} from "../../lib/http/grpc-status.ts";
import { isGrpcType } from "../../lib/http/field-roles.ts";
import { eventTime } from "../../lib/time/event-clock.ts";
import { atFinish } from "../exchange/endings.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../exchange/exchange.ts";
import { changedHead } from "../exchange/exchange-state.ts";

/** Fields that describe a body, left out when the body is not sent. */
const BODY_FIELDS = ["content-type", "content-encoding", "content-language", "content-range", "grpc-message"];

const NOT_GRPC = new TurnpikeError("upstream-failed", "the response is not a gRPC response");

/** Counts how calls end. */
export interface GrpcWatcher {
  grpcEnded(status: number): void;
}

/**
 * The last response sink before a gRPC client. It makes sure that every response has a gRPC status. Policies before it see
 * HTTP responses, so that they do not mistake a failure for a success.
 *
 *   gRPC response  ──▶ unchanged; if it is aborted, it ends with trailers that give the reason
 *   other response ──▶ Trailers-Only (grpc/grpc, doc/PROTOCOL-HTTP2.md), HTTP status 200
 */
export class GrpcResponse implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #sink: ResponseSink;
  #begun = false;
  #over = false;
  /** A call that ends without a status was cancelled by its client. */
  #status: number = GRPC.CANCELLED;

  private constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#sink = exchange.response;
  }

  /** Installs a sink before the exchange's response. `watcher` receives the status with which the call ends. */
  static install(exchange: Exchange, watcher: GrpcWatcher): void {
    const response = new GrpcResponse(exchange);
    exchange.response = response;
    atFinish(exchange, () => watcher.grpcEnded(response.#status));
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
      this.#sink.start(changedHead(head, { status: 200, grpcStatus: status }));
    } else if (head.status === 200 && head.bodyLength !== 0 && isGrpcType(fieldValue(head.fields, "content-type"))) {
      this.#status = status ?? GRPC.UNKNOWN;
      this.#sink.start(head);
    } else this.#responseFor(head);
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

  /** Replaces a response that is not gRPC by a gRPC status, and drops its body. */
  #responseFor({ status, error, fields, bodyLength }: ResponseHead): void {
    this.#over = true;
    const grpcStatus = error === undefined ? grpcStatusOfHttp(status) : grpcStatusOfError(error);
    this.#status = grpcStatus;
    const message = error?.message ?? `the response is not a gRPC response, and has the HTTP status ${status}`;
    const own = `content-type: application/grpc\r\n${statusFields(grpcStatus, message)}`;
    const kept = withoutFields(fields, BODY_FIELDS);
    this.#sink.start({ status: 200, reason: "", fields: own + kept, bodyLength: 0, grpcStatus });
    this.#sink.end("");
    // Policies before this sink are still in their own `start`.
    if (bodyLength !== 0) queueMicrotask(() => this.#stopBody());
  }

  /** Stops the sender of the unneeded body, and aborts the policies that have begun to process it. */
  #stopBody(): void {
    this.#exchange.onCancel?.();
    this.#exchange.response.abort(NOT_GRPC);
  }
}

function statusFields(status: number, message: string): Fields {
  return `grpc-status: ${status}\r\ngrpc-message: ${grpcMessage(message)}\r\n`;
}

/** The time at which a call's own deadline ends, in the time of `eventTime`. Infinity if it has no deadline. */
export function deadlineOf({ head, beganAt }: Exchange): number {
  return beganAt + grpcTimeoutMs(fieldValue(head.fields, "grpc-timeout"));
}

/** Milliseconds until the deadline. */
export function msUntil(deadline: number): number {
  return Math.max(deadline - eventTime(), 0);
}

/** The error for a failed call whose stream was reset with `resetCode`; -1: the stream was not reset. */
export function resetError(error: TurnpikeError, resetCode: number): TurnpikeError {
  if (resetCode === -1) return error;
  return new GrpcError(error.code, error.message, grpcStatusOfReset(resetCode));
}

/** The head of a failed call for an observer of HTTP: its HTTP status stands for the gRPC status. */
export function httpHead(head: ResponseHead, grpcStatus: number): ResponseHead {
  const { status, reason, fields, bodyLength } = head;
  return { status: status === 200 ? httpStatusOfGrpc(grpcStatus) : status, reason, fields, bodyLength };
}
