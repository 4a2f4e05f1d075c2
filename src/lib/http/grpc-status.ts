import { type ErrorCode, TurnpikeError } from "../errors.ts";

/** The statuses of gRPC (grpc/grpc, doc/statuscodes.md). */
export const GRPC = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** An error with a gRPC status that is more exact than the one of its code. */
export class GrpcError extends TurnpikeError {
  readonly grpcStatus: number;

  constructor(code: ErrorCode, detail: string, grpcStatus: number) {
    super(code, detail);
    this.grpcStatus = grpcStatus;
  }
}

/** doc/http-grpc-status-mapping.md, for responses of servers without gRPC; 402 is our addition. */
const OF_HTTP: ReadonlyMap<number, number> = new Map([
  [400, GRPC.INTERNAL],
  [401, GRPC.UNAUTHENTICATED],
  [402, GRPC.FAILED_PRECONDITION],
  [403, GRPC.PERMISSION_DENIED],
  [404, GRPC.UNIMPLEMENTED],
  [429, GRPC.UNAVAILABLE],
  [502, GRPC.UNAVAILABLE],
  [503, GRPC.UNAVAILABLE],
  [504, GRPC.UNAVAILABLE],
]);

/** Statuses for this gateway's own errors, if they are more exact than those for other servers' responses. */
const OF_OWN: ReadonlyMap<number, number> = new Map([
  [400, GRPC.INVALID_ARGUMENT],
  [405, GRPC.UNIMPLEMENTED],
  [408, GRPC.DEADLINE_EXCEEDED],
  [409, GRPC.ABORTED],
  [412, GRPC.FAILED_PRECONDITION],
  [413, GRPC.RESOURCE_EXHAUSTED],
  [414, GRPC.RESOURCE_EXHAUSTED],
  [415, GRPC.INVALID_ARGUMENT],
  [417, GRPC.INVALID_ARGUMENT],
  [429, GRPC.RESOURCE_EXHAUSTED],
  [431, GRPC.RESOURCE_EXHAUSTED],
  [500, GRPC.INTERNAL],
  [501, GRPC.UNIMPLEMENTED],
  [504, GRPC.DEADLINE_EXCEEDED],
]);

/** google/rpc/code.proto: the HTTP status of each gRPC status. */
const TO_HTTP: readonly number[] = [
  200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401,
];

/** doc/PROTOCOL-HTTP2.md, Errors: the gRPC status of each code of RFC 9113 §7 in a reset. */
const OF_RESET: ReadonlyMap<number, number> = new Map([
  [0x7, GRPC.UNAVAILABLE],
  [0x8, GRPC.CANCELLED],
  [0xb, GRPC.RESOURCE_EXHAUSTED],
  [0xc, GRPC.PERMISSION_DENIED],
]);

/** The gRPC status of an HTTP response without one. */
export function grpcStatusOfHttp(status: number): number {
  return OF_HTTP.get(status) ?? GRPC.UNKNOWN;
}

/** The gRPC status of an error of this gateway. */
export function grpcStatusOfError(error: TurnpikeError): number {
  if (error instanceof GrpcError) return error.grpcStatus;
  if (error.code === "response-too-large") return GRPC.RESOURCE_EXHAUSTED;
  return OF_OWN.get(error.status) ?? grpcStatusOfHttp(error.status);
}

/** The gRPC status of a call whose stream was reset with this code. */
export function grpcStatusOfReset(code: number): number {
  return OF_RESET.get(code) ?? GRPC.INTERNAL;
}

/** The HTTP status of a gRPC status, for clients without gRPC; 500 if the status does not exist. */
export function httpStatusOfGrpc(status: number): number {
  return TO_HTTP[status] ?? 500;
}

/** Whether a response reports a failure that is not the client's. */
export function isServersFault({ status, grpcStatus = GRPC.OK }: { status: number; grpcStatus?: number }): boolean {
  return status >= 500 || httpStatusOfGrpc(grpcStatus) >= 500;
}

/** The value of a `grpc-status`; undefined if it is not a number. */
export function parseGrpcStatus(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** A text in the encoding of `grpc-message`: the bytes of its UTF-8 are percent-encoded, except visible ASCII other than `%`, and spaces. */
export function grpcMessage(text: string): string {
  return text.replaceAll(/[^ -$&-~]+/gu, (part) =>
    Buffer.from(part).reduce((out, byte) => `${out}%${byte.toString(16).toUpperCase().padStart(2, "0")}`, ""),
  );
}

const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** The milliseconds of a `grpc-timeout`; Infinity if absent or malformed, which the server then judges. */
export function grpcTimeoutMs(value: string | undefined): number {
  const [, digits, unit = ""] = TIMEOUT.exec(value ?? "") ?? [];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits) * (UNIT_MS[unit] ?? 1);
}
