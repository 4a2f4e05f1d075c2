/** A process that is killed between two steps of an order. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Program } from "../support/program.ts";
import { hasPebble, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(20_000));

const COMMAND = [process.execPath, join(import.meta.dir, "testing/keeper-process.ts")];

describe.skipIf(!hasPebble)("with pebble", () => {
  let httpPort: number;
  let directory: TestDirectory;
  let folder: string;

  beforeAll(async () => {
    httpPort = await freePort();
    directory = await TestDirectory.start({ httpPort, tlsPort: await freePort() });
    folder = mkdtempSync(join(tmpdir(), "turnpike-keeping-"));
  });
  afterAll(async () => {
    await directory.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(...domains: string[]): Program {
    const { url, caPath } = directory;
    const options = { directory: { url, caPath }, httpPort, folder, acme: { domains } };
    return new Program([JSON.stringify(options)], { command: COMMAND });
  }

  /** Kills a keeper of this domain when the directory gets a request at a path with this beginning. */
  async function killAt(step: string, domain: string): Promise<void> {
    const reached = Promise.withResolvers<void>();
    directory.intercept = (path) => {
      if (!path.startsWith(step)) return undefined;
      reached.resolve();
      return new Promise(() => {});
    };
    const program = start(domain);
    await reached.promise;
    program.kill("SIGKILL");
    await program.exit();
    directory.intercept = () => undefined;
  }

  const STEPS = [
    "/nonce-plz",
    "/sign-me-up",
    "/order-plz",
    "/authZ/",
    "/chalZ/",
    "/finalize-order/",
    "/my-order/",
    "/certZ/",
  ];
  for (const [i, step] of STEPS.entries()) {
    test(`killed at ${step}, it gets the certificate at the next start`, async () => {
      await killAt(step, `step-${i}.test`);
      const next = start(`step-${i}.test`);
      await next.sees(/got a certificate for step-\d\.test/);
      await next.stop();
    });
  }

  test("a gateway that is killed repeatedly orders after a pause, and other domains do not wait", async () => {
    await killAt("/finalize-order/", "often.test");
    await killAt("/finalize-order/", "often.test");
    directory.orders.length = 0;
    for (const other of ["one.test", "two.test"]) {
      const next = start("often.test", other);
      await next.sees(/got a certificate for (?:one|two)\.test/);
      await next.stop();
    }
    expect(directory.orders.map(({ identifiers }) => identifiers)).toEqual([
      [{ type: "dns", value: "one.test" }],
      [{ type: "dns", value: "two.test" }],
    ]);
  });
});
