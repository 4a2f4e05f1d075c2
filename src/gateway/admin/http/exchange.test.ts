import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { messageOf } from "../../../lib/caught.ts";
import { type Incoming, respondBy } from "./exchange.ts";
import { Listener } from "./listener.ts";
import { malformedResponse } from "./problem.ts";

setDefaultTimeout(patient(30_000));

let listener: Listener | undefined;
afterEach(() => listener?.close());

async function serve(handler: (incoming: Incoming) => Promise<Response>): Promise<number> {
  listener = await Listener.bind({
    address: "127.0.0.1",
    port: 0,
    secure: undefined,
    refusal: () => undefined,
    malformed: malformedResponse,
    handle: (message, response, connection) => {
      respondBy(handler, message, response, connection).catch(() => connection.cut());
    },
  });
  return listener.port;
}

/** All that the server sends until it closes the connection. */
async function received(port: number, ...sent: readonly string[]): Promise<string> {
  let text = "";
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  socket.once("close", () => resolve());
  for (const piece of sent) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
  await promise;
  return text;
}

/** The heads and bodies of responses. The head has no `Date`. */
const parts = (text: string): string[] => text.replaceAll(/Date: [^\r]*\r\n/gi, "").split("\r\n\r\n");
const GET = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const CLOSE = "Connection: close\r\n";

test.each([
  ["/v1/a?b=c", "http://admin/v1/a?b=c"],
  ["http://other.test:80/v1/a?b", "http://admin/v1/a?b"],
  ["HTTPS://other.test?b", "http://admin/?b"],
  ["http://other.test", "http://admin/"],
  ["/a\\..\\b", "http://admin/a%5C..%5Cb"],
  ["*", "http://admin/*"],
])("the target %s is the URL %s", async (target, url) => {
  const port = await serve(async ({ request }) => new Response(request.url));
  expect(await received(port, GET(target, CLOSE))).toEndWith(`\r\n\r\n${url}`);
});

test("a handler gets the fields that a request may have, each as often as it was sent", async () => {
  const port = await serve(async ({ request: { headers, method } }) => Response.json([method, ...headers]));
  const fields = "X-A: 1\r\nX-B: 2\r\nx-a: 3\r\n";
  const [, body = ""] = parts(await received(port, GET("/", fields + CLOSE)));
  expect(JSON.parse(body)).toEqual(["GET", ["connection", "close"], ["host", "a"], ["x-a", "1, 3"], ["x-b", "2"]]);
});

test("a HEAD request is a GET whose response has no body, and the connection goes on", async () => {
  const port = await serve(async ({ request }) => new Response(`${request.method} of ${request.url}`));
  const [head, next, body] = parts(await received(port, `HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n${GET("/b", CLOSE)}`));
  expect(head).toContain("content-length: 21");
  expect(next).toStartWith("HTTP/1.1 200 ");
  expect(body).toBe("GET of http://admin/b");
});

test.each([
  [200, /content-length: 0\r\n/i],
  [204, /^(?![^]*content-length)/i],
  [304, /^(?![^]*content-length)/i],
])("a response with the status %d and no body has the length that it may have", async (status, head) => {
  const port = await serve(async () => new Response(null, { status }));
  expect(await received(port, GET("/", CLOSE))).toMatch(head);
});

test("cookies are sent one by one", async () => {
  const headers = new Headers({ "x-a": "1" });
  for (const cookie of ["a=1; Path=/", "b=2"]) headers.append("set-cookie", cookie);
  const port = await serve(async () => new Response("", { headers }));
  const [head = ""] = parts(await received(port, GET("/", CLOSE)));
  const fields = head.split("\r\n").map((line) => line.toLowerCase());
  expect(fields.filter((line) => /^(?:set-cookie|x-a)/.test(line)).toSorted()).toEqual([
    "set-cookie: a=1; path=/",
    "set-cookie: b=2",
    "x-a: 1",
  ]);
});

const echo = async ({ readBody }: Incoming): Promise<Response> =>
  new Response(await readBody(5).then((body) => `<${Buffer.from(body).toString()}>`, messageOf));
const POST = (fields: string): string => `POST / HTTP/1.1\r\nHost: a\r\n${CLOSE}${fields}\r\n\r\n`;
const TOO_LARGE = "Cannot read the body: it has more than 5 bytes";

test.each([
  ["of the longest length", ["Content-Length: 5"], ["12", "345"], "<12345>"],
  [
    "in chunks of the longest length",
    ["Transfer-Encoding: chunked"],
    ["2\r\n12\r\n", "3\r\n345\r\n0\r\n\r\n"],
    "<12345>",
  ],
  ["that is empty", ["Content-Length: 0"], [], "<>"],
  ["of a greater length, which is not waited for", ["Content-Length: 6"], [], TOO_LARGE],
  ["in chunks of a greater length", ["Transfer-Encoding: chunked"], ["5\r\n12345\r\n", "1\r\n6\r\n"], TOO_LARGE],
])("a body %s is read, or refused", async (_what, fields, pieces, expected) => {
  const port = await serve(echo);
  expect(await received(port, POST(fields.join("\r\n")), ...pieces)).toEndWith(`\r\n\r\n${expected}`);
});

const post = (path: string, rest: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n${rest}`;

test("a connection closes after a response before the whole body, and goes on after one to a whole body", async () => {
  const port = await serve(async ({ request }) => new Response(new URL(request.url).pathname));
  const text = await received(port, post("/whole", "abc"), post("/part", "a"));
  const [first = "", second = "", body] = parts(text);
  expect([/connection: close/i.test(first), body]).toEqual([false, "/part"]);
  expect(second).toMatch(/^\/wholeHTTP\/1\.1 200 [^]*connection: close/i);
});

test("a client that leaves ends the wait for its body, and the handler learns it", async () => {
  const seen: string[] = [];
  const port = await serve(async ({ request, readBody }) => {
    request.signal.addEventListener("abort", () => seen.push("aborted"));
    seen.push("begun");
    await readBody(5).catch((error: unknown) => seen.push(messageOf(error)));
    return new Response("");
  });
  const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(POST("Content-Length: 5")));
  await until(() => seen.length === 1);
  socket.destroy();
  await until(() => seen.length === 3);
  expect(seen.toSorted()).toEqual(["Cannot read the body: the connection has ended", "aborted", "begun"]);
});

/** A stream of events that ends after its pieces, and whether it was cancelled. */
function streamOf(...pieces: readonly string[]): { response: Response; state: { isCancelled: boolean } } {
  const state = { isCancelled: false };
  const left = [...pieces];
  const body = new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  return { response: new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } }), state };
}

test("a stream is sent in pieces of its own, and a HEAD request cancels it", async () => {
  const { response, state } = streamOf("one", "", "two");
  const port = await serve(async () => response);
  const text = await received(port, GET("/", CLOSE));
  expect(text).toMatch(/\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n$/);
  expect([text.includes("content-length"), state.isCancelled]).toEqual([false, false]);
  await listener?.close();
  const other = streamOf("one");
  const next = await serve(async () => other.response);
  expect(parts(await received(next, `HEAD / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`)).at(-1)).toBe("");
  expect(other.state.isCancelled).toBe(true);
});

test("a stream whose client has left before it began is cancelled", async () => {
  const gate = Promise.withResolvers<void>();
  const { response, state } = streamOf("one");
  let isAborted = false;
  const port = await serve(async ({ request }) => {
    request.signal.addEventListener("abort", () => (isAborted = true));
    await gate.promise;
    return response;
  });
  const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(GET("/")));
  await until(() => listener?.connections === 1);
  socket.destroy();
  await until(() => isAborted || listener?.connections === 0);
  gate.resolve();
  await until(() => state.isCancelled);
});
