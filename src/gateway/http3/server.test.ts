import { afterEach, expect, test } from "bun:test";
import { LOCALHOST } from "../../../test/support/certificates.ts";
import { Http3Client } from "../../../test/support/http3-client.ts";
import { until } from "../../lib/testing/until.ts";
import { type Exchange, type Transport } from "../exchange/exchange.ts";
import { respond } from "../exchange/local-response.ts";
import { startHttp3 } from "./server.ts";
import { startEndpoint, type TestEndpoint, type TestEndpointOptions } from "./testing/endpoint.ts";

const material = { fallback: LOCALHOST, named: [], clientCa: "", clientCertRequired: true };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

let transport: Transport | undefined;

async function serve({
  handle: own = handle,
  ...options
}: Omit<TestEndpointOptions, "material"> & { handle?: (exchange: Exchange) => void } = {}): Promise<TestEndpoint> {
  const server = await startEndpoint(own, { material, ...options });
  open.push(server);
  return server;
}

function handle(exchange: Exchange): void {
  transport = exchange.transport;
  respond(exchange, 200, "", Buffer.from("ok"));
}

async function connect(port: number): Promise<Http3Client> {
  const client = await Http3Client.connect(port);
  open.push(client);
  return client;
}

test("an endpoint counts its connections, streams, bytes and packets", async () => {
  let isFull = false;
  const server = await serve({ admit: () => !isFull });
  const none = { connectionsRefused: 0, handshakeFailures: 0, streamsMalformed: 0, packetsLost: 0 };
  expect(server.endpoint.figures).toEqual({
    ...none,
    connectionsOpen: 0,
    connectionsTotal: 0,
    streamsOpen: 0,
    streamsTotal: 0,
    bytesIn: 0,
    bytesOut: 0,
    packetsIn: 0,
    packetsOut: 0,
  });
  const client = await connect(server.port);
  expect((await client.request("GET", "/")).body.toString()).toBe("ok");
  expect(transport).toMatchObject({ remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" });
  expect([transport?.remotePort === 0, transport?.getTLSVersion?.(), transport?.getServername?.()]).toEqual([
    false,
    "TLSv1.3",
    "localhost",
  ]);
  const { figures } = server.endpoint;
  expect(figures).toMatchObject({ ...none, connectionsOpen: 1, connectionsTotal: 1, streamsTotal: 1 });
  // A first packet has at least 1,200 bytes.
  expect([figures.bytesIn > 1200, figures.bytesOut > 1200, figures.packetsIn > 1, figures.packetsOut > 1]).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  isFull = true;
  const refused = await connect(server.port);
  await until(() => refused.isClosed);
  expect(server.connections.size).toBe(1);
  for (const connection of server.connections) connection.cutOff();
  await until(() => server.endpoint.figures.connectionsOpen === 0);
  expect(server.endpoint.figures).toMatchObject({ connectionsTotal: 1, connectionsRefused: 1, streamsOpen: 0 });
  expect(server.connections.size).toBe(0);
});

test("a request knows the port of its endpoint", async () => {
  const first = await serve();
  const { port } = first;
  await first.close();
  await serve({ port });
  expect((await (await connect(port)).request("GET", "/")).headers[":status"]).toBe("200");
  expect(transport?.localPort).toBe(port);
});

test.each([
  [2000, 2n],
  [2001, 3n],
])("the transport parameters of a connection for max_idle_timeout_ms of %i", async (maxIdleTimeoutMs, seconds) => {
  const { port } = await serve({ quic: { maxIdleTimeoutMs, maxStreamsBidi: 7, maxStreamsUni: 5 } });
  expect((await connect(port)).serverParams).toMatchObject({
    initialMaxData: 1_048_576n,
    initialMaxStreamDataBidiRemote: 262_144n,
    initialMaxStreamDataUni: 16_384n,
    initialMaxStreamsBidi: 7n,
    initialMaxStreamsUni: 5n,
    // In seconds. The gateway ends the connection at the millisecond.
    maxIdleTimeout: seconds,
  });
});

test("a response that waits for several idle timeouts keeps its connection, whose client sends no PING", async () => {
  // Less than a second, in which the engine sends a new connection ID.
  const maxIdleTimeoutMs = 400;
  const { port } = await serve({
    quic: { maxIdleTimeoutMs, maxStreamsBidi: 7, maxStreamsUni: 5 },
    handle: (exchange) => void setTimeout(() => handle(exchange), 5 * maxIdleTimeoutMs),
  });
  expect((await (await connect(port)).request("GET", "/")).body.toString()).toBe("ok");
});

test("an address that is not this machine's cannot be listened on, and the engine's reason is reported once", async () => {
  const errors: unknown[] = [];
  for (const port of [0, 4433]) {
    const quic = { maxIdleTimeoutMs: 1000, maxStreamsBidi: 1, maxStreamsUni: 3 };
    const onError = (error: unknown): void => void errors.push(error);
    const limits = { maxHeaderBytes: 1000, maxHeaderCount: 10 };
    const started = startHttp3({
      address: "192.0.2.1",
      port,
      material,
      quic,
      ...limits,
      admit: () => undefined,
      onError,
    });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await started.catch(String)).toContain("Cannot listen on 192.0.2.1");
  }
  await new Promise(setImmediate);
  expect(errors.map(String)).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("Bind failure")));
});
