/** The sandbox's control socket as seen by the workers of a real gateway. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { reply, type Sandbox, startSandbox } from "../../src/gateway/filters/control/testing/sandbox.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin } from "../support/admin.ts";
import { descendants, until } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const WORKERS = 2;

let folder: string;
let sandbox: Sandbox;
let admin: Admin;

interface Control {
  readonly control_configured: boolean;
  readonly control_ready: boolean;
}

async function isControl(configured: boolean, ready: boolean): Promise<true> {
  return await until(`configured ${configured}, ready ${ready}`, async () => {
    const { wasm }: { wasm: Control } = (await admin.call("GET", "/v1/status")).body;
    return (wasm.control_configured === configured && wasm.control_ready === ready) || undefined;
  });
}

async function change(keys: object): Promise<void> {
  const { body } = await admin.call("GET", "/v1/config");
  const response = await admin.call("PUT", "/v1/config", { body: { ...body, ...keys } });
  expect(response.status).toBe(200);
}

function live({ clients }: Sandbox): number {
  return clients.filter(({ socket }) => !socket.destroyed).length;
}

function has(count: number, of = sandbox): Promise<true> {
  return until(`${count} connections`, () => live(of) === count || undefined);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-control-"));
  sandbox = await startSandbox();
  admin = await Admin.start({
    workers: WORKERS,
    admin: { file_folders: [folder] },
    config: { routes: [], wasm_control_socket: sandbox.path },
  });
});
afterAll(async () => {
  await admin.stop();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("two workers share one connection", () => {
  test("and all of them know its state", async () => {
    await isControl(true, true);
    expect(live(sandbox)).toBe(1);
    const { text } = await admin.call("GET", "/v1/metrics");
    expect(text).toContain(`turnpike_wasm_control_configured ${WORKERS}\n`);
    expect(text).toContain(`turnpike_wasm_control_ready ${WORKERS}\n`);
  });

  test("the death of a worker does not change it, and the next worker knows its state", async () => {
    const [pid = 0] = descendants(admin.program.pid, "/process/workers/worker.");
    process.kill(pid, "SIGKILL");
    await until("another worker", () => {
      const pids = descendants(admin.program.pid, "/process/workers/worker.");
      return (pids.length === WORKERS && !pids.includes(pid)) || undefined;
    });
    await isControl(true, true);
    expect(sandbox.clients).toHaveLength(1);
  });

  test("the gateway reconnects to a sandbox that restarts, and events report it", async () => {
    sandbox.greet = () => undefined;
    sandbox.cut();
    await isControl(true, false);
    sandbox.greet = () => reply("proto_version=1\n");
    sandbox.cut();
    await isControl(true, true);
    const { body } = await admin.call("GET", "/v1/events?format=json");
    const told = body.events.filter(({ kind }: { kind: string }) => kind === "control");
    expect(told.map(({ connected }: { connected: boolean }) => connected)).toEqual([true, false, true]);
    expect(told[1].message).toContain(`"${sandbox.path}" is lost: `);
  });
});

describe("a reload", () => {
  test("changes the number of connections", async () => {
    await change({ wasm_control_connections: 3 });
    await has(3);
    await change({ wasm_control_connections: 1 });
    await has(1);
  });

  test("gives each worker its own connection, and removes it again", async () => {
    const other = await startSandbox(join(folder, "0.sock"));
    const another = await startSandbox(join(folder, "1.sock"));
    await change({ wasm_control_socket: join(folder, "{worker}.sock") });
    await Promise.all([has(1, other), has(1, another), has(0)]);
    await isControl(true, true);
    await another.close();
    await isControl(true, false);
    await change({ wasm_control_socket: sandbox.path });
    await Promise.all([has(1), has(0, other)]);
    await isControl(true, true);
    await other.close();
  });

  test("turns it off", async () => {
    await change({ wasm_control_socket: "" });
    await has(0);
    await isControl(false, false);
  });
});
