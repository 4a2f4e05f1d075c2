import { afterEach, beforeEach, expect, mock, spyOn, test } from "bun:test";
import { until } from "../../../../lib/testing/until.ts";
import { reply, REPORT, type Sandbox, startSandbox } from "../testing/sandbox.ts";
import { type CommandOutcome, ControlConnection, type ControlOptions } from "./control-connection.ts";

const MAX_QUEUED = 64;

let sandbox: Sandbox;
let connections: ControlConnection[];
/** The states that were reported: "ready", or the reason for a failure. */
let states: string[];

beforeEach(async () => {
  sandbox = await startSandbox();
  connections = [];
  states = [];
});
afterEach(async () => {
  mock.restore();
  for (const connection of connections) connection.close();
  await sandbox.close();
});

function start(options: Partial<ControlOptions> = {}): ControlConnection {
  const connection = new ControlConnection({
    path: sandbox.path,
    commandMs: () => 20_000,
    onState: (_, error) => void states.push(error ?? "ready"),
    greetingMs: 20_000,
    firstRetryMs: 5,
    ...options,
  });
  connections.push(connection);
  return connection;
}

async function startReady(options: Partial<ControlOptions> = {}): Promise<ControlConnection> {
  const connection = start(options);
  await until(() => connection.isReady);
  return connection;
}

interface Taken {
  readonly outcomes: CommandOutcome[];
  cancel(): void;
}

function take(connection: ControlConnection, text: string): Taken {
  const outcomes: CommandOutcome[] = [];
  return { outcomes, cancel: connection.take({ bytes: Buffer.from(text), done: (one) => void outcomes.push(one) }) };
}

const DONE = (text: string): CommandOutcome => ({ kind: "reply", bytes: Buffer.from(`${text}\x1e0\n`) });
const LOST: CommandOutcome = { kind: "failed", detail: "the control socket failed: it has ended the connection" };
const CLOSED: CommandOutcome = { kind: "failed", detail: "the gateway has closed the control socket" };

/** The pause before the first attempt to reconnect. */
const FIRST_MS = 250;

/** Records the pauses before attempts to reconnect. `shortens`: they take one millisecond. */
function pauses(shortens = false): number[] {
  const found: number[] = [];
  const real = globalThis.setTimeout;
  const isPause = (ms: unknown): ms is number =>
    typeof ms === "number" && ms >= (shortens ? FIRST_MS : 5) && ms <= 5000;
  spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms?: number) => {
    if (isPause(ms)) found.push(ms);
    return real(work, shortens && isPause(ms) ? 1 : ms);
  }) as typeof setTimeout);
  return found;
}

test("the load is the number of commands without a reply, and undefined while no more are accepted", async () => {
  const connection = start();
  expect([connection.load, connection.isReady, connection.isClosed]).toEqual([0, false, false]);
  await until(() => connection.isReady);
  sandbox.response = () => undefined;
  for (let i = 0; i <= MAX_QUEUED; i++) {
    expect(connection.load).toBe(i);
    take(connection, `c${i}`);
  }
  expect(connection.load).toBeUndefined();
  connection.close();
  expect([connection.load, connection.isReady, connection.isClosed]).toEqual([undefined, false, true]);
});

test("without a sandbox, the pauses before the next attempts grow from 250 ms to 5 s, until the connection is closed", async () => {
  const found = pauses(true);
  const connection = new ControlConnection({
    path: `${sandbox.path}-nowhere`,
    commandMs: () => 20_000,
    onState: (_, error) => void states.push(error ?? "ready"),
    greetingMs: 20_000,
  });
  connections.push(connection);
  await until(() => found.length >= 7);
  connection.close();
  expect(found.slice(0, 7)).toEqual([FIRST_MS, 500, 1000, 2000, 4000, 5000, 5000]);
  expect(connection.load).toBeUndefined();
  expect(states.length).toBe(found.length);
  for (const state of states) expect(state).toContain("ENOENT");
});

test("the pause is the first one again after a reply, and after 5 s of a working connection", async () => {
  let time = 0;
  const found = pauses();
  const connection = await startReady({ clock: () => time });
  async function cut(afterMs: number): Promise<void> {
    time += afterMs;
    const clients = sandbox.clients.length;
    sandbox.cut();
    await until(() => sandbox.clients.length > clients && connection.isReady);
  }
  for (const ms of [0, 0, 4999]) await cut(ms);
  expect(found).toEqual([5, 10, 20]);
  await cut(5000);
  await cut(0);
  expect(found.slice(3)).toEqual([5, 10]);
  expect(await outcomeOf(connection, "a")).toEqual(DONE("done: a"));
  await cut(0);
  expect(found.slice(5)).toEqual([5]);
  expect(states.filter((state) => state === "ready")).toHaveLength(7);
  expect(states.filter((state) => state === "it has ended the connection")).toHaveLength(6);
});

async function outcomeOf(connection: ControlConnection, text: string): Promise<CommandOutcome | undefined> {
  const { outcomes } = take(connection, text);
  await until(() => outcomes.length > 0);
  return outcomes[0];
}

test("the time for the report ends with it, and that for a command with its reply", async () => {
  const connection = await startReady({ greetingMs: 30, commandMs: () => 30 });
  expect(await outcomeOf(connection, "a")).toEqual(DONE("done: a"));
  // A connection without a report and a command without a reply fail later than the times above would end.
  sandbox.greet = () => undefined;
  start({ greetingMs: 40 });
  await until(() => states.includes("its report did not arrive in time"));
  expect([
    connection.isReady,
    sandbox.clients[0]?.socket.destroyed,
    states.filter((state) => state === "ready"),
  ]).toEqual([true, false, ["ready"]]);
});

test("a command that is cancelled before the report is never sent, and other commands stay", async () => {
  sandbox.greet = () => undefined;
  const connection = start();
  const [first, second, third] = ["first", "second", "third"].map((text) => take(connection, text));
  await until(() => sandbox.clients.length === 1);
  first?.cancel();
  third?.cancel();
  first?.cancel();
  expect(connection.load).toBe(1);
  sandbox.clients[0]?.socket.write(reply(REPORT));
  await until(() => (second?.outcomes.length ?? 0) > 0);
  expect([sandbox.lines, first?.outcomes, third?.outcomes]).toEqual([["second"], [], []]);
});

test("a cancelled command in progress keeps its place until its reply, which is dropped", async () => {
  const connection = await startReady();
  sandbox.response = () => undefined;
  const first = take(connection, "first");
  const second = take(connection, "second");
  await sandbox.received(1);
  first.cancel();
  expect(connection.load).toBe(2);
  sandbox.response = (line) => reply(line);
  sandbox.clients[0]?.socket.write(reply("first"));
  await until(() => second.outcomes.length > 0);
  expect([first.outcomes, second.outcomes, connection.load]).toEqual([[], [DONE("second")], 0]);
});

test("a retired connection closes with its last command: at its reply, its failure, its cancellation, or at once", async () => {
  const idle = await startReady();
  idle.retire();
  expect([idle.isClosed, idle.load]).toEqual([true, undefined]);
  sandbox.response = () => undefined;
  const busy = await startReady();
  const sent = take(busy, "sent");
  const waits = take(busy, "waits");
  busy.retire();
  expect([busy.isClosed, busy.load]).toEqual([false, undefined]);
  await sandbox.received(1);
  sent.cancel();
  expect(busy.isClosed).toBe(false);
  waits.cancel();
  expect([busy.isClosed, sent.outcomes, waits.outcomes]).toEqual([true, [], []]);
  const replied = await startReady();
  const last = take(replied, "last");
  await sandbox.received(2);
  replied.retire();
  sandbox.clients.at(-1)?.socket.write(reply("last"));
  await until(() => last.outcomes.length > 0);
  expect([replied.isClosed, last.outcomes]).toEqual([true, [DONE("last")]]);
  const failing = await startReady();
  const lost = take(failing, "lost");
  await sandbox.received(3);
  failing.retire();
  const clients = sandbox.clients.length;
  sandbox.cut();
  await until(() => lost.outcomes.length > 0);
  expect([failing.isClosed, lost.outcomes, failing.load]).toEqual([true, [LOST], undefined]);
  // It does not connect again.
  await startReady();
  expect(sandbox.clients.length).toBe(clients + 1);
});

test("a bare line ends its command, and the connection if it is retired", async () => {
  const connection = await startReady({ bareLineMs: 20 });
  sandbox.response = (line) => (line === "bare" ? "OK fine\n" : reply(line));
  const bare = take(connection, "bare");
  await sandbox.received(1);
  connection.retire();
  await until(() => bare.outcomes.length > 0);
  const failed = { kind: "failed", detail: 'the sandbox has replied in a bare line: "OK fine"' } as const;
  expect([bare.outcomes, connection.isClosed]).toEqual([[failed], true]);
  await until(() => sandbox.clients[0]?.socket.destroyed === true);
});

test("a reply whose first line looks bare is one reply if the rest follows in time", async () => {
  const connection = await startReady({ bareLineMs: 40 });
  sandbox.response = () => "OK first\n";
  const command = take(connection, "x");
  await sandbox.received(1);
  sandbox.clients[0]?.socket.write("second");
  // This one ends later than the pause of the first would.
  const other = await startReady({ bareLineMs: 50 });
  const bare = take(other, "y");
  await until(() => bare.outcomes.length > 0);
  expect([command.outcomes, sandbox.lines]).toEqual([[], ["x", "y"]]);
  sandbox.clients[0]?.socket.write("\x1e0\n");
  await until(() => command.outcomes.length > 0);
  expect(command.outcomes).toEqual([DONE("OK first\nsecond")]);
});

test("closing fails all commands once, ends the socket, and reports no state", async () => {
  const connection = await startReady();
  sandbox.response = () => undefined;
  const commands = [take(connection, "a"), take(connection, "b")];
  await sandbox.received(1);
  connection.close();
  connection.close();
  commands[0]?.cancel();
  expect(commands.map(({ outcomes }) => outcomes)).toEqual([[CLOSED], [CLOSED]]);
  await until(() => sandbox.clients[0]?.socket.destroyed === true);
  expect(states).toEqual(["ready"]);
});

test("a caller that closes the connection when its command fails ends the attempts to reconnect", async () => {
  const connection = await startReady();
  sandbox.response = () => undefined;
  connection.take({ bytes: Buffer.from("x"), done: () => connection.close() });
  await sandbox.received(1);
  const found = pauses();
  sandbox.cut();
  await until(() => connection.isClosed);
  expect([found, states]).toEqual([[], ["ready", "it has ended the connection"]]);
});
