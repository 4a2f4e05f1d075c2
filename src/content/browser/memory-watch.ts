import { readdirSync, readFileSync } from "node:fs";

/** Resident memory of one page's process: far above what pages need, far below what a machine can bear. In bytes. */
const MAX_RENDERER_BYTES = 1024 * 1024 * 1024;
/** The same of the browser's main process, which is not a page's alone. */
const MAX_BROWSER_BYTES = 2 * 1024 * 1024 * 1024;
const LOOK_EVERY_MS = 200;
/** Renderers are children of a zygote, which is the browser's child, itself below another one with some sandboxes. */
const MAX_GENERATIONS = 4;
/** The unit of /proc/PID/statm on every machine that the browser runs on. */
const PAGE_BYTES = 4096;

/** Kills processes of a browser that take too much memory, such as those of pages that unpack to gigabytes. */
export class MemoryWatch {
  readonly #browser: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #watchers = 0;

  constructor(browser: number) {
    this.#browser = browser;
  }

  /** Watches until as many calls of `leave` came as of this. */
  enter(): void {
    this.#watchers += 1;
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  leave(): void {
    this.#watchers -= 1;
    if (this.#watchers > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Resident memory of the browser's main process. */
  browserBytes(): number {
    return residentBytes(this.#browser);
  }

  #look(): void {
    if (this.browserBytes() > MAX_BROWSER_BYTES) kill(this.#browser);
    for (const pid of descendants(this.#browser)) {
      if (residentBytes(pid) > MAX_RENDERER_BYTES) kill(pid);
    }
  }
}

function descendants(root: number): number[] {
  let generation = [root];
  const found: number[] = [];
  for (let depth = 0; depth < MAX_GENERATIONS && generation.length > 0; depth += 1) {
    generation = generation.flatMap(childrenOf);
    found.push(...generation);
  }
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    // The kernel lists a child under the thread that made it.
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    // It ended while we looked, or the system keeps no such list.
    return [];
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
