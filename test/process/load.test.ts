/** No request is lost: clients send requests continuously while the gateway reloads, loses a worker, and stops. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { codeOf } from "../../src/lib/caught.ts";
import { clientPortsOf } from "../support/client-ports.ts";
import { makeCertificate } from "../support/certificates.ts";
import { everythingTo } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(90_000);
const RELOADS = 20;
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
const certificate = makeCertificate({ hostnames: ["own.test"] });

let folder: Folder;
let origins: RawOrigin[] = [];
const programs: Program[] = [];

beforeEach(async () => {
  folder = new Folder();
  origins = await Promise.all([RawOrigin.start(), RawOrigin.start()]);
});

afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  await Promise.all(origins.map((origin) => origin.stop()));
  folder.remove();
});

/** Each configuration differs from the one before in its content, and every second one in its certificate. */
function configOf(round: number): object {
  const own = round % 4 < 2 ? certificate : makeCertificate({ hostnames: ["own.test"] });
  const listener = { address: "127.0.0.1", port: 0 };
  return {
    server: { workers: 2, listeners: [listener, { ...listener, use_tls: true }] },
    tls: { cert_path: folder.write("own.pem", own.cert), key_path: folder.write("own.key", own.key) },
    access_log: { enabled: false },
    ...everythingTo(origins[round % 2]?.port ?? 0),
  };
}

async function serve(): Promise<{ program: Program; port: number; tlsPort: number }> {
  const program = new Program(["--config", folder.write("turnpike.json", configOf(0))]);
  programs.push(program);
  const [, port, tlsPort] = await program.sees(/listening on http:\S+:(\d+)\nlistening on https:\S+:(\d+)\n/);
  return { program, port: Number(port), tlsPort: Number(tlsPort) };
}

interface Lost {
  /** The client's port, which shows the worker of the connection. */
  readonly port: number;
  readonly begunAt: number;
  readonly why: string;
}

/** Clients that send one request after the other, each on one connection or each on a new one. */
class Load {
  readonly lost: Lost[] = [];
  /** Responses with another status than 200. */
  readonly odd: number[] = [];
  responded = 0;
  /** Connections that were refused because nothing listens. */
  refused = 0;
  #stopping = false;
  readonly #port: number;
  readonly #running: Promise<void>[] = [];

  constructor(port: number, keepAlive: number, fresh: number) {
    this.#port = port;
    for (let i = 0; i < keepAlive; i++) this.#running.push(this.#client(Number.POSITIVE_INFINITY));
    for (let i = 0; i < fresh; i++) this.#running.push(this.#client(1));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** Clients also end when nothing listens any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #client(requestsEach: number): Promise<void> {
    while (!this.#stopping) {
      const begunAt = performance.now();
      const client = await RawClient.open(this.#port).catch((error: unknown) => codeOf(error) ?? "unknown");
      if (client === "ECONNREFUSED") {
        this.refused++;
        return;
      }
      if (typeof client === "string") {
        this.lost.push({ port: 0, begunAt, why: client });
        continue;
      }
      await this.#requests(client, begunAt, requestsEach);
      client.destroy();
    }
  }

  async #requests(client: RawClient, begunAt: number, most: number): Promise<void> {
    const port = client.socket.localPort ?? 0;
    for (let i = 0; i < most && !this.#stopping; i++) {
      try {
        client.send(GET);
        const response = await client.response("GET", 10_000);
        if (statusOf(response) === 200) this.responded++;
        else this.odd.push(statusOf(response));
        if (response.raw.includes("Connection: close")) return;
        if (i % 8 === 7) await Bun.sleep(Math.random() * 20);
      } catch (error) {
        this.lost.push({ port, begunAt, why: String(error) });
        return;
      }
    }
  }
}

test(
  "twenty reloads under load lose no request",
  async () => {
    const { program, port, tlsPort } = await serve();
    const load = new Load(port, 6, 3);
    const overTls = { responded: 0, failed: [] as string[], stopping: false };
    const secure = Array.from({ length: 2 }, async (_, i) => {
      while (!overTls.stopping) {
        const response = await fetch(`https://127.0.0.1:${tlsPort}/${i}`, {
          keepalive: i === 0,
          tls: { rejectUnauthorized: false },
        }).catch((error: unknown) => String(error));
        if (typeof response === "string" || response.status !== 200)
          overTls.failed.push(typeof response === "string" ? response : `status ${response.status}`);
        else overTls.responded += (await response.text()).length > 0 ? 1 : 0;
      }
    });
    for (let round = 1; round <= RELOADS; round++) {
      folder.write("turnpike.json", configOf(round));
      const before = load.responded;
      program.kill("SIGHUP");
      await until("the reload", () => (program.output.split("reloaded ").length > round ? true : undefined));
      await until("answers after it", () => (load.responded > before + 20 ? true : undefined));
    }
    await load.stop();
    overTls.stopping = true;
    await Promise.all(secure);
    expect({ lost: load.lost, odd: load.odd, refused: load.refused, failed: overTls.failed }).toEqual({
      lost: [],
      odd: [],
      refused: 0,
      failed: [],
    });
    expect(load.responded).toBeGreaterThan(RELOADS * 20);
    expect(overTls.responded).toBeGreaterThan(RELOADS);
  },
  TIME_MS,
);

test(
  "a killed worker loses its own requests, and no others are lost",
  async () => {
    const { program, port } = await serve();
    const load = new Load(port, 8, 4);
    for (let round = 1; round <= 2; round++) {
      await until("answers", () => (load.responded > round * 300 ? true : undefined));
      const [victim = 0, survivor = 0] = await until("two workers that serve", () => {
        const workers = descendants(program.pid, "/process/workers/worker.").filter(
          (pid) => clientPortsOf(pid).size > 0,
        );
        return workers.length === 2 ? workers : undefined;
      });
      const lostBefore = load.lost.length;
      // Both are stopped, so that the owner of each connection does not change during the check.
      const stoppedAt = performance.now();
      for (const pid of [victim, survivor]) process.kill(pid, "SIGSTOP");
      const safe = clientPortsOf(survivor);
      process.kill(victim, "SIGKILL");
      process.kill(survivor, "SIGCONT");
      await program.sees(new RegExp(`worker ${victim} ended; starting another`));
      const killedAt = performance.now();
      await until("answers after it", () => (load.responded > (round + 1) * 300 ? true : undefined));
      const wrongly = load.lost
        .slice(lostBefore)
        .filter(({ port: client, begunAt }) => safe.has(client) && begunAt < stoppedAt);
      expect(wrongly).toEqual([]);
      expect(load.lost.slice(lostBefore).filter(({ begunAt }) => begunAt > killedAt)).toEqual([]);
    }
    await load.stop();
    expect([load.odd, load.refused, program.output.match(/Cannot.*/)?.[0]]).toEqual([[], 0, undefined]);
  },
  TIME_MS,
);

for (const workers of [1, 2]) {
  test(
    `a stop under load sends a response to every connected client, with workers: ${workers}`,
    async () => {
      for (let round = 0; round < 3; round++) {
        const config = folder.write("turnpike.json", configOf(0));
        const program = new Program(["--config", config, "--workers", String(workers)]);
        programs.push(program);
        const [, port] = await program.sees(/listening on http:\S+:(\d+)\n/);
        const load = new Load(Number(port), 6, 6);
        await until("answers", () => (load.responded > 200 ? true : undefined));
        program.kill("SIGTERM");
        await load.ended();
        expect(await program.exit()).toBe(0);
        expect({ lost: load.lost, odd: load.odd }).toEqual({ lost: [], odd: [] });
        expect(load.refused).toBe(12);
      }
    },
    TIME_MS,
  );
}
