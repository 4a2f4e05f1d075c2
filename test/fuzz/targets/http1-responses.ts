/**
 * The client side of HTTP/1: possible responses of an origin. However the input is cut, the result is the same, with
 * exactly one end.
 */
import fc from "fast-check";
import { type TurnpikeError } from "../../../src/lib/errors.ts";
import { type Fields } from "../../../src/lib/http/fields.ts";
import { type ResponseHead, type ResponseSink } from "../../../src/gateway/exchange/exchange.ts";
import { ClientConnection } from "../../../src/gateway/http1/client-connection.ts";
import { Owner } from "../../../src/gateway/http1/testing/client-peers.ts";
import { FakeWire } from "../../../src/gateway/wire/testing/fake-wire.ts";
import { type Random } from "../random.ts";
import { latin1, type Target } from "../target.ts";

class RecordedResponse implements ResponseSink {
  heads = "";
  body = "";
  begun = false;
  ends = 0;
  outcome = "";

  start({ status, reason, fields, bodyLength }: ResponseHead): void {
    if (this.begun || this.ends > 0) throw new Error("a head behind the final one");
    this.begun = status >= 200;
    // The gateway adds a Date with the time of arrival.
    const timeless = fields.replace(/Date: [^\r]* GMT\r\n/g, "");
    this.heads += `${status} ${reason} ${bodyLength} ${timeless}`;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (!this.begun || this.ends > 0) throw new Error("data out of place");
    if (start < 0 || start > end || end > chunk.length) throw new Error(`data from ${start} to ${end}`);
    this.body += Buffer.from(chunk.subarray(start, end)).toString("latin1");
    return true;
  }

  end(trailers: Fields): void {
    if (!this.begun || this.ends++ > 0) throw new Error("an end out of place");
    this.outcome = `whole ${this.body} ${trailers}`;
  }

  abort(error: TurnpikeError): void {
    if (this.ends++ > 0) throw new Error("an end behind the end");
    this.outcome = error.code;
  }
}

function play(input: Buffer, sizes: readonly number[], method: string): string {
  const owner = new Owner();
  const wire = new FakeWire();
  const connection = new ClientConnection(owner);
  wire.onClose = () => connection.onClose();
  connection.attach(wire);
  const response = new RecordedResponse();
  connection.request(method, `${method} / HTTP/1.1\r\nHost: a.test\r\n`, 0, response);
  let at = 0;
  for (const size of sizes) {
    if (wire.closed) break;
    connection.onData(input.subarray(at, at + size));
    at += size;
  }
  if (!wire.closed) connection.onEnd();
  wire.terminate();
  if (response.ends !== 1) throw new Error(`the response ended ${response.ends} times`);
  if (owner.gone !== 1) throw new Error(`the connection closed ${owner.gone} times`);
  return `${response.heads}${response.outcome}`;
}

function check(input: Buffer, random: Random): undefined {
  const method = random.pick(["GET", "HEAD", "OPTIONS"]);
  const whole = play(input, input.length === 0 ? [] : [input.length], method);
  const parts = play(input, random.cuts(input.length, 200), method);
  if (whole !== parts) throw new Error(`${method}, whole: ${whole}\nin parts: ${parts}`);
}

const OK = "HTTP/1.1 200 OK\r\n";
const line = fc
  .tuple(
    fc.constantFrom("Content-Type", "Date", "X", "Set-Cookie", "Connection", "Via", "Server", "Content_Length"),
    fc.constantFrom("a", "close", "keep-alive, X", "", "x; y=z", "\xe9"),
  )
  .map(([name, value]) => `${name}: ${value}\r\n`);
const framed = fc.oneof(
  fc.string({ maxLength: 40 }).map((body) => `Content-Length: ${latin1(body).length}\r\n\r\n${body}`),
  fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 4 }).map((chunks) => {
    const coded = chunks.map((chunk) => `${latin1(chunk).length.toString(16)}\r\n${chunk}\r\n`).join("");
    return `Transfer-Encoding: chunked\r\n\r\n${coded}0\r\nX-Sum: 1\r\n\r\n`;
  }),
  fc.string({ maxLength: 40 }).map((body) => `\r\n${body}`),
);

export const HTTP1_RESPONSES: Target = {
  name: "http1-answers",
  seeds: [
    `${OK}Content-Length: 5\r\n\r\nhello`,
    `${OK}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n`,
    "HTTP/1.0 200 OK\r\n\r\nuntil the end",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
    "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: x\r\n\r\n",
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n`,
    `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(40)}${OK}\r\n`,
    `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nokk`,
  ].map(latin1),
  words: [
    "\r\n",
    "\r\n\r\n",
    "\n",
    "\r",
    "\0",
    OK,
    "HTTP/1.0 ",
    " 404 ",
    "100",
    "Content-Length: 5\r\n",
    "Content-Length: 005\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip\r\n",
    "Connection: close\r\n",
    "0\r\n\r\n",
    "5\r\nhello\r\n",
    "\x80",
  ].map(latin1),
  structured: fc
    .tuple(
      fc.constantFrom("200 OK", "404 Not Found", "204 x", "304 x", "500 ", "101 x"),
      fc.array(line, { maxLength: 5 }),
      framed,
    )
    .map(([status, lines, rest]) => latin1(`HTTP/1.1 ${status}\r\n${lines.join("")}${rest}`)),
  check,
};
