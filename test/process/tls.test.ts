/**
 * TLS of the whole gateway: which certificate a client gets, which clients are accepted, and what upstreams learn about
 * them.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { makeCertificate } from "../support/certificates.ts";
import { everythingTo } from "../support/gateway.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(40_000);
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

const ca = makeCertificate({ subject: [["CN", "Clients' CA"]], isCa: true });
const client = makeCertificate({
  issuer: ca,
  subject: [
    ["O", "Acme, Inc"],
    ["CN", "Zoë"],
  ],
});
const own = makeCertificate({ hostnames: ["own.test"] });
const other = makeCertificate({ hostnames: ["*.other.test"] });

let folder: Folder;
let origin: RawOrigin;
const programs: Program[] = [];
const sockets: (TLSSocket | Socket)[] = [];

beforeEach(async () => {
  folder = new Folder();
  files("own", own);
  origin = await RawOrigin.start();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  await origin.stop();
  folder.remove();
});

function files(name: string, { cert, key }: { cert: string; key: string }): { cert_path: string; key_path: string } {
  return { cert_path: folder.write(`${name}.pem`, cert), key_path: folder.write(`${name}.key`, key) };
}

function configOf(tls: object, rest: object = {}): object {
  const server = { address: "127.0.0.1", port: 0, workers: 1 };
  return { server, ...everythingTo(origin.port), tls: { ...tlsOf("own"), ...tls }, ...rest };
}

async function serve(config: object): Promise<{ program: Program; port: number }> {
  const program = new Program(["--config", folder.write("turnpike.json", config)]);
  programs.push(program);
  const [, port] = await program.sees(/listening on https:\/\/\S*?:(\d+)/);
  return { program, port: Number(port) };
}

async function reload(program: Program, config: object, told: RegExp): Promise<void> {
  folder.write("turnpike.json", config);
  const from = program.output.length;
  program.kill("SIGHUP");
  await until("the reload", () => (told.test(program.output.slice(from)) ? true : undefined));
}

async function open(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  sockets.push(socket);
  await once(socket, "secureConnect");
  return socket;
}

/** Sends a request and returns the response's status; fails if the connection ends first. */
async function ask(socket: TLSSocket, request = GET): Promise<number> {
  socket.write(request);
  let text = "";
  while (!/\r\n\r\n/.test(text)) {
    const ended = once(socket, "close").then(() => Promise.reject(new Error("closed")));
    const chunk = await Promise.race([once(socket, "data"), ended]);
    ended.catch(() => {});
    text += String(chunk[0]);
  }
  return Number(text.slice(9, 12));
}

async function shown(port: number, servername: string): Promise<string> {
  const socket = await open(port, { servername });
  return socket.getPeerCertificate().subject.CN;
}

describe("certificates", () => {
  test(
    "the certificate of the requested name is sent, on HTTP/1 and HTTP/2",
    async () => {
      const certificates = [{ hostnames: ["*.OTHER.test"], ...files("other", other) }];
      const { port } = await serve(configOf({ certificates }));
      expect([await shown(port, "own.test"), await shown(port, "a.other.test")]).toEqual(["own.test", "*.other.test"]);
      expect(await ask(await open(port, { servername: "a.other.test", ALPNProtocols: ["http/1.1"] }))).toBe(200);
      expect(await http2Status(port, {})).toBe(200);
      expect(origin.bytes).toContain("X-Forwarded-Proto: https");
    },
    TIME_MS,
  );

  for (const workers of [1, 2]) {
    test(
      `an expired certificate is served with a warning until a reload reads the renewed file, with workers: ${workers}`,
      async () => {
        const server = { address: "127.0.0.1", port: 0, workers };
        files("own", makeCertificate({ subject: [["CN", "expired"]], from: -9, to: -1 }));
        const { cert_path: shown_path, key_path } = files("shown", makeCertificate({ from: -80, to: 10 }));
        const early = files("early", makeCertificate({ hostnames: ["early.test"], from: 5, to: 90 }));
        const ca_path = folder.write("ca.pem", ca.cert);
        const name = { hostnames: ["early.test"] };
        const hosts = [{ ...name, client_ca_path: ca_path, client_cert_required: false }];
        const config = configOf({ certificates: [{ ...name, ...early }], hosts }, { server });
        const [upstream] = Reflect.get(config, "upstreams");
        const secure = { ...upstream, name: "secure", tls: true, tls_cert_path: shown_path, tls_key_path: key_path };
        const whole = { ...config, upstreams: [upstream, secure] };
        const { program, port } = await serve(whole);
        await program.sees(/tls\.cert_path: the certificate expired on .*renew it/);
        await program.sees(/tls\.certificates\[0\]\.cert_path: the certificate is valid only from/);
        await program.sees(/upstreams\[1\]\.tls_cert_path: the certificate expires on \S+, in 9 days/);
        expect(await shown(port, "own.test")).toBe("expired");
        const socket = await open(port);
        socket.write("GET /metrics HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
        const metrics = (await Array.fromAsync(socket)).join("");
        const days = ["tls", "upstream", "client_ca"].map((use) => {
          const [, at] = new RegExp(`certificate_expiry_timestamp_seconds{use="${use}"} (\\d+)`).exec(metrics) ?? [];
          return Math.round((Number(at) * 1000 - Date.now()) / 86_400_000);
        });
        expect(days.slice(0, 2)).toEqual([-1, 10]);
        expect(days[2]).toBeGreaterThan(0);
        const checked = new Program(["check", folder.file("turnpike.json")]);
        expect(await checked.exit()).toBe(0);
        expect(checked.output).toMatch(/warning: .*tls\.cert_path: the certificate expired on/);
        files("own", makeCertificate({ subject: [["CN", "renewed"]] }));
        await reload(program, whole, /reloaded/);
        for (let i = 0; i < 4; i++) expect(await shown(port, "own.test")).toBe("renewed");
        await program.stop();
        expect(program.output.match(/tls\.cert_path: the certificate/g)).toHaveLength(1);
      },
      TIME_MS,
    );

    test(
      `a reload serves new certificates to new connections and keeps open ones, with workers: ${workers}`,
      async () => {
        const server = { address: "127.0.0.1", port: 0, workers };
        const { program, port } = await serve(configOf({}, { server }));
        const early = await Promise.all(Array.from({ length: 6 }, () => open(port)));
        for (const socket of early) expect(await ask(socket)).toBe(200);
        const renewed = makeCertificate({ subject: [["CN", "renewed"]] });
        files("own", renewed);
        await reload(program, configOf({}, { server }), /reloaded/);
        for (let i = 0; i < 6; i++) expect(await shown(port, "own.test")).toBe("renewed");
        for (const socket of early) expect(await ask(socket)).toBe(200);
      },
      TIME_MS,
    );

    test(
      `a reload with invalid files keeps the old ones, with the reason, with workers: ${workers}`,
      async () => {
        const server = { address: "127.0.0.1", port: 0, workers };
        const { program, port } = await serve(configOf({}, { server }));
        files("own", { cert: own.cert, key: client.key });
        await reload(
          program,
          configOf({}, { server }),
          /Cannot reload .*own.key" belongs to another certificate; the old configuration stays/,
        );
        for (let i = 0; i < 4; i++) expect(await shown(port, "own.test")).toBe("own.test");
        expect(await ask(await open(port))).toBe(200);
      },
      TIME_MS,
    );
  }

  test(
    "a restarted worker serves the same certificates as the others, even if the files have changed",
    async () => {
      const server = { address: "127.0.0.1", port: 0, workers: 2 };
      const { program, port } = await serve(configOf({}, { server }));
      folder.write("own.pem", "nothing");
      folder.write("own.key", "nothing");
      const [victim, ...rest] = descendants(program.pid, "/process/workers/worker.");
      if (victim === undefined) throw new Error("no process to kill");
      process.kill(victim, "SIGKILL");
      await until("another worker", () => {
        const now = descendants(program.pid, "/process/workers/worker.").filter((pid) => pid !== victim);
        return now.length > rest.length ? true : undefined;
      });
      for (let i = 0; i < 10; i++) expect(await shown(port, "own.test")).toBe("own.test");
    },
    TIME_MS,
  );

  test(
    "invalid files fail the start and the check, with their name",
    async () => {
      const config = folder.write("turnpike.json", configOf(files("bad", { cert: own.cert, key: client.key })));
      for (const args of [
        ["--config", config],
        ["--config", config, "--workers", "2"],
        ["check", config],
      ]) {
        const program = new Program(args);
        programs.push(program);
        expect(await program.exit()).toBe(1);
        expect(program.output).toMatch(
          /Cannot use the certificate ".*bad.pem": the private key ".*bad.key" belongs to another certificate\n$/,
        );
      }
    },
    TIME_MS,
  );
});

function tlsOf(name: string): object {
  return { cert_path: folder.file(`${name}.pem`), key_path: folder.file(`${name}.key`) };
}

/** The status of a GET over HTTP/2 with these additional fields. */
async function http2Status(
  port: number,
  fields: Record<string, string>,
  options: ConnectionOptions = {},
): Promise<number> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...options });
  session.on("error", () => {});
  const stream = session.request({ ":path": "/x", ...fields });
  try {
    const [head] = await once(stream, "response");
    stream.resume();
    await once(stream, "end");
    return Number(head[":status"]);
  } finally {
    session.destroy();
  }
}

test(
  "a reload that fails after its certificates were read serves the old ones",
  async () => {
    const taken = createSocket("udp4");
    taken.bind(0, "127.0.0.1");
    await once(taken, "listening");
    const listener = { address: "127.0.0.1", use_tls: true };
    const server = { workers: 1, listeners: [{ ...listener, port: 0 }] };
    const { program, port } = await serve(configOf({}, { server }));
    files("own", makeCertificate({ subject: [["CN", "renewed"]] }));
    const withQuic = { ...listener, port, quic_enabled: true, quic_port: taken.address().port };
    await reload(program, configOf({}, { server: { ...server, listeners: [withQuic] } }), /Cannot reload/);
    taken.close();
    expect(await shown(port, "own.test")).toBe("own.test");
  },
  TIME_MS,
);

/** Certificates of another CA, of no CA, and an expired one of the right CA. */
function strangers(): ConnectionOptions[] {
  const otherCa = makeCertificate({ subject: [["CN", "Strangers' CA"]], isCa: true });
  return [
    makeCertificate({ subject: [["CN", "stranger"]], issuer: otherCa }),
    makeCertificate({ subject: [["CN", "alone"]] }),
    makeCertificate({ subject: [["CN", "late"]], issuer: ca, from: -9, to: -1 }),
  ].map(({ cert, key }) => ({ cert, key }));
}

/** The end of a connection on which a request is sent at once. A reset is an error here. */
function refusal(port: number, options: ConnectionOptions, onSession?: (ticket: Buffer) => void): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  sockets.push(socket);
  socket.once("secureConnect", () => socket.write(GET));
  if (onSession !== undefined) socket.on("session", onSession);
  return new Promise((resolve) => {
    socket.once("data", () => resolve("served"));
    socket.once("end", () => resolve("closed in order"));
    socket.once("error", (error: Error) => resolve(error.message));
  });
}

describe("client certificates", () => {
  const FAKE = { "x-client-cert-subject": "CN=fake", "x-client-cert-verified": "SUCCESS" };
  const FAKE_LINES = "X-Client-Cert-Subject: CN=fake\r\nx-client-cert-verified: SUCCESS\r\n";
  const WITH_FAKE = GET.replace("\r\n\r\n", `\r\n${FAKE_LINES}\r\n`);
  const SUBJECT = "X-Client-Cert-Verified: SUCCESS\r\nX-Client-Cert-Subject: CN=Zo\\C3\\AB,O=Acme\\, Inc\r\n";

  test(
    "a required certificate is reported to the upstream, and the client's own claims are not, on HTTP/1 and HTTP/2",
    async () => {
      const { port } = await serve(configOf({ client_ca_path: folder.write("ca.pem", ca.cert) }));
      expect(await ask(await open(port, { ...client, ALPNProtocols: ["http/1.1"] }), WITH_FAKE)).toBe(200);
      expect(await http2Status(port, FAKE, client)).toBe(200);
      expect(origin.bytes.split(SUBJECT)).toHaveLength(3);
      expect(origin.bytes).not.toContain("fake");
    },
    TIME_MS,
  );

  test(
    "a client without a certificate, or with one of another CA, is refused if a certificate is required",
    async () => {
      const stranger = makeCertificate({ subject: [["CN", "stranger"]] });
      const { port } = await serve(configOf({ client_ca_path: folder.write("ca.pem", ca.cert) }));
      for (const identity of [{}, stranger]) {
        const response = await open(port, identity)
          .then((socket) => ask(socket))
          .catch(() => "refused");
        expect(response).toBe("refused");
      }
      expect(origin.requests).toHaveLength(0);
    },
    TIME_MS,
  );

  test(
    "with optional certificates, a client without one is served as anonymous, and one with an untrusted certificate is refused",
    async () => {
      const optional = { client_ca_path: folder.write("ca.pem", ca.cert), client_cert_required: false };
      const { port } = await serve(configOf(optional));
      expect(await ask(await open(port), WITH_FAKE)).toBe(200);
      expect(await http2Status(port, FAKE)).toBe(200);
      expect(origin.bytes.split("X-Client-Cert-Verified: NONE\r\n")).toHaveLength(3);
      expect(origin.bytes).not.toContain("X-Client-Cert-Subject");
      expect(await ask(await open(port, client))).toBe(200);
      expect(origin.bytes).toContain(SUBJECT);
      origin.requests.length = 0;
      for (const identity of strangers()) {
        for (const ALPNProtocols of [["http/1.1"], ["h2"]]) {
          expect(await refusal(port, { ...identity, ALPNProtocols })).toBe("closed in order");
        }
      }
      expect(origin.requests).toHaveLength(0);
    },
    TIME_MS,
  );

  test(
    "an untrusted certificate is refused with an alert, and so is its session",
    async () => {
      for (const required of [true, false]) {
        const material = { client_ca_path: folder.write("ca.pem", ca.cert), client_cert_required: required };
        const { port } = await serve(configOf(material));
        for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
          for (const identity of strangers()) {
            const options = { ...identity, minVersion: version, maxVersion: version };
            let session: Buffer | undefined;
            const refused = await refusal(port, options, (ticket) => (session = ticket));
            expect([required, version, refused]).toEqual([required, version, "closed in order"]);
            if (session === undefined) continue;
            expect(await refusal(port, { ...options, session })).toBe("closed in order");
            const without = await refusal(port, { minVersion: version, maxVersion: version, session });
            expect([required, version, without === "served"]).toEqual([required, version, false]);
          }
        }
      }
      expect(origin.requests).toHaveLength(0);
    },
    TIME_MS,
  );

  test(
    "without a CA the fields are absent, and the client's are still removed",
    async () => {
      const { port } = await serve(configOf({}));
      expect(await ask(await open(port), WITH_FAKE)).toBe(200);
      expect(await http2Status(port, FAKE)).toBe(200);
      expect(origin.bytes.toLowerCase()).not.toContain("x-client-cert");
    },
    TIME_MS,
  );

  test(
    "a reload that starts to require a certificate refuses new clients without one, and keeps open connections",
    async () => {
      const { program, port } = await serve(configOf({}));
      const early = await open(port);
      expect(await ask(early)).toBe(200);
      await reload(program, configOf({ client_ca_path: folder.write("ca.pem", ca.cert) }), /reloaded/);
      await until("a refusal", async () => {
        const response = await open(port)
          .then(ask)
          .catch(() => "refused");
        return response === "refused" ? true : undefined;
      });
      expect(await ask(await open(port, client))).toBe(200);
    },
    TIME_MS,
  );
});

describe("handshakes", () => {
  test(
    "a session is resumed, in TLS 1.2 and 1.3, with its client certificate",
    async () => {
      const { port } = await serve(configOf({ client_ca_path: folder.write("ca.pem", ca.cert) }));
      for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
        const options = { ...client, minVersion: version, maxVersion: version };
        const first = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
        sockets.push(first);
        const ticket = once(first, "session");
        await once(first, "secureConnect");
        expect(await ask(first)).toBe(200);
        const [session] = await ticket;
        first.destroy();
        origin.requests.length = 0;
        const second = await open(port, { ...options, session });
        expect([version, second.isSessionReused()]).toEqual([version, true]);
        expect(await ask(second)).toBe(200);
        expect(origin.bytes).toContain("X-Client-Cert-Subject: CN=Zo");
      }
    },
    TIME_MS,
  );

  test(
    "a session of one worker does not fail at another: a full handshake follows",
    async () => {
      const server = { address: "127.0.0.1", port: 0, workers: 2 };
      const { port } = await serve(configOf({}, { server }));
      const first = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
      sockets.push(first);
      const ticket = once(first, "session");
      await once(first, "secureConnect");
      expect(await ask(first)).toBe(200);
      const [session] = await ticket;
      for (let i = 0; i < 20; i++) expect(await ask(await open(port, { session }))).toBe(200);
    },
    TIME_MS,
  );

  test(
    "an incomplete handshake is ended in time, and others are served meanwhile",
    async () => {
      const timeouts = { header_ms: patient(300), idle_ms: 60_000, write_ms: 300 };
      const { port } = await serve(configOf({}, { timeouts }));
      const silent = Array.from({ length: 20 }, () => connectTcp(port, "127.0.0.1"));
      sockets.push(...silent);
      // The beginning of a handshake record with a longer announced length.
      for (const socket of silent.slice(10)) socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
      expect(await ask(await open(port))).toBe(200);
      await Promise.all(
        silent.map((socket) => new Promise((resolve) => socket.once("close", resolve).on("error", () => {}))),
      );
      expect(await ask(await open(port))).toBe(200);
    },
    TIME_MS,
  );

  test(
    "bytes that are not a handshake close the connection, and leave nothing behind",
    async () => {
      const { program, port } = await serve(configOf({}, { timeouts: { header_ms: patient(100) } }));
      expect(await ask(await open(port))).toBe(200);
      const descriptors = (): number => readdirSync(`/proc/${program.pid}/fd`).length;
      const before = descriptors();
      for (let round = 0; round < 100; round++) {
        const socket = connectTcp(port, "127.0.0.1").resume();
        socket.on("error", () => {});
        socket.write(round % 2 === 0 ? "GET / HTTP/1.1\r\nHost: a\r\n\r\n" : Buffer.alloc(600, round));
        await new Promise((resolve) => socket.once("close", resolve));
      }
      await until("closed descriptors", () => (descriptors() <= before ? true : undefined));
      expect(await ask(await open(port))).toBe(200);
      expect(program.output).not.toContain("internal error");
    },
    TIME_MS,
  );

  test(
    "a client over max_connections gets 503, and a connection that closes makes room for another",
    async () => {
      const server = { address: "127.0.0.1", port: 0, workers: 1, max_connections: 2 };
      const { port } = await serve(configOf({}, { server }));
      const [first, second] = [await open(port), await open(port)];
      expect([await ask(first), await ask(second)]).toEqual([200, 200]);
      expect(await ask(await open(port))).toBe(503);
      first.destroy();
      await until("a free place", async () => {
        return (await ask(await open(port))) === 200 ? true : undefined;
      });
    },
    TIME_MS,
  );
});
