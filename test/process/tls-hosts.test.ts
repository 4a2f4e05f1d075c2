/** Certificates and client certificates by listener and host, and 421 for requests that belong to another connection. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { makeCertificate, TEST_CA } from "../support/certificates.ts";
import { everythingTo } from "../support/gateway.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Folder, Program, until } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";

setDefaultTimeout(patient(60_000));

const ca1 = makeCertificate({ subject: [["CN", "Staff"]], isCa: true });
const ca2 = makeCertificate({ subject: [["CN", "Partners"]], isCa: true });
const staff = makeCertificate({ issuer: ca1, subject: [["CN", "Ada"]] });
const partner = makeCertificate({ issuer: ca2, subject: [["CN", "Bo"]] });

const folder = new Folder();
const CA1 = folder.write("ca1.pem", ca1.cert);
const CA2 = folder.write("ca2.pem", ca2.cert);

function files(name: string, hostnames: readonly string[]): { cert_path: string; key_path: string } {
  const { cert, key } = makeCertificate({ issuer: TEST_CA, hostnames });
  return { cert_path: folder.write(`${name}.pem`, cert), key_path: folder.write(`${name}.key`, key) };
}

const OWN = files("own", ["own.test", "secure.test", "vault.test", "maybe.test"]);
const OPEN = files("open", ["open.test", "also-open.test"]);
const WILD = files("wild", ["*.wild.test"]);
const PARTNERS = files("partners", ["partners.test"]);
const HOSTS = [
  { hostnames: ["secure.test"], client_ca_path: CA1 },
  { hostnames: ["vault.test", "*.vault.test"], client_ca_path: CA2 },
  { hostnames: ["maybe.test"], client_ca_path: CA1, client_cert_required: false },
];

interface Ports {
  readonly plain: number;
  readonly tls: number;
  readonly partners: number;
}

function configOf(ports: Ports, origin: RawOrigin, { workers, hosts }: { workers: number; hosts: object[] }): object {
  const address = "127.0.0.1";
  return {
    server: {
      workers,
      listeners: [
        { address, port: ports.plain },
        { address, port: ports.tls, use_tls: true, quic_enabled: true },
        {
          address,
          port: ports.partners,
          use_tls: true,
          quic_enabled: true,
          tls: { ...PARTNERS, certificates: [], client_ca_path: CA2, hosts: [] },
        },
      ],
    },
    tls: {
      ...OWN,
      certificates: [
        { hostnames: ["open.test"], ...OPEN },
        { hostnames: ["*.wild.test", "*.vault.test"], ...WILD },
      ],
      hosts,
    },
    ...everythingTo(origin.port),
  };
}

type Outcome = number | "refused";

/** Requests each host on one connection. */
interface ClientKind {
  readonly name: string;
  readonly ask: (port: number, hosts: readonly string[], options: ConnectionOptions) => Promise<Outcome[]>;
}

const sockets: { destroy(): void }[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function statusOf(socket: Socket, host: string, path = "/x"): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let text = "";
  const onData = (chunk: Buffer): void => {
    text += chunk.toString("latin1");
    if (/\r\n\r\n/.test(text)) resolve(Number(text.slice(9, 12)));
  };
  const onEnd = (): void => resolve("refused");
  socket.on("data", onData).on("close", onEnd).on("end", onEnd).on("error", onEnd);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const status = await promise;
  socket.off("data", onData).off("close", onEnd).off("end", onEnd);
  return status;
}

function overHttp1(port: number, options: ConnectionOptions): Socket {
  const socket = connect({
    port,
    host: "127.0.0.1",
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
    ...options,
  });
  sockets.push(socket);
  return socket;
}

async function shown(port: number, servername: string, more: ConnectionOptions = {}): Promise<string | undefined> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, servername, ...more });
  sockets.push(socket);
  await once(socket, "secureConnect");
  return socket.getPeerCertificate().subjectaltname?.split(",")[0];
}

const CLIENT_KINDS: readonly ClientKind[] = [
  {
    name: "HTTP/1.1",
    ask: async (port, hosts, options) => {
      const outcomes: Outcome[] = [];
      const socket = overHttp1(port, options);
      for (const host of hosts) outcomes.push(await statusOf(socket, host));
      return outcomes;
    },
  },
  {
    name: "HTTP/2",
    ask: async (port, hosts, options) => {
      const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...options });
      sockets.push(session);
      session.on("error", () => {});
      const one = async (host: string): Promise<Outcome> => {
        const stream = session.request({ ":path": "/x", ":authority": host });
        stream.on("error", () => {});
        const closed = once(stream, "close").then(() => "refused" as const);
        const head = once(stream, "response").then(([fields]) => Number(fields[":status"]));
        closed.catch(() => {});
        return await Promise.race([head, closed]).catch(() => "refused" as const);
      };
      return await Promise.all(hosts.map(one));
    },
  },
];

/** True if an HTTP/3 connection without a client certificate ends before a response. */
async function isRefusedByHttp3(port: number, servername: string): Promise<boolean> {
  const client = await Http3Client.connect(port, {}, { ca: TEST_CA.cert, servername }).catch(() => undefined);
  if (client === undefined) return true;
  let responded = false;
  void client.request("GET", "/x", undefined, { ":authority": servername }).then(
    () => (responded = true),
    () => {},
  );
  await until("the end", () => responded || client.isClosed || undefined);
  client.close();
  return !responded;
}

async function overHttp3(port: number, servername: string, hosts: readonly string[]): Promise<string[]> {
  const client = await Http3Client.connect(port, {}, { ca: TEST_CA.cert, servername });
  try {
    const responses = await Promise.all(
      hosts.map((host) => client.request("GET", "/x", undefined, { ":authority": host })),
    );
    return responses.map(({ headers }) => String(headers[":status"]));
  } finally {
    client.close();
  }
}

for (const workers of [1, 2]) {
  describe(`with workers: ${workers}`, () => {
    let origin: RawOrigin;
    let program: Program;
    let ports: Ports;

    beforeAll(async () => {
      origin = await RawOrigin.start();
      ports = { plain: await freePort(), tls: await freePort(), partners: await freePort() };
      const config = folder.write("turnpike.json", configOf(ports, origin, { workers, hosts: HOSTS }));
      program = new Program(["--config", config]);
      await program.sees(new RegExp(`listening on https://127.0.0.1:${ports.partners}`));
    });

    afterAll(async () => {
      await program.stop();
      await origin.stop();
    });

    for (const { name, ask } of CLIENT_KINDS) {
      test(`over ${name}, a connection carries requests of its own host and of hosts with the same rules`, async () => {
        const open = { servername: "open.test" };
        expect(await ask(ports.tls, ["open.test", "also-open.test", "OPEN.test.:443", "unknown.test"], open)).toEqual([
          200, 200, 200, 200,
        ]);
        // Other rules for client certificates, in any spelling; other certificates.
        const others = [
          "secure.test",
          "SECURE.test.:443",
          "vault.test",
          "a.vault.test",
          "maybe.test",
          "a.wild.test",
          "own.test",
        ];
        expect(await ask(ports.tls, others, open)).toEqual(others.map(() => 421));
        const wild = ["a.wild.test", "b.wild.test", "open.test"];
        expect(await ask(ports.tls, wild, { servername: "a.wild.test" })).toEqual([200, 200, 421]);
        const none = ["open.test", "a.wild.test", "unknown.test", "secure.test"];
        expect(await ask(ports.tls, none, { servername: "" })).toEqual([200, 200, 200, 421]);
      });

      test(`over ${name}, a host requires its client certificate, which is not accepted for another host`, async () => {
        const { cert, key } = staff;
        origin.requests.length = 0;
        const hosts = ["secure.test", "vault.test", "open.test", "maybe.test"];
        expect(await ask(ports.tls, hosts, { servername: "secure.test", cert, key })).toEqual([200, 421, 421, 421]);
        expect(origin.bytes).toContain("X-Client-Cert-Subject: CN=Ada");
        for (const identity of [{}, { cert: partner.cert, key: partner.key }]) {
          expect(await ask(ports.tls, ["secure.test"], { servername: "secure.test", ...identity })).toEqual([
            "refused",
          ]);
        }
        const bo = { cert: partner.cert, key: partner.key };
        expect(await ask(ports.tls, ["a.vault.test", "secure.test"], { servername: "a.vault.test", ...bo })).toEqual([
          200, 421,
        ]);
        expect(await ask(ports.tls, ["maybe.test", "secure.test"], { servername: "maybe.test" })).toEqual([200, 421]);
      });

      test(`over ${name}, a listener has its own certificate and client CAs`, async () => {
        const bo = { cert: partner.cert, key: partner.key };
        expect(
          await ask(ports.partners, ["partners.test", "secure.test"], { servername: "partners.test", ...bo }),
        ).toEqual([200, 200]);
        for (const identity of [{}, { cert: staff.cert, key: staff.key }]) {
          expect(await ask(ports.partners, ["partners.test"], { servername: "partners.test", ...identity })).toEqual([
            "refused",
          ]);
        }
      });
    }

    test("the certificate is selected by listener and host: exact, wildcard, default", async () => {
      expect(await shown(ports.tls, "open.test")).toBe("DNS:open.test");
      expect(await shown(ports.tls, "a.wild.test")).toBe("DNS:*.wild.test");
      expect(await shown(ports.tls, "other.test")).toBe("DNS:own.test");
      expect(await shown(ports.tls, "secure.test", { cert: staff.cert, key: staff.key })).toBe("DNS:own.test");
      expect(await shown(ports.partners, "open.test")).toBe("DNS:partners.test");
    });

    test("over HTTP/3, hosts with their own rules get 421, and HTTP/3 is not announced for them", async () => {
      const others = ["secure.test", "vault.test", "maybe.test", "a.wild.test"];
      expect(await overHttp3(ports.tls, "open.test", ["open.test", "also-open.test", ...others])).toEqual([
        "200",
        "200",
        ...others.map(() => "421"),
      ]);
      expect(await overHttp3(ports.tls, "secure.test", ["secure.test", "own.test"])).toEqual(["421", "200"]);
      expect(await isRefusedByHttp3(ports.partners, "partners.test")).toBe(true);
      const offers = async (host: string, options: ConnectionOptions): Promise<boolean> => {
        const socket = overHttp1(ports.tls, { servername: host, ...options });
        socket.write(`GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        const [chunk] = await once(socket, "data");
        return /^alt-svc:/im.test(String(chunk));
      };
      expect(await offers("open.test", {})).toBe(true);
      expect(await offers("secure.test", { cert: staff.cert, key: staff.key })).toBe(false);
    });

    test("without TLS, hosts that need a client certificate are refused, and probes are not", async () => {
      const socket = connectTcp(ports.plain, "127.0.0.1");
      sockets.push(socket);
      expect(await statusOf(socket, "open.test")).toBe(200);
      expect(await statusOf(socket, "secure.test")).toBe(421);
      expect(await statusOf(socket, "secure.test", "/.healthz")).toBe(200);
      expect(await statusOf(socket, "maybe.test")).toBe(200);
    });

    test("a session of one host does not open another host", async () => {
      for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
        const versions = { minVersion: version, maxVersion: version };
        const first = connect({
          port: ports.tls,
          host: "127.0.0.1",
          rejectUnauthorized: false,
          servername: "open.test",
          ...versions,
        });
        sockets.push(first);
        const ticket = once(first, "session");
        expect(await statusOf(first, "open.test")).toBe(200);
        const [session] = await ticket;
        const second = overHttp1(ports.tls, { servername: "secure.test", session, ...versions });
        expect([version, await statusOf(second, "secure.test")]).toEqual([version, "refused"]);
      }
    });

    test("a reload changes the rules of hosts for open connections too, and closes none", async () => {
      const open = overHttp1(ports.tls, { servername: "open.test" });
      expect(await statusOf(open, "open.test")).toBe(200);
      const ada = overHttp1(ports.tls, { servername: "secure.test", cert: staff.cert, key: staff.key });
      expect(await statusOf(ada, "secure.test")).toBe(200);
      const hosts = [...HOSTS, { hostnames: ["open.test"], client_ca_path: CA1 }];
      await reload(configOf(ports, origin, { workers, hosts }));
      expect(await statusOf(open, "open.test")).toBe(421);
      expect(await statusOf(ada, "secure.test")).toBe(200);
      await reload(configOf(ports, origin, { workers, hosts: HOSTS }));
      expect(await statusOf(open, "open.test")).toBe(200);
    });

    async function reload(config: object): Promise<void> {
      folder.write("turnpike.json", config);
      const from = program.output.length;
      program.kill("SIGHUP");
      await until("the reload", () => /reloaded|Cannot/.test(program.output.slice(from)) || undefined);
      expect(program.output.slice(from)).toContain("reloaded");
    }
  });
}

test("a rule for a host without a certificate fails the start and the check", async () => {
  const origin = await RawOrigin.start();
  const hosts = [{ hostnames: ["secure.test", "stranger.test"], client_ca_path: CA1 }];
  const config = folder.write("bad.json", configOf({ plain: 1, tls: 2, partners: 3 }, origin, { workers: 1, hosts }));
  const check = new Program(["check", config]);
  expect(await check.exit()).toBe(1);
  expect(check.output).toContain('Cannot use tls.hosts[0]: no certificate of the listener is for "stranger.test"');
  await origin.stop();
});
