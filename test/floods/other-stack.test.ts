/** The floods again, from python3-h2: an HTTP/2 implementation that shares no code with this project. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { get, Http2Client } from "../support/http2-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { respondByPath } from "../conformance/http2/origin.ts";
import { cpuSeconds } from "./flooder.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(60_000));

/** Debian's Python, which has Debian's packages. */
const PYTHON = "/usr/bin/python3";
const CALM = 11;

function hasStack(): boolean {
  try {
    return Bun.spawnSync([PYTHON, "-c", "import h2"], { stdio: ["ignore", "ignore", "ignore"] }).success;
  } catch {
    return false;
  }
}

describe.skipIf(!isInstalled("python3-h2", hasStack()))("python3-h2, where it is installed", () => {
  let origin: RawOrigin;
  let gateway: Gateway;

  beforeAll(async () => {
    origin = await RawOrigin.start();
    origin.response = respondByPath;
    gateway = await startGateway({ access_log: { enabled: false }, ...everythingTo(origin.port) });
  });

  afterAll(async () => {
    await gateway.stop();
    await origin.stop();
  });

  test.each([
    ["rapid_reset", `goaway ${CALM}`],
    ["ping", `goaway ${CALM}`],
    ["settings", `goaway ${CALM}`],
    ["priority", `goaway ${CALM}`],
    ["empty_data", `goaway ${CALM}`],
    ["header_bomb", "refused with 431"],
  ])("%s ends in %s", async (kind, outcome) => {
    const memory = gateway.memoryKib("VmRSS");
    const cpu = cpuSeconds(gateway.pid);
    const script = Bun.spawn([PYTHON, join(import.meta.dir, "h2_flood.py"), String(gateway.port), kind], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = await new Response(script.stdout).text();
    expect(said).toStartWith(outcome);
    expect(gateway.memoryKib("VmRSS") - memory).toBeLessThan(100 * 1024);
    expect(cpuSeconds(gateway.pid) - cpu).toBeLessThan(8);
    const client = await Http2Client.ready(gateway.port);
    client.send(get(1));
    expect((await client.response(1)).status).toBe(200);
    client.destroy();
  });
});
