import { availableParallelism, setPriority, totalmem } from "node:os";
import { runWhenIdle } from "./idle-policy.ts";
import { childrenOf, commandOf, type ProcessFacts, processFacts, runnableMs, threadsOf } from "./process-table.ts";

/** Resident memory of one page's process: far above what pages need, far below what a machine can bear. In bytes. */
const MAX_RENDERER_BYTES = 1024 * 1024 * 1024;
/** The same of the browser's main process, which is not a page's alone. */
const MAX_BROWSER_BYTES = 2 * 1024 * 1024 * 1024;
/** Of all processes of pages together, as a share of the machine's memory. */
const MAX_MEMORY_SHARE = 0.5;
/** Threads of one page's process: 10 are the browser's own, and a page may well have a worker for each core. */
const MAX_RENDERER_THREADS = 64 + availableParallelism();
/** A process with so many threads is one of several workers, which together slow others as several such processes would. */
const USUAL_THREADS = 12;
/** CPU time of one page's process. Heavy pages take 3 s. */
const MAX_RENDERER_CPU_MS = 15_000;
const LOOK_EVERY_MS = 100;
/** Processes of pages that started since are found this often; in looks. */
const LOOKS_PER_WALK = 3;
/** Renderers are children of a zygote, which is the browser's child, itself below another one with some sandboxes. */
const MAX_GENERATIONS = 4;

/** Nice values that a page's process gets by the CPU time that it has taken, so that pages that took less go first. @bound */
const NICENESS: readonly (readonly [fromCpuMs: number, nice: number])[] = [
  [1_500, 19],
  [300, 10],
];
/** CPU time from which it runs only when no other process wants to. @bound */
const IDLE_CPU_MS = 4_000;
/** Share of the time that the main thread has work to do while it is flooded, and CPU time of a page's process that may be to blame. */
const BUSY_SHARE = 0.7;
const RELIEF_CPU_MS = 800;

/** A process that was killed is gone within milliseconds; a crash later than this has another cause. */
const KILL_SEEN_MS = 1_000;

/** What the processes of a browser may take. @internal */
export const PROCESS_LIMITS = {
  rendererBytes: MAX_RENDERER_BYTES,
  allRenderersBytes: Math.min(totalmem(), process.constrainedMemory() || totalmem()) * MAX_MEMORY_SHARE,
  rendererThreads: MAX_RENDERER_THREADS,
  rendererCpuMs: MAX_RENDERER_CPU_MS,
};

interface Watched {
  readonly facts: ProcessFacts;
  /** CPU time between the last two looks. */
  readonly recentMs: number;
  readonly isRenderer: boolean;
}

/** Keeps the processes of a browser within bounds: lowers the priority of those that burn, and kills those that take too much. Decision 0903. */
export class ProcessWatch {
  readonly #browser: number;
  readonly #limits: typeof PROCESS_LIMITS;
  #timer: ReturnType<typeof setInterval> | undefined;
  #watchers = 0;
  #looks = 0;
  #watched = new Map<number, Watched>();
  #runnableMs = 0;
  #busyShare = 0;
  #lookedAt = 0;
  #killed = 0;
  /** When it killed processes of pages that took too much by themselves. */
  #excesses: number[] = [];

  constructor(browser: number, limits: Partial<typeof PROCESS_LIMITS> = {}) {
    this.#browser = browser;
    this.#limits = { ...PROCESS_LIMITS, ...limits };
  }

  /** Processes of pages that it has killed so far. */
  get killed(): number {
    return this.#killed;
  }

  /** Whether a page's process that ended just now was killed for what it took by itself. Each kill explains one end. */
  claimExcess(): boolean {
    this.#forgetExcesses();
    return this.#excesses.shift() !== undefined;
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
    return processFacts(this.#browser)?.residentBytes ?? 0;
  }

  /**
   * Tells that the browser's main process is slow to answer. If that is by its own work, the process of the page that
   * burns most ends: pages can flood the main process with calls.
   */
  relieve(): void {
    if (this.#busyShare < BUSY_SHARE) return;
    const burning = [...this.#watched.values()].filter(
      ({ facts, isRenderer, recentMs }) => isRenderer && recentMs > 0 && facts.cpuMs >= RELIEF_CPU_MS,
    );
    const [worst] = burning.toSorted((a, b) => b.facts.cpuMs - a.facts.cpuMs);
    if (worst !== undefined) this.#kill(worst);
  }

  #look(): void {
    const main = processFacts(this.#browser);
    if (main === undefined) return;
    if (main.residentBytes > MAX_BROWSER_BYTES) kill(this.#browser);
    this.#measureBrowser();
    const pids = this.#looks++ % LOOKS_PER_WALK === 0 ? descendants(this.#browser) : [...this.#watched.keys()];
    this.#watched = new Map(pids.flatMap((pid) => this.#watch(pid)));
    for (const watched of this.#watched.values()) {
      if (this.#isTooMuch(watched)) this.#killForExcess(watched);
      else if (watched.isRenderer && watched.recentMs > 0) calm(watched.facts);
    }
    this.#boundMemory();
  }

  #measureBrowser(): void {
    const now = performance.now();
    const before = this.#runnableMs;
    this.#runnableMs = runnableMs(this.#browser);
    this.#busyShare = (this.#runnableMs - before) / (now - this.#lookedAt);
    this.#lookedAt = now;
  }

  #watch(pid: number): (readonly [number, Watched])[] {
    const facts = processFacts(pid);
    if (facts === undefined) return [];
    const before = this.#watched.get(pid);
    const isRenderer = before?.isRenderer ?? commandOf(pid).includes("--type=renderer");
    return [[pid, { facts, isRenderer, recentMs: facts.cpuMs - (before?.facts.cpuMs ?? 0) }]];
  }

  #isTooMuch({ facts, isRenderer }: Watched): boolean {
    const { rendererBytes, rendererThreads, rendererCpuMs } = this.#limits;
    if (facts.residentBytes > rendererBytes) return true;
    return isRenderer && (facts.threads > rendererThreads || facts.cpuMs > rendererCpuMs);
  }

  #boundMemory(): void {
    const renderers = [...this.#watched.values()].filter(({ isRenderer }) => isRenderer);
    const total = renderers.reduce((sum, { facts }) => sum + facts.residentBytes, 0);
    if (total <= this.#limits.allRenderersBytes) return;
    const [largest] = renderers.toSorted((a, b) => b.facts.residentBytes - a.facts.residentBytes);
    if (largest !== undefined) this.#kill(largest);
  }

  #killForExcess(watched: Watched): void {
    this.#forgetExcesses();
    if (watched.isRenderer) this.#excesses.push(performance.now());
    this.#kill(watched);
  }

  #forgetExcesses(): void {
    const oldest = performance.now() - KILL_SEEN_MS;
    this.#excesses = this.#excesses.filter((at) => at >= oldest);
  }

  #kill({ facts, isRenderer }: Watched): void {
    if (isRenderer) this.#killed += 1;
    this.#watched.delete(facts.pid);
    kill(facts.pid);
  }
}

/** Priorities are the threads' own; a thread begins with that of the one that starts it. */
function calm({ pid, cpuMs, threads }: ProcessFacts): void {
  const weight = cpuMs * Math.max(1, threads / USUAL_THREADS);
  const [, nice] = NICENESS.find(([from]) => weight >= from) ?? [];
  if (nice === undefined) return;
  for (const thread of threadsOf(pid)) {
    try {
      if (weight >= IDLE_CPU_MS) runWhenIdle(thread);
      else setPriority(thread, nice);
    } catch {
      // It ended, or has a higher value, which only root may lower.
    }
  }
}

function descendants(root: number): number[] {
  let generation: readonly number[] = [root];
  const found: number[] = [];
  for (let depth = 0; depth < MAX_GENERATIONS && generation.length > 0; depth += 1) {
    generation = generation.flatMap(childrenOf);
    found.push(...generation);
  }
  return found;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
