import { EventGate } from "../telemetry/event-gate.ts";
import { type EventSink, type NewEvent } from "../telemetry/event.ts";
import { type FromWorker } from "./messages.ts";

/** Characters of a line that a worker sends; the rest is cut off. */
const MAX_LINE = 2000;

/**
 * Sends the events of a worker to the supervisor. Too many at once are dropped and counted, because the channel must
 * stay free for replies.
 */
export class WorkerEvents implements EventSink {
  readonly #send: (message: FromWorker) => void;
  readonly #gate: EventGate;

  /** `send` may throw if the supervisor is gone. */
  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
    this.#gate = new EventGate((kind, count) => {
      const what = kind === "log" ? "lines" : `events (${kind})`;
      this.#tell({ kind: "log", text: `${count} further ${what} are not shown here: there were too many at once` });
    });
  }

  add(event: NewEvent): void {
    if (this.#gate.passes(event.kind)) this.#tell({ kind: "event", event });
  }

  addLine(text: string): void {
    if (this.#gate.passes("log")) this.#tell({ kind: "log", text: text.slice(0, MAX_LINE) });
  }

  #tell(message: FromWorker): void {
    try {
      this.#send(message);
    } catch {
      // The channel is closed, and this process is about to end.
    }
  }
}
