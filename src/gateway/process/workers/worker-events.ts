import { stamped } from "../../../lib/text/stamped.ts";
import { EventGate } from "../../telemetry/event-gate.ts";
import { type EventSink, type NewEvent } from "../../telemetry/event.ts";
import { countedLine, RepeatedLines } from "../../telemetry/repeated-lines.ts";
import { type FromWorker } from "./messages.ts";

/** Characters of a line that a worker sends; the rest is cut off. */
const MAX_LINE = 2000;
/** Milliseconds between two messages about one repeated line. @bound */
const COUNT_MS = 1000;

/**
 * Sends the events and lines of a worker to the supervisor. Repeated lines are counted, and too many events are dropped
 * and counted, because the channel must stay free for replies.
 */
export class WorkerEvents implements EventSink {
  readonly #send: (message: FromWorker) => void;
  readonly #gate: EventGate;
  readonly #lines: RepeatedLines;
  #prints = false;

  /** `send` may throw if the supervisor is gone. */
  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
    this.#gate = new EventGate((kind, count) => {
      this.addLine(`${count} further events (${kind}) are not shown here: there were too many at once`);
    });
    this.#lines = new RepeatedLines(
      (text, repeats) => {
        // Not console.error, because Bun prints all of it in red on a terminal.
        if (this.#prints) console.warn(stamped(countedLine(text, repeats)));
        else this.#tell({ kind: "log", text: text.slice(0, MAX_LINE), count: repeats.count || 1 });
      },
      { firstMs: COUNT_MS, longestMs: COUNT_MS },
    );
  }

  add(event: NewEvent): void {
    if (this.#gate.passes(event.kind)) this.#tell({ kind: "event", event });
  }

  addLine(text: string): void {
    this.#lines.add(text);
  }

  /** Prints further lines instead of sending them. */
  printLines(): void {
    this.#lines.flush();
    this.#prints = true;
  }

  /** Writes the counts of repeated lines now. */
  flush(): void {
    this.#lines.flush();
  }

  #tell(message: FromWorker): void {
    try {
      this.#send(message);
    } catch {
      // The channel is closed, and this process is about to end.
    }
  }
}
