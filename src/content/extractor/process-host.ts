import { type FileSink, type Subprocess } from "bun";
import { childEnvironment } from "../../lib/process/child-environment.ts";
import { limitedCommand } from "../../lib/process/limited-command.ts";
import { type ExtractionJob } from "../extraction/tree/extraction.ts";
import { type Host, type HostEvents } from "./host.ts";
import { MAX_CPU_S } from "./process-limits.ts";
import { requestFrame, ResponseFrames } from "./frames.ts";

/** Bytes that are written to a process before other work has its turn. @bound */
const PIECE_BYTES = 1024 * 1024;
/** Milliseconds after which a process without a file ends, and gives its memory back. @bound */
const IDLE_MS = 60_000;

/**
 * Settings of its engine, which decision 0931 explains.
 * @internal
 */
export const ENGINE = { BUN_JSC_jitMemoryReservationSize: `${32 * 1024 * 1024}`, BUN_JSC_useFTLJIT: "0" } as const;

/** A process that reads files. The kernel limits its memory and its CPU time (decision 0931). */
export class ProcessHost implements Host {
  readonly #process: Subprocess<"pipe", "pipe", "ignore">;
  readonly #events: HostEvents;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /** `maxBytes` bounds the memory that it may use. Throws if the system starts no process now. */
  constructor(events: HostEvents, maxBytes: number) {
    this.#events = events;
    const program = [process.execPath, new URL("./extract-process.ts", import.meta.url).pathname];
    // The engine reserves 6 GB of addresses, and less if the limit of its data is lower.
    const limits = { cpuSeconds: MAX_CPU_S, memory: { kind: "data", bytes: maxBytes } } as const;
    this.#process = Bun.spawn(limitedCommand(program, limits), {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      // A process group of its own: Ctrl-C signals the service's whole group, and visits in flight still need the process.
      detached: true,
      env: { ...ENGINE, ...childEnvironment() },
    });
    this.#process.unref();
    this.#listen().catch(() => this.#broke());
  }

  send(id: number, job: ExtractionJob): void {
    clearTimeout(this.#idle);
    write(this.#process.stdin, requestFrame(id, job)).catch(() => this.#broke());
  }

  end(): void {
    clearTimeout(this.#idle);
    this.#process.kill("SIGKILL");
  }

  async #listen(): Promise<void> {
    const frames = new ResponseFrames();
    for await (const piece of this.#process.stdout) {
      const response = frames.add(piece);
      if (response === undefined) continue;
      this.#idle = setTimeout(() => this.#broke(), IDLE_MS).unref();
      this.#events.responded(response);
    }
    this.#broke();
  }

  #broke(): void {
    this.#events.broke("it takes too much memory, or the parser failed on it");
  }
}

async function write(sink: FileSink, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      await Promise.all([sink.write(piece.subarray(at, at + PIECE_BYTES)), sink.flush()]);
    }
  }
}
