/** Invalid responses of an origin: they become 502, or are cut off if the client already has a part of them. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const MAX_RESPONSE_BYTES = 100_000;
const REQUEST = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
const LENGTH_2 = "Content-Length: 2\r\n\r\nok";

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const { upstreams, routes } = everythingTo(origin.port);
  gateway = await startGateway({
    access_log: { enabled: false },
    upstreams,
    routes: routes.map((route) => ({ ...route, read_timeout_ms: 1000, max_response_bytes: MAX_RESPONSE_BYTES })),
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

afterEach(() => origin.reset());

/** A request after the failure must get its own response. */
async function checkRecovery(): Promise<void> {
  origin.reset();
  expect((await once(gateway.port, "GET /after HTTP/1.1\r\nHost: a.test\r\n\r\n")).body).toBe("GET /after");
}

const BAD_HEADS: readonly (readonly [name: string, bytes: string])[] = [
  ["garbage", "this is no HTTP at all\r\n\r\n"],
  ["binary garbage", "\x00\x01\x02\xff\xfe\r\n\r\n"],
  ["another protocol", "ICY 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  ["a version of 2.0", `HTTP/2.0 200 OK\r\n${LENGTH_2}`],
  ["a version in small letters", `http/1.1 200 OK\r\n${LENGTH_2}`],
  ["no status", `HTTP/1.1\r\n${LENGTH_2}`],
  ["a status of letters", `HTTP/1.1 abc OK\r\n${LENGTH_2}`],
  ["a status of two digits", `HTTP/1.1 20 OK\r\n${LENGTH_2}`],
  ["a status of four digits", `HTTP/1.1 2000 OK\r\n${LENGTH_2}`],
  ["a status of 000", `HTTP/1.1 000 OK\r\n${LENGTH_2}`],
  ["a negative status", `HTTP/1.1 -20 OK\r\n${LENGTH_2}`],
  ["101 where nobody asked", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"],
  [
    "Content-Length and Transfer-Encoding",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
  ],
  ["two differing lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk"],
  ["a list of differing lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nokk"],
  ["a length that is not a number", "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok"],
  ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok"],
  ["a length with a plus", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok"],
  ["an empty length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok"],
  ["a length over 2^64", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551618\r\n\r\nok"],
  ["an unknown transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"],
  ["chunked that is not last", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"],
  ["a vertical tab before chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding:\vchunked\r\n\r\n0\r\n\r\n"],
  ["a folded field", `HTTP/1.1 200 OK\r\nX: a\r\n b\r\n${LENGTH_2}`],
  ["a field without a colon", `HTTP/1.1 200 OK\r\nX\r\n${LENGTH_2}`],
  ["a field without a name", `HTTP/1.1 200 OK\r\n: x\r\n${LENGTH_2}`],
  ["a space in a field's name", `HTTP/1.1 200 OK\r\nX Y: z\r\n${LENGTH_2}`],
  ["a space before the colon", `HTTP/1.1 200 OK\r\nX : y\r\n${LENGTH_2}`],
  ["a NUL in a value", `HTTP/1.1 200 OK\r\nX: a\0b\r\n${LENGTH_2}`],
  ["CR in a value", `HTTP/1.1 200 OK\r\nX: a\rb\r\n${LENGTH_2}`],
  ["LF between fields", `HTTP/1.1 200 OK\r\nX: a\nY: b\r\n${LENGTH_2}`],
  ["a NUL in the reason", `HTTP/1.1 200 O\0K\r\n${LENGTH_2}`],
  ["a field of 1 MiB", `HTTP/1.1 200 OK\r\nX: ${"y".repeat(1 << 20)}\r\n${LENGTH_2}`],
  ["a hundred thousand fields", `HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(100_000)}${LENGTH_2}`],
  ["a length over max_response_bytes", `HTTP/1.1 200 OK\r\nContent-Length: ${MAX_RESPONSE_BYTES + 1}\r\n\r\n`],
];

test("a 304 may announce more than max_response_bytes", async () => {
  const announced = String(MAX_RESPONSE_BYTES + 1);
  origin.response = (_request, connection) =>
    connection.send(`HTTP/1.1 304 Not Modified\r\nContent-Length: ${announced}\r\n\r\n`);
  const response = await once(gateway.port, REQUEST);
  expect([statusOf(response), valuesOf(response, "content-length")]).toEqual([304, [announced]]);
  await checkRecovery();
});

describe("header sections that cause 502", () => {
  test.each(BAD_HEADS)("%s", async (_, bytes) => {
    origin.response = (_request, connection) => connection.send(bytes);
    const response = await once(gateway.port, REQUEST);
    expect(statusOf(response)).toBe(502);
    expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
    expect(response.body).not.toContain(String(origin.port));
    await checkRecovery();
  });

  test.each([
    ["nothing", ""],
    ["half a status line", "HTTP/1.1 2"],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-Le"],
    ["only a 103", "HTTP/1.1 103 Early Hints\r\n\r\n"],
  ])("%s, then the end", async (_, bytes) => {
    origin.response = (_request, connection) => connection.end(bytes);
    expect(statusOf(await once(gateway.port, REQUEST))).toBe(502);
    await checkRecovery();
  });

  test("nothing, then a reset", async () => {
    origin.response = (_, connection) => connection.reset();
    expect(statusOf(await once(gateway.port, REQUEST))).toBe(502);
    await checkRecovery();
  });

  test("a POST whose connection was refused is not sent twice", async () => {
    origin.response = (_, connection) => connection.end("rubbish");
    const bytes = "POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello";
    expect(statusOf(await once(gateway.port, bytes))).toBe(502);
    expect(origin.summaries).toEqual(["POST /x hello"]);
  });
});

/** The client's view of an interrupted response: a problem document, or bytes that are not a complete message. */
async function brokenOff(): Promise<Message | undefined> {
  const client = await RawClient.open(gateway.port);
  try {
    client.send(REQUEST);
    await client.closed();
    return await client.response().catch(() => undefined);
  } finally {
    client.destroy();
  }
}

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

describe("a body that is cut off never ends cleanly", () => {
  test.each([
    ["a body shorter than its length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"],
    ["no byte of the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"],
    ["chunks without a last one", `${CHUNKED}5\r\nhello\r\n`],
    ["half a chunk", `${CHUNKED}a\r\nhello`],
    ["half a chunk size", `${CHUNKED}5\r\nhello\r\n1`],
    ["a last chunk without its empty line", `${CHUNKED}5\r\nhello\r\n0\r\n`],
  ])("%s, then the end", async (_, bytes) => {
    origin.response = (_request, connection) => connection.end(bytes);
    const response = await brokenOff();
    if (response !== undefined) expect(statusOf(response)).toBe(502);
    await checkRecovery();
  });

  test.each([
    ["a bad chunk size", `${CHUNKED}5\r\nhello\r\nzz\r\nhello\r\n0\r\n\r\n`],
    ["a negative chunk size", `${CHUNKED}5\r\nhello\r\n-1\r\nhello\r\n0\r\n\r\n`],
    ["a chunk size over 2^64", `${CHUNKED}5\r\nhello\r\n10000000000000005\r\nhello\r\n0\r\n\r\n`],
    ["chunk data longer than its size", `${CHUNKED}5\r\nhello!\r\n0\r\n\r\n`],
    ["LF behind a chunk size", `${CHUNKED}5\nhello\r\n0\r\n\r\n`],
    ["a bad trailer", `${CHUNKED}5\r\nhello\r\n0\r\nBad Name: x\r\n\r\n`],
    ["a chunk extension of 1 MiB", `${CHUNKED}5;a=${"b".repeat(1 << 20)}\r\nhello\r\n0\r\n\r\n`],
    ["trailers of 1 MiB", `${CHUNKED}5\r\nhello\r\n0\r\nX: ${"y".repeat(1 << 20)}\r\n\r\n`],
    ["chunks over max_response_bytes", `${CHUNKED}${`3e8\r\n${"x".repeat(1000)}\r\n`.repeat(101)}0\r\n\r\n`],
  ])("%s", async (_, bytes) => {
    origin.response = (_request, connection) => connection.send(bytes);
    const response = await brokenOff();
    if (response !== undefined) expect(statusOf(response)).toBe(502);
    await checkRecovery();
  });

  test("a reset in the middle of a body without framing", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\n\r\nhello");
    const client = await RawClient.open(gateway.port);
    client.send(REQUEST);
    await client.sees("hello");
    origin.connections.at(-1)?.reset();
    await client.closed();
    // A chunked body must lack its last chunk. A body that ends with the connection must end in a reset.
    const cut = client.received.includes("chunked")
      ? !client.received.includes("\r\n0\r\n\r\n")
      : client.state === "reset";
    expect(cut).toBe(true);
    client.destroy();
    await checkRecovery();
  });

  test("a body without framing over max_response_bytes", async () => {
    origin.response = (_, connection) => connection.end(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(MAX_RESPONSE_BYTES + 1)}`);
    const client = await RawClient.open(gateway.port);
    client.send(REQUEST);
    await client.closed();
    const cut = client.received.includes("chunked")
      ? !client.received.includes("\r\n0\r\n\r\n")
      : client.state === "reset";
    expect(cut || client.received.startsWith("HTTP/1.1 502 ")).toBe(true);
    client.destroy();
    await checkRecovery();
  });
});

describe("responses that are unusual but legal", () => {
  test.each([
    ["two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "ok"],
    ["no reason", `HTTP/1.1 200 \r\n${LENGTH_2}`, "ok"],
    ["HTTP/1.0 with a length", `HTTP/1.0 200 OK\r\n${LENGTH_2}`, "ok"],
    ["an unknown status", `HTTP/1.1 299 Odd\r\n${LENGTH_2}`, "ok"],
    ["chunked in capitals", "HTTP/1.1 200 OK\r\ntransfer-encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok"],
    [
      "exactly max_response_bytes",
      `HTTP/1.1 200 OK\r\nContent-Length: ${MAX_RESPONSE_BYTES}\r\n\r\n${"x".repeat(MAX_RESPONSE_BYTES)}`,
      "x".repeat(MAX_RESPONSE_BYTES),
    ],
  ])("%s", async (_, bytes, body) => {
    origin.response = (_request, connection) => connection.send(bytes);
    const response = await once(gateway.port, REQUEST);
    expect(response.body).toBe(body);
    expect(valuesOf(response, "content-length").length).toBeLessThanOrEqual(1);
    await checkRecovery();
  });

  test("a body that ends with the connection is forwarded completely", async () => {
    origin.response = (_, connection) => connection.end("HTTP/1.1 200 OK\r\n\r\nhello world");
    const client = await RawClient.open(gateway.port);
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
    expect((await client.response()).body).toBe("hello world");
    await client.closed();
    expect(client.state).toBe("ended");
    client.destroy();
    await checkRecovery();
  });

  test("a response in single bytes is assembled", async () => {
    origin.response = (_, connection) => {
      const bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n".split("");
      const next = (): void => {
        const byte = bytes.shift();
        if (byte === undefined) return;
        connection.send(byte);
        setImmediate(next);
      };
      next();
    };
    const response = await once(gateway.port, REQUEST);
    expect(response.body).toBe("hello");
    expect(response.trailers).toEqual([["X", "y"]]);
  });
});

describe("bytes without a request never become a response", () => {
  const POISON = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON";

  test.each([
    ["a whole response behind a response", `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello${POISON}`],
    ["a byte behind a response", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!"],
    ["a response behind the last chunk", `${CHUNKED}5\r\nhello\r\n0\r\n\r\n${POISON}`],
    ["a body behind a 204", "HTTP/1.1 204 No Content\r\n\r\nPOISON"],
    ["a body behind a 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\nPOISON"],
  ])("%s", async (_, bytes) => {
    origin.response = (_request, connection) => connection.send(bytes);
    const client = await RawClient.open(gateway.port);
    client.send(REQUEST);
    await client.response();
    origin.reset();
    client.send("GET /next HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect((await client.response()).body).toBe("GET /next");
    expect(client.rest()).toBe("");
    client.destroy();
    await checkRecovery();
  });

  test("a body in a response to HEAD", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON");
    const client = await RawClient.open(gateway.port);
    client.send("HEAD /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await client.response("HEAD");
    origin.reset();
    client.send("GET /next HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect((await client.response()).body).toBe("GET /next");
    client.destroy();
  });

  test("a response on an idle connection", async () => {
    const response = await once(gateway.port, REQUEST);
    expect(response.body).toBe("GET /x");
    const idle = origin.connections.at(-1);
    idle?.send(POISON);
    await origin.until("the end of the idle connection", () => (idle?.closed === true ? true : undefined));
    await checkRecovery();
  });
});
