/** One upstream connection for many requests: no remains of one response may reach the next request. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startGateway({
    upstreams: [{ name: "narrow", servers: [serverAt(origin.port)], connection_pool: { max_connections: 1 } }],
    routes: [{ path_prefix: "/", upstream: "narrow" }],
  });
});

beforeEach(() => origin.reset());

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`;
const FORGED = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nFORGED";

describe("a response followed by another one in the same bytes", () => {
  test.each([
    ["with a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n"],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n"],
  ])("%s, never reaches another client that waits for the connection", async (_name, response) => {
    const [first, second] = [await RawClient.open(gateway.port), await RawClient.open(gateway.port)];
    first.send(get("/first"));
    const { connection } = await new Promise<{ connection: Parameters<typeof echo>[1] }>((resolve) => {
      origin.response = (_request, one) => resolve({ connection: one });
    });
    second.send(get("/second"));
    // The gateway reads one connection after the other. When a third one has a response, it has read the second.
    const third = await RawClient.open(gateway.port);
    third.send("GET /.healthz HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await third.response();
    origin.response = echo;
    connection.send(`${response}${FORGED}`);
    await first.response();
    expect((await second.response()).body).toBe("GET /second");
    for (const client of [first, second, third]) client.destroy();
  });

  test("never reaches the next request of a pipeline", async () => {
    origin.response = (request, connection) => {
      if (request.startLine.includes("/first")) {
        connection.send(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst${FORGED}`);
      } else echo(request, connection);
    };
    const client = await RawClient.open(gateway.port);
    client.send(get("/first") + get("/second") + get("/third"));
    const bodies = [await client.response(), await client.response(), await client.response()].map(({ body }) => body);
    expect(bodies).toEqual(["first", "GET /second", "GET /third"]);
    client.destroy();
  });
});

test("a body in many chunks reaches a slow client complete and in order", async () => {
  const pieces = Array.from({ length: 400 }, (_, i) => `${i}:`.padEnd(20_000, String.fromCharCode(97 + (i % 26))));
  origin.response = (_request, connection) => {
    const coded = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
    connection.send(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${coded}0\r\n\r\n`);
  };
  const client = await RawClient.open(gateway.port);
  const slowly = setInterval(() => {
    client.socket.pause();
    setTimeout(() => client.socket.resume(), 3);
  }, 5);
  client.send(get("/large"));
  const response = await client.response("GET", 15_000).finally(() => clearInterval(slowly));
  expect(response.body === pieces.join("")).toBe(true);
  client.destroy();
});
