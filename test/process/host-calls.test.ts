/** Host calls of filters, from clients through the workers of a real gateway to a sandbox, and back. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type SandboxClient,
  reply,
  type Sandbox,
  startSandbox,
} from "../../src/gateway/filters/control/testing/sandbox.ts";
import { op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { callsOf, ownModule } from "../../src/gateway/filters/own-abi/testing/own-module.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin } from "../support/admin.ts";
import { Folder, until } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

/** Workers between which the kernel chooses; with more of them, all more probably get requests. */
const WORKERS = 3;
const OUT = 256;

/** It parks with the path as the command, and responds with the sandbox's output. */
const ECHO = ownModule(["get_path", "host_call", "read_call_result", "respond"], {
  on_request: [...op.i32(OUT), ...callsOf(0, OUT, 2000), ...op.call(1), ...op.drop, ...op.i32(3)],
  on_resume: [...op.i32(200), ...op.i32(OUT), ...callsOf(2, OUT, 4096), ...op.call(3), ...op.i32(1)],
});

let folder: Folder;
let sandbox: Sandbox;
let admin: Admin;
/** Makes paths that no other request has. */
let counter = 0;

interface Asked {
  readonly path: string;
  /** The status and the body, or that the connection was lost. */
  readonly received: Promise<string>;
  readonly leave: () => void;
}

/** A client on its own connection. */
function ask(path = `/call/${counter++}`): Asked {
  const abort = new AbortController();
  const received = fetch(`http://127.0.0.1:${admin.port}${path}`, { keepalive: false, signal: abort.signal }).then(
    async (response) => {
      const body = await response.text();
      return response.ok ? `200 ${body}` : String(response.status);
    },
    () => "lost",
  );
  return { path, received, leave: () => abort.abort() };
}

function askAll(count: number): Asked[] {
  return Array.from({ length: count }, () => ask());
}

function responded({ path }: Asked): string {
  return `200 done: ${path}\u001e0\n`;
}

async function change(keys: object): Promise<void> {
  const { body } = await admin.call("GET", "/v1/config");
  expect((await admin.call("PUT", "/v1/config", { body: { ...body, ...keys } })).status).toBe(200);
}

interface Wasm {
  readonly control_ready: boolean;
  readonly park_active: number;
  readonly pool_pinned: number;
}

/** This number of requests is parked, and the sandbox has the state `isReady`. */
function isParked(count: number, isReady = true): Promise<true> {
  return until(`${count} parked, ready: ${isReady}`, async () => {
    const { wasm }: { wasm: Wasm } = (await admin.call("GET", "/v1/status")).body;
    const { park_active: parked, pool_pinned: pinned, control_ready: ready } = wasm;
    return (parked === count && pinned === count && ready === isReady) || undefined;
  });
}

/** From now on each line gets a reply, beginning with the line that waits first. */
function goOn(client: SandboxClient | undefined): void {
  sandbox.response = (line) => reply(`done: ${line}`);
  client?.socket.write(reply(`done: ${client.lines.at(-1)}`));
}

beforeAll(async () => {
  folder = new Folder();
  sandbox = await startSandbox();
  const module = join(folder.path, "echo.wasm");
  writeFileSync(module, ECHO);
  const servers = [{ address: "127.0.0.1", port: 9 }];
  admin = await Admin.start({
    workers: WORKERS,
    admin: { file_folders: [folder.path] },
    config: {
      upstreams: [{ name: "none", servers }],
      routes: [{ path_prefix: "/call", upstream: "none" }],
      wasm_filters: [{ match: "/call", module, instances: 64 }],
      wasm_control_socket: sandbox.path,
    },
  });
});

beforeEach(async () => {
  sandbox.response = (line) => reply(`done: ${line}`);
  await isParked(0);
});

afterAll(async () => {
  await admin.stop();
  await sandbox.close();
  folder.remove();
});

test("requests of all workers share the connection, and each gets the reply to its own command", async () => {
  const asked = askAll(60);
  expect(await Promise.all(asked.map(({ received }) => received))).toEqual(asked.map(responded));
  expect(sandbox.clients).toHaveLength(1);
  expect(sandbox.lines.toSorted()).toEqual(asked.map(({ path }) => path).toSorted());
});

test("clients that disconnect free their capacity, and the others get their own replies", async () => {
  sandbox.response = () => undefined;
  const before = sandbox.lines.length;
  const asked = askAll(30);
  await isParked(30);
  const left = asked.filter((_, i) => i % 3 === 0);
  for (const { leave } of left) leave();
  await isParked(20);
  goOn(sandbox.clients[0]);
  const stayed = asked.filter((_, i) => i % 3 !== 0);
  expect(await Promise.all(stayed.map(({ received }) => received))).toEqual(stayed.map(responded));
  // The line in progress may belong to a request that has ended. Lines of such requests that were not sent yet are
  // dropped.
  expect(sandbox.lines.length - before).toBeLessThanOrEqual(21);
});

test("the calls of a killed worker are dropped, and those of the other workers continue", async () => {
  sandbox.response = () => undefined;
  const asked = askAll(30);
  await isParked(30);
  const { body } = await admin.call("GET", "/v1/overview");
  process.kill(body.workers[0].pid, "SIGKILL");
  await until("fewer are parked", async () => {
    const { wasm } = (await admin.call("GET", "/v1/status")).body;
    return wasm.park_active < 30 || undefined;
  });
  goOn(sandbox.clients[0]);
  const responses = await Promise.all(asked.map(async (one) => ({ one, received: await one.received })));
  const lost = responses.filter(({ received }) => received === "lost");
  for (const { one, received } of responses) if (received !== "lost") expect(received).toBe(responded(one));
  expect([lost.length > 0, lost.length < 30]).toEqual([true, true]);
  expect(sandbox.clients).toHaveLength(1);
  const later = askAll(20);
  expect(await Promise.all(later.map(({ received }) => received))).toEqual(later.map(responded));
});

test("when a sandbox restarts, parked requests get 500, and the next ones are served", async () => {
  sandbox.response = () => undefined;
  const asked = askAll(12);
  await isParked(12);
  sandbox.cut();
  expect(new Set(await Promise.all(asked.map(({ received }) => received)))).toEqual(new Set(["500"]));
  sandbox.response = (line) => reply(`done: ${line}`);
  await isParked(0);
  const next = ask();
  expect(await next.received).toBe(responded(next));
});

test("without a sandbox, requests fail at once", async () => {
  sandbox.greet = () => undefined;
  sandbox.cut();
  await isParked(0, false);
  sandbox.cut();
  expect(new Set(await Promise.all(askAll(6).map(({ received }) => received)))).toContain("500");
  sandbox.greet = () => reply("proto_version=1\n");
  sandbox.cut();
  await isParked(0);
});

test("a reload changes the deadline, and a late command fails", async () => {
  await change({ wasm_host_call_deadline_ms: 300 });
  sandbox.response = () => undefined;
  expect(await ask().received).toBe("500");
  await change({ wasm_host_call_deadline_ms: 30_000 });
  sandbox.response = (line) => reply(`done: ${line}`);
  await isParked(0);
  const next = ask();
  expect(await next.received).toBe(responded(next));
});

test("each worker calls its own sandbox if the path has {worker}", async () => {
  const own = await Promise.all(
    Array.from({ length: WORKERS }, (_, worker) => startSandbox(folder.file(`${worker}.sock`))),
  );
  for (const one of own) one.response = (line) => reply(`done: ${line}`);
  sandbox.response = () => undefined;
  const before = ask();
  await isParked(1);
  await change({ wasm_control_socket: folder.file("{worker}.sock") });
  const asked = askAll(30);
  expect(await Promise.all(asked.map(({ received }) => received))).toEqual(asked.map(responded));
  expect(own.flatMap(({ lines }) => lines).toSorted()).toEqual(asked.map(({ path }) => path).toSorted());
  expect(own.filter(({ lines }) => lines.length > 0).length).toBeGreaterThan(1);
  goOn(sandbox.clients.findLast(({ socket }) => !socket.destroyed));
  expect(await before.received).toBe(responded(before));
  await change({ wasm_control_socket: sandbox.path });
  await Promise.all(own.map((one) => one.close()));
});
