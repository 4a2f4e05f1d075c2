import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { until } from "../../src/lib/testing/until.ts";
import { Http3Client } from "../support/http3-client.ts";
import { LOCALHOST, makeCertificate, TEST_CA } from "../support/certificates.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { COMMAND } from "../support/program.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(60_000));

/** The client of ngtcp2, from the Debian package ngtcp2-client. */
const NGTCP2 = Bun.which("gtlsclient");
const CLIENT = makeCertificate({
  issuer: TEST_CA,
  subject: [
    ["O", "Acme"],
    ["CN", "alice"],
  ],
});
const STRANGER = makeCertificate();
const START_MS = 15_000;
const BIG_BYTES = 200_000_000;

const open: { stop(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.stop();
});

interface Program {
  readonly port: number;
  readonly folder: string;
  readonly pid: number;
  readonly output: () => string;
  signal(name: NodeJS.Signals): void;
  readonly exited: Promise<number>;
}

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-http3-"));
  open.push({ stop: () => rmSync(folder, { recursive: true, force: true }) });
  writeFileSync(join(folder, "cert.pem"), LOCALHOST.cert);
  writeFileSync(join(folder, "key.pem"), LOCALHOST.key);
  return folder;
}

function run(folder: string, config: object): { output: () => string; process: Bun.Subprocess } {
  const file = join(folder, "turnpike.json");
  writeFileSync(file, JSON.stringify(config));
  const subprocess = Bun.spawn([...COMMAND, "--config", file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  void keep(subprocess.stdout);
  void keep(subprocess.stderr);
  open.push({
    async stop() {
      subprocess.kill("SIGTERM");
      const timer = setTimeout(() => subprocess.kill("SIGKILL"), 5000);
      await subprocess.exited;
      clearTimeout(timer);
    },
  });
  return { output: () => output, process: subprocess };
}

/** Starts the program with an HTTP/3 listener, and the configuration `more`. */
async function start(more: { server?: object; [key: string]: unknown }): Promise<Program> {
  const folder = folderOf();
  const port = await freePort();
  const configOf = (changes: { server?: object; [key: string]: unknown }): object => ({
    access_log: { enabled: false },
    tls: { cert_path: join(folder, "cert.pem"), key_path: join(folder, "key.pem") },
    ...changes,
    server: {
      workers: 1,
      listeners: [{ address: "127.0.0.1", port, use_tls: true, quic_enabled: true }],
      ...changes.server,
    },
  });
  const { output, process: subprocess } = run(folder, configOf(more));
  await until(() => output().includes("listening on"), START_MS).catch((error: unknown) => {
    throw new Error(`Cannot start: ${output()}`, { cause: error });
  });
  return {
    port,
    folder,
    pid: subprocess.pid,
    output,
    signal: (name) => subprocess.kill(name),
    exited: subprocess.exited,
  };
}

/** An origin that returns the hash of the request body at /hash, and a long response at /big. */
function startOrigin(): { config: { [key: string]: unknown } } {
  const piece = new Uint8Array(100_000).fill(65);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: 2 * BIG_BYTES,
    async fetch(request) {
      if (request.method === "GET") {
        let sent = 0;
        return new Response(
          new ReadableStream({
            pull(controller) {
              if (sent === BIG_BYTES) controller.close();
              else controller.enqueue(piece);
              sent += piece.length;
            },
          }),
        );
      }
      const hash = createHash("sha256");
      for await (const chunk of request.body ?? []) hash.update(chunk);
      return new Response(hash.digest("hex"));
    },
  });
  open.push({ stop: () => server.stop(true) });
  return {
    config: {
      limits: { max_body_bytes: 2 * BIG_BYTES },
      upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: server.port }] }],
      routes: [{ path_prefix: "/", upstream: "origin", max_response_bytes: 2 * BIG_BYTES }],
    },
  };
}

interface Ended {
  readonly code: number;
  readonly errors: string;
}

async function runNgtcp2(program: Program, path: string, more: readonly string[]): Promise<Ended> {
  const quiet = ["-q", "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close"];
  const host = ["127.0.0.1", String(program.port), `https://localhost${path}`];
  const subprocess = Bun.spawn([NGTCP2 ?? "", ...quiet, `--download=${program.folder}`, ...more, ...host], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const errors = await new Response(subprocess.stderr).text();
  return { code: await subprocess.exited, errors };
}

/** Loads a path; returns the file that has the response. */
async function ngtcp2(program: Program, path: string, more: readonly string[] = []): Promise<string> {
  expect(await runNgtcp2(program, path, more)).toEqual({ code: 0, errors: "" });
  return join(program.folder, path.slice(1));
}

function memoryKib(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

describe.skipIf(!isInstalled("ngtcp2-client", NGTCP2 !== null))(
  "ngtcp2's client (needs the Debian package ngtcp2-client)",
  () => {
    test("sends and gets 200 MB through the gateway, complete, and in limited memory", async () => {
      const program = await start(startOrigin().config);
      const body = join(program.folder, "body");
      const bytes = Buffer.alloc(BIG_BYTES);
      for (let at = 0; at < BIG_BYTES; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
      writeFileSync(body, bytes);
      const hash = await ngtcp2(program, "/hash", ["-d", body, "-m", "POST"]);
      expect(readFileSync(hash, "latin1")).toBe(createHash("sha256").update(bytes).digest("hex"));
      const big = readFileSync(await ngtcp2(program, "/big"));
      expect(big.length).toBe(BIG_BYTES);
      expect(big.every((byte) => byte === 65)).toBe(true);
      expect(memoryKib(program.pid)).toBeLessThan(250_000);
    });

    test("is served by both workers of a shared port, after a response over TCP has announced HTTP/3", async () => {
      const program = await start({ server: { workers: 2 } });
      const response = await fetch(`https://localhost:${program.port}/.healthz`, { tls: { ca: TEST_CA.cert } });
      expect(response.headers.get("alt-svc")).toBe(`h3=":${program.port}"; ma=86400`);
      for (let i = 0; i < 16; i++) await ngtcp2(program, "/.healthz");
      const metrics = await (
        await fetch(`https://localhost:${program.port}/metrics`, { tls: { ca: TEST_CA.cert } })
      ).text();
      expect(metrics).toContain("http3");
      // The kernel assigns each client to one of the two. That all go to one is as probable as 16 equal coin tosses.
      const workers = readFileSync(`/proc/net/udp`, "latin1")
        .split("\n")
        .filter((line) => line.includes(`:${program.port.toString(16).toUpperCase().padStart(4, "0")} `));
      expect(workers.length).toBe(2);
    });
  },
);

describe.skipIf(!isInstalled("ngtcp2-client", NGTCP2 !== null))(
  "client certificates (needs the Debian package ngtcp2-client)",
  () => {
    test("a certificate that the CA signed is reported to the upstream, and a missing or foreign certificate is refused", async () => {
      const origin = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: ({ headers }) =>
          new Response(`${headers.get("x-client-cert-verified")} ${headers.get("x-client-cert-subject")}`),
      });
      open.push({ stop: () => origin.stop(true) });
      const keys = folderOf();
      const files = {
        "ca.pem": TEST_CA.cert,
        "client.pem": CLIENT.cert,
        "client.key": CLIENT.key,
        "other.pem": STRANGER.cert,
        "other.key": STRANGER.key,
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(keys, name), text);
      const program = await start({
        tls: {
          cert_path: join(keys, "cert.pem"),
          key_path: join(keys, "key.pem"),
          client_ca_path: join(keys, "ca.pem"),
        },
        upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
        routes: [{ path_prefix: "/", upstream: "origin" }],
      });
      const withPair = (name: string): string[] => [
        `--cert=${join(keys, `${name}.pem`)}`,
        `--key=${join(keys, `${name}.key`)}`,
      ];
      const told = await ngtcp2(program, "/told", withPair("client"));
      expect(readFileSync(told, "latin1")).toBe("SUCCESS CN=alice,O=Acme");
      for (const more of [[], withPair("other")]) {
        // The server closes the connection; the client's reaction does not matter.
        expect((await runNgtcp2(program, "/refused", more)).errors).toContain("ERR_DRAINING");
        expect(
          existsSync(join(program.folder, "refused")) && readFileSync(join(program.folder, "refused")).length > 0,
        ).toBe(false);
      }
    });
  },
);

test("the client's own claims about a certificate do not reach the upstream", async () => {
  const seen: string[] = [];
  const origin = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ headers }) => {
      seen.push(...[...headers.keys()].filter((name) => name.startsWith("x-")));
      return new Response("ok");
    },
  });
  open.push({ stop: () => origin.stop(true) });
  const program = await start({
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/", upstream: "origin" }],
  });
  const client = await Http3Client.connect(program.port);
  open.push({ stop: () => client.close() });
  const claims = { "x-client-cert-verified": "SUCCESS", "x-client-cert-subject": "CN=fake", "x-other": "1" };
  expect((await client.request("GET", "/told", undefined, claims)).headers[":status"]).toBe("200");
  expect(seen).toContain("x-other");
  expect(seen.filter((name) => name.startsWith("x-client-cert"))).toEqual([]);
});

test("clients that vanish do not delay the others", async () => {
  const program = await start({});
  const script = `process.emitWarning = () => {};
    const { connect } = await import("node:quic");
    const session = await connect("127.0.0.1:${program.port}", { alpn: "h3", servername: "localhost", ca: Buffer.from(${JSON.stringify(TEST_CA.cert)}), onstream() {}, onerror() {} });
    await session.opened;
    await session.createBidirectionalStream({ headers: { ":method": "GET", ":scheme": "https", ":authority": "localhost", ":path": "/.healthz" }, onheaders() { process.kill(process.pid, "SIGKILL"); } });`;
  for (let i = 0; i < 6; i++)
    await Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "ignore"] }).exited;
  const began = performance.now();
  for (let i = 0; i < 5; i++) {
    const client = await Http3Client.connect(program.port);
    expect((await client.request("GET", "/.healthz")).headers[":status"]).toBe("200");
    client.close();
  }
  expect(performance.now() - began).toBeLessThan(patient(5000));
});

test("a reload serves new certificates to new clients, and keeps open connections", async () => {
  const program = await start({});
  const client = await Http3Client.connect(program.port);
  open.push({ stop: () => client.close() });
  expect((await client.request("GET", "/.healthz")).headers[":status"]).toBe("200");
  const other = makeCertificate({ issuer: TEST_CA, hostnames: ["other.test"] });
  writeFileSync(join(program.folder, "cert.pem"), other.cert);
  writeFileSync(join(program.folder, "key.pem"), other.key);
  program.signal("SIGHUP");
  await until(async () => {
    try {
      (await Http3Client.connect(program.port)).close();
      return false;
    } catch {
      // The certificate is for another name now.
      return true;
    }
  });
  expect((await client.request("GET", "/.healthz")).headers[":status"]).toBe("200");
});

/** The UDP sockets on the port, of all processes. */
function socketsOn(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  return readFileSync("/proc/net/udp", "latin1")
    .split("\n")
    .filter((line) => line.includes(local)).length;
}

test("after a reload with client certificates, only sockets of running endpoints are bound, and each client is served", async () => {
  const keys = folderOf();
  writeFileSync(join(keys, "ca.pem"), TEST_CA.cert);
  const end = Promise.withResolvers<void>();
  let asked = 0;
  const origin = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch() {
      asked += 1;
      await end.promise;
      return new Response("slow");
    },
  });
  open.push({ stop: () => origin.stop(true) });
  const program = await start({
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/slow", upstream: "origin" }],
    server: { workers: 2 },
    tls: {
      cert_path: join(keys, "cert.pem"),
      key_path: join(keys, "key.pem"),
      client_ca_path: join(keys, "ca.pem"),
    },
  });
  const trust = { ca: TEST_CA.cert, servername: "localhost", own: CLIENT };
  const serve = async (): Promise<void> => {
    for (let i = 0; i < 12; i++) {
      const client = await Http3Client.connect(program.port, {}, trust);
      expect((await client.request("GET", "/.healthz")).headers[":status"]).toBe("200");
      client.close();
    }
  };
  await serve();
  const downloads = await Promise.all(Array.from({ length: 8 }, () => Http3Client.connect(program.port, {}, trust)));
  for (const client of downloads) void client.request("GET", "/slow").catch(() => undefined);
  await until(() => asked === 8);
  expect(socketsOn(program.port)).toBe(2);
  const other = makeCertificate({ issuer: TEST_CA, hostnames: ["localhost"] });
  writeFileSync(join(keys, "cert.pem"), other.cert);
  writeFileSync(join(keys, "key.pem"), other.key);
  program.signal("SIGHUP");
  await until(() => program.output().includes("reloaded"), START_MS);
  end.resolve();
  // A connection whose packets the kernel gives to another worker now is cut after 30 s.
  await until(() => socketsOn(program.port) === 2, patient(45_000));
  await serve();
});

test("listeners and quic.port share the endpoint of one port, and announce it", async () => {
  const [port, other, udp] = [await freePort(), await freePort(), await freePort()];
  const own = { address: "127.0.0.1", use_tls: true, quic_enabled: true, quic_port: udp };
  const listeners = [
    { ...own, port },
    { ...own, port: other },
  ];
  const quic = { enabled: true, port: udp, cert_path: "cert.pem", key_path: "key.pem" };
  await start({ server: { address: "127.0.0.1", listeners }, quic });
  const client = await Http3Client.connect(udp);
  open.push({ stop: () => client.close() });
  expect((await client.request("GET", "/.healthz")).headers[":status"]).toBe("200");
  for (const tcp of [port, other]) {
    const { headers } = await fetch(`https://127.0.0.1:${tcp}/none`, { tls: { rejectUnauthorized: false } });
    expect(headers.get("alt-svc")).toContain(`:${udp}"`);
  }
});

test("SIGTERM ends connections by GOAWAY, and the program exits with 0", async () => {
  const program = await start({});
  const client = await Http3Client.connect(program.port);
  await client.request("GET", "/.healthz");
  program.signal("SIGTERM");
  expect(await program.exited).toBe(0);
  // A connection without requests is closed right after the GOAWAY, so the client may see only the close.
  await until(() => client.receivedGoaway || client.isClosed);
});

test("an invalid configuration fails the start, with the name of its key", async () => {
  const folder = folderOf();
  const listener = { address: "127.0.0.1", port: await freePort(), quic_enabled: true };
  const taken = await Bun.udpSocket({ hostname: "127.0.0.1", port: 0 });
  open.push({ stop: () => taken.close() });
  const tls = { cert_path: join(folder, "cert.pem"), key_path: join(folder, "key.pem") };
  const cases: readonly (readonly [object, string])[] = [
    [{ server: { workers: 1, listeners: [listener] } }, "server.listeners[0].quic_enabled: requires tls.cert_path"],
    [{ quic: { enabled: true, port: 1 } }, "quic.enabled: requires quic.cert_path and quic.key_path"],
    [
      { server: { workers: 1, listeners: [listener] }, tls, quic: { max_idle_timeout_ms: 0 } },
      "quic.max_idle_timeout_ms: expected 1 or more",
    ],
    [{ server: { workers: 2 }, quic: { enabled: true, port: 0, ...tls } }, "quic.port: expected a port number"],
    ...[1, 2].map(
      (workers) =>
        [
          { server: { workers, listeners: [{ ...listener, quic_port: taken.port }] }, tls },
          `Cannot listen on 127.0.0.1:${taken.port}: the port is in use`,
        ] as const,
    ),
  ];
  for (const [config, message] of cases) {
    const { output, process: subprocess } = run(folder, config);
    expect(await subprocess.exited).not.toBe(0);
    await until(() => output().includes(message)).catch(() => expect(output()).toContain(message));
  }
});
