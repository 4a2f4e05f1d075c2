import { readdirSync, readFileSync } from "node:fs";

export interface FoundProcess {
  readonly pid: number;
  /** The program's name, which a zombie has too. */
  readonly name: string;
  /** The command line; empty for a zombie. */
  readonly command: string;
}

/** The descendants of `root`, from /proc. */
export function descendantsOf(root: number): FoundProcess[] {
  const parents = new Map<number, number>();
  const found: FoundProcess[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const [, program = "", parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
      parents.set(pid, Number(parent));
      const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
      found.push({ pid, name: program, command });
    } catch {
      // The process ended in the meantime.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  return found.filter(({ pid }) => isBelow(pid));
}

/** The main browser processes that this process started. */
export function browsers(): FoundProcess[] {
  return descendantsOf(process.pid).filter(
    ({ command }) => command.includes("--remote-debugging-pipe") && !command.includes("--type="),
  );
}

/** The processes that render pages. */
export function renderers(): FoundProcess[] {
  return descendantsOf(process.pid).filter(({ command }) => command.includes("--type=renderer"));
}
