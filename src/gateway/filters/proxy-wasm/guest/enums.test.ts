/** The numbers of Proxy-Wasm 0.2.1, which modules contain. */
import { expect, test } from "bun:test";
import { BUFFER, CONTINUE_ACTION, LEAST_LOG_LEVEL, LOG_LEVELS, MAP, METRIC_TYPES, STATUS, STREAM } from "./enums.ts";

test("host functions return the numbers of `proxy_result_t`", () => {
  expect(Object.values(STATUS)).toEqual([0, 1, 2, 7, 8, 10, 12]);
  expect(CONTINUE_ACTION).toBe(0);
});

test("field lists have the numbers of `proxy_map_type_t`", () => {
  expect(MAP).toEqual({
    requestHeaders: 0,
    requestTrailers: 1,
    responseHeaders: 2,
    responseTrailers: 3,
    grpcInitialMetadata: 4,
    grpcTrailingMetadata: 5,
    callHeaders: 6,
    callTrailers: 7,
  });
});

test("buffers and streams have the numbers of `proxy_buffer_type_t` and `proxy_stream_type_t`", () => {
  const { requestBody, responseBody, callBody, grpcMessage, vmConfiguration, pluginConfiguration } = BUFFER;
  expect([requestBody, responseBody, callBody, grpcMessage, vmConfiguration, pluginConfiguration]).toEqual([
    0, 1, 4, 5, 6, 7,
  ]);
  expect(STREAM).toEqual({ request: 0, response: 1 });
});

test("log levels and types of metrics have their numbers", () => {
  expect([LOG_LEVELS.indexOf("critical"), LOG_LEVELS[LEAST_LOG_LEVEL]]).toEqual([5, "info"]);
  expect(METRIC_TYPES.indexOf("histogram")).toBe(2);
});
