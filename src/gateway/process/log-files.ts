import { LineWriter } from "../../lib/line-writer.ts";
import { type AccessLogConfig } from "../config/config.ts";
import { type AccessLog } from "../observer.ts";
import { combinedLine } from "../policy/access-log/access-log.ts";
import { type HiddenParameters } from "../telemetry/hidden-parameters.ts";
import { jsonLine } from "../policy/access-log/json-line.ts";

/** Every log that is open, by path: routes and configurations that name one file share its writer. */
export class LogFiles {
  readonly #writers = new Map<string, LineWriter>();
  readonly #onDropped: (lines: number) => void;

  /** `onDropped` is told of lines that were lost. */
  constructor(onDropped: (lines: number) => void) {
    this.#onDropped = onDropped;
  }

  /** Rejects where the file cannot be opened. */
  async open(path: string): Promise<LineWriter> {
    const known = this.#writers.get(path);
    if (known !== undefined) return known;
    const target = path === "stdout" || path === "stderr" ? path : { file: path };
    const writer = await LineWriter.open(target, this.#onDropped).catch((error: unknown) => {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      throw new Error(`Cannot write the access log "${path}": ${code}`, { cause: error });
    });
    this.#writers.set(path, writer);
    return writer;
  }

  /** Opens every file by its name again; one that cannot be opened stays as it is, and its problem is among what is returned. */
  async reopen(): Promise<string[]> {
    const problems = await Promise.all(
      [...this.#writers].map(async ([path, writer]) => {
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
    await Promise.all([...this.#writers.values()].map((writer) => writer.close()));
    this.#writers.clear();
  }
}

export async function openAccessLog(
  settings: AccessLogConfig,
  files: LogFiles,
  hidden: HiddenParameters,
): Promise<AccessLog> {
  const writer = await files.open(settings.path);
  return {
    line: settings.format === "json" ? jsonLine : combinedLine,
    writer,
    hidden,
    share: settings.sample_rate / 100,
    tellsUpstream: settings.format === "json",
  };
}
