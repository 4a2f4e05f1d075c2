import { describe, expect, test } from "bun:test";
import { ERRORS, type ErrorCode, TurnpikeError } from "../errors.ts";
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
} from "./grpc-status.ts";

type Name = keyof typeof GRPC;

test("an HTTP response without a gRPC status gets the one of gRPC's table", () => {
  const cases: readonly (readonly [number, Name])[] = [
    [400, "INTERNAL"],
    [401, "UNAUTHENTICATED"],
    [402, "FAILED_PRECONDITION"],
    [403, "PERMISSION_DENIED"],
    [404, "UNIMPLEMENTED"],
    [429, "UNAVAILABLE"],
    [502, "UNAVAILABLE"],
    [503, "UNAVAILABLE"],
    [504, "UNAVAILABLE"],
    [200, "UNKNOWN"],
    [204, "UNKNOWN"],
    [302, "UNKNOWN"],
    [418, "UNKNOWN"],
    [500, "UNKNOWN"],
  ];
  expect(cases.map(([status]) => [status, grpcStatusOfHttp(status)])).toEqual(
    cases.map(([status, name]) => [status, GRPC[name]]),
  );
});

test("a gRPC status has the HTTP status of google.rpc.Code", () => {
  const cases: Record<Name, number> = {
    OK: 200,
    CANCELLED: 499,
    UNKNOWN: 500,
    INVALID_ARGUMENT: 400,
    DEADLINE_EXCEEDED: 504,
    NOT_FOUND: 404,
    ALREADY_EXISTS: 409,
    PERMISSION_DENIED: 403,
    RESOURCE_EXHAUSTED: 429,
    FAILED_PRECONDITION: 400,
    ABORTED: 409,
    OUT_OF_RANGE: 400,
    UNIMPLEMENTED: 501,
    INTERNAL: 500,
    UNAVAILABLE: 503,
    DATA_LOSS: 500,
    UNAUTHENTICATED: 401,
  };
  const found = Object.entries(GRPC).map(([name, status]) => [name, httpStatusOfGrpc(status)]);
  expect(found).toEqual(Object.entries(cases));
  expect(httpStatusOfGrpc(17)).toBe(500);
});

describe("an error of the gateway", () => {
  const cases: Partial<Record<ErrorCode, Name>> = {
    "bad-request": "INVALID_ARGUMENT",
    "payment-required": "FAILED_PRECONDITION",
    "not-found": "UNIMPLEMENTED",
    "method-not-allowed": "UNIMPLEMENTED",
    "request-timeout": "DEADLINE_EXCEEDED",
    "payment-conflict": "ABORTED",
    "body-too-large": "RESOURCE_EXHAUSTED",
    "head-too-large": "RESOURCE_EXHAUSTED",
    internal: "INTERNAL",
    "not-implemented": "UNIMPLEMENTED",
    "upstream-failed": "UNAVAILABLE",
    "no-upstream": "UNAVAILABLE",
    "response-too-large": "RESOURCE_EXHAUSTED",
    overloaded: "UNAVAILABLE",
    "upstream-timeout": "DEADLINE_EXCEEDED",
  };

  test("has the status that fits its code", () => {
    for (const [code, name] of Object.entries(cases)) {
      // Object.entries loses the types of the keys.
      const error = new TurnpikeError(code as ErrorCode, "");
      expect([code, grpcStatusOfError(error)]).toEqual([code, GRPC[name]]);
    }
  });

  test("always has a status, and never that of success", () => {
    for (const code of Object.keys(ERRORS)) {
      // Object.keys loses the types of the keys.
      const status = grpcStatusOfError(new TurnpikeError(code as ErrorCode, ""));
      expect([code, status > 0 && status <= 16]).toEqual([code, true]);
    }
  });

  test("has the status that it was given explicitly", () => {
    expect(grpcStatusOfError(new GrpcError("upstream-failed", "", GRPC.CANCELLED))).toBe(GRPC.CANCELLED);
  });
});

test("a reset stream has the status of gRPC's table", () => {
  const cases: readonly Name[] = [
    "INTERNAL", // NO_ERROR
    "INTERNAL", // PROTOCOL_ERROR
    "INTERNAL", // INTERNAL_ERROR
    "INTERNAL", // FLOW_CONTROL_ERROR
    "INTERNAL", // SETTINGS_TIMEOUT
    "INTERNAL", // STREAM_CLOSED
    "INTERNAL", // FRAME_SIZE_ERROR
    "UNAVAILABLE", // REFUSED_STREAM
    "CANCELLED", // CANCEL
    "INTERNAL", // COMPRESSION_ERROR
    "INTERNAL", // CONNECT_ERROR
    "RESOURCE_EXHAUSTED", // ENHANCE_YOUR_CALM
    "PERMISSION_DENIED", // INADEQUATE_SECURITY
    "INTERNAL", // HTTP_1_1_REQUIRED
  ];
  expect(cases.map((_, code) => grpcStatusOfReset(code))).toEqual(cases.map((name) => GRPC[name]));
});

test("a status is read if it is a number", () => {
  const cases = ["0", "16", "99", "", "-1", "1.0", "x", undefined];
  expect(cases.map(parseGrpcStatus)).toEqual([0, 16, 99, ...Array.from({ length: 5 }, () => undefined)]);
});

test("a message is percent-encoded UTF-8, except visible ASCII and spaces", () => {
  const cases = [
    ["no route serves this path", "no route serves this path"],
    ["100%", "100%25"],
    ["a\r\nb", "a%0D%0Ab"],
    ["naïve ✓~", "na%C3%AFve %E2%9C%93~"],
    ["", ""],
  ] as const;
  expect(cases.map(([text]) => grpcMessage(text))).toEqual(cases.map(([, encoded]) => encoded));
  expect(cases.map(([, encoded]) => decodeURIComponent(encoded))).toEqual(cases.map(([text]) => text));
});

test("a timeout is at most 8 digits and a unit, and no limit if it is anything else", () => {
  const cases: readonly (readonly [string | undefined, number])[] = [
    ["2H", 7_200_000],
    ["3M", 180_000],
    ["5S", 5000],
    ["250m", 250],
    ["1500u", 1.5],
    ["1000000n", 1],
    ["0S", 0],
    ["99999999H", 359_999_996_400_000],
    ["123456789S", Number.POSITIVE_INFINITY],
    ["5", Number.POSITIVE_INFINITY],
    ["S", Number.POSITIVE_INFINITY],
    ["5s", Number.POSITIVE_INFINITY],
    ["-5S", Number.POSITIVE_INFINITY],
    ["1.5S", Number.POSITIVE_INFINITY],
    [" 5S", Number.POSITIVE_INFINITY],
    ["", Number.POSITIVE_INFINITY],
    [undefined, Number.POSITIVE_INFINITY],
  ];
  expect(cases.map(([value]) => grpcTimeoutMs(value))).toEqual(cases.map(([, ms]) => ms));
});
