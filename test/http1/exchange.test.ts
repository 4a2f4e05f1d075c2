/** Several requests on one connection: everything between one head and the next. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin, summary } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

let origin: RawOrigin;
let gateway: Gateway;
let client: RawClient;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const { upstreams } = everythingTo(origin.port);
  // The origin must see body data as soon as it arrives.
  const routes = [{ path_prefix: "/", upstream: "origin", request_buffering: false }];
  gateway = await startGateway({ access_log: { enabled: false }, upstreams, routes });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

afterEach(() => {
  client?.destroy();
  origin.reset();
});

async function open(): Promise<RawClient> {
  client = await RawClient.open(gateway.port);
  return client;
}

function get(path: string, ...fields: readonly string[]): string {
  return `${[`GET ${path} HTTP/1.1`, "Host: a.test", ...fields].join("\r\n")}\r\n\r\n`;
}

describe("keep-alive and pipelining", () => {
  test("a connection carries one request after another", async () => {
    await open();
    for (const path of ["/1", "/2", "/3"]) {
      client.send(get(path));
      expect((await client.response()).body).toBe(`GET ${path}`);
    }
    expect(client.state).toBe("open");
  });

  test("three requests in one write get their responses in order, even if the first is the slowest", async () => {
    origin.response = (request, connection) => {
      const body = summary(request);
      const send = (): void => connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      if (body === "GET /1") setTimeout(send, 100);
      else send();
    };
    await open();
    client.send(get("/1") + get("/2") + get("/3"));
    const bodies = [await client.response(), await client.response(), await client.response()].map(({ body }) => body);
    expect(bodies).toEqual(["GET /1", "GET /2", "GET /3"]);
    expect(client.rest()).toBe("");
  });

  test("requests with bodies of both framings are separated in one write", async () => {
    await open();
    const length = "POST /1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello";
    const chunked = "POST /2 HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    client.send(length + chunked + get("/3"));
    const bodies = [await client.response(), await client.response(), await client.response()].map(({ body }) => body);
    expect(bodies).toEqual(["POST /1 hello", "POST /2 abc", "GET /3"]);
  });

  test("a pipeline of 200 requests gets all responses in order", async () => {
    await open();
    const paths = Array.from({ length: 200 }, (_, i) => `/${i}`);
    client.send(paths.map((path) => get(path)).join(""));
    for (const path of paths) expect((await client.response()).body).toBe(`GET ${path}`);
  });

  test("the valid request before a malformed one gets its response, then the malformed one, then the connection closes", async () => {
    await open();
    client.send(`${get("/1")}GET /2 HTTP/1.1\r\nBad Name: x\r\n\r\n${get("/3")}`);
    expect((await client.response()).body).toBe("GET /1");
    expect(statusOf(await client.response())).toBe(400);
    await client.closed();
    expect(client.rest()).toBe("");
    expect(origin.summaries).toEqual(["GET /1"]);
  });
});

describe("Connection: close and HTTP/1.0", () => {
  test("a client's Connection: close is obeyed, and later bytes are not read", async () => {
    await open();
    client.send(get("/1", "Connection: close") + get("/2"));
    const response = await client.response();
    expect(response.body).toBe("GET /1");
    expect(valuesOf(response, "connection").join().toLowerCase()).toBe("close");
    await client.closed();
    expect(client.rest()).toBe("");
    expect(origin.summaries).toEqual(["GET /1"]);
  });

  test("`close` applies in any case and among other options", async () => {
    await open();
    client.send(get("/1", "Connection: x-other, CLOSE"));
    await client.response();
    await client.closed();
  });

  test("an origin's Connection: close ends the origin's connection, not the client's", async () => {
    origin.response = (request, connection) => {
      const body = summary(request);
      connection.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    };
    await open();
    for (const path of ["/1", "/2"]) {
      client.send(get(path));
      const response = await client.response();
      expect(response.body).toBe(`GET ${path}`);
      expect(valuesOf(response, "connection").join().toLowerCase()).not.toContain("close");
    }
  });

  test("an HTTP/1.0 client gets its response and a closed connection", async () => {
    await open();
    client.send("GET /1 HTTP/1.0\r\n\r\n");
    const response = await client.response();
    expect(response.body).toBe("GET /1");
    expect(valuesOf(response, "transfer-encoding")).toEqual([]);
    await client.closed();
  });

  test("an HTTP/1.0 client never gets chunks", async () => {
    origin.response = (_, connection) =>
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    await open();
    client.send("GET /1 HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n");
    await client.closed();
    const response = await client.response();
    expect(valuesOf(response, "transfer-encoding")).toEqual([]);
    expect(response.body).toBe("abcde");
  });

  test("an HTTP/1.0 client gets no 1xx", async () => {
    origin.response = (_, connection) =>
      connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    await open();
    client.send("GET /1 HTTP/1.0\r\nHost: a.test\r\n\r\n");
    expect(statusOf(await client.response())).toBe(200);
    await client.closed();
  });
});

describe("responses without a body", () => {
  test("HEAD keeps the length and has no body", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n");
    await open();
    client.send("HEAD /1 HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(valuesOf(await client.response("HEAD"), "content-length")).toEqual(["12345"]);
    origin.reset();
    client.send(get("/2"));
    expect((await client.response()).body).toBe("GET /2");
  });

  test("HEAD of a chunked response has no body", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    await open();
    client.send("HEAD /1 HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(statusOf(await client.response("HEAD"))).toBe(200);
    origin.reset();
    client.send(get("/2"));
    expect((await client.response()).body).toBe("GET /2");
  });

  test("a problem document for HEAD has no body either", async () => {
    await open();
    client.send("HEAD /a%2Fb HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
    expect(statusOf(await client.response("HEAD"))).toBe(400);
    await client.closed();
    expect(client.rest()).toBe("");
  });

  test.each([
    ["204", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["304", 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'],
    ["304 with a length", 'HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\nETag: "x"\r\n\r\n'],
  ])("%s has no body, and the connection stays open", async (name, bytes) => {
    origin.response = (_, connection) => connection.send(bytes);
    await open();
    client.send(get("/1"));
    const response = await client.response();
    expect(statusOf(response)).toBe(Number(name.slice(0, 3)));
    expect(valuesOf(response, "transfer-encoding")).toEqual([]);
    origin.reset();
    client.send(get("/2"));
    expect((await client.response()).body).toBe("GET /2");
  });

  test("204 is sent without Content-Length", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n");
    expect(valuesOf(await once(gateway.port, get("/1")), "content-length")).toEqual([]);
  });

  test("an empty body keeps its length of 0", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    await open();
    client.send(get("/1"));
    expect((await client.response()).body).toBe("");
    expect(client.state).toBe("open");
  });
});

describe("1xx and Expect", () => {
  test("103 is passed on before the response, with its fields", async () => {
    origin.response = (_, connection) =>
      connection.send(
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      );
    await open();
    client.send(get("/1"));
    const early = await client.response();
    expect(statusOf(early)).toBe(103);
    expect(valuesOf(early, "link")).toEqual(["</a.css>"]);
    expect((await client.response()).body).toBe("ok");
  });

  test("103 is passed on at once, not with the response", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n");
    await open();
    client.send(get("/1"));
    expect(statusOf(await client.response())).toBe(103);
    origin.connections.at(-1)?.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    expect((await client.response()).body).toBe("ok");
  });

  test("Expect: 100-continue goes to the origin, its 100 to the client, then the body", async () => {
    origin.onBytes = (connection) => {
      if (connection.received.endsWith("\r\n\r\n")) connection.send("HTTP/1.1 100 Continue\r\n\r\n");
    };
    await open();
    client.send("POST /1 HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    expect(statusOf(await client.response())).toBe(100);
    expect(origin.bytes.toLowerCase()).toContain("expect: 100-continue");
    expect(origin.requests).toHaveLength(0);
    client.send("hello");
    expect((await client.response()).body).toBe("POST /1 hello");
  });

  test("Expect: 100-continue of a request without a body ends at the gateway", async () => {
    await open();
    client.send("GET /1 HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\n\r\n");
    expect(statusOf(await client.response())).toBe(200);
    expect(origin.bytes.toLowerCase()).not.toContain("expect");
  });

  test("an origin's refusal before the body reaches the client", async () => {
    origin.onBytes = (connection) => {
      connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
    };
    await open();
    client.send("POST /1 HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    const response = await client.response();
    expect([statusOf(response), response.body]).toEqual([401, "no"]);
    expect(client.rest()).toBe("");
  });

  test("a body over the limit is refused without a 100", async () => {
    await open();
    client.send("POST /1 HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 999999999\r\n\r\n");
    expect(statusOf(await client.response())).toBe(413);
    expect(origin.bytes).toBe("");
  });
});

describe("chunks and trailers", () => {
  test("chunked requests and their trailers reach the origin", async () => {
    await open();
    client.send(
      "POST /1 HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n" +
        "5;a=b\r\nhello\r\n0\r\nX-Sum: 42\r\n\r\n",
    );
    expect((await client.response()).body).toBe("POST /1 hello");
    const request = origin.requests[0];
    expect(request?.framing).toBe("chunked");
    expect(request?.trailers).toEqual([["X-Sum", "42"]]);
    expect(request?.raw).not.toContain("a=b");
  });

  test("trailers that frame or route a message are not forwarded", async () => {
    await open();
    client.send(
      "POST /1 HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n" +
        "0\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\nHost: b.test\r\nConnection: close\r\nX-Sum: 1\r\n\r\n",
    );
    await client.response();
    const names = origin.requests.flatMap(({ trailers }) => trailers.map(([name]) => name));
    expect(names.filter((name) => name !== "X-Sum")).toEqual([]);
  });

  test("chunked responses and their trailers reach the client as they arrive", async () => {
    origin.response = (_, connection) =>
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    await open();
    client.send(get("/1"));
    await client.sees("abc");
    origin.connections.at(-1)?.send("2\r\nde\r\n0\r\nX-Sum: 42\r\n\r\n");
    const response = await client.response();
    expect(response.body).toBe("abcde");
    expect(response.framing).toBe("chunked");
    expect(response.trailers).toEqual([["X-Sum", "42"]]);
    expect(client.state).toBe("open");
  });

  test("a request body is forwarded to the origin as it arrives", async () => {
    await open();
    client.send("POST /1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nhello");
    await origin.until("the first half", () => (origin.bytes.endsWith("hello") ? true : undefined));
    client.send("world");
    expect((await client.response()).body).toBe("POST /1 helloworld");
    expect(origin.requests[0]?.framing).toBe("length");
  });

  test("a response with a length keeps its Content-Length", async () => {
    const response = await once(gateway.port, get("/1"));
    expect(valuesOf(response, "content-length")).toEqual(["6"]);
  });

  test("all 256 byte values pass through both ways", async () => {
    const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i));
    await open();
    client.send(`POST /1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 256\r\n\r\n${bytes}`);
    expect((await client.response()).body).toBe(`POST /1 ${bytes}`);
  });
});
