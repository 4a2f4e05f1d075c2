import { type ControlLink } from "../runtime/filter.ts";
import { type CommandOutcome } from "./protocol/control-connection.ts";
import { type ControlReply, type ControlCall } from "./control-messages.ts";
import { MAX_CALLS } from "./remote-control.ts";

/** A worker that uses the control socket of another process, from the point of view of that process. */
export class ControlClient {
  readonly #control: ControlLink;
  readonly #send: (message: ControlReply) => void;
  readonly #calls = new Map<number, () => void>();

  /** `send` never throws. Messages to a worker that has exited are dropped. */
  constructor(control: ControlLink, send: (message: ControlReply) => void) {
    this.#control = control;
    this.#send = send;
    this.tellState();
  }

  tellState(): void {
    this.#send({ kind: "control_state", isReady: this.#control.isReady });
  }

  heard(message: ControlCall): void {
    const { id } = message;
    if (message.kind === "control_forget") this.#forget(id);
    else if (this.#calls.has(id) || !(message.command instanceof Uint8Array)) this.#fail(id, "its message is invalid");
    else if (this.#calls.size >= MAX_CALLS) this.#response(id, { kind: "full" });
    else this.#call(id, Buffer.from(message.command));
  }

  /** The worker has exited, and its calls end with it: unsent commands are dropped, and replies are ignored. */
  close(): void {
    for (const forget of this.#calls.values()) forget();
    this.#calls.clear();
  }

  #call(id: number, command: Buffer): void {
    const forget = this.#control.call(command, (outcome) => {
      this.#calls.delete(id);
      this.#response(id, outcome);
    });
    this.#calls.set(id, forget);
  }

  #forget(id: number): void {
    const forget = this.#calls.get(id);
    if (forget === undefined) return;
    this.#calls.delete(id);
    forget();
    this.#fail(id, "it was forgotten");
  }

  #response(id: number, outcome: CommandOutcome): void {
    if (outcome.kind === "reply") this.#send({ kind: "control_reply", id, bytes: outcome.bytes });
    else if (outcome.kind === "full") this.#send({ kind: "control_full", id });
    else this.#fail(id, outcome.detail);
  }

  #fail(id: number, detail: string): void {
    this.#send({ kind: "control_failed", id, detail });
  }
}
