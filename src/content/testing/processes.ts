import { readdirSync, readFileSync } from "node:fs";

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** The living processes below `root`, by the system's process table. */
export function descendantsOf(root: number): FoundProcess[] {
  const parents = new Map<number, number>();
  const commands = new Map<number, string>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const [, state, parent] = readFileSync(`/proc/${pid}/stat`, "latin1").split(/\) (\S) (\d+)/);
      if (state === "Z") continue;
      parents.set(pid, Number(parent));
      commands.set(pid, readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " "));
    } catch {
      // It ended while we looked.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  return [...commands].filter(([pid]) => isBelow(pid)).map(([pid, command]) => ({ pid, command }));
}

/** The browser processes that this process started, without their helpers. */
export function browsers(): FoundProcess[] {
  return descendantsOf(process.pid).filter(
    ({ command }) => command.includes("--remote-debugging-pipe") && !command.includes("--type="),
  );
}

/** The processes that render pages. */
export function renderers(): FoundProcess[] {
  return descendantsOf(process.pid).filter(({ command }) => command.includes("--type=renderer"));
}
