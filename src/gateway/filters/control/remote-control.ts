import { type ControlLink } from "../runtime/filter.ts";
import { commandError } from "./protocol/command.ts";
import { type CommandOutcome, MAX_QUEUED } from "./protocol/control-connection.ts";
import { type ControlReply, type ControlCall } from "./control-messages.ts";
import { failLater, fullLater } from "./fail-later.ts";

/** The maximum of `wasm_control_connections`. */
const MAX_CONNECTIONS = 16;
/** Calls of one worker that wait for a reply from the other process: as many as all connections take together. */
export const MAX_CALLS = MAX_CONNECTIONS * (MAX_QUEUED + 1);

const FORGOTTEN = (): void => {};

/** The control socket of another process. Calls of this process are sent there as messages. */
export class RemoteControl implements ControlLink {
  /** Throws if the other process has exited. */
  readonly #send: (message: ControlCall) => void;
  /** The callbacks for replies. A cancelled call stays until its reply, because it occupies the channel until then. */
  readonly #calls = new Map<number, (outcome: CommandOutcome) => void>();
  /** Called when `isReady` can have changed. */
  onState: () => void = () => {};
  #lastId = 0;
  #isReady = false;

  constructor(send: (message: ControlCall) => void) {
    this.#send = send;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  call(bytes: Buffer, done: (outcome: CommandOutcome) => void): () => void {
    // The other process checks this too, but that would cost two messages.
    const error = commandError(bytes);
    if (error !== undefined) return failLater(`the filter's command cannot be sent: ${error}`, done);
    if (this.#calls.size >= MAX_CALLS) return fullLater(done);
    const id = ++this.#lastId;
    try {
      this.#send({ kind: "control_call", id, command: new Uint8Array(bytes) });
    } catch {
      return failLater("the process that has the control socket is gone", done);
    }
    this.#calls.set(id, done);
    return () => this.#forget(id);
  }

  heard(message: ControlReply): void {
    if (message.kind === "control_state") {
      this.#isReady = message.isReady;
      this.onState();
      return;
    }
    const done = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.kind === "control_failed") done?.({ kind: "failed", detail: message.detail });
    else if (message.kind === "control_full") done?.({ kind: "full" });
    else done?.({ kind: "reply", bytes: Buffer.from(message.bytes) });
  }

  close(): void {
    const waiting = [...this.#calls.values()];
    this.#calls.clear();
    for (const done of waiting) done({ kind: "failed", detail: "the gateway has closed the control socket" });
  }

  #forget(id: number): void {
    if (!this.#calls.has(id) || this.#calls.get(id) === FORGOTTEN) return;
    this.#calls.set(id, FORGOTTEN);
    try {
      this.#send({ kind: "control_forget", id });
    } catch {
      // The other process has exited, and this one is about to exit.
    }
  }
}
