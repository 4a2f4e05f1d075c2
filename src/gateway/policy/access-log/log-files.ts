import { whyUnwritable } from "../../../lib/caught.ts";
import { type LineWatcher, LineWriter } from "../../../lib/files/line-writer.ts";
import { type AccessLogConfig } from "../../config/config.ts";
import { combinedLine, type LogLine } from "./access-log.ts";
import { type HiddenParameters } from "../../exchange/hidden-parameters.ts";
import { jsonLine } from "./json-line.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type LogTrouble } from "./log-trouble.ts";

/** The access log of a route, and its settings. */
export interface AccessLog {
  readonly line: LogLine;
  /** The query parameters whose values are left out of the log. */
  readonly hidden: HiddenParameters;
  readonly writer: Pick<LineWriter, "begin" | "end">;
  /** Counts the exchanges that will be logged. A log that is no longer configured stays open for them. */
  readonly users: Pick<LogFile, "began" | "ended">;
  /** Share of the requests that are logged, 0 to 1. */
  readonly share: number;
  /** Returns numbers from 0 to less than 1; a request is logged if its number is less than `share`. */
  readonly random: () => number;
  /** The log lines have fields about upstreams. */
  readonly tellsUpstream: boolean;
}

/** An open log, with the configurations that name it and the requests that end in it. */
class LogFile {
  readonly path: string;
  readonly writer: LineWriter;
  readonly #unused: (file: LogFile) => void;
  /** The number of configurations. */
  #leases = 0;
  #requests = 0;

  /** `unused` is called when no configuration and no request needs the log any more. */
  constructor(path: string, writer: LineWriter, unused: (file: LogFile) => void) {
    this.path = path;
    this.writer = writer;
    this.#unused = unused;
  }

  leased(): void {
    this.#leases++;
  }

  released(): void {
    this.#leases--;
    this.#look();
  }

  began(): void {
    this.#requests++;
  }

  ended(): void {
    this.#requests--;
    if (this.#leases === 0) this.#look();
  }

  #look(): void {
    if (this.#leases === 0 && this.#requests === 0) this.#unused(this);
  }
}

export interface LogLease {
  /** Rejects if the file cannot be opened. */
  open(path: string): Promise<LogFile>;
  /** The configuration does not need its logs any more. Requests in flight are still logged. */
  close(): void;
}

/** All open logs, by path: routes and configurations that name the same file share its writer. */
export class LogFiles {
  readonly #files = new Map<string, LogFile>();
  /** The closing writers of logs that are not used any more. */
  readonly #closing = new Set<Promise<void>>();
  readonly #counts: Counts;
  readonly #trouble: LogTrouble;

  constructor(counts: Counts, trouble: LogTrouble) {
    this.#counts = counts;
    this.#trouble = trouble;
  }

  lease(): LogLease {
    const leased = new Set<LogFile>();
    return {
      open: async (path) => {
        const file = this.#files.get(path) ?? (await this.#open(path));
        if (!leased.has(file)) file.leased();
        leased.add(file);
        return file;
      },
      close: () => {
        for (const file of leased) file.released();
        leased.clear();
      },
    };
  }

  async #open(path: string): Promise<LogFile> {
    const target = path === "stdout" || path === "stderr" ? path : { file: path };
    const writer = await LineWriter.open(target, this.#watcher(path)).catch((error: unknown) => {
      throw new Error(`Cannot write the access log "${path}": ${whyUnwritable(error)}`, { cause: error });
    });
    const file = new LogFile(path, writer, (unused) => {
      if (this.#files.get(path) === unused) this.#files.delete(path);
      const closing = writer.close().finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    });
    this.#files.set(path, file);
    return file;
  }

  #watcher(path: string): LineWatcher {
    const [counts, trouble] = [this.#counts, this.#trouble];
    return {
      dropped(lines) {
        counts.add("logLinesDropped", lines);
        trouble.lost(lines);
      },
      fails(code) {
        counts.add("logsFailing", 1);
        trouble.begins(path, code);
      },
      givenUp() {
        counts.add("logsFailing", -1);
        trouble.forget();
      },
      recovered() {
        counts.add("logsFailing", -1);
        trouble.ends(path);
      },
    };
  }

  /** Opens every file by its name again; one that cannot be opened stays open. Returns the problems. */
  async reopen(): Promise<string[]> {
    const problems = await Promise.all(
      [...this.#files].map(async ([path, { writer }]) => {
        try {
          await writer.reopen();
          return [];
        } catch (error) {
          const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
          return [`Cannot reopen the access log "${path}": ${code}`];
        }
      }),
    );
    return problems.flat();
  }

  async close(): Promise<void> {
    await Promise.all([...[...this.#files.values()].map(({ writer }) => writer.close()), ...this.#closing]);
    this.#files.clear();
  }
}

/** Opens the file of an access log. Rejects if it cannot be opened. */
export async function openAccessLog(
  settings: AccessLogConfig,
  logs: Pick<LogLease, "open">,
  hidden: HiddenParameters,
): Promise<AccessLog> {
  const file = await logs.open(settings.path);
  return {
    line: settings.format === "json" ? jsonLine : combinedLine,
    writer: file.writer,
    users: file,
    hidden,
    share: settings.sample_rate / 100,
    random: Math.random,
    tellsUpstream: settings.format === "json",
  };
}
