/** RFC 9112 §9 and RFC 9110 §9 to §15: connections, methods, Expect, and the contents of responses. */
import { expect } from "bun:test";
import { type Message, statusOf, valuesOf } from "../../support/message.ts";
import { once, RawClient } from "../../support/raw-client.ts";
import { responses, type Bench, chunked, refused, request, type Rule, script, served } from "./rule.ts";

const CLOSE = request("GET /x", "Connection: close");
const HELD = request("POST /x", "Expect: 100-continue", "Content-Length: 5");
/** The same on a route that does not buffer bodies: the upstream decides. */
const HELD_STREAM = request("POST /streamed", "Expect: 100-continue", "Content-Length: 5");

async function withClient({ port }: Bench, run: (client: RawClient) => Promise<void>): Promise<void> {
  const client = await RawClient.open(port);
  try {
    await run(client);
  } finally {
    client.destroy();
  }
}

const without =
  (name: string) =>
  (message: Message): void =>
    expect(valuesOf(message, name)).toEqual([]);

function bodiless(status: number, fields = ""): string {
  return `HTTP/1.1 ${status} S\r\n${fields}\r\n`;
}

export const CONNECTION_RULES: readonly Rule[] = [
  script(["9112 §9.3", "a connection of HTTP/1.1 stays, and 50 requests go over it"], (bench) =>
    withClient(bench, async (client) => {
      for (let i = 0; i < 50; i++) {
        client.send(request(`GET /${i}`));
        expect((await client.response()).body).toBe(`GET /${i}`);
      }
    }),
  ),
  served(["9112 §9.3", "one of HTTP/1.0 closes"], "GET /x HTTP/1.0\r\nHost: a.test\r\n\r\n", { stays: false }),
  served(
    ["9112 §9.3", "unless it requests keep-alive, which the response confirms"],
    "GET /x HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n",
    {
      response: (head) => expect(valuesOf(head, "connection")).toEqual(["keep-alive"]),
    },
  ),
  served(["9112 §9.6", "close is obeyed, and sent in the response"], CLOSE, {
    stays: false,
    response: (head) => expect(valuesOf(head, "connection")).toEqual(["close"]),
  }),
  served(["9112 §9.6", "close has precedence over keep-alive"], request("GET /x", "Connection: keep-alive, CLOSE"), {
    stays: false,
  }),
  script(["9112 §9.6", "data after a request with close gets no response"], (bench) =>
    withClient(bench, async (client) => {
      client.send(CLOSE + request("GET /second"));
      await client.response();
      await client.closed();
      expect([client.rest(), bench.origin.summaries]).toEqual(["", ["GET /x"]]);
    }),
  ),
  script(
    ["9112 §9.3.2", "the responses of a pipeline are in order, even if the first request is the slowest"],
    (bench) =>
      withClient(bench, async (client) => {
        const echo = bench.origin.response;
        bench.origin.response = (head, connection) => {
          if (head.startLine.includes("/slow")) setTimeout(() => echo(head, connection), 100);
          else echo(head, connection);
        };
        client.send(request("GET /slow") + request("GET /a") + request("GET /b"));
        for (const path of ["/slow", "/a", "/b"]) expect((await client.response()).body).toBe(`GET ${path}`);
      }),
  ),
  script(["9112 §9.3.2", "bodies in a pipeline belong to their own requests"], (bench) =>
    withClient(bench, async (client) => {
      const hidden = request("GET /hidden");
      client.send(
        `${request("GET /a", `Content-Length: ${hidden.length}`)}${hidden}${chunked("5\r\nhello\r\n0\r\n\r\n")}${request("GET /c")}`,
      );
      for (const wanted of [`GET /a ${hidden}`, "POST /x hello", "GET /c"]) {
        expect((await client.response()).body).toBe(wanted);
      }
    }),
  ),
  script(
    ["9112 §8", "a buffered request whose client leaves before its end does not reach the origin"],
    async (bench) => {
      const client = await RawClient.open(bench.port);
      client.send(`${request("POST /x", "Content-Length: 10", "Expect: 100-continue")}hello`);
      expect(statusOf(await client.response())).toBe(100);
      client.destroy();
      expect((await once(bench.port, CLOSE)).body).toBe("GET /x");
      expect(bench.origin.bytes).not.toContain("POST");
    },
  ),
  script(["9112 §8", "a streamed request whose client leaves is never completed"], async (bench) => {
    const client = await RawClient.open(bench.port);
    client.send(`${request("POST /streamed", "Content-Length: 10")}hello`);
    await bench.origin.until("the head", () => (bench.origin.bytes.includes("hello") ? true : undefined));
    client.destroy();
    await bench.origin.until("the end", () =>
      bench.origin.connections.every(({ closed }) => closed) ? true : undefined,
    );
    expect(bench.origin.requests).toEqual([]);
  }),
  script(["9112 §8", "a response that breaks off does not look complete"], (bench) =>
    withClient(bench, async (client) => {
      bench.origin.response = (_head, connection) =>
        connection.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
      client.send(request("GET /x"));
      await client.closed();
      expect(client.received).not.toContain("\r\n0\r\n");
    }),
  ),
];

export const SEMANTIC_RULES: readonly Rule[] = [
  served(["9110 §9.3.2", "HEAD has no body, and the length of GET"], request("HEAD /x"), {
    method: "HEAD",
    reply: responses("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"),
    response: (head) => expect(valuesOf(head, "content-length")).toEqual(["1234"]),
  }),
  served(["9110 §9.3.2", "nor has an error of the gateway"], request("HEAD /x"), {
    method: "HEAD",
    reply: responses("no HTTP\r\n\r\n"),
    status: 502,
  }),
  served(["9110 §9.3.2", "a body on HEAD belongs to it"], `${request("HEAD /x", "Content-Length: 5")}hello`, {
    method: "HEAD",
    upstream: (head) => expect(head?.body).toBe("hello"),
  }),
  served(["9110 §9.3.7", "a body on OPTIONS belongs to it"], `${request("OPTIONS /x", "Content-Length: 5")}hello`, {
    method: "OPTIONS",
    upstream: (head) => expect(head?.body).toBe("hello"),
  }),
  refused(["9110 §9.3.8", "TRACE is not served: it would show the fields that gateways add"], request("TRACE /x"), 501),
  served(
    ["9110 §14.2", "Range on POST is forwarded to the origin"],
    `${request("POST /x", "Range: bytes=0-1", "Content-Length: 5")}hello`,
    {
      upstream: (head) => expect(valuesOf(head ?? { fields: [] }, "range")).toEqual(["bytes=0-1"]),
    },
  ),

  refused(["9110 §10.1.1", "an unknown expectation is 417"], request("GET /x", "Expect: 200-ok"), 417),
  script(["9110 §10.1.1", "the gateway sends the 100 itself if it buffers the body"], (bench) =>
    withClient(bench, async (client) => {
      client.send(HELD);
      expect(statusOf(await client.response())).toBe(100);
      expect(bench.origin.bytes).toBe("");
      client.send("hello");
      expect((await client.response()).body).toBe("POST /x hello");
      expect(bench.origin.bytes).not.toContain("Expect");
    }),
  ),
  script(["9110 §10.1.1", "an origin's 100 reaches the client before the body is sent"], (bench) =>
    withClient(bench, async (client) => {
      bench.origin.onBytes = (connection) => {
        if (connection.received.endsWith("\r\n\r\n")) connection.send("HTTP/1.1 100 Continue\r\n\r\n");
      };
      client.send(HELD_STREAM);
      expect(statusOf(await client.response())).toBe(100);
      expect(bench.origin.requests).toEqual([]);
      client.send("hello");
      expect((await client.response()).body).toBe("POST /streamed hello");
    }),
  ),
  script(["9110 §10.1.1", "a client that does not wait for its 100 is served"], (bench) =>
    withClient(bench, async (client) => {
      client.send(`${HELD}hello`);
      expect((await client.finalResponse()).body).toBe("POST /x hello");
    }),
  ),
  script(["9110 §10.1.1", "a final response in place of a 100 ends the request"], (bench) =>
    withClient(bench, async (client) => {
      bench.origin.onBytes = (connection) => {
        if (connection.received.endsWith("\r\n\r\n")) connection.send("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n");
      };
      client.send(HELD_STREAM);
      const response = await client.response();
      expect([statusOf(response), ...valuesOf(response, "connection")]).toEqual([401, "close"]);
    }),
  ),
  served(
    ["9110 §10.1.1", "Expect in HTTP/1.0 is ignored"],
    "POST /x HTTP/1.0\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
    {
      stays: false,
      upstream: (head) => expect(valuesOf(head ?? { fields: [] }, "expect")).toEqual([]),
    },
  ),
  script(["9110 §15.2", "interim responses are forwarded, in order"], ({ port, origin }) => {
    origin.response = responses(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    );
    return withClient({ port, origin }, async (client) => {
      client.send(request("GET /x"));
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push(statusOf(await client.response()));
      expect(statuses).toEqual([103, 102, 200]);
    });
  }),
  script(["9110 §15.2", "but not to HTTP/1.0"], async ({ port, origin }) => {
    origin.response = responses("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    const response = await once(port, "GET /x HTTP/1.0\r\nHost: a.test\r\n\r\n");
    expect([statusOf(response), response.raw.includes("103")]).toEqual([200, false]);
  }),
  served(["9110 §15.3.5", "204 has no body and no length"], request("DELETE /x"), {
    reply: responses(bodiless(204)),
    status: 204,
    response: (head) => {
      without("content-length")(head);
      without("transfer-encoding")(head);
    },
  }),
  served(["9110 §15.4.5", "304 has no body, whatever length it names"], request("GET /x"), {
    reply: responses(bodiless(304, 'Content-Length: 99\r\nETag: "a"\r\n')),
    status: 304,
    response: (head) => expect(valuesOf(head, "etag")).toEqual(['"a"']),
  }),
  served(["9110 §15.3.6", "205 has no content"], request("POST /x"), {
    reply: responses(bodiless(205, "Content-Length: 0\r\n")),
    status: 205,
    response: (head) => expect(head.body).toBe(""),
  }),
  served(["9110 §15.5.6", "a 405 of the gateway lists the allowed methods"], request("DELETE /.healthz"), {
    status: 405,
    upstream: (head) => expect(head).toBeUndefined(),
    response: (head) => expect(valuesOf(head, "allow")).toEqual(["GET, HEAD"]),
  }),
  served(["9110 §15.6.3", "a response that is not HTTP is 502, with Date and a type"], request("GET /x"), {
    reply: responses("no HTTP\r\n\r\n"),
    status: 502,
    response: (head) => {
      expect(valuesOf(head, "date")).toHaveLength(1);
      expect(valuesOf(head, "content-type")).toEqual(["application/problem+json"]);
    },
  }),
];
