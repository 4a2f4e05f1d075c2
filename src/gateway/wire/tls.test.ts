/**
 * Tests TLS from the side of clients, and the parts of Bun's internals that it uses. If another version of Bun changes
 * them, a test fails.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { connect, createServer, type ConnectionOptions, type TLSSocket } from "node:tls";
import { type Certificate, makeCertificate } from "../../../test/support/certificates.ts";
import { DEAF, listen, type Listener } from "./tcp.ts";
import { type HandshakeHandler, listenTls, type TlsListener, type TlsMaterial, type TlsPeer } from "./tls.ts";
import { createTlsUpgrade } from "./tls-upgrade.ts";
import { type Wire } from "./wire.ts";

const ca = makeCertificate({ subject: [["CN", "Clients' CA"]], isCa: true });
const client = makeCertificate({
  issuer: ca,
  subject: [
    ["O", "Acme, Inc"],
    ["CN", "one"],
  ],
});
const stranger = makeCertificate({ subject: [["CN", "stranger"]] });
const own = makeCertificate({ hostnames: ["own.test"] });
const exact = makeCertificate({ hostnames: ["exact.wild.test"] });
const wild = makeCertificate({ hostnames: ["*.wild.test"] });

/** The subject of the certificate of `client`. */
const NAMED = { subject: "CN=one,O=Acme\\, Inc" };
const MATERIAL: TlsMaterial = {
  fallback: own,
  named: [
    { hostnames: ["*.wild.test"], pair: wild },
    { hostnames: ["exact.wild.test"], pair: exact },
  ],
  clientCa: "",
  clientCertRequired: true,
};

const listeners: (Listener | TlsListener)[] = [];
const peers: TlsPeer[] = [];
const errors: unknown[] = [];

afterEach(() => {
  for (const listener of listeners.splice(0)) listener.stop();
  peers.length = 0;
  expect(errors.splice(0)).toEqual([]);
});

/** Records the peer, sends a greeting, and then echoes all data. */
function greet(wire: Wire): HandshakeHandler {
  return {
    ...DEAF,
    onSecure(peer) {
      peers.push(peer);
      const text = Buffer.from("hello ");
      wire.write(text, 0, text.length);
      wire.data = {
        ...DEAF,
        onData: (chunk) => void wire.write(chunk, 0, chunk.length),
        onEnd: () => wire.shutdown(),
      };
    },
  };
}

const onError = (error: unknown): void => void errors.push(error);

/** A listener whose clients begin with TLS, and one whose clients send other bytes first. */
const SERVERS: readonly [what: string, start: (material: TlsMaterial) => Promise<number>, first: string][] = [
  [
    "a TLS listener",
    async (material) => {
      const place = { address: "127.0.0.1", port: 0, reusePort: true };
      const listener = await listenTls({ ...place, material, protocols: ["h2", "http/1.1"], accept: greet, onError });
      listeners.push(listener);
      return listener.port;
    },
    "",
  ],
  [
    "TLS behind other bytes",
    async (material) => {
      const upgrade = createTlsUpgrade(material, ["h2", "http/1.1"], onError);
      const listener = listen({
        address: "127.0.0.1",
        port: 0,
        reusePort: true,
        accept: (wire) => ({ ...DEAF, onData: (chunk) => upgrade.begin(wire, chunk.subarray(5), greet) }),
        onError,
      });
      listeners.push(listener);
      return await Promise.resolve(listener.port);
    },
    "first",
  ],
];

async function open(port: number, first: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const tcp = connectTcp(port, "127.0.0.1");
  await once(tcp, "connect");
  if (first !== "") tcp.write(first);
  const socket = connect({ socket: tcp, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"], ...options });
  // A refused client gets a `close_notify`, which its library does not report as an error.
  const closed = once(socket, "close").then(() => Promise.reject(new Error("closed before it said anything")));
  closed.catch(() => undefined);
  await Promise.race([once(socket, "data"), closed]);
  return socket;
}

async function shownTo(port: number, first: string, servername: string): Promise<string> {
  const socket = await open(port, first, { servername });
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
}

function identityOf({ cert, key }: Certificate): ConnectionOptions {
  return { cert, key };
}

for (const [what, start, first] of SERVERS) {
  describe(what, () => {
    test("uses the certificate of the requested name, exact before wildcard, in upper or lower case", async () => {
      const port = await start(MATERIAL);
      const shown = [];
      for (const name of [
        "own.test",
        "exact.wild.test",
        "EXACT.Wild.Test",
        "x.wild.test",
        "y.x.wild.test",
        "no.test",
      ]) {
        shown.push(await shownTo(port, first, name));
      }
      expect(shown).toEqual(["own.test", "exact.wild.test", "exact.wild.test", "*.wild.test", "own.test", "own.test"]);
      expect(peers.map((peer) => peer.serverName.toLowerCase())).toContain("x.wild.test");
    });

    test("reports the ALPN protocol, and asks for no certificate", async () => {
      const port = await start(MATERIAL);
      for (const ALPNProtocols of [["h2"], ["http/1.1"], ["http/1.1", "h2"], undefined]) {
        (await open(port, first, { ALPNProtocols })).destroy();
      }
      expect(peers.map(({ protocol }) => protocol)).toEqual(["h2", "http/1.1", "h2", ""]);
      expect(peers[0]?.clientSubject).toBeUndefined();
    });

    test("carries bytes both ways, in TLS 1.2 and 1.3, and ends with a FIN", async () => {
      const port = await start(MATERIAL);
      for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
        const socket = await open(port, first, { minVersion: version, maxVersion: version });
        const sent = Buffer.alloc(300_000, "x");
        let received = 0;
        socket.on("data", (chunk: Buffer) => (received += chunk.length));
        socket.end(sent.subarray(0, 60_000));
        await once(socket, "close");
        expect([socket.getProtocol() ?? version, received]).toEqual([version, 60_000]);
      }
    });

    test("a required client certificate must be sent and come from the CA, for every name", async () => {
      const port = await start({ ...MATERIAL, clientCa: ca.cert });
      for (const servername of ["own.test", "x.wild.test"]) {
        (await open(port, first, { servername, ...identityOf(client) })).destroy();
        for (const identity of [{}, identityOf(stranger)]) {
          const refused = await open(port, first, { servername, ...identity }).catch(() => undefined);
          expect(refused).toBeUndefined();
        }
      }
      expect(peers.map(({ clientSubject }) => clientSubject)).toEqual([NAMED, NAMED]);
    });

    test("an optional client certificate must come from the CA if it is sent, and needs no name", async () => {
      const port = await start({ ...MATERIAL, clientCa: ca.cert, clientCertRequired: false });
      const nameless = makeCertificate({ issuer: ca, subject: [] });
      for (const identity of [identityOf(client), {}, identityOf(nameless)]) {
        (await open(port, first, identity)).destroy();
      }
      expect(await open(port, first, identityOf(stranger)).catch(() => "no")).toBe("no");
      expect(peers.map(({ clientSubject }) => clientSubject)).toEqual([NAMED, "none", { subject: "" }]);
    });

    test("a client without TLS, or with an old version, gets no connection", async () => {
      const port = await start(MATERIAL);
      const plain = connectTcp(port, "127.0.0.1");
      let response = "";
      plain.on("data", (chunk: Buffer) => (response += chunk.toString("latin1")));
      plain.write(`${first}GET / HTTP/1.1\r\nHost: a\r\n\r\n`);
      await new Promise((resolve) => plain.once("close", resolve).once("error", () => {}));
      expect(response).not.toContain("hello");
      expect(await open(port, first, { minVersion: "TLSv1", maxVersion: "TLSv1.1" }).catch(() => "no")).toBe("no");
      expect(peers).toEqual([]);
    });
  });
}

describe("a TLS listener after a change of certificates", () => {
  test("uses them for new clients, keeps open connections, and drops removed names", async () => {
    const place = { address: "127.0.0.1", port: 0, reusePort: true };
    const listener = await listenTls({ ...place, material: MATERIAL, protocols: ["http/1.1"], accept: greet, onError });
    listeners.push(listener);
    const { port } = listener;
    const early = await open(port, "");
    const renewed = makeCertificate({ subject: [["CN", "renewed"]] });
    listener.show({ ...MATERIAL, fallback: renewed, named: [{ hostnames: ["*.wild.test"], pair: exact }] });
    const shown = [];
    for (const name of ["own.test", "exact.wild.test", "x.wild.test"]) shown.push(await shownTo(port, "", name));
    expect(shown).toEqual(["renewed", "exact.wild.test", "exact.wild.test"]);
    listener.show({ ...MATERIAL, named: [] });
    expect(await shownTo(port, "", "exact.wild.test")).toBe("own.test");
    early.write("still here");
    expect(String((await once(early, "data"))[0])).toBe("still here");
    early.destroy();
  });

  test("still asks for client certificates", async () => {
    const place = { address: "127.0.0.1", port: 0, reusePort: true };
    const material = { ...MATERIAL, clientCa: ca.cert };
    const listener = await listenTls({ ...place, material, protocols: ["http/1.1"], accept: greet, onError });
    listeners.push(listener);
    const otherCa = makeCertificate({ subject: [["CN", "Other CA"]], isCa: true });
    listener.show({ ...material, clientCa: otherCa.cert });
    expect(await open(listener.port, "", identityOf(client)).catch(() => "no")).toBe("no");
    const accepted = await open(listener.port, "", identityOf(makeCertificate({ issuer: otherCa })));
    accepted.destroy();
  });

  test("resumes no earlier session: clients of the old CA are verified again", async () => {
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const place = { address: "127.0.0.1", port: 0, reusePort: true };
      const material = { ...MATERIAL, clientCa: ca.cert };
      const listener = await listenTls({ ...place, material, protocols: ["http/1.1"], accept: greet, onError });
      listeners.push(listener);
      const options = { ...identityOf(client), minVersion: version, maxVersion: version };
      const first = connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
      const [[session]] = await Promise.all([once(first, "session"), once(first, "data")]);
      first.destroy();
      const again = await open(listener.port, "", { ...options, session });
      expect([version, again.isSessionReused()]).toEqual([version, true]);
      again.destroy();
      listener.show({ ...material, clientCa: makeCertificate({ isCa: true }).cert });
      expect(await open(listener.port, "", { ...options, session }).catch(() => "no")).toBe("no");
    }
  });
});

test("this version of Bun cannot share ticket keys: use them in a version that can, so that workers share sessions", () => {
  const server = createServer();
  expect(() => server.setTicketKeys(Buffer.alloc(48))).toThrow("Not implented in Bun yet");
});

test("a port in use is reported with EADDRINUSE", async () => {
  const place = { address: "127.0.0.1", port: 0, reusePort: false };
  const taken = listen({ ...place, accept: () => DEAF, onError });
  listeners.push(taken);
  const options = { ...place, port: taken.port, material: MATERIAL, protocols: [], accept: greet, onError };
  expect(await listenTls(options).catch((error: unknown) => error)).toMatchObject({ code: "EADDRINUSE" });
});
