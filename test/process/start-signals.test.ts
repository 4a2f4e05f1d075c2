/** Signals while the gateway starts: a service manager, a script or a terminal can send one at any time. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Catalog } from "../../src/gateway/upstream/directory/testing/catalog.ts";
import { everythingTo } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { isAlive } from "../../src/lib/process/is-alive.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const LAUNCHER = join(import.meta.dir, "../../bin/turnpike");
const TIME_MS = patient(40_000);
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

let folder: Folder;
let origin: RawOrigin;
let catalog: Catalog;
let release: () => void;
let program: Program | undefined;

/** A start waits for the catalog's first response, which waits for `release`. */
beforeEach(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
  catalog = new Catalog();
  const released = Promise.withResolvers<Response>();
  release = () => released.resolve(Response.json([], { headers: { "X-Consul-Index": "1" } }));
  catalog.intercept = () => (catalog.queries.length === 1 ? released.promise : undefined);
});

afterEach(async () => {
  release();
  await program?.stop();
  await origin.stop();
  await catalog.stop();
  folder.remove();
});

function configOf(workers: number, isRouted = true): object {
  const { upstreams, routes } = everythingTo(origin.port);
  const found = { name: "found", servers: [], catalog_discovery: { service: "app", port: catalog.port } };
  const server = { address: "127.0.0.1", port: 0, workers };
  return { server, upstreams: [...upstreams, found], routes: isRouted ? routes : [] };
}

async function starting(config: object): Promise<Program> {
  const started = new Program(["--config", folder.write("turnpike.json", config)]);
  program = started;
  await until("it waits for the catalog", () => (catalog.queries.length > 0 ? true : undefined));
  return started;
}

test(
  "npm's program handles a SIGHUP that arrives before Bun runs, and SIGUSR1 ends nothing",
  async () => {
    const { upstreams, routes } = everythingTo(origin.port);
    const server = { address: "127.0.0.1", port: 0, workers: 1 };
    const config = folder.write("turnpike.json", { server, upstreams, routes: [] });
    const started = new Program(["--config", config], { command: [LAUNCHER] });
    program = started;
    while (started.running && !heedsHangup(started.pid)) await new Promise(setImmediate);
    folder.write("turnpike.json", { server, upstreams, routes });
    started.kill("SIGUSR1");
    started.kill("SIGHUP");
    const [, port] = await started.sees(/listening on http:\/\/\S*?:(\d+)/);
    // If Bun had read the file before the signal came, the old content is served until the file is read again.
    await until("it serves the file of the signal", async () =>
      statusOf(await once(Number(port), GET)) === 200 ? true : undefined,
    );
  },
  TIME_MS,
);

/** The names and values that `pattern` finds in the file. */
function settings(file: string, pattern: RegExp): (string | undefined)[][] {
  return [...readFileSync(file, "utf8").matchAll(pattern)].map(([, name, value]) => [name, value]);
}

/** True if SIGHUP does not end the process: it ignores or handles the signal. */
function heedsHangup(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return [...status.matchAll(/^Sig(?:Ign|Cgt):\s*([0-9a-f]+)$/gm)].some(([, mask]) => (Number(`0x${mask}`) & 1) === 1);
}

test(
  "a command that does not serve is ended by a SIGHUP before Bun runs",
  async () => {
    for (const [args, ignored] of [
      [["pay", "--help"], false],
      [["--color", "never", "pay", "--help"], false],
      [["--color=never", "start", "--help"], true],
      [["--help"], true],
    ] as const) {
      // A Bun that prints what it inherits, in the place of the one that npm installed.
      const root = folder.file(`package-${args.join("")}`);
      mkdirSync(join(root, "bin"), { recursive: true });
      mkdirSync(join(root, "node_modules/bun/bin"), { recursive: true });
      copyFileSync(LAUNCHER, join(root, "bin/turnpike"));
      writeFileSync(join(root, "node_modules/bun/bin/bun.exe"), "#!/bin/sh\nexec grep SigIgn /proc/self/status\n");
      const linked = join(root, "turnpike");
      symlinkSync("bin/turnpike", linked);
      const { stdout } = Bun.spawnSync([linked, ...args]);
      const mask = /SigIgn:\s*([0-9a-f]+)/.exec(stdout.toString())?.[1];
      expect([args, (Number(`0x${mask}`) & 1) === 1]).toEqual([args, ignored]);
    }
  },
  TIME_MS,
);

test("the launcher gives Bun the same settings as scripts/bun.mjs", () => {
  const launched = settings(LAUNCHER, /^export \w+="\$\{(\w+)-(\w+)\}"$/gm);
  expect(launched).toHaveLength(2);
  expect(settings(join(import.meta.dir, "../../scripts/bun.mjs"), /= \{ (\w+): "(\w+)" \};/g)).toEqual(launched);
});

for (const workers of [1, 2]) {
  describe(`with workers: ${workers}`, () => {
    test(
      "a SIGHUP during the start reads the file again once it serves, and SIGUSR1 ends nothing",
      async () => {
        const started = await starting(configOf(workers, false));
        folder.write("turnpike.json", configOf(workers));
        started.kill("SIGHUP");
        started.kill("SIGUSR1");
        started.kill("SIGHUP");
        release();
        const [, port] = await started.sees(/listening on http:\/\/\S*?:(\d+)/);
        await started.sees(/reloaded /);
        expect(statusOf(await once(Number(port), GET))).toBe(200);
      },
      TIME_MS,
    );

    test(
      "a SIGTERM during the start ends it cleanly, and leaves no process behind",
      async () => {
        const started = await starting(configOf(workers));
        started.kill("SIGTERM");
        release();
        const below = descendants(started.pid, "/process/workers/worker.");
        expect(await started.exit()).toBe(0);
        await until("no worker is left", () => (below.some(isAlive) ? undefined : true));
      },
      TIME_MS,
    );
  });
}

test(
  "SIGHUP does not end a gateway without a file",
  async () => {
    const started = new Program(["--address", "127.0.0.1", "--port", "0"]);
    program = started;
    const [, port] = await started.sees(/listening on http:\/\/\S*?:(\d+)/);
    started.kill("SIGHUP");
    await started.sees(/Cannot reload: there is no configuration file/);
    expect(statusOf(await once(Number(port), GET))).toBe(404);
  },
  TIME_MS,
);
