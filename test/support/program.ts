/** Runs the `turnpike` command in a separate process, and records its output. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Waiters } from "./waiters.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { untilNextLook } from "../../src/lib/testing/until.ts";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");
/** The tested program, such as dist/turnpike; without it, the source is tested. */
const PROGRAM = process.env["TURNPIKE_TEST_PROGRAM"] ?? "";
/** The command that starts the tested program. */
export const COMMAND: readonly string[] = PROGRAM === "" ? [process.execPath, MAIN] : [resolve(PROGRAM)];
const PATIENCE_MS = 20_000;

/** A temporary folder; `remove` removes it. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  file(name: string): string {
    return join(this.path, name);
  }
  /** Writes a file and returns its path. */
  write(name: string, content: string | object): string {
    const path = this.file(name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }
  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export class Program {
  output = "";
  readonly #process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly #drained: Promise<unknown>;
  readonly #waiters = new Waiters();

  /** `env` is added to this process's environment. */
  constructor(
    args: readonly string[],
    options: { command?: readonly string[]; detached?: boolean; env?: Readonly<Record<string, string>> } = {},
  ) {
    this.#process = Bun.spawn([...(options.command ?? COMMAND), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: options.detached ?? false,
      env: { ...process.env, ...options.env },
    });
    this.#drained = Promise.all([this.#keep(this.#process.stdout), this.#keep(this.#process.stderr)]);
    void this.exit().then(() => this.#waiters.wake());
  }

  get pid(): number {
    return this.#process.pid;
  }

  get running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** The exit code, after it has ended and its whole output was read. */
  async exit(): Promise<number> {
    const code = await this.#process.exited;
    await this.#drained;
    return code;
  }

  /** Waits until the output matches. Fails with an Error if the program ends, or prints nothing in time. */
  async sees(pattern: RegExp): Promise<RegExpExecArray> {
    const match = await this.#waiters.until(
      () => pattern.exec(this.output) ?? undefined,
      PATIENCE_MS,
      () => !this.running,
    );
    if (match !== undefined) return match;
    const why = this.running ? "it is silent" : `it ended with ${this.#process.exitCode}`;
    throw new Error(`Not written: ${pattern}: ${why}: ${this.output}`);
  }

  /** Stops it and waits for its end; has no effect if it has ended. */
  async stop(): Promise<void> {
    if (this.running) this.kill("SIGTERM");
    const kill = setTimeout(() => this.kill("SIGKILL"), patient(8000));
    await this.exit();
    clearTimeout(kill);
  }

  async #keep(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      this.output += decoder.decode(chunk, { stream: true });
      this.#waiters.wake();
    }
  }
}

/** Calls `probe` every few milliseconds until it returns a value. */
export async function until<T>(what: string, probe: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const result = await probe();
    if (result !== undefined) return result;
    if (performance.now() > startedAt + patient(PATIENCE_MS)) throw new Error(`Not in time: ${what}`);
    await Bun.sleep(untilNextLook(startedAt));
  }
}

/** Descendants of `root` whose command line contains `text`. Zombies have no command line. */
export function descendants(root: number, text: string): number[] {
  const parents = new Map<number, number>();
  const commands = new Map<number, string>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      parents.set(pid, Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]));
      commands.set(pid, readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " "));
    } catch {
      // The process ended in the meantime.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  return [...commands].flatMap(([pid, command]) => (command.includes(text) && isBelow(pid) ? [pid] : []));
}
