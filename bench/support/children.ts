/** The processes and the folder of one run: started, measured and removed together. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_MS = 60_000;
const STOP_MS = 3_000;
/** USER_HZ: Linux reports CPU time to programs in 1/100 s on every architecture. */
const TICKS_PER_SECOND = 100;
const SHARED_MEMORY = "/dev/shm";

export interface Command {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Child {
  readonly pid: number;
  /** All that it wrote to standard output and standard error so far. */
  output(): string;
  /** Undefined while it runs. */
  exited(): string | undefined;
  /** Resolves after it has ended and its output is complete: the exit code, or null after a signal. */
  readonly done: Promise<number | null>;
}

/** The conditions under which the programs of a group run. */
export interface Surroundings {
  /** The only CPU that they may use, by taskset. */
  readonly cpu?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Characters of output that are kept for each. */
  readonly mostOutput?: number;
}

/** Owns the processes and the folder of a run. `close` may be called at any time, also twice. */
export class Children {
  readonly #around: Surroundings;
  readonly folder = mkdtempSync(join(tmpdir(), "turnpike-bench-"));
  readonly #running = new Set<Bun.Subprocess>();
  readonly #groups = new Set<Children>();
  #memoryFolder: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(around: Surroundings = {}) {
    this.#around = around;
  }

  get closing(): boolean {
    return this.#closing !== undefined;
  }

  /** A group of children, which can be closed earlier. `close` of this object closes it too. */
  group(around: Surroundings = {}): Children {
    if (this.closing) throw new Error("Cannot start more: the run is ending");
    const group = new Children({ ...this.#around, ...around });
    this.#groups.add(group);
    return group;
  }

  /** A folder in memory if the system has one, else an ordinary one. */
  memoryFolder(): string {
    const parent = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : this.folder;
    this.#memoryFolder ??= mkdtempSync(join(parent, "turnpike-bench-"));
    return this.#memoryFolder;
  }

  spawn(command: Command): Child {
    if (this.closing) throw new Error(`Cannot start ${command.name}: the run is ending`);
    const { cpu, env, mostOutput = 65_536 } = this.#around;
    let output = "";
    const pinned = cpu === undefined ? [] : ["taskset", "-c", String(cpu)];
    const subprocess = Bun.spawn([...pinned, ...command.argv], {
      cwd: this.folder,
      env: { ...process.env, ...command.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running.add(subprocess);
    const keep = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const chunk of stream) {
        if (output.length < mostOutput) output += decoder.decode(chunk, { stream: true });
      }
    };
    const finish = async (): Promise<number | null> => {
      await Promise.all([keep(subprocess.stdout), keep(subprocess.stderr), subprocess.exited]);
      this.#running.delete(subprocess);
      return subprocess.exitCode;
    };
    return {
      done: finish(),
      pid: subprocess.pid,
      output: () => output,
      exited: () =>
        subprocess.exitCode === null && subprocess.signalCode === null
          ? undefined
          : `${command.name} ended (${subprocess.signalCode ?? subprocess.exitCode})`,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#stopAll();
    return this.#closing;
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...this.#groups].map((group) => group.close()));
    await Promise.all(
      [...this.#running].map(async (subprocess) => {
        const tree = processTree(subprocess.pid);
        subprocess.kill("SIGTERM");
        const stopped = await Promise.race([subprocess.exited.then(() => true), Bun.sleep(STOP_MS).then(() => false)]);
        if (stopped) return;
        for (const pid of tree) {
          try {
            process.kill(pid, "SIGKILL");
          } catch {
            // It ended by itself in the meantime.
          }
        }
        await subprocess.exited;
      }),
    );
    rmSync(this.folder, { recursive: true, force: true });
    if (this.#memoryFolder !== undefined) rmSync(this.#memoryFolder, { recursive: true, force: true });
  }
}

/** Calls `ready` until it returns a value. Throws an Error if the process ends first, or after 10 s. */
export async function waitFor<T>(child: Child, name: string, ready: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + START_MS;
  for (;;) {
    const result = await ready();
    if (result !== undefined) return result;
    const ended = child.exited();
    if (ended !== undefined) throw new Error(`Cannot start ${name}: ${ended}: ${child.output().trim()}`);
    if (performance.now() > deadline) throw new Error(`Cannot start ${name}: not ready after ${START_MS / 1000} s`);
    await Bun.sleep(20);
  }
}

/** True if something accepts connections on the loopback port; undefined until then. */
export function accepts(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const done = (result: true | undefined): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(undefined));
  });
}

/** The fields of /proc/PID/stat after the program name, which can contain spaces and parentheses. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** The process and all its descendants. */
export function processTree(root: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statFields(Number(entry))?.[1]);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(entry)]);
  }
  const tree = [root];
  for (let i = 0; i < tree.length; i++) tree.push(...(childrenOf.get(tree[i] ?? root) ?? []));
  return tree;
}

/** Like `cpuSeconds`, with the descendants that have ended and were waited for. */
export function cpuSecondsOfTree(root: number): number {
  let ticks = 0;
  for (const pid of processTree(root)) for (const field of statFields(pid)?.slice(11, 15) ?? []) ticks += Number(field);
  return ticks / TICKS_PER_SECOND;
}

/** The resources that a process and its descendants have used so far; CPU time in steps of 10 ms. */
export interface Used {
  readonly userSeconds: number;
  readonly systemSeconds: number;
  readonly pageFaults: number;
}

export function used(root: number): Used {
  let user = 0;
  let system = 0;
  let pageFaults = 0;
  for (const pid of processTree(root)) {
    const fields = statFields(pid);
    if (fields === undefined) continue;
    user += Number(fields[11]);
    system += Number(fields[12]);
    pageFaults += Number(fields[7]) + Number(fields[9]);
  }
  return { userSeconds: user / TICKS_PER_SECOND, systemSeconds: system / TICKS_PER_SECOND, pageFaults };
}

/** CPU seconds, user and system, of the process and its descendants, in steps of 10 ms. */
export function cpuSeconds(root: number): number {
  const { userSeconds, systemSeconds } = used(root);
  return userSeconds + systemSeconds;
}
