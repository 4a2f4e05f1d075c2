import { codeOf } from "../../../lib/caught.ts";
import { LineWriter } from "../../../lib/files/line-writer.ts";
import { type EventLog } from "./event-log.ts";

/** Only the owner may read the changes and their authors. */
const MODE = 0o600;

/**
 * The file of the audit log. Each event is one line of JSON. Lines are written at once and in the background, so that a
 * slow or full disk delays no change and no request. Lines that cannot be written are lost, and an error is logged.
 */
export class AuditFile {
  readonly #events: EventLog;
  readonly #log: (message: string) => void;
  #path = "";
  #writer: LineWriter | undefined;
  #lost = 0;

  constructor(events: EventLog, log: (message: string) => void) {
    this.#events = events;
    this.#log = log;
  }

  /** The path of the current file; empty without a file. */
  get path(): string {
    return this.#path;
  }

  /** Writes to this file from now on; empty: to none. If it cannot be opened, it rejects and keeps the old one. */
  async use(path: string): Promise<void> {
    if (path === this.#path) return;
    const writer = path === "" ? undefined : await this.#open(path);
    const before = this.#writer;
    this.#path = path;
    this.#writer = writer;
    this.#events.audit = writer === undefined ? undefined : (json) => write(writer, json);
    await before?.close();
  }

  /** Opens the file again by its name, because a log rotation may have moved it. */
  async reopen(): Promise<void> {
    try {
      await this.#writer?.reopen();
    } catch (error) {
      this.#tell(
        `Cannot reopen the audit log "${this.#path}": ${codeOf(error) ?? "unknown"}; the old file stays in use`,
      );
    }
  }

  /** Waits for pending lines, at most 1.5 s. */
  async close(): Promise<void> {
    await this.use("");
  }

  async #open(path: string): Promise<LineWriter> {
    const watcher = {
      dropped: (lines: number): void => void (this.#lost += lines),
      fails: (code: string): void =>
        this.#tell(
          `warning: Cannot write the audit log "${path}": ${code}. Lines are lost until it can be written again`,
        ),
      recovered: (): void => {
        this.#tell(`The audit log "${path}" can be written again: ${this.#lost} lines were lost`);
        this.#lost = 0;
      },
      givenUp: (): void => void (this.#lost = 0),
    };
    try {
      return await LineWriter.open({ file: path, mode: MODE, whole: true }, watcher);
    } catch (error) {
      throw new Error(`Cannot write the audit log "${path}": ${codeOf(error) ?? "unknown"}`, { cause: error });
    }
  }

  #tell(message: string): void {
    this.#log(message);
    this.#events.add({ kind: "log_file", message });
  }
}

function write(writer: LineWriter, json: string): void {
  const line = writer.begin();
  if (line === undefined) return;
  line.text(json);
  writer.end();
  writer.flush();
}
