import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { type CommandOutcome } from "./protocol/control-connection.ts";
import { ControlTransport, type TransportOptions } from "./control-transport.ts";
import { reply, REPORT, type Sandbox, startSandbox } from "./testing/sandbox.ts";

let sandbox: Sandbox;
let transport: ControlTransport | undefined;
let said: string[];
/** True, or the reason why the transport is not ready. */
let ready: (string | boolean)[];

beforeEach(async () => {
  said = [];
  ready = [];
  sandbox = await startSandbox();
});

afterEach(async () => {
  transport?.close();
  transport = undefined;
  await sandbox.close();
});

function start(options: Partial<TransportOptions> = {}): ControlTransport {
  transport = new ControlTransport({
    path: sandbox.path,
    connections: 1,
    commandMs: 20_000,
    firstRetryMs: 5,
    log: (message) => said.push(message),
    onReady: (isReady, error) => ready.push(error ?? isReady),
    ...options,
  });
  return transport;
}

async function startReady(options: Partial<TransportOptions> = {}): Promise<ControlTransport> {
  const started = start(options);
  await until(() => started.isReady);
  return started;
}

function call(command: string, over = transport): Promise<CommandOutcome> {
  const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
  over?.call(Buffer.from(command), resolve);
  return promise;
}

function textOf(outcome: CommandOutcome): string {
  if (outcome.kind === "full") return "full";
  return outcome.kind === "reply" ? outcome.bytes.toString("latin1") : `failed: ${outcome.detail}`;
}

test("each command gets a reply with its output and exit code, one after the other", async () => {
  await startReady();
  sandbox.response = (line) => reply(`did ${line}`, 3);
  expect(textOf(await call("one"))).toBe("did one\x1e3\n");
  expect(textOf(await call("two"))).toBe("did two\x1e3\n");
  expect(said).toEqual([]);
});

test("commands wait for each other on one connection, in their order", async () => {
  await startReady();
  sandbox.response = () => undefined;
  const calls = ["a", "b", "c"].map((command) => call(command));
  for (const [i, command] of ["a", "b", "c"].entries()) {
    await sandbox.received(i + 1);
    expect(sandbox.lines).toEqual(["a", "b", "c"].slice(0, i + 1));
    sandbox.clients[0]?.socket.write(reply(`did ${command}`));
    expect(textOf((await calls[i]) as CommandOutcome)).toBe(`did ${command}\x1e0\n`);
  }
});

test("64 commands wait behind the one in progress, and the next is refused", async () => {
  await startReady();
  sandbox.response = () => undefined;
  const calls = Array.from({ length: 65 }, (_, i) => call(`c${i}`));
  expect(textOf(await call("late"))).toBe("full");
  await sandbox.received(1);
  sandbox.response = (line) => reply(line);
  sandbox.clients[0]?.socket.write(reply("c0"));
  expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map((_, i) => `c${i}\x1e0\n`));
});

test("several connections share the commands", async () => {
  await startReady({ connections: 3 });
  await until(() => sandbox.clients.length === 3);
  sandbox.response = () => undefined;
  for (const command of ["a", "b", "c"]) void call(command);
  await sandbox.received(3);
  expect(sandbox.clients.map(({ lines }) => lines.length)).toEqual([1, 1, 1]);
});

test.each([
  [
    "a response that names another version",
    () => reply("proto_version=2\n"),
    "it does not speak version 1 of the protocol",
  ],
  [
    "a version that only begins with 1",
    () => reply("proto_version=12\n"),
    "it does not speak version 1 of the protocol",
  ],
  ["a refusal", () => "ERR not now\n", "it did not report its version"],
  ["no report", () => undefined, "its report did not arrive in time"],
  ["a report without an end", () => REPORT, "its report did not arrive in time"],
  ["bytes behind the report", () => Buffer.concat([reply(REPORT), reply("more")]), "it has sent more than its reply"],
])("%s is not a sandbox: it is logged once, and tried again until there is a sandbox", async (_, greet, why) => {
  sandbox.greet = greet;
  const started = start({ greetingMs: why.endsWith("in time") ? 60 : 20_000 });
  await until(() => sandbox.clients.length >= 3);
  expect(started.isReady).toBe(false);
  expect(said).toEqual([`Cannot use the control socket "${sandbox.path}": ${why}; trying again`]);
  sandbox.greet = () => reply(REPORT);
  await until(() => started.isReady);
  expect(said.slice(1)).toEqual([`control socket "${sandbox.path}": it responds again`]);
  expect(textOf(await call("x"))).toBe("done: x\x1e0\n");
});

test("a connection that is retired while it fails does not hide that the others respond again", async () => {
  sandbox.greet = () => reply("ERR not now\n");
  const started = start({ connections: 2 });
  // Each connection has failed, and tries again.
  await until(() => sandbox.clients.length >= 5);
  started.use({ connections: 1, commandMs: 20_000 });
  sandbox.greet = () => reply(REPORT);
  await until(() => started.isReady);
  expect(said.slice(1)).toEqual([`control socket "${sandbox.path}": it responds again`]);
});

test("without a socket at the path, calls fail at once, and the path is tried again", async () => {
  const { path } = sandbox;
  await sandbox.close();
  start();
  await until(() => said.length > 0);
  expect(said[0]).toStartWith(`Cannot use the control socket "${path}": `);
  await until(async () => textOf(await call("x")) === "failed: the control socket is not connected");
});

test("commands wait for the sandbox's report", async () => {
  let greet: (() => void) | undefined;
  sandbox.greet = (_, { socket }) => {
    greet = () => socket.write(reply(REPORT));
    return undefined;
  };
  start();
  await until(() => greet !== undefined);
  const early = call("early");
  greet?.();
  expect(textOf(await early)).toBe("done: early\x1e0\n");
});

test.each([
  ["ends the connection", () => sandbox.cut(), "it has ended the connection"],
  ["sends a wrong exit code", () => sandbox.clients[0]?.socket.write("x\x1e999\n"), "its reply has no valid exit code"],
  ["replies twice", () => sandbox.clients[0]?.socket.write("x\x1e0\ny\x1e0\n"), "it has sent more than its reply"],
  ["does not reply in time", () => undefined, "a command got no reply in time"],
])("if a sandbox %s, all its commands fail, and the gateway reconnects", async (_, harm, why) => {
  const started = await startReady({ commandMs: 300 });
  sandbox.response = () => undefined;
  const calls = [call("a"), call("b")];
  await sandbox.received(1);
  harm();
  const failed = `failed: the control socket failed: ${why}`;
  expect((await Promise.all(calls)).map(textOf)).toEqual([failed, failed]);
  sandbox.response = (line) => reply(line);
  await until(() => started.isReady);
  expect(textOf(await call("c"))).toBe("c\x1e0\n");
});

test("bytes without a command end the connection", async () => {
  const started = await startReady();
  sandbox.clients[0]?.socket.write("surprise");
  await until(() => sandbox.clients.length === 2);
  await until(() => started.isReady);
  expect(said[0]).toContain("it has sent bytes that were not requested");
});

test("a bare line fails only its own call, after a pause without further bytes", async () => {
  await startReady({ bareLineMs: 30 });
  sandbox.response = (line) => (line === "bare" ? "ERR no such tenant\n" : reply(line));
  const calls = [call("bare"), call("next")];
  expect((await Promise.all(calls)).map(textOf)).toEqual([
    'failed: the sandbox has replied in a bare line: "ERR no such tenant"',
    "next\x1e0\n",
  ]);
  expect(sandbox.clients).toHaveLength(1);
});

test("bytes that follow a bare line too late are not the reply to the next command", async () => {
  await startReady({ bareLineMs: 30 });
  // The sandbox reads one command at a time, so it writes the rest before anything else.
  const late = reply("/sockets/a");
  sandbox.response = (line) => (line === "start a" ? "OK starting\n" : late);
  sandbox.greet = () => late;
  const calls = [call("start a"), call("start b")];
  const [first, second] = (await Promise.all(calls)).map(textOf);
  expect(first).toStartWith("failed: the sandbox has replied in a bare line");
  expect(second).toStartWith("failed: the control socket failed");
  sandbox.greet = () => reply(REPORT);
  sandbox.response = (line) => reply(line);
  await until(() => transport?.isReady === true);
  expect(textOf(await call("start c"))).toBe("start c\x1e0\n");
});

test("a line that looks bare is output if more bytes follow", async () => {
  await startReady({ bareLineMs: 10_000 });
  sandbox.response = () => "OK first\n";
  const outcome = call("x");
  await sandbox.received(1);
  sandbox.clients[0]?.socket.write("second\x1e0\n");
  expect(textOf(await outcome)).toBe("OK first\nsecond\x1e0\n");
});

test("a cancelled command is not sent, and if it was sent, its reply is dropped", async () => {
  const started = await startReady();
  sandbox.response = () => undefined;
  const heard: string[] = [];
  const forgetFirst = started.call(Buffer.from("first"), () => heard.push("first"));
  const forgetSecond = started.call(Buffer.from("second"), () => heard.push("second"));
  const third = call("third");
  await sandbox.received(1);
  forgetFirst();
  forgetSecond();
  sandbox.response = (line) => reply(line);
  sandbox.clients[0]?.socket.write(reply("first"));
  expect(textOf(await third)).toBe("third\x1e0\n");
  expect(sandbox.lines).toEqual(["first", "third"]);
  expect(heard).toEqual([]);
});

test("an invalid command is refused, and no part of it is sent", async () => {
  await startReady();
  expect(textOf(await call("__info__"))).toBe("failed: the filter's command cannot be sent: it begins with __");
  expect(textOf(await call("x"))).toBe("done: x\x1e0\n");
  expect(sandbox.lines).toEqual(["x"]);
});

test("closing fails waiting commands, and ends reconnecting", async () => {
  const started = await startReady();
  sandbox.response = () => undefined;
  const waiting = call("x");
  await sandbox.received(1);
  started.close();
  expect(textOf(await waiting)).toBe("failed: the gateway has closed the control socket");
  expect(textOf(await call("y"))).toBe("failed: the control socket is not connected");
  expect(started.isReady).toBe(false);
});
