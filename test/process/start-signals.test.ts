/** Signals that come while the gateway starts: a service manager, a script or a terminal may send one at any time. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Catalog } from "../../src/gateway/upstream/directory/testing/catalog.ts";
import { everythingTo } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { descendants, Folder, isAlive, Program, until } from "../support/program.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const LAUNCHER = join(import.meta.dir, "../../bin/turnpike.mjs");
const TIME_MS = patient(40_000);
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

let folder: Folder;
let origin: RawOrigin;
let catalog: Catalog;
let release: () => void;
let program: Program | undefined;

/** A start waits for the catalog's first answer, which waits for `release`. */
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
  "SIGHUP and SIGUSR1 wait until Bun is there to hear them, where npm's program starts it",
  async () => {
    const config = folder.write("turnpike.json", { server: { address: "127.0.0.1", port: 0, workers: 1 } });
    const started = new Program(["--config", config], { command: ["node", LAUNCHER] });
    program = started;
    // Bun needs some ten times longer to come to the program than it takes to see that it is there.
    const children = `/proc/${started.pid}/task/${started.pid}/children`;
    while (started.running && readFileSync(children, "latin1") === "") await new Promise(setImmediate);
    started.kill("SIGUSR1");
    started.kill("SIGHUP");
    await started.sees(/listening on /);
    await started.sees(/reloaded /);
  },
  TIME_MS,
);

for (const workers of [1, 2]) {
  describe(`with workers: ${workers}`, () => {
    test(
      "SIGHUP while it starts has the file read again once it serves, and SIGUSR1 ends nothing",
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
      "SIGTERM while it starts ends it in order, and leaves no process behind",
      async () => {
        const started = await starting(configOf(workers));
        started.kill("SIGTERM");
        release();
        const below = descendants(started.pid, "worker.ts");
        expect(await started.exit()).toBe(0);
        await until("no worker is left", () => (below.some(isAlive) ? undefined : true));
      },
      TIME_MS,
    );
  });
}

test(
  "SIGHUP ends nobody who serves without a file",
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
