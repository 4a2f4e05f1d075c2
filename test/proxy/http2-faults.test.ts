/** Faults of an HTTP/2 upstream, and their effect on clients, requests, the pool and health. */
import { setDefaultTimeout } from "bun:test";
import * as h2 from "../support/http2-frames.ts";
import { block } from "../support/http2-hpack.ts";
import {
  type Expected,
  type Fault,
  faultOf,
  heard,
  MAX_RESPONSE_BYTES,
  once,
  testFaults,
  unheard,
} from "./testing/faults.ts";
import { Http2Origin, type OriginRequest } from "./testing/http2-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const INTERNAL_ERROR = 0x2;
const LENGTH_10 = [["content-length", "10"]] as const;

interface Http2Fault extends Fault {
  readonly act: (request: OriginRequest) => void;
}

/**
 * The server reports that it did nothing: the request is sent again twice without cost. After that it is a failure and
 * a try each.
 */
const UNPROCESSED: { get: Expected; post: Expected } = {
  get: { status: 502, whole: true, sent: 4, sentStale: 4, failures: 2 },
  post: { status: 502, whole: true, sent: 1, sentStale: 1, failures: 1 },
};

const FAULTS: readonly Http2Fault[] = [
  { name: "resets the connection at once", act: ({ connection }) => connection.reset(), ...unheard(502) },
  { name: "ends the connection at once", act: ({ connection }) => connection.socket.end(), ...unheard(502) },
  { name: "resets the stream with INTERNAL_ERROR", act: (to) => to.reset(INTERNAL_ERROR), ...heard(502) },
  { name: "resets the stream with ENHANCE_YOUR_CALM", act: (to) => to.reset(h2.ENHANCE_YOUR_CALM), ...heard(502) },
  { name: "refuses the stream", act: (to) => to.reset(h2.REFUSED_STREAM), ...UNPROCESSED },
  {
    name: "goes away before the request",
    act: ({ connection, streamId }) => connection.goaway(Math.max(streamId - 2, 0)),
    ...UNPROCESSED,
  },
  {
    name: "goes away with ENHANCE_YOUR_CALM before the request, and ends",
    act: ({ connection }) => {
      connection.goaway(0, h2.ENHANCE_YOUR_CALM);
      connection.socket.end();
    },
    ...UNPROCESSED,
  },
  {
    name: "sends GOAWAY during the request, and a response to it",
    act: (to) => {
      to.connection.goaway(to.streamId);
      to.response(200, "hello");
    },
    ...once(true, 200, 0),
    body: "hello",
  },
  {
    name: "goes away behind its response",
    act: (to) => {
      to.response(200, "hello");
      to.connection.goaway(to.streamId);
      to.connection.socket.end();
    },
    ...once(true, 200, 0),
    body: "hello",
  },
  {
    name: "goes away with the request, and ends",
    act: ({ connection, streamId }) => {
      connection.goaway(streamId);
      connection.socket.end();
    },
    ...unheard(502),
  },
  {
    name: "sends no frames",
    act: ({ connection }) => connection.socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ...unheard(502),
  },
  {
    name: "sends a block that cannot be decoded",
    act: ({ connection, streamId }) => connection.send(h2.frame(h2.HEADERS, h2.END_BOTH, streamId, "\xff\xff\xff\xff")),
    ...unheard(502),
  },
  {
    name: "sends a head without a status",
    act: ({ connection, streamId }) =>
      connection.send(h2.frame(h2.HEADERS, h2.END_BOTH, streamId, block([["server", "x"]]))),
    ...heard(502),
  },
  { name: "sends data before a head", act: (to) => to.data("hello"), ...heard(502) },
  {
    name: "sends a 103 and resets the stream",
    act: (to) => {
      to.head(103);
      to.reset(INTERNAL_ERROR);
    },
    ...heard(502),
  },
  { name: "says nothing", stalls: 150, act: () => {}, ...heard(504) },
  {
    name: "stalls within the head",
    stalls: 150,
    act: ({ connection, streamId }) =>
      connection.send(h2.frame(h2.HEADERS, h2.NO_FLAGS, streamId, block([[":status", "200"]]))),
    ...heard(504),
  },
  {
    name: "resets the stream within the body",
    act: (to) => {
      to.head(200, LENGTH_10);
      to.data("hello");
      to.reset(INTERNAL_ERROR);
    },
    ...once(false, 200, 1),
  },
  {
    name: "ends the connection within the body",
    act: (to) => {
      to.head(200, LENGTH_10);
      to.data("hello");
      to.connection.socket.end();
    },
    ...once(false, 200, 1),
  },
  {
    name: "stalls within the body",
    stalls: 400,
    act: (to) => {
      to.head(200, LENGTH_10);
      to.data("hello");
    },
    ...once(false, 200, 1),
  },
  {
    name: "ends the body before its Content-Length",
    act: (to) => {
      to.head(200, LENGTH_10);
      to.data("hello", h2.END_STREAM);
    },
    ...once(false, 200, 1),
  },
  {
    name: "sends more than its Content-Length",
    act: (to) => {
      to.head(200, LENGTH_10);
      to.data("hello, world", h2.END_STREAM);
    },
    ...once(false, 200, 1),
  },
  {
    name: "announces more than max_response_bytes",
    act: (to) => {
      to.head(200, [["content-length", String(MAX_RESPONSE_BYTES + 1)]]);
    },
    ...once(true, 502, 0),
  },
  {
    name: "sends more than max_response_bytes without saying so",
    act: (to) => {
      to.head(200);
      for (let sent = 0; sent <= MAX_RESPONSE_BYTES; sent += 10_000) to.data("x".repeat(10_000));
    },
    ...once(false, 200, 0),
  },
  {
    name: "ends without a body behind a 200",
    act: (to) => to.head(200, [], h2.END_STREAM),
    ...once(true, 200, 0),
    body: "",
  },
  ...[502, 503, 504].map((status) => ({
    name: `answers ${status}`,
    act: (to: OriginRequest) => to.response(status, "no"),
    get: { status, whole: true, sent: 2, sentStale: 2, failures: 0 },
    post: { status, whole: true, sent: 1, sentStale: 1, failures: 0 },
    body: "no",
  })),
];

testFaults(FAULTS, "h2c", async () => {
  const origin = await Http2Origin.start();
  const { onRequest } = origin;
  origin.onRequest = (request) => {
    const fault = faultOf(FAULTS, request.path);
    if (fault === undefined) onRequest(request);
    else fault.act(request);
  };
  return {
    port: origin.port,
    faults: origin.faults,
    sent: (method, path, body) =>
      origin.on(path).filter((request) => request.method === method && request.body.toString() === body).length,
    stop: () => origin.stop(),
  };
});
