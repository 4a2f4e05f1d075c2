import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { type NewEvent } from "../../telemetry/event.ts";
import { fractionsOf } from "../../../lib/testing/mulberry32.ts";
import { until } from "../../../lib/testing/until.ts";
import { ControlClient } from "./control-client.ts";
import { ControlSocket } from "./control-socket.ts";
import { type TransportSettings } from "./control-transport.ts";
import { type FromCaller, type ToCaller } from "./testing/control-caller.ts";
import { reply, type Sandbox, startSandbox } from "./testing/sandbox.ts";

/** A worker process whose calls go through this process. */
class Caller {
  readonly done = new Map<string, string>();
  /** Calls that got more than one reply. */
  readonly twice: string[] = [];
  readonly #process: Bun.Subprocess;
  readonly #client: ControlClient;
  #isReady: boolean | undefined;

  constructor(control: ControlSocket) {
    this.#process = Bun.spawn([process.execPath, `${import.meta.dir}/testing/control-caller.ts`], {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: (message: FromCaller) => this.#heard(message),
      onExit: () => this.#client.close(),
    });
    this.#client = new ControlClient(control, (message) => this.#send(message));
  }

  call(name: string, command = name): void {
    this.#send({ kind: "call", name, command });
  }

  forget(name: string): void {
    this.#send({ kind: "forget", name });
  }

  /** Waits for the result of a call. */
  async outcome(name: string): Promise<string> {
    await until(() => this.done.has(name), undefined, `the response to ${name}`);
    return this.done.get(name) ?? "";
  }

  async isReady(): Promise<boolean> {
    this.#isReady = undefined;
    this.#send({ kind: "ask_state" });
    await until(() => this.#isReady !== undefined);
    return this.#isReady === true;
  }

  tellState(): void {
    this.#client.tellState();
  }

  /** Passes a message of a faulty worker to the process that has the control socket. */
  garble(message: unknown): void {
    // The message is malformed on purpose.
    this.#client.heard(message as FromCaller & { kind: "control_call" });
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
  }

  #send(message: ToCaller): void {
    try {
      this.#process.send(message);
    } catch {
      // The process has exited.
    }
  }

  #heard(message: FromCaller): void {
    if (message.kind === "done") {
      if (this.done.has(message.name)) this.twice.push(message.name);
      this.done.set(message.name, message.text);
    } else if (message.kind === "state") this.#isReady = message.isReady;
    else this.#client.heard(message);
  }
}

let sandbox: Sandbox;
let control: ControlSocket;
let first: Caller;
let second: Caller;
const events: NewEvent[] = [];
const log: string[] = [];

/** Checks that each worker gets one reply, whatever happened before. */
async function bothRespond(): Promise<void> {
  sandbox.response = (line) => reply(`done: ${line}`);
  await until(() => control.isReady);
  for (const [i, caller] of [first, second].entries()) {
    const name = `check ${i} ${performance.now()}`;
    caller.call(name);
    expect(await caller.outcome(name)).toBe(`done: ${name}\x1e0\n`);
  }
}

function settings(rest: Partial<TransportSettings> = {}): TransportSettings {
  return { path: sandbox.path, connections: 1, commandMs: 20_000, ...rest };
}

beforeAll(() => {
  control = new ControlSocket({
    firstRetryMs: 5,
    log: (line) => log.push(line),
    onEvent: (event) => events.push(event),
    onChange() {
      first?.tellState();
      second?.tellState();
    },
  });
  first = new Caller(control);
  second = new Caller(control);
});

beforeEach(async () => {
  sandbox = await startSandbox();
  log.length = 0;
  events.length = 0;
  control.use(settings());
  await until(() => control.isReady);
});

afterEach(async () => {
  control.use(undefined);
  await sandbox.close();
});

afterAll(async () => {
  control.close();
  await Promise.all([first.kill(), second.kill()]);
});

test("two workers share one connection, and each gets its own replies", async () => {
  sandbox.response = (line) => reply(`did ${line}`, 3);
  for (let i = 0; i < 20; i++) {
    first.call(`a${i}`);
    second.call(`b${i}`);
  }
  for (let i = 0; i < 20; i++) {
    expect(await first.outcome(`a${i}`)).toBe(`did a${i}\x1e3\n`);
    expect(await second.outcome(`b${i}`)).toBe(`did b${i}\x1e3\n`);
  }
  expect(sandbox.clients).toHaveLength(1);
  expect(log).toEqual([]);
});

test("a reply with all byte values passes between the processes unchanged", async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  sandbox.response = () => reply(bytes);
  first.call("bytes");
  expect(await first.outcome("bytes")).toBe(`${bytes.toString("latin1")}\x1e0\n`);
});

test("a cancelled call is not sent, or its reply is dropped, and other calls keep their order", async () => {
  sandbox.response = () => undefined;
  first.call("sent, forgotten");
  await sandbox.received(1);
  first.call("waits, forgotten");
  first.forget("sent, forgotten");
  first.forget("waits, forgotten");
  first.call("stays");
  // Messages are handled in order, so all earlier ones have arrived by now.
  await first.isReady();
  second.call("after");
  await second.isReady();
  sandbox.response = (line) => reply(`late: ${line}`);
  sandbox.clients[0]?.socket.write(reply("late"));
  expect(await first.outcome("stays")).toBe("late: stays\x1e0\n");
  expect(await second.outcome("after")).toBe("late: after\x1e0\n");
  expect(sandbox.lines).toEqual(["sent, forgotten", "stays", "after"]);
  expect(first.done.has("sent, forgotten") || first.done.has("waits, forgotten")).toBe(false);
});

test("the calls of a killed worker end with it, and other workers' calls continue", async () => {
  const third = new Caller(control);
  sandbox.response = () => undefined;
  third.call("under way");
  await sandbox.received(1);
  third.call("waits");
  await third.isReady();
  first.call("behind them");
  await first.isReady();
  await third.kill();
  sandbox.response = (line) => reply(`done: ${line}`);
  sandbox.clients[0]?.socket.write(reply("nobody's"));
  expect(await first.outcome("behind them")).toBe("done: behind them\x1e0\n");
  expect(sandbox.lines).toEqual(["under way", "behind them"]);
  await bothRespond();
});

test("if a worker makes too many calls, only its excess calls are refused", async () => {
  control.use(settings({ connections: 16 }));
  sandbox.response = () => undefined;
  await until(() => sandbox.clients.length === 16);
  const names = Array.from({ length: 1041 }, (_, i) => `flood ${i}`);
  for (const name of names) first.call(name);
  expect(await first.outcome("flood 1040")).toBe("full");
  for (const name of names) first.forget(name);
  await first.isReady();
  await sandbox.received(16);
  for (const { socket } of sandbox.clients) socket.write(reply("nobody's"));
  await bothRespond();
});

test.each([
  ["without an id or a command", {}],
  ["with a command that is a number", { id: 7, command: 7 }],
  ["that cancels an unknown call", { kind: "control_forget", id: "x" }],
  ["with a command that is too long", { id: 8, command: new Uint8Array(5000).fill(97) }],
])("a message %s does not affect other calls", async (_, message) => {
  first.garble({ kind: "control_call", ...message });
  await bothRespond();
});

test("if a sandbox restarts, the calls of all workers fail; workers and operators see the loss and the return", async () => {
  sandbox.response = () => undefined;
  first.call("lost 1");
  second.call("lost 2");
  await sandbox.received(1);
  await first.isReady();
  await second.isReady();
  sandbox.greet = () => undefined;
  sandbox.cut();
  const failed = "failed: the control socket failed: it has ended the connection";
  expect(await first.outcome("lost 1")).toBe(failed);
  expect(await second.outcome("lost 2")).toBe(failed);
  expect(await first.isReady()).toBe(false);
  sandbox.greet = () => reply("proto_version=1\n");
  sandbox.cut();
  await until(async () => (await first.isReady()) && (await second.isReady()));
  await bothRespond();
  const told = events.map(({ kind, message, details }) => [kind, message, details?.["connected"]]);
  const socket = `the control socket "${sandbox.path}"`;
  expect(told).toEqual([
    ["control", `${socket} is connected`, true],
    ["control", `${socket} is lost: it has ended the connection`, false],
    ["control", `${socket} is connected`, true],
  ]);
  expect(log).toHaveLength(2);
});

test("operators see that a new path cannot be used", async () => {
  const path = `${sandbox.path}-away`;
  events.length = 0;
  control.use(settings({ path }));
  await until(() => events.length > 0);
  expect(events[0]?.message).toStartWith(`the control socket "${path}" cannot be used: `);
  expect([events.length, control.isConfigured, control.isReady]).toEqual([1, true, false]);
});

test("a new path is used at once, and calls in progress end on the old one", async () => {
  const next = await startSandbox();
  try {
    sandbox.response = () => undefined;
    first.call("old");
    await sandbox.received(1);
    second.call("old, waits");
    await second.isReady();
    control.use(settings({ path: next.path }));
    first.call("new");
    expect(await first.outcome("new")).toBe("done: new\x1e0\n");
    sandbox.response = (line) => reply(`old did ${line}`);
    sandbox.clients[0]?.socket.write(reply("old did old"));
    expect(await first.outcome("old")).toBe("old did old\x1e0\n");
    expect(await second.outcome("old, waits")).toBe("old did old, waits\x1e0\n");
    await until(() => sandbox.clients[0]?.socket.destroyed === true);
    expect(next.lines).toEqual(["new"]);
  } finally {
    control.use(undefined);
    await next.close();
  }
});

test("a change of the number of connections or the deadline interrupts no call", async () => {
  control.use(settings({ connections: 3 }));
  await until(() => sandbox.clients.length === 3);
  sandbox.response = () => undefined;
  const names = ["one", "two", "three"].map((name) => `under way ${name}`);
  for (const name of names) first.call(name);
  await sandbox.received(3);
  control.use(settings({ connections: 1, commandMs: 50 }));
  for (const { socket, lines } of sandbox.clients) socket.write(reply(`did ${lines[0]}`));
  for (const name of names) expect(await first.outcome(name)).toBe(`did ${name}\x1e0\n`);
  await until(() => sandbox.clients.filter(({ socket }) => !socket.destroyed).length === 1);
  second.call("short");
  expect(await second.outcome("short")).toBe("failed: the control socket failed: a command got no reply in time");
  control.use(settings({ connections: 2 }));
  await bothRespond();
});

/** Possible replies of a sandbox: correct, late, wrong, or none at all. */
function moody(random: () => number): Sandbox["response"] {
  return (line, { socket }) => {
    const mood = random();
    if (mood < 0.6) return reply(`did ${line}`);
    if (mood < 0.75) {
      setTimeout(() => socket.write(reply(`did ${line}`)), 5);
      return undefined;
    }
    if (mood < 0.8) return "no reply\u001e999\n";
    if (mood < 0.85) return Buffer.concat([reply(`did ${line}`), reply("more")]);
    if (mood < 0.95) socket.destroy();
    return undefined;
  };
}

test.each([1, 2, 3, 4])(
  "whatever the sandbox and the workers do, each call gets its own reply once, or fails (seed %i)",
  async (seed) => {
    const random = fractionsOf(seed);
    sandbox.response = moody(random);
    const made: (readonly [caller: Caller, name: string])[] = [];
    const forgotten = new Set<string>();
    for (let i = 0; i < 120; i++) {
      const caller = random() < 0.5 ? first : second;
      const name = `seed ${seed} call ${i}`;
      caller.call(name);
      made.push([caller, name]);
      const chance = random();
      if (chance < 0.15) {
        const [owner, other] = made[Math.floor(random() * made.length)] ?? [caller, name];
        owner.forget(other);
        forgotten.add(other);
      } else if (chance < 0.2) sandbox.cut();
      else if (chance < 0.25) control.use(settings({ connections: 1 + Math.floor(random() * 4), commandMs: 100 }));
      else if (chance < 0.6) await Bun.sleep(random() * 4);
    }
    for (const [caller, name] of made) {
      const outcome = forgotten.has(name) ? caller.done.get(name) : await caller.outcome(name);
      if (outcome?.startsWith("failed: ") === false) expect(outcome).toBe(`did ${name}\u001e0\n`);
    }
    expect([...first.twice, ...second.twice]).toEqual([]);
    await bothRespond();
  },
);

test("without a control socket, calls fail with a reason", async () => {
  control.use(undefined);
  first.call("nowhere");
  expect(await first.outcome("nowhere")).toBe("failed: no control socket is configured");
  expect(await first.isReady()).toBe(false);
});
