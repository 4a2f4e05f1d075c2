import { codeOf } from "../../../lib/caught.ts";
import { LineWriter } from "../../../lib/line-writer.ts";
import { type EventLog } from "./event-log.ts";

/** Only its owner reads who has changed what. */
const MODE = 0o600;

/**
 * The file that events are written to, each as one line of JSON. It is written at once and in the background: a disk that is
 * slow or full holds up no change and no request. Lines that it does not take are lost, and operators are told.
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

  /** Of the file that is written to; empty: none is. */
  get path(): string {
    return this.#path;
  }

  /** Writes to this file from now on; empty: to none. Rejects, and goes on as before, if it cannot be opened. */
  async use(path: string): Promise<void> {
    if (path === this.#path) return;
    const writer = path === "" ? undefined : await this.#open(path);
    const before = this.#writer;
    this.#path = path;
    this.#writer = writer;
    this.#events.audit = writer === undefined ? undefined : (json) => write(writer, json);
    await before?.close();
  }

  /** Opens the file by its name again, which another one may have by now. */
  async reopen(): Promise<void> {
    try {
      await this.#writer?.reopen();
    } catch (error) {
      this.#tell(`Cannot reopen the audit log "${this.#path}": ${codeOf(error) ?? "unknown"}; the old file is used on`);
    }
  }

  /** Waits for what is to be written, 1.5 s at most. */
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
