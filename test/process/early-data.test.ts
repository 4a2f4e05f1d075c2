/** Early data of TLS 1.3, which a third party can replay (RFC 8470): the gateway refuses it over QUIC and TCP. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import { existsSync } from "node:fs";
import { type QuicEngine, loadQuic } from "../../src/gateway/http3/engine.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { CountingFacilitator } from "../payments/counting-facilitator.ts";
import { newPayment, nonceOf } from "../payments/shops.ts";
import { type ProtocolGateway, startProtocols } from "../policy/protocols.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(30_000));

const OPENSSL = "/usr/bin/openssl";
const SESSION = "SSL SESSION PARAMETERS";

const facilitator = new CountingFacilitator();
const folder = new Folder();
/** The paths that reached the upstream. */
const runs: string[] = [];
const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    runs.push(new URL(request.url).pathname);
    return new Response("goods");
  },
});
let gateway: ProtocolGateway;
let quic: QuicEngine;

beforeAll(async () => {
  quic = await loadQuic();
  gateway = await startProtocols({
    x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/", upstream: "origin" },
      { path_prefix: "/sold", upstream: "origin", x402: TERMS },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  await facilitator.close();
  folder.remove();
});

/** The early data of a connection, as its client sees it. */
interface Early {
  readonly attempted: boolean;
  readonly accepted: boolean;
  /** The response to the request that was sent in it. */
  readonly status: number;
}

/** Connects once for a session ticket, and then again, with a request as early data. */
async function sendEarly(port: number, fields: Readonly<Record<string, string>>): Promise<Early> {
  const options = {
    alpn: "h3",
    servername: "localhost",
    ca: Buffer.from(TEST_CA.cert),
    endpoint: {},
    onstream() {},
    onerror() {},
  };
  const ticket = Promise.withResolvers<Uint8Array>();
  const first = await quic.connect(`127.0.0.1:${port}`, options);
  first.onsessionticket = ticket.resolve;
  const sessionTicket = await ticket.promise;
  first.destroy();
  const second = await quic.connect(`127.0.0.1:${port}`, { ...options, sessionTicket, enableEarlyData: true });
  const status = Promise.withResolvers<number>();
  const stream = await second.createBidirectionalStream({});
  stream.onerror = () => {}; // oxlint-disable-line unicorn/prefer-add-event-listener -- it is not an event target
  stream.onheaders = (block) => status.resolve(Number(block[":status"]));
  stream.sendHeaders(
    { ":method": "GET", ":scheme": "https", ":authority": "localhost", ...fields },
    { terminal: true },
  );
  const { earlyDataAttempted: attempted, earlyDataAccepted: accepted } = await second.opened;
  const early = { attempted, accepted, status: await status.promise };
  second.destroy();
  return early;
}

/** Passes datagrams between one client at a time and the gateway, and keeps those of the client. */
class Recorder {
  readonly sent: Buffer[] = [];
  readonly #front: Bun.udp.Socket<"buffer">;
  #back: Promise<Bun.udp.ConnectedSocket<"buffer">> | undefined;
  #from = 0;

  private constructor(front: Bun.udp.Socket<"buffer">) {
    this.#front = front;
  }

  static async start(port: number): Promise<Recorder> {
    const front = await Bun.udpSocket({
      hostname: "127.0.0.1",
      socket: { data: (_, bytes, from) => recorder.#onData(port, Buffer.from(bytes), from) },
    });
    const recorder = new Recorder(front);
    return recorder;
  }

  get port(): number {
    return this.#front.port;
  }

  #onData(port: number, bytes: Buffer, from: number): void {
    this.sent.push(bytes);
    if (from !== this.#from || this.#back === undefined) {
      this.#from = from;
      void this.#back?.then((socket) => socket.close());
      this.#back = Bun.udpSocket({
        connect: { hostname: "127.0.0.1", port },
        socket: { data: (_, reply) => void this.#front.send(reply, from, "127.0.0.1") },
      });
    }
    void this.#back.then((socket) => socket.send(bytes));
  }

  /** Sends everything again, from another port. */
  async replay(port: number): Promise<void> {
    const socket = await Bun.udpSocket({ connect: { hostname: "127.0.0.1", port } });
    for (const bytes of this.sent) socket.send(bytes);
    socket.close();
  }

  close(): void {
    this.#front.close();
    void this.#back?.then((socket) => socket.close());
  }
}

test("a QUIC server that accepts early data gets the request of the test's client in it", async () => {
  const endpoint = await quic.listen(
    (session) => {
      session.onstream = (stream) => {
        stream.onheaders = () => stream.sendHeaders({ ":status": "200" }, { terminal: true });
      };
    },
    {
      endpoint: {
        address: { address: "127.0.0.1", port: 0, family: "ipv4" },
        maxConnectionsPerHost: 0,
        maxConnectionsTotal: 0,
      },
      alpn: ["h3"],
      sni: { "*": { keys: [createPrivateKey(LOCALHOST.key)], certs: [Buffer.from(LOCALHOST.cert)] } },
      enableEarlyData: true,
      verifyClient: false,
      rejectUnauthorized: false,
      transportParams: {
        maxIdleTimeout: 10,
        initialMaxStreamsBidi: 10,
        initialMaxStreamsUni: 10,
        initialMaxStreamDataBidiRemote: 65_536,
        initialMaxStreamDataUni: 65_536,
        initialMaxData: 65_536,
      },
      maxStreamWindow: 65_536,
      maxWindow: 65_536,
      application: {
        maxHeaderPairs: 100,
        maxHeaderLength: 65_536,
        maxFieldSectionSize: 65_536,
        enableDatagrams: false,
      },
    },
  );
  try {
    const early = await sendEarly(endpoint.address?.port ?? 0, { ":path": "/" });
    expect(early).toEqual({ attempted: true, accepted: true, status: 200 });
  } finally {
    await endpoint.destroy();
  }
});

test("HTTP/3: early data is rejected, and its paid request runs once, after the handshake, also if it is replayed", async () => {
  const recorder = await Recorder.start(gateway.quicPort);
  try {
    const payment = newPayment();
    const early = await sendEarly(recorder.port, { ":path": "/sold", "payment-signature": encodeHeader(payment) });
    expect(early).toEqual({ attempted: true, accepted: false, status: 200 });
    await recorder.replay(gateway.quicPort);
    // The gateway has handled the replay before this request.
    expect((await gateway.request("HTTP/3", { path: "/after-the-replay" })).status).toBe(200);
    expect(runs.filter((path) => path === "/sold")).toHaveLength(1);
    expect(facilitator.settles.get(nonceOf(payment))).toBe(1);
  } finally {
    recorder.close();
  }
});

/** A PEM session of OpenSSL that permits 16 KiB of early data, whatever its server said. */
function permitEarlyData(session: string): string {
  const der = Buffer.from(session.replaceAll(/-----.*-----|\s/g, ""), "base64");
  const fields: Buffer[] = [];
  for (let at = 4; at < der.length; ) {
    const { start, length } = lengthAt(der, at + 1);
    fields.push(der.subarray(at, start + length));
    at = start + length;
  }
  // SSL_SESSION of OpenSSL 1.1.1 and later: `max_early_data` is [15].
  const permission = Buffer.from([0xaf, 4, 2, 2, 0x40, 0]);
  const before = fields.filter((field) => (field[0] ?? 0) < 0xaf);
  const content = Buffer.concat([...before, permission, ...fields.filter((field) => (field[0] ?? 0) > 0xaf)]);
  const head = Buffer.from([0x30, 0x82, content.length >> 8, content.length & 0xff]);
  return `-----BEGIN ${SESSION}-----\n${Buffer.concat([head, content])
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n")}\n-----END ${SESSION}-----\n`;
}

function lengthAt(der: Buffer, at: number): { start: number; length: number } {
  const first = der[at] ?? 0;
  if (first < 0x80) return { start: at + 1, length: first };
  const bytes = first & 0x7f;
  return { start: at + 1 + bytes, length: der.readUIntBE(at + 1, bytes) };
}

/** Sends a request by `openssl s_client`, and returns the client's output after the gateway has closed the connection. */
async function bySClient(args: readonly string[], path: string): Promise<string> {
  const ca = folder.write("ca.pem", TEST_CA.cert);
  const connection = ["-connect", `127.0.0.1:${gateway.tlsPort}`, "-servername", "localhost", "-CAfile", ca];
  const client = Bun.spawn([OPENSSL, "s_client", ...connection, "-tls1_3", "-alpn", "http/1.1", ...args], {
    // It would leave at the end of its input, before the response.
    stdio: ["pipe", "pipe", "ignore"],
  });
  void client.stdin.write(requestFor(path));
  await client.stdin.flush();
  return await new Response(client.stdout).text();
}

function requestFor(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
}

test.skipIf(!isInstalled("openssl", existsSync(OPENSSL)))(
  "TLS over TCP: no ticket permits early data, and it is rejected from clients that send it",
  async () => {
    const session = folder.file("session.pem");
    const first = await bySClient(["-sess_out", session], "/ticket");
    expect(first).toContain("Max Early Data: 0");
    const patched = folder.write("patched.pem", permitEarlyData(await Bun.file(session).text()));
    const early = folder.write("early.txt", requestFor("/early"));
    const second = await bySClient(["-sess_in", patched, "-early_data", early], "/late");
    expect(second).toContain("Early data was rejected");
    expect(second).toContain("Reused, TLSv1.3");
    expect(runs).toContain("/late");
    expect(runs).not.toContain("/early");
  },
);
