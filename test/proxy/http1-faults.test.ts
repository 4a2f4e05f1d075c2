/** Faults of an HTTP/1.1 upstream, and their effect on clients, requests, the pool and health. */
import { setDefaultTimeout } from "bun:test";
import { echo, type OriginConnection, RawOrigin, summary } from "../support/raw-origin.ts";
import { type Fault, faultOf, heard, MAX_RESPONSE_BYTES, once, testFaults, unheard } from "./testing/faults.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const LENGTH_10 = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

interface Http1Fault extends Fault {
  readonly act: (connection: OriginConnection) => void;
}

/** Makes the bytes arrive before the reset, which could overtake them. */
function sendAndReset(connection: OriginConnection, bytes: string): void {
  connection.socket.write(bytes, "latin1", () => setTimeout(() => connection.reset(), 20));
}

const FAULTS: readonly Http1Fault[] = [
  { name: "resets at once", act: (to) => to.reset(), ...unheard(502) },
  { name: "ends at once", act: (to) => to.end(), ...unheard(502) },
  {
    name: "resets within the head",
    act: (to) => sendAndReset(to, "HTTP/1.1 200 OK\r\nContent-"),
    ...heard(502),
  },
  { name: "ends within the head", act: (to) => to.end("HTTP/1.1 200 OK\r\nContent-"), ...heard(502) },
  { name: "sends garbage", act: (to) => to.send("\x16\x03\x01 what?\r\n\r\n"), ...heard(502) },
  {
    name: "sends a 103 and resets",
    act: (to) => sendAndReset(to, "HTTP/1.1 103 Early Hints\r\n\r\n"),
    ...heard(502),
  },
  { name: "says nothing", stalls: 150, act: () => {}, ...heard(504) },
  { name: "stalls within the head", stalls: 150, act: (to) => to.send("HTTP/1.1 200 OK\r\nContent-"), ...heard(504) },
  {
    name: "resets within the body",
    act: (to) => sendAndReset(to, `${LENGTH_10}hello`),
    ...once(false, 200, 1),
    body: "hello",
  },
  { name: "ends within the body", act: (to) => to.end(`${LENGTH_10}hello`), ...once(false, 200, 1), body: "hello" },
  {
    name: "stalls within the body",
    stalls: 400,
    act: (to) => to.send(`${LENGTH_10}hello`),
    ...once(false, 200, 1),
    body: "hello",
  },
  {
    name: "ends within a chunk",
    act: (to) => to.end(`${CHUNKED}a\r\nhello`),
    ...once(false, 200, 1),
  },
  {
    name: "ends without the last chunk",
    act: (to) => to.end(`${CHUNKED}5\r\nhello\r\n`),
    ...once(false, 200, 1),
  },
  {
    name: "sends an invalid chunk size",
    act: (to) => to.send(`${CHUNKED}5\r\nhello\r\nzz\r\n`),
    ...once(false, 200, 1),
  },
  {
    name: "resets a body that only the end of the connection delimits",
    act: (to) => sendAndReset(to, "HTTP/1.1 200 OK\r\n\r\nhello"),
    ...once(false, 200, 1),
  },
  {
    name: "ends a body that only the end of the connection delimits",
    act: (to) => to.end("HTTP/1.1 200 OK\r\n\r\nhello"),
    ...once(true, 200, 0),
    body: "hello",
  },
  {
    name: "sends more than its Content-Length",
    act: (to) => to.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, world"),
    ...once(true, 200, 0),
    body: "hello",
  },
  {
    name: "announces more than max_response_bytes",
    act: (to) => to.send(`HTTP/1.1 200 OK\r\nContent-Length: ${MAX_RESPONSE_BYTES + 1}\r\n\r\n`),
    ...once(true, 502, 0),
  },
  {
    name: "sends more than max_response_bytes without saying so",
    act: (to) => to.send(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(MAX_RESPONSE_BYTES + 1)}`),
    ...once(false, 200, 0),
  },
  {
    name: "closes behind a whole response",
    act: (to) => to.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    ...once(true, 200, 0),
    body: "hello",
  },
  ...[502, 503, 504].map((status) => ({
    name: `answers ${status}`,
    act: (to: OriginConnection) => to.send(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`),
    get: { status, whole: true, sent: 2, sentStale: 2, failures: 0 },
    post: { status, whole: true, sent: 1, sentStale: 1, failures: 0 },
    body: "no",
  })),
  {
    name: "answers 500",
    act: (to) => to.send("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno"),
    ...once(true, 500, 0),
    body: "no",
  },
];

testFaults(FAULTS, "http1", async () => {
  const origin = await RawOrigin.start();
  origin.response = (request, connection) => {
    const fault = faultOf(FAULTS, request.startLine.split(" ")[1] ?? "");
    if (fault === undefined) echo(request, connection);
    else fault.act(connection);
  };
  return {
    port: origin.port,
    faults: origin.errors,
    sent: (method, path, body) =>
      origin.requests.filter((request) => summary(request) === `${method} ${path} ${body}`.trim()).length,
    stop: () => origin.stop(),
  };
});
