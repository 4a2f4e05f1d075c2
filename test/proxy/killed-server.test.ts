/** One of three upstream servers is killed under load, and restarted. Each one is a separate process. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Folder, Program, until } from "../support/program.ts";
import { statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const ORIGIN = join(import.meta.dir, "testing/origin-process.ts");
const CLIENTS = 24;
const MAX_FAILS = 3;
const FAIL_TIMEOUT_MS = 1000;
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

const folder = new Folder();
let programs: Program[] = [];

afterEach(async () => {
  for (const program of programs) program.kill("SIGKILL");
  await Promise.all(programs.map((program) => program.exit()));
  programs = [];
});

async function startOrigin(protocol: string, port: number, name: string): Promise<{ program: Program; port: number }> {
  const program = new Program([protocol, String(port), name], { command: [process.execPath, ORIGIN] });
  programs.push(program);
  const [, bound] = await program.sees(/ready on (\d+)/);
  return { program, port: Number(bound) };
}

async function startGateway(protocol: string, ports: readonly number[], retries: number): Promise<number> {
  const config = {
    server: { address: "127.0.0.1", port: 0, workers: 2 },
    access_log: { enabled: false },
    upstreams: [
      {
        name: "three",
        protocol,
        servers: ports.map((port) => ({
          address: "127.0.0.1",
          port,
          max_fails: MAX_FAILS,
          fail_timeout_ms: FAIL_TIMEOUT_MS,
        })),
      },
    ],
    routes: [{ path_prefix: "/", upstream: "three", retry: { max_retries: retries } }],
  };
  const program = new Program(["--config", folder.write(`${protocol}-${retries}.json`, config)]);
  programs.push(program);
  const [, port] = await program.sees(/listening on http:\/\/\S*?:(\d+)/);
  return Number(port);
}

/** Consecutive requests on each of several connections, until it is stopped. */
class Load {
  running = true;
  /** Servers that have responded since this was last cleared. */
  readonly names = new Set<string>();
  served = 0;
  /** The begin and the end of each failed request. */
  readonly failed: { readonly begun: number; readonly ended: number; readonly why: string }[] = [];
  readonly #clients: Promise<void>[];

  constructor(port: number) {
    this.#clients = Array.from({ length: CLIENTS }, () => this.#run(port));
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.#clients);
  }

  async #run(port: number): Promise<void> {
    let client = await RawClient.open(port);
    while (this.running) {
      const begun = performance.now();
      client.send(GET);
      const response = await client.response().catch(() => undefined);
      if (response !== undefined && statusOf(response) === 200) {
        this.served++;
        this.names.add(response.body);
        continue;
      }
      this.failed.push({ begun, ended: performance.now(), why: response?.startLine ?? "cut off" });
      client.destroy();
      client = await RawClient.open(port);
    }
    client.destroy();
  }
}

test.each([
  ["http1", 0],
  ["http1", 1],
  ["h2c", 0],
  ["h2c", 1],
])(
  "a server that is killed, %s with %d retries: no avoidable failure, and it is used again after its restart",
  async (protocol, retries) => {
    const origins = await Promise.all(["a", "b", "c"].map((name) => startOrigin(protocol, 0, name)));
    const [, victim] = origins;
    if (victim === undefined) throw new Error("no victim");
    const port = await startGateway(
      protocol,
      origins.map((origin) => origin.port),
      retries,
    );
    const load = new Load(port);
    await until("all three", () => (load.names.size === 3 && load.served > 500 ? true : undefined));
    const killed = performance.now();
    victim.program.kill("SIGKILL");
    await victim.program.exit();
    load.names.clear();
    const before = load.served;
    await until("many requests without it", () => (load.served > before + 1000 ? true : undefined));
    await startOrigin(protocol, victim.port, "b again");
    await until("its return", () => (load.names.has("b again") ? true : undefined));
    await load.stop();
    if (retries > 0) expect(load.failed).toEqual([]);
    else expect(load.failed.length).toBeGreaterThanOrEqual(MAX_FAILS);
    const failed = load.failed.toSorted((a, b) => a.ended - b.ended);
    const limit = failed[MAX_FAILS - 1]?.ended ?? Number.POSITIVE_INFINITY;
    // Later requests test whether it is back, which it may not be on a slow machine.
    const tried = killed + FAIL_TIMEOUT_MS;
    expect(failed.filter(({ begun }) => begun > limit && begun < tried)).toEqual([]);
    // The last responses of the killed server may have been on their way.
    expect(["a", "b again", "c"].filter((name) => !load.names.has(name))).toEqual([]);
  },
);
