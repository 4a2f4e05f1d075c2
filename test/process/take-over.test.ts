/** `turnpike --take-over PID`: a gateway replaces another on the same ports, under load, without a lost request. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { Http3Client } from "../support/http3-client.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(60_000));

const KEY = "0123456789abcdef0123456789abcdef";

const folder = new Folder();
const open: { stop(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.stop();
});

interface Ports {
  readonly plain: number;
  readonly tls: number;
  readonly admin: number;
}

/** Each prints "begun" when it has the request, and responds on request of the test. */
class SlowOrigin {
  readonly #waiting: (() => void)[] = [];
  readonly server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async ({ url }) => {
      if (url.endsWith("/slow")) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return new Response(url.endsWith("/slow") ? "slow" : "quick");
    },
  });

  get waiting(): number {
    return this.#waiting.length;
  }

  release(): void {
    for (const response of this.#waiting.splice(0)) response();
  }
}

function originOf(): SlowOrigin {
  const origin = new SlowOrigin();
  open.push({ stop: () => origin.server.stop(true) });
  return origin;
}

async function portsOf(): Promise<Ports> {
  return { plain: await freePort(), tls: await freePort(), admin: await freePort() };
}

function configOf(ports: Ports, origin: SlowOrigin, workers: number): object {
  const address = "127.0.0.1";
  return {
    server: {
      workers,
      listeners: [
        { address, port: ports.plain },
        { address, port: ports.tls, use_tls: true, quic_enabled: true },
      ],
    },
    access_log: { enabled: false },
    tls: { cert_path: folder.write("cert.pem", LOCALHOST.cert), key_path: folder.write("key.pem", LOCALHOST.key) },
    admin: { enabled: true, address, port: ports.admin, api_key: KEY },
    upstreams: [{ name: "origin", servers: [{ address, port: origin.server.port }] }],
    routes: [{ path_prefix: "/", upstream: "origin" }],
  };
}

async function start(config: object, more: readonly string[] = []): Promise<Program> {
  const program = new Program(["--config", folder.write("turnpike.json", config), ...more]);
  open.push(program);
  await program.sees(/listening on https/);
  return program;
}

/** Sends requests one after the other, and keeps the unexpected results. */
class Load {
  readonly failures: string[] = [];
  count = 0;
  #ends = false;
  readonly #done: Promise<unknown>;

  constructor(senders: readonly (() => Promise<string>)[]) {
    this.#done = Promise.all(senders.map((send) => this.#repeat(send)));
  }

  async end(): Promise<void> {
    this.#ends = true;
    await this.#done;
  }

  async #repeat(send: () => Promise<string>): Promise<void> {
    while (!this.#ends) {
      const text = await send().catch((error: unknown) => String(error));
      this.count++;
      if (text !== "quick") this.failures.push(text);
    }
  }
}

const trusting = { tls: { ca: TEST_CA.cert } };

async function fetched(url: string, init: object = {}): Promise<string> {
  return await (await fetch(url, { ...trusting, ...init })).text();
}

/** One request on its own HTTP/2 connection. */
function byHttp2(port: number, path = "/"): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`https://localhost:${port}`, { ca: TEST_CA.cert });
    session.on("error", reject);
    const stream = session.request({ ":path": path });
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => (text += chunk));
    stream.on("error", reject);
    stream.on("end", () => {
      session.close();
      resolve(text);
    });
  });
}

async function adminStatus({ admin }: Ports): Promise<number> {
  const authorization = `Bearer ${KEY}`;
  return (await fetch(`http://127.0.0.1:${admin}/v1/overview`, { headers: { authorization } })).status;
}

for (const workers of [1, 2]) {
  test(`under load over HTTP/1.1 and 2, plaintext and TLS, no request is lost, with workers: ${workers}`, async () => {
    const origin = originOf();
    const ports = await portsOf();
    const config = configOf(ports, origin, workers);
    const before = await start(config);
    const load = new Load([
      () => fetched(`http://127.0.0.1:${ports.plain}/`),
      () => fetched(`http://127.0.0.1:${ports.plain}/`),
      () => fetched(`http://127.0.0.1:${ports.plain}/`, { headers: { connection: "close" } }),
      () => fetched(`https://localhost:${ports.tls}/`, { headers: { connection: "close" } }),
      () => byHttp2(ports.tls),
    ]);
    const slow = fetched(`http://127.0.0.1:${ports.plain}/slow`);
    const slowByHttp2 = byHttp2(ports.tls, "/slow");
    await until("the slow requests", () => origin.waiting === 2 || undefined);
    const after = await start(config, ["--take-over", String(before.pid)]);
    await before.sees(/another gateway takes over/);
    const seen = load.count;
    await until("requests to the new one", () => load.count > seen + 50 || undefined);
    expect(before.running).toBe(true);
    origin.release();
    expect(await Promise.all([slow, slowByHttp2])).toEqual(["slow", "slow"]);
    expect(await before.exit()).toBe(0);
    await after.sees(new RegExp(`took over from process ${before.pid}`));
    await load.end();
    expect(load.failures).toEqual([]);
    expect(await adminStatus(ports)).toBe(200);
  });

  test(`HTTP/3 requests of the old gateway end there, and the new one gets the port afterwards, with workers: ${workers}`, async () => {
    const origin = originOf();
    const ports = await portsOf();
    const config = configOf(ports, origin, workers);
    const before = await start(config);
    const client = await Http3Client.connect(ports.tls);
    open.push({ stop: () => client.close() });
    const slow = client.request("GET", "/slow");
    await until("the slow request", () => origin.waiting === 1 || undefined);
    const after = await start(config, ["--take-over", String(before.pid)]);
    await before.sees(/another gateway takes over/);
    // The new gateway does not announce what it does not serve yet.
    await until("a response of the new one", async () => {
      const { headers } = await fetch(`https://localhost:${ports.tls}/`, { ...trusting, keepalive: false });
      return headers.has("alt-svc") ? undefined : true;
    });
    origin.release();
    expect((await slow).headers[":status"]).toBe("200");
    expect(await before.exit()).toBe(0);
    await after.sees(/took over from process/);
    const next = await Http3Client.connect(ports.tls);
    open.push({ stop: () => next.close() });
    expect((await next.request("GET", "/")).headers[":status"]).toBe("200");
  });
}

test("a process that cannot hand over is refused, and keeps running", async () => {
  const program = Bun.spawn([process.execPath, "-e", "await Bun.stdin.text()"], { stdin: "pipe" });
  open.push({ stop: () => program.kill() });
  // As npm, which starts gateways.
  const launcher = Bun.spawn(["bash", "-c", 'trap "exit 12" USR2; echo ready; read -r'], { stdin: "pipe" });
  open.push({ stop: () => launcher.kill() });
  await launcher.stdout.getReader().read();
  const config = folder.write("other.json", configOf(await portsOf(), originOf(), 1));
  for (const [value, why] of [
    [String(program.pid), "it cannot hand over its ports"],
    [String(launcher.pid), 'it is "bash", and not a gateway'],
    ["4194305", "there is no such process"],
    ["one", "it is not a process number"],
  ] as const) {
    const gateway = new Program(["--config", config, "--take-over", value]);
    expect(await gateway.exit()).toBe(1);
    expect(gateway.output).toContain(why);
  }
  expect([program.exitCode, launcher.exitCode]).toEqual([null, null]);
});

/** A gateway on `ports` with a quick origin; resolves when it serves. */
async function serving(ports: Ports, workers = 1, more: readonly string[] = []): Promise<Program> {
  return await start(configOf(ports, originOf(), workers), more);
}

async function expectServing(ports: Ports): Promise<void> {
  await until("a response", async () => {
    const response = await fetched(`http://127.0.0.1:${ports.plain}/`, { keepalive: false }).catch(() => "");
    return response === "quick" || undefined;
  });
  await until("the admin interface", async () => (await adminStatus(ports).catch(() => 0)) === 200 || undefined);
}

async function readyStatus({ plain }: Ports): Promise<number> {
  return (await fetch(`http://127.0.0.1:${plain}/.ready`, { keepalive: false })).status;
}

/** Waits until the gateway is ready. The admin interface serves from then on. */
async function expectReady(ports: Ports): Promise<void> {
  await until("a ready gateway", async () => (await readyStatus(ports).catch(() => 0)) === 200 || undefined);
  expect(await adminStatus(ports)).toBe(200);
}

test("a gateway is ready when its admin interface serves, after a start and after a take-over", async () => {
  const ports = await portsOf();
  const config = configOf(ports, originOf(), 2);
  let before = new Program(["--config", folder.write("turnpike.json", config)]);
  open.push(before);
  await expectReady(ports);
  await before.sees(/listening on https/);
  for (let hasWaited = false; !hasWaited; ) {
    const after = new Program(["--config", folder.file("turnpike.json"), "--take-over", String(before.pid)]);
    open.push(after);
    // The old gateway has replied by then, and the new one does not listen yet.
    await until("a worker of the new one", () => descendants(after.pid, "").length > 0 || undefined);
    // The supervisor has the admin port until it continues. Its workers are ready, and those of the new gateway are not.
    before.kill("SIGSTOP");
    await after.sees(/listening on https/);
    hasWaited = await until("the new one", async () => {
      // The old gateway was stopped too late: another one replaces the new one.
      if (before.output.includes("another gateway takes over")) return false;
      return (await readyStatus(ports)) === 503 || undefined;
    });
    before.kill("SIGCONT");
    expect(await before.exit()).toBe(0);
    await expectReady(ports);
    before = after;
  }
});

test("of two take-overs of one process, one succeeds and the other is refused", async () => {
  const ports = await portsOf();
  const before = await serving(ports);
  const config = folder.write("turnpike.json", configOf(ports, originOf(), 1));
  const args = ["--config", config, "--take-over", String(before.pid)];
  const both = [new Program(args), new Program(args)];
  open.push(...both);
  expect(await before.exit()).toBe(0);
  await until("one end", () => both.some(({ running }) => !running) || undefined);
  const [winner] = both.filter(({ running }) => running);
  const [loser] = both.filter(({ running }) => !running);
  expect(loser?.output).toMatch(
    /Cannot take over from process \d+: (another process takes over|it ends already|there is no)/,
  );
  await winner?.sees(/took over from process/);
  await expectServing(ports);
});

test("a gateway with other listeners is not replaced, and a busy admin port is an error before anything changes", async () => {
  const [ports, others] = [await portsOf(), await portsOf()];
  const before = await serving(ports);
  const busy = await portsOf();
  const blocker = Bun.listen({ hostname: "127.0.0.1", port: busy.admin, socket: { data() {} } });
  open.push({ stop: () => blocker.stop(true) });
  for (const [changed, why] of [
    [others, "it listens on "],
    [{ ...ports, admin: busy.admin }, `Cannot listen on 127.0.0.1:${busy.admin} for the admin interface`],
  ] as const) {
    const config = folder.write("changed.json", configOf(changed, originOf(), 1));
    const program = new Program(["--config", config, "--take-over", String(before.pid)]);
    expect(await program.exit()).toBe(1);
    expect(program.output).toContain(why);
    const check = new Program(["upgrade-check", "--take-over", String(before.pid), config]);
    if (changed === others) {
      expect(await check.exit()).toBe(1);
      expect(check.output).toContain(why);
    } else await check.exit();
  }
  expect(before.output).not.toContain("takes over");
  await expectServing(ports);
});

for (const workers of [1, 2]) {
  test(`if the new gateway is killed, the old one serves again, and can be replaced again, with workers: ${workers}`, async () => {
    const origin = originOf();
    const ports = await portsOf();
    const config = configOf(ports, origin, workers);
    const before = await start(config);
    const slow = fetched(`http://127.0.0.1:${ports.plain}/slow`);
    await until("the slow request", () => origin.waiting === 1 || undefined);
    const lost = await start(config, ["--take-over", String(before.pid)]);
    await before.sees(/another gateway takes over/);
    lost.kill("SIGKILL");
    await before.sees(/this one serves again/);
    await expectServing(ports);
    origin.release();
    expect(await slow).toBe("slow");
    const next = await start(config, ["--take-over", String(before.pid)]);
    expect(await before.exit()).toBe(0);
    await next.sees(/took over from process/);
    await expectServing(ports);
  });
}

test("a SIGUSR2 without a new gateway changes nothing", async () => {
  const ports = await portsOf();
  const gateway = await serving(ports);
  gateway.kill("SIGUSR2");
  await gateway.sees(/no gateway takes over/);
  await expectServing(ports);
});

test("a port that the system chose cannot be taken over", async () => {
  const origin = originOf();
  const before = await start(configOf(await portsOf(), origin, 1));
  const config = folder.write("free.json", { server: { port: 0, workers: 1 } });
  const program = new Program(["--config", config, "--take-over", String(before.pid)]);
  expect(await program.exit()).toBe(1);
  expect(program.output).toContain("a listener has port 0");
  expect(before.running).toBe(true);
});

/** Prints the messages of a service to systemd, each in brackets; the runtime has no datagram socket of this kind. */
const RECEIVER = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True: print(f"[{s.recv(256).decode()}]", flush=True)`;
const PYTHON = "/usr/bin/python3";

for (const workers of [1, 2]) {
  test.skipIf(!isInstalled("python3", existsSync(PYTHON)))(
    `systemd follows the new process, and sees no stop, with workers: ${workers}`,
    async () => {
      const socket = folder.file(`notify-${workers}`);
      const receiver = new Program(["-c", RECEIVER, socket], { command: [PYTHON] });
      open.push(receiver);
      await receiver.sees(/bound/);
      const env = { NOTIFY_SOCKET: socket };
      const config = folder.write("turnpike.json", configOf(await portsOf(), originOf(), workers));
      const before = new Program(["--config", config], { env });
      open.push(before);
      await receiver.sees(/^\[READY=1\]$/m);
      const command = new Program(["--config", config, "--take-over", String(before.pid), "--detach"], { env });
      open.push(command);
      const [, pid] = await receiver.sees(/^\[MAINPID=(\d+)\nREADY=1\]$/m);
      open.push({ stop: () => endProcess(Number(pid)) });
      expect(await before.exit()).toBe(0);
      await until("the take-over", () => command.output.includes("took over from process") || undefined);
      expect(receiver.output).not.toContain("STOPPING");
      process.kill(Number(pid), "SIGTERM");
      await receiver.sees(/^\[STOPPING=1\]$/m);
      // Its output ends with the gateway's, because they share it.
      expect(await command.exit()).toBe(0);
    },
  );
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

test("--detach fails if the new gateway fails, and requires --take-over", async () => {
  const before = await start(configOf(await portsOf(), originOf(), 1));
  const config = folder.write("bad.json", { routes: 1 });
  const failed = new Program(["--config", config, "--take-over", String(before.pid), "--detach"]);
  expect(await failed.exit()).toBe(1);
  expect(failed.output).toContain("bad.json");
  const alone = new Program(["--config", config, "--detach"]);
  expect(await alone.exit()).toBe(2);
  expect(alone.output).toContain("--detach needs --take-over");
  expect(before.running).toBe(true);
});
