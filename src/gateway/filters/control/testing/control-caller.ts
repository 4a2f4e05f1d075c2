/** A worker that makes the host calls that a test asks for, and reports their results. */
import { type CommandOutcome } from "../protocol/control-connection.ts";
import { type ControlReply, type ControlCall } from "../control-messages.ts";
import { RemoteControl } from "../remote-control.ts";

/** Messages from the test. */
export type ToCaller =
  | ControlReply
  | { readonly kind: "call"; readonly name: string; readonly command: string }
  | { readonly kind: "forget"; readonly name: string }
  | { readonly kind: "ask_state" };

/** Messages to the test. */
export type FromCaller =
  | ControlCall
  | { readonly kind: "done"; readonly name: string; readonly text: string }
  | { readonly kind: "state"; readonly isReady: boolean };

const remote = new RemoteControl(tell);
const forgets = new Map<string, () => void>();

function tell(message: FromCaller): void {
  process.send?.(message);
}

function textOf(outcome: CommandOutcome): string {
  if (outcome.kind === "full") return "full";
  return outcome.kind === "reply" ? outcome.bytes.toString("latin1") : `failed: ${outcome.detail}`;
}

process.on("message", (message: ToCaller) => {
  if (message.kind === "call") {
    const { name, command } = message;
    const done = (outcome: CommandOutcome): void => tell({ kind: "done", name, text: textOf(outcome) });
    forgets.set(name, remote.call(Buffer.from(command, "latin1"), done));
  } else if (message.kind === "forget") forgets.get(message.name)?.();
  else if (message.kind === "ask_state") tell({ kind: "state", isReady: remote.isReady });
  else remote.heard(message);
});
process.on("disconnect", () => process.exit(0));
