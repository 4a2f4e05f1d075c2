import { beforeEach, expect, test } from "bun:test";
import { ControlClient } from "./control-client.ts";
import { type ControlCall, type ControlReply } from "./control-messages.ts";
import { type CommandOutcome } from "./protocol/control-connection.ts";
import { MAX_CALLS } from "./remote-control.ts";

/** The commands that the control socket got, each with the function that ends it. */
let commands: { readonly text: string; readonly done: (outcome: CommandOutcome) => void; cancelled: boolean }[];
let sent: ControlReply[];
let client: ControlClient;

beforeEach(() => {
  commands = [];
  sent = [];
  const control = {
    isReady: true,
    call(bytes: Buffer, done: (outcome: CommandOutcome) => void) {
      const command = { text: String(bytes), done, cancelled: false };
      commands.push(command);
      return () => {
        command.cancelled = true;
      };
    },
    close() {},
  };
  client = new ControlClient(control, (message) => sent.push(message));
  expect(sent.splice(0)).toEqual([{ kind: "control_state", isReady: true }]);
});

function call(id: number): ControlCall {
  return { kind: "control_call", id, command: Buffer.from(`command ${id}`) };
}

test("each call gets the outcome of its command, under its own id", () => {
  for (const id of [1, 2, 3]) client.heard(call(id));
  expect(commands.map(({ text }) => text)).toEqual(["command 1", "command 2", "command 3"]);
  const bytes = Buffer.from("done");
  commands[2]?.done({ kind: "failed", detail: "it timed out" });
  commands[0]?.done({ kind: "reply", bytes });
  commands[1]?.done({ kind: "full" });
  expect(sent).toEqual([
    { kind: "control_failed", id: 3, detail: "it timed out" },
    { kind: "control_reply", id: 1, bytes },
    { kind: "control_full", id: 2 },
  ]);
});

test("a cancelled call gets one reply, and its command is cancelled; an unknown one gets none", () => {
  client.heard(call(1));
  client.heard({ kind: "control_forget", id: 1 });
  client.heard({ kind: "control_forget", id: 1 });
  client.heard({ kind: "control_forget", id: 2 });
  expect(commands[0]?.cancelled).toBe(true);
  expect(sent).toEqual([{ kind: "control_failed", id: 1, detail: "it was forgotten" }]);
});

test("an id that is in use, and a command without bytes, are refused", () => {
  client.heard(call(1));
  client.heard(call(1));
  // The message is malformed on purpose.
  client.heard({ kind: "control_call", id: 2, command: "text" } as unknown as ControlCall);
  expect(sent.map((message) => message.kind === "control_failed" && [message.id, message.detail])).toEqual([
    [1, "its message is invalid"],
    [2, "its message is invalid"],
  ]);
  commands[0]?.done({ kind: "full" });
  client.heard(call(1));
  expect(commands).toHaveLength(2);
});

test("the calls of a worker are limited, and end with it", () => {
  for (let id = 0; id <= MAX_CALLS; id++) client.heard(call(id));
  expect(commands).toHaveLength(MAX_CALLS);
  expect(sent).toEqual([{ kind: "control_full", id: MAX_CALLS }]);
  client.close();
  expect(commands.every(({ cancelled }) => cancelled)).toBe(true);
  client.heard(call(0));
  expect(commands).toHaveLength(MAX_CALLS + 1);
});
