import { afterEach, expect, test } from "bun:test";
import { LOCALHOST, makeCertificate, TEST_CA } from "../../../test/support/certificates.ts";
import { Http3Client, type Http3Trust } from "../../../test/support/http3-client.ts";
import { firstPackets } from "../../../test/support/quic-client.ts";
import { until } from "../../lib/testing/until.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { respond } from "../exchange/local-response.ts";
import { type ClientSubject, type TlsMaterial } from "../wire/tls.ts";
import { type QuicFigures } from "./figures.ts";
import { startEndpoint, type TestEndpoint } from "./testing/endpoint.ts";

const ALICE = makeCertificate({
  issuer: TEST_CA,
  subject: [
    ["O", "Acme"],
    ["CN", "alice"],
  ],
});
const STRANGER = makeCertificate();
const OTHER = makeCertificate({ issuer: TEST_CA, hostnames: ["other.test"] });

const open: { close(): unknown }[] = [];
let waiting: Exchange | undefined;
let admitted: (readonly [subject: ClientSubject | undefined, serverName: string])[] = [];

afterEach(async () => {
  admitted = [];
  waiting = undefined;
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function serve(material: Partial<TlsMaterial>): Promise<TestEndpoint> {
  const server = await startEndpoint(handle, {
    material: { fallback: LOCALHOST, named: [], clientCa: "", clientCertRequired: true, ...material },
    // No test waits as long: a connection whose peer says nothing stays open.
    quic: { maxIdleTimeoutMs: 600_000, maxStreamsBidi: 100, maxStreamsUni: 100 },
    admit: (_, subject, serverName) => {
      admitted.push([subject, serverName]);
      return true;
    },
  });
  open.push(server);
  return server;
}

function handle(exchange: Exchange): void {
  if (exchange.head.path === "/waiting") waiting = exchange;
  else respond(exchange, 204, "", new Uint8Array(0));
}

async function connect({ port }: TestEndpoint, trust: Partial<Http3Trust> = {}): Promise<Http3Client> {
  const client = await Http3Client.connect(
    port,
    { maxIdleTimeout: 600 },
    { ca: TEST_CA.cert, servername: "localhost", ...trust },
  );
  open.push(client);
  return client;
}

/** The status of a request on a connection. */
async function statusOn(client: Http3Client): Promise<unknown> {
  return (await client.request("GET", "/")).headers[":status"];
}

async function counted(server: TestEndpoint, expected: Partial<QuicFigures>): Promise<void> {
  await until(() => server.endpoint.figures.handshakeFailures === expected.handshakeFailures);
  expect(server.endpoint.figures).toMatchObject(expected);
}

test("a client needs a certificate that the CA signed; without it, its handshake has failed", async () => {
  const server = await serve({ clientCa: TEST_CA.cert });
  expect(await statusOn(await connect(server, { own: ALICE }))).toBe("204");
  expect(admitted).toEqual([[{ subject: "CN=alice,O=Acme" }, "localhost"]]);
  await connect(server).catch(() => {});
  await counted(server, { handshakeFailures: 1, connectionsTotal: 1, connectionsOpen: 1 });
  await connect(server, { own: STRANGER }).catch(() => {});
  await counted(server, { handshakeFailures: 2, connectionsTotal: 1, connectionsRefused: 0 });
  expect(admitted.length).toBe(1);
});

test.each<readonly [string, Partial<TlsMaterial>, ClientSubject | undefined]>([
  ["does not know a CA", { clientCertRequired: true }, undefined],
  ["does not require them", { clientCa: TEST_CA.cert, clientCertRequired: false }, "none"],
])("an endpoint that %s serves clients with and without certificates, and reads none", async (_, material, subject) => {
  const server = await serve(material);
  for (const trust of [{}, { own: ALICE }, { own: STRANGER }]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await statusOn(await connect(server, trust))).toBe("204");
  }
  expect(admitted).toEqual(Array.from({ length: 3 }, () => [subject, "localhost"]));
  expect(server.endpoint.figures).toMatchObject({ handshakeFailures: 0, connectionsTotal: 3 });
});

test("the handshake of a client that does not trust the certificate fails, and others are served", async () => {
  const server = await serve({});
  expect(
    await connect(server, { ca: STRANGER.cert }).then(
      () => "open",
      () => "refused",
    ),
  ).toBe("refused");
  await counted(server, { handshakeFailures: 1, connectionsTotal: 0, connectionsOpen: 0 });
  expect(await statusOn(await connect(server))).toBe("204");
});

test("the certificate is chosen by the name that a client asks for, without regard to case", async () => {
  const server = await serve({ named: [{ hostnames: ["other.test", "third.test"], pair: OTHER }] });
  for (const servername of ["localhost", "other.test", "Other.TEST"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await statusOn(await connect(server, { servername }))).toBe("204");
  }
  expect(admitted.map(([, name]) => name)).toEqual(["localhost", "other.test", "other.test"]);
});

test("a reload shows other certificates to new clients, and an open connection goes on", async () => {
  const server = await serve({ named: [{ hostnames: ["other.test"], pair: OTHER }] });
  const early = await connect(server);
  const running = await early.open("GET", "/waiting");
  await until(() => waiting !== undefined);
  const next = { fallback: OTHER, named: [], clientCa: "", clientCertRequired: true };
  expect(() => server.endpoint.show({ ...next, fallback: { cert: "no certificate", key: OTHER.key } })).toThrow();
  expect(await statusOn(await connect(server))).toBe("204");
  server.endpoint.show({ ...next, named: [{ hostnames: ["third.test"], pair: LOCALHOST }] });
  expect(await statusOn(await connect(server, { servername: "other.test" }))).toBe("204");
  expect(
    await connect(server).then(
      () => "open",
      () => "refused",
    ),
  ).toBe("refused");
  // The certificate of a name that is no longer listed is not used any more.
  server.endpoint.show({ ...next, fallback: LOCALHOST });
  expect(
    await connect(server, { servername: "other.test" }).then(
      () => "open",
      () => "refused",
    ),
  ).toBe("refused");
  expect(await statusOn(await connect(server))).toBe("204");
  if (waiting !== undefined) respond(waiting, 200, "", Buffer.from("late"));
  expect((await running.response).body.toString()).toBe("late");
  expect(await statusOn(early)).toBe("204");
});

test("an endpoint that refuses connections serves those that are open, and closes them at once when it ends", async () => {
  const server = await serve({});
  const early = await connect(server);
  const running = await early.open("GET", "/waiting");
  await until(() => waiting !== undefined);
  server.endpoint.refuse();
  expect(
    await connect(server).then(
      () => "open",
      () => "refused",
    ),
  ).toBe("refused");
  expect(await statusOn(early)).toBe("204");
  expect(server.endpoint.figures).toMatchObject({ connectionsOpen: 1, connectionsTotal: 1 });
  await server.close();
  await until(() => early.isClosed);
  expect(await running.response.catch(String)).toContain("the connection was closed");
  expect([server.errors, server.connections.size, server.endpoint.figures.connectionsOpen]).toEqual([[], 0, 0]);
});

test("512 handshakes may be in progress, and a further one ends the oldest", async () => {
  const server = await serve({});
  const socket = await Bun.udpSocket({ connect: { hostname: "127.0.0.1", port: server.port }, socket: { error() {} } });
  open.push(socket);
  const packets = firstPackets(513);
  for (const [i, packet] of packets.entries()) {
    // The kernel's buffer of the server is small.
    if (i % 50 === 0) await until(() => server.endpoint.figures.packetsIn >= i);
    if (i === 512) expect(server.endpoint.figures.connectionsRefused).toBe(0);
    socket.send(packet);
  }
  await until(() => server.endpoint.figures.connectionsRefused === 1);
  await until(() => server.endpoint.figures.packetsIn === packets.length);
  expect(server.endpoint.figures).toMatchObject({ connectionsRefused: 1, handshakeFailures: 0, connectionsTotal: 0 });
});
