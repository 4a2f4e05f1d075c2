import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { loadValue } from "../../config/load.ts";
import { type Config } from "../../config/config.ts";
import { type NewEvent } from "../../telemetry/event.ts";
import { type ControlCall } from "./control-messages.ts";
import { type CommandOutcome } from "./protocol/control-connection.ts";
import { RemoteControl } from "./remote-control.ts";
import { reply, type Sandbox, startSandbox } from "./testing/sandbox.ts";
import { WorkerControl } from "./worker-control.ts";

let sandbox: Sandbox;
let changes: number;
let events: NewEvent[];
let sent: ControlCall[];
let remote: RemoteControl;
const open: WorkerControl[] = [];

beforeEach(async () => {
  sandbox = await startSandbox();
  changes = 0;
  events = [];
  sent = [];
  remote = new RemoteControl((message) => sent.push(message));
});
afterEach(async () => {
  for (const control of open.splice(0)) control.close();
  await sandbox.close();
});

/** The control of the worker with index 1, or that of the only worker. */
function workerControl(isOnly: boolean): WorkerControl {
  const control = new WorkerControl({
    index: 1,
    shared: isOnly ? undefined : remote,
    log() {},
    onEvent: (event) => void events.push(event),
    onChange: () => void (changes += 1),
    firstRetryMs: 5,
  });
  open.push(control);
  return control;
}

function configOf(path: string): Config {
  const { config } = loadValue({ wasm_control_socket: path });
  if (config === undefined) throw new Error("Cannot go on: the configuration is refused");
  return config;
}

async function resultOf(control: WorkerControl, command: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
  control.link?.call(Buffer.from(command), resolve);
  const outcome = await promise;
  return outcome.kind === "reply" ? String(outcome.bytes) : outcome.kind === "failed" ? outcome.detail : outcome.kind;
}

test("the only worker connects itself, keeps its connection over reloads, and gives it up without a path", async () => {
  const control = workerControl(true);
  expect([control.link, changes]).toEqual([undefined, 0]);
  control.use(configOf(sandbox.path));
  const { link } = control;
  await until(() => link?.isReady === true);
  expect(changes).toBeGreaterThanOrEqual(2);
  expect(await resultOf(control, "a")).toBe("done: a\x1e0\n");
  control.use(configOf(sandbox.path));
  expect([control.link === link, await resultOf(control, "b"), sandbox.clients.length]).toEqual([
    true,
    "done: b\x1e0\n",
    1,
  ]);
  const before = changes;
  control.use(configOf(""));
  expect(control.link).toBeUndefined();
  expect(changes).toBeGreaterThan(before);
  await until(() => sandbox.clients[0]?.socket.destroyed === true);
  expect(events.map(({ details }) => details?.["connected"])).toEqual([true]);
});

test("of several workers, each has a connection only if the path names it", async () => {
  const control = workerControl(false);
  control.use(configOf(sandbox.path));
  expect([control.link === remote, sandbox.clients.length]).toEqual([true, 0]);
  control.link?.call(Buffer.from("x"), () => {});
  expect(sent).toEqual([{ kind: "control_call", id: 1, command: new Uint8Array(Buffer.from("x")) }]);
  const own = await startSandbox(sandbox.path.replace(/control\.sock$/, "of-1.sock"));
  try {
    control.use(configOf(sandbox.path.replace(/control\.sock$/, "of-{worker}.sock")));
    expect(control.link === remote).toBe(false);
    await until(() => control.link?.isReady === true);
    expect([await resultOf(control, "own"), own.lines]).toEqual(["done: own\x1e0\n", ["own"]]);
    control.use(configOf(""));
    expect(control.link).toBeUndefined();
  } finally {
    await own.close();
  }
});

test("a change of the shared connection's state is a change of the worker's", () => {
  const control = workerControl(false);
  control.use(configOf("/run/shared.sock"));
  const before = changes;
  remote.heard({ kind: "control_state", isReady: true });
  expect([control.link?.isReady, changes]).toEqual([true, before + 1]);
  remote.heard({ kind: "control_state", isReady: false });
  expect([control.link?.isReady, changes]).toEqual([false, before + 2]);
});

test("closing fails the calls in progress, on the worker's own connection and on the shared one", async () => {
  sandbox.response = () => undefined;
  const own = workerControl(true);
  own.use(configOf(sandbox.path));
  await until(() => own.link?.isReady === true);
  const shared = workerControl(false);
  shared.use(configOf(sandbox.path));
  const results = [own, shared].map((control) => resultOf(control, "x"));
  await sandbox.received(1);
  own.close();
  shared.close();
  const closed = "the gateway has closed the control socket";
  expect(await Promise.all(results)).toEqual([closed, closed]);
});

test("each call over the shared connection has an id of its own, and gets its own reply once", async () => {
  const control = workerControl(false);
  control.use(configOf("/run/shared.sock"));
  const outcomes: CommandOutcome[] = [];
  const cancels = ["a", "b", "c", "d"].map((text) =>
    control.link?.call(Buffer.from(text), (outcome) => void outcomes.push(outcome)),
  );
  expect(sent.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  remote.heard({ kind: "control_failed", id: 2, detail: "no" });
  remote.heard({ kind: "control_full", id: 3 });
  const bytes = reply("done");
  remote.heard({ kind: "control_reply", id: 1, bytes });
  remote.heard({ kind: "control_reply", id: 1, bytes });
  expect(outcomes).toEqual([{ kind: "failed", detail: "no" }, { kind: "full" }, { kind: "reply", bytes }]);
  cancels[0]?.();
  cancels[3]?.();
  cancels[3]?.();
  expect(sent.slice(4)).toEqual([{ kind: "control_forget", id: 4 }]);
  remote.heard({ kind: "control_failed", id: 4, detail: "it was forgotten" });
  expect(outcomes).toHaveLength(3);
  expect(await resultOf(control, "__info__")).toBe("the filter's command cannot be sent: it begins with __");
  expect(sent).toHaveLength(5);
});

test("if the process with the shared connection is gone, calls fail later, and cancelled ones report nothing", async () => {
  const gone = new RemoteControl(() => {
    throw new Error("Cannot send a message: the process has exited");
  });
  const outcomes: CommandOutcome[] = [];
  const done = (outcome: CommandOutcome): void => void outcomes.push(outcome);
  gone.call(Buffer.from("a"), done);
  gone.call(Buffer.from("b"), done)();
  expect(outcomes).toEqual([]);
  await Promise.resolve();
  expect(outcomes).toEqual([{ kind: "failed", detail: "the process that has the control socket is gone" }]);
  gone.close();
  expect(outcomes).toHaveLength(1);
});
