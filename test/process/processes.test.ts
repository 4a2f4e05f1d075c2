/** Signals, workers and reloads: the gateway as a process, controlled as operators do. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { freePort } from "../../src/lib/testing/listen.ts";
import { everythingTo } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { isAlive } from "../../src/lib/process/is-alive.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

const TIME_MS = patient(40_000);
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

let folder: Folder;
let origin: RawOrigin;
const programs: Program[] = [];
const origins: RawOrigin[] = [];

beforeEach(async () => {
  folder = new Folder();
  origin = await startOrigin();
});

afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  await Promise.all(origins.splice(0).map((one) => one.stop()));
  folder.remove();
});

async function startOrigin(): Promise<RawOrigin> {
  const started = await RawOrigin.start();
  origins.push(started);
  return started;
}

function configOf(server: object, rest: object = everythingTo(origin.port)): object {
  return { server: { address: "127.0.0.1", port: 0, ...server }, ...rest };
}

function run(...args: string[]): Program {
  const program = new Program(args);
  programs.push(program);
  return program;
}

async function serve(config: object): Promise<{ program: Program; port: number }> {
  const program = run("--config", folder.write("turnpike.json", config));
  const [, port] = await program.sees(/listening on https?:\/\/\S*?:(\d+)/);
  return { program, port: Number(port) };
}

function workersOf(program: Program): number[] {
  return descendants(program.pid, "/process/workers/worker.");
}

async function statusFrom(port: number): Promise<number> {
  return statusOf(await once(port, GET));
}

describe("workers", () => {
  test(
    "no secret is in the environment of a worker",
    async () => {
      const env = { TURNPIKE_FACILITATOR_KEY: "secret-1", DATABASE_PASSWORD: "secret-2" };
      const program = new Program(["--config", folder.write("turnpike.json", configOf({ workers: 2 }))], { env });
      programs.push(program);
      const [, port] = await program.sees(/listening on https?:\/\/\S*?:(\d+)/);
      expect(await statusFrom(Number(port))).toBe(200);
      const workers = workersOf(program);
      expect(workers).toHaveLength(2);
      for (const pid of workers) expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toContain("secret-");
    },
    TIME_MS,
  );

  test(
    "two workers share the port, and one that is killed is replaced while the other serves",
    async () => {
      const { program, port } = await serve(configOf({ workers: 2 }));
      const before = workersOf(program);
      expect(before).toHaveLength(2);
      const [victim] = before;
      if (victim === undefined) throw new Error("no process to kill");
      process.kill(victim, "SIGKILL");
      await program.sees(/ended; starting another/);
      const after = await until("two workers again", () => {
        const now = workersOf(program).filter((pid) => pid !== victim);
        return now.length === 2 ? now : undefined;
      });
      expect(after).not.toContain(victim);
      for (let i = 0; i < 20; i++) expect(await statusFrom(port)).toBe(200);
      program.kill("SIGTERM");
      expect(await program.exit()).toBe(0);
      expect(after.filter(isAlive)).toEqual([]);
    },
    TIME_MS,
  );

  test(
    "the requested number is started, and each killed worker is replaced",
    async () => {
      const { program } = await serve(configOf({ workers: 5 }));
      const before = workersOf(program);
      expect(before).toHaveLength(5);
      for (const victim of before.slice(0, 2)) process.kill(victim, "SIGKILL");
      await until("five workers again", () => {
        const now = workersOf(program).filter((pid) => !before.slice(0, 2).includes(pid));
        return now.length === 5 ? true : undefined;
      });
    },
    TIME_MS,
  );

  test.skipIf(!isInstalled("prlimit"))(
    "a worker that the system cannot start yet is started as soon as possible, and the others serve meanwhile",
    async () => {
      const { program, port } = await serve(configOf({ workers: 2 }));
      const before = workersOf(program);
      limitDescriptors(program.pid, "5:");
      process.kill(before[0] ?? 0, "SIGKILL");
      await program.sees(/Cannot start a worker: .*\n(?:.*\n)*.*Cannot start a worker: /);
      for (let i = 0; i < 5; i++) expect(await statusFrom(port)).toBe(200);
      limitDescriptors(program.pid, "1024:");
      await until("two workers again", () => (workersOf(program).length === 2 ? true : undefined));
      expect(program.output).not.toContain("there are enough");
      expect(await statusFrom(port)).toBe(200);
    },
    TIME_MS,
  );

  test(
    "workers: 0 starts one for each CPU",
    async () => {
      const { program, port } = await serve(configOf({ workers: 0 }));
      expect(workersOf(program)).toHaveLength(cpus().length);
      expect(await statusFrom(port)).toBe(200);
    },
    TIME_MS,
  );

  test(
    "workers that end as soon as they start stop the server with a reason",
    async () => {
      const { program } = await serve(configOf({ workers: 2 }));
      while (program.running) {
        for (const pid of workersOf(program)) {
          try {
            process.kill(pid, "SIGKILL");
          } catch {
            // It ended by itself meanwhile.
          }
        }
        await Bun.sleep(5);
      }
      expect(await program.exit()).toBe(1);
      expect(program.output).toContain("Cannot continue: 3 workers in a row ended");
    },
    TIME_MS,
  );

  test(
    "workers end with their supervisor, however that ends",
    async () => {
      const { program } = await serve(configOf({ workers: 2 }));
      const workers = workersOf(program);
      program.kill("SIGKILL");
      await program.exit();
      await until("the workers' end", () => (workers.some(isAlive) ? undefined : true));
    },
    TIME_MS,
  );
});

describe("stopping", () => {
  for (const workers of [1, 2]) {
    test(
      `SIGTERM lets requests in flight end, and accepts no new ones, with workers: ${workers}`,
      async () => {
        const { program, port } = await serve(configOf({ workers }));
        const release = Promise.withResolvers<void>();
        origin.response = (request, connection) => void release.promise.then(() => echo(request, connection));
        const client = await RawClient.open(port);
        const idle = await RawClient.open(port);
        client.send(GET);
        await origin.until("the request", () => origin.requests[0]);
        program.kill("SIGTERM");
        await idle.closed();
        await until("no more connections", async () => {
          const late = await RawClient.open(port).catch(() => undefined);
          late?.destroy();
          return late === undefined ? true : undefined;
        });
        release.resolve();
        const response = await client.response();
        expect(statusOf(response)).toBe(200);
        expect(response.raw).toContain("Connection: close");
        idle.destroy();
        client.destroy();
        expect(await program.exit()).toBe(0);
      },
      TIME_MS,
    );
  }

  test(
    "one Ctrl-C that arrives twice, from the terminal and from npm, still lets requests end",
    async () => {
      const { program, port } = await serve(configOf({ workers: 1 }));
      const release = Promise.withResolvers<void>();
      origin.response = (request, connection) => void release.promise.then(() => echo(request, connection));
      const client = await RawClient.open(port);
      client.send(GET);
      await origin.until("the request", () => origin.requests[0]);
      program.kill("SIGINT");
      program.kill("SIGINT");
      await until("no more connections", async () => {
        const late = await RawClient.open(port).catch(() => undefined);
        late?.destroy();
        return late === undefined ? true : undefined;
      });
      release.resolve();
      expect(statusOf(await client.response())).toBe(200);
      client.destroy();
      expect(await program.exit()).toBe(0);
    },
    TIME_MS,
  );
});

describe("reloading", () => {
  for (const workers of [1, 2]) {
    test(
      `SIGHUP swaps routes without failing a request, with workers: ${workers}`,
      async () => {
        const second = await startOrigin();
        const { program, port } = await serve(configOf({ workers }));
        const load = { stopping: false };
        const statuses: number[] = [];
        const clients = Array.from({ length: 4 }, async () => {
          const client = await RawClient.open(port);
          while (!load.stopping) {
            client.send(GET);
            statuses.push(statusOf(await client.response()));
          }
          client.destroy();
        });
        for (let round = 0; round < 5; round++) {
          const target = round % 2 === 0 ? second : origin;
          folder.write("turnpike.json", configOf({ workers }, everythingTo(target.port)));
          target.requests.length = 0;
          const told = program.output.split("reloaded ").length;
          program.kill("SIGHUP");
          await until("the reload", () => (program.output.split("reloaded ").length > told ? true : undefined));
          await target.until("requests after the reload", () => target.requests[10]);
        }
        origin.requests.length = 0;
        for (let i = 0; i < 10; i++) expect(await statusFrom(port)).toBe(200);
        expect(origin.requests).toHaveLength(0);
        load.stopping = true;
        await Promise.all(clients);
        expect(statuses.length).toBeGreaterThan(50);
        expect(new Set(statuses)).toEqual(new Set([200]));
      },
      TIME_MS,
    );

    test(
      `a bad configuration keeps the old one running, with the reason, with workers: ${workers}`,
      async () => {
        const { program, port } = await serve(configOf({ workers }));
        folder.write("turnpike.json", { ...configOf({ workers }), routes: [{ path_prefix: "/", upstream: "nobody" }] });
        program.kill("SIGHUP");
        await program.sees(/Cannot reload/);
        expect(program.output).toContain("routes[0].upstream");
        expect(await statusFrom(port)).toBe(200);
        folder.write("turnpike.json", "{");
        program.kill("SIGHUP");
        await until("the second refusal", () => (program.output.split("Cannot reload").length > 2 ? true : undefined));
        expect(await statusFrom(port)).toBe(200);
      },
      TIME_MS,
    );

    test(
      `a configuration that fails only when it is applied keeps the old one running, with workers: ${workers}`,
      async () => {
        const { program, port } = await serve(configOf({ workers }));
        const log = { access_log: { enabled: true, path: folder.file("absent/access.log") } };
        folder.write("turnpike.json", { ...configOf({ workers }, everythingTo(1)), ...log });
        program.kill("SIGHUP");
        await program.sees(/Cannot reload .*: Cannot write the access log .*; the old configuration stays/);
        for (let i = 0; i < 6; i++) expect(await statusFrom(port)).toBe(200);
      },
      TIME_MS,
    );
  }

  test(
    "changes that need a restart are reported, and the others are applied",
    async () => {
      const second = await startOrigin();
      const { program, port } = await serve(configOf({ workers: 1 }));
      folder.write("turnpike.json", configOf({ workers: 2 }, everythingTo(second.port)));
      program.kill("SIGHUP");
      await program.sees(/warning: server.workers: takes effect at the next start\n(?:.*\n)*?.* reloaded /);
      expect(await statusFrom(port)).toBe(200);
      expect(second.requests).toHaveLength(1);
    },
    TIME_MS,
  );

  test(
    "a worker that is started while a reload is under way serves by the new configuration",
    async () => {
      const second = await startOrigin();
      const { program, port } = await serve(configOf({ workers: 2 }));
      const [victim] = workersOf(program);
      if (victim === undefined) throw new Error("no process to kill");
      folder.write("turnpike.json", configOf({ workers: 2 }, everythingTo(second.port)));
      process.kill(victim, "SIGKILL");
      program.kill("SIGHUP");
      await program.sees(/reloaded/);
      await until("two workers again", () =>
        workersOf(program).filter((pid) => pid !== victim).length === 2 ? true : undefined,
      );
      for (let i = 0; i < 20; i++) expect(await statusFrom(port)).toBe(200);
      expect(origin.requests).toHaveLength(0);
    },
    TIME_MS,
  );
});

describe("listening", () => {
  for (const workers of [1, 2]) {
    test(
      `a port in use is reported in one line, with workers: ${workers}`,
      async () => {
        const { port } = await serve(configOf({ workers: 2 }));
        const program = run("--config", folder.write("second.json", configOf({ workers, port })));
        expect(await program.exit()).toBe(1);
        expect(program.output).toBe(
          `turnpike: Cannot listen on 127.0.0.1:${port}: the port is in use; stop what uses it, or choose another with --port\n`,
        );
      },
      TIME_MS,
    );
  }

  test(
    "a client that connects during the start is served",
    async () => {
      const port = await freePort();
      const log = { access_log: { enabled: true, path: folder.file("access.log") } };
      run("--config", folder.write("turnpike.json", { ...configOf({ workers: 1, port }), ...log }));
      const client = await until("a connection", () => RawClient.open(port).catch(() => undefined));
      client.send(GET);
      expect(statusOf(await client.response())).toBe(200);
      client.destroy();
    },
    TIME_MS,
  );

  test(
    "connections over max_connections get 503 and are closed, and a free permit is used again",
    async () => {
      const { port } = await serve(configOf({ workers: 1, max_connections: 2 }));
      const open = [await RawClient.open(port), await RawClient.open(port)] as const;
      for (const client of open) {
        client.send(GET);
        expect(statusOf(await client.response())).toBe(200);
      }
      const third = await RawClient.open(port);
      const refusal = await third.response();
      expect([statusOf(refusal), refusal.raw.includes("Retry-After")]).toEqual([503, true]);
      await third.closed();
      open[0].destroy();
      await until("a free place", async () => ((await statusFrom(port)) === 200 ? true : undefined));
      open[1].destroy();
    },
    TIME_MS,
  );

  test(
    "a refused client that never closes its half is cut off",
    async () => {
      const { program, port } = await serve(configOf({ workers: 1, max_connections: 1 }));
      const open = await RawClient.open(port);
      open.send(GET);
      await open.response();
      const before = descriptorsOf(program.pid);
      const stubborn = Array.from({ length: 20 }, () => stubbornClient(port));
      await Promise.all(stubborn.map(({ ended }) => ended));
      await until("closed sockets", () => (descriptorsOf(program.pid) <= before ? true : undefined));
      for (const { close } of stubborn) await close();
      open.destroy();
    },
    TIME_MS,
  );

  test(
    "a TLS listener serves with the certificate that the flags name",
    async () => {
      const key = folder.file("key.pem");
      const cert = folder.file("cert.pem");
      folder.write("key.pem", LOCALHOST.key);
      folder.write("cert.pem", LOCALHOST.cert);
      const config = folder.write("turnpike.json", configOf({ workers: 1 }));
      const program = run("--config", config, "--cert", cert, "--key", key);
      const [, port] = await program.sees(/listening on https:\/\/127\.0\.0\.1:(\d+)/);
      const responses = await Promise.all(
        Array.from({ length: 5 }, async (_, i) => {
          const response = await fetch(`https://127.0.0.1:${port}/${i}`, {
            method: "POST",
            body: "x".repeat(200_000),
            tls: { ca: TEST_CA.cert, checkServerIdentity: () => undefined },
          });
          return [response.status, (await response.text()).length];
        }),
      );
      for (const [status, length] of responses) expect([status, length]).toEqual([200, 200_008]);
      expect(origin.bytes).toContain("X-Forwarded-Proto: https");
    },
    TIME_MS,
  );

  test(
    "a certificate that cannot be read is reported, and nothing listens",
    async () => {
      const config = folder.write("turnpike.json", configOf({ workers: 1 }));
      const program = run("--config", config, "--cert", folder.file("no.pem"), "--key", folder.file("no.key"));
      expect(await program.exit()).toBe(1);
      expect(program.output).toMatch(/cert/i);
      expect(program.output).not.toContain("    at ");
    },
    TIME_MS,
  );
});

function limitDescriptors(pid: number, limit: string): void {
  expect(Bun.spawnSync(["prlimit", `--nofile=${limit}`, "--pid", String(pid)]).exitCode).toBe(0);
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** A client that reads the refusal and its end, and never closes its own half. */
function stubbornClient(port: number): { ended: Promise<void>; close: () => Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = Bun.connect({
    hostname: "127.0.0.1",
    port,
    allowHalfOpen: true,
    socket: { data() {}, end: () => resolve(), close: () => resolve(), error: () => resolve() },
  });
  return { ended: promise, close: async () => (await socket).terminate() };
}
