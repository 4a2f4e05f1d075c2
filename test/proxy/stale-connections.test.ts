/** Idle connections that their server closes exactly when a request is written to them, thousands of times. */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { type OriginConnection, RawOrigin } from "../support/raw-origin.ts";
import { Http2Origin } from "./testing/http2-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const ROUNDS = 1500;
const SEED = Number(process.env["SEED"] ?? 20_261_121);

let gateway: Gateway | undefined;
let stop: () => Promise<void> = async () => {};

afterEach(async () => {
  await gateway?.stop();
  await stop();
});

function spin(microseconds: number): void {
  const end = performance.now() + microseconds / 1000;
  while (performance.now() < end);
}

async function serve(port: number, protocol: string): Promise<Gateway> {
  gateway = await startGateway({
    access_log: { enabled: false },
    upstreams: [{ name: "origin", protocol, servers: [{ address: "127.0.0.1", port, max_fails: 1_000_000 }] }],
    routes: [{ path_prefix: "/", upstream: "origin", retry: { max_retries: 0 } }],
  });
  return gateway;
}

/**
 * Closes idle connections while a request is on its way, alternately with a FIN and a reset. Its responses contain the
 * request's path.
 */
async function http1Origin(): Promise<{ port: number; sent: () => string[]; closeIdle: (round: number) => void }> {
  const origin = await RawOrigin.start();
  const paths: string[] = [];
  const idle = new Set<OriginConnection>();
  origin.response = (request, connection) => {
    const path = request.startLine.split(" ")[1] ?? "";
    paths.push(path);
    connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
    idle.add(connection);
  };
  stop = () => origin.stop();
  return {
    port: origin.port,
    sent: () => paths,
    closeIdle(round) {
      for (const connection of idle) {
        if (round % 2 === 0) connection.end();
        else connection.reset();
      }
      idle.clear();
    },
  };
}

async function http2Origin(): Promise<Awaited<ReturnType<typeof http1Origin>>> {
  const origin = await Http2Origin.start();
  const paths: string[] = [];
  origin.onRequest = (request) => {
    paths.push(request.path);
    request.response(200, request.path);
  };
  stop = () => origin.stop();
  return {
    port: origin.port,
    sent: () => paths,
    closeIdle(round) {
      for (const connection of origin.open) {
        // With and without a GOAWAY.
        if (round % 3 === 0) connection.goaway(Math.max(0, ...connection.requests.keys()));
        if (round % 2 === 0) connection.socket.end();
        else connection.reset();
      }
    },
  };
}

describe.each([
  ["http1", http1Origin],
  ["h2c", http2Origin],
])("an upstream over %s that closes idle connections as requests come", (protocol, start) => {
  test(`fails no GET, sends no POST twice, and gives each request its own response: ${ROUNDS} times, seed ${SEED}`, async () => {
    const random = fractionsOf(SEED);
    const origin = await start();
    const { port } = await serve(origin.port, protocol);
    const client = await RawClient.open(port);
    const outcome = { lostGets: [] as string[], wrong: [] as string[], lostPosts: 0 };
    const responded = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const isPost = round % 3 === 2;
      const path = `/${isPost ? "post" : "get"}-${round}`;
      const head = `${isPost ? "POST" : "GET"} ${path} HTTP/1.1\r\nHost: a.test\r\n`;
      const bytes = isPost ? `${head}Content-Length: 4\r\n\r\nbody` : `${head}\r\n`;
      // The delay varies from well before the gateway has read the request to well after it has written it.
      if (random() < 0.5) {
        client.send(bytes);
        spin(random() * 150);
        origin.closeIdle(round);
      } else {
        origin.closeIdle(round);
        spin(random() * 50);
        client.send(bytes);
      }
      const response = await client.response();
      const status = statusOf(response);
      if (status === 200) responded.add(path);
      if (status === 200 && response.body !== path) outcome.wrong.push(path);
      if (status !== 200 && isPost) outcome.lostPosts++;
      else if (status !== 200) outcome.lostGets.push(`${path} ${status}`);
    }
    client.destroy();
    expect(outcome).toEqual({ lostGets: [], wrong: [], lostPosts: expect.any(Number) });
    const posts = origin.sent().filter((path) => path.startsWith("/post"));
    expect(new Set(posts).size).toBe(posts.length);
    expect([...responded].filter((path) => !origin.sent().includes(path))).toEqual([]);
    // Otherwise no connection was closed at the worst moment.
    expect(outcome.lostPosts).toBeGreaterThan(0);
  });
});
