import { availableParallelism, setPriority, totalmem } from "node:os";
import { runWhenIdle } from "./idle-policy.ts";
import {
  childrenOf,
  commandOf,
  isRunnable,
  killQuietly,
  type ProcessFacts,
  processFacts,
  runnableMs,
  threadsOf,
} from "./process-table.ts";

/**
 * Bytes of resident memory of one page's process, which is killed above it. @operator Pages need far less,
 * and machines have far more.
 */
const MAX_RENDERER_BYTES = 1024 * 1024 * 1024;
/** The same for the browser's main process, which all pages share. */
const MAX_BROWSER_BYTES = 2 * 1024 * 1024 * 1024;
/** Resident memory of all pages' processes together, as a share of the machine's memory. @operator */
const MAX_MEMORY_SHARE = 0.5;
/**
 * Maximum number of threads of one page's process: the browser has 10 of its own, and a page may have a worker for each
 * core.
 */
const MAX_RENDERER_THREADS = 64 + availableParallelism();
/** A process with more threads has several workers. Together they slow other pages down as several processes would. */
const USUAL_THREADS = 12;
/** Milliseconds of CPU time of one page's process. Heavy pages take 3 s. */
const MAX_RENDERER_CPU_MS = 15_000;
/**
 * Milliseconds of CPU time of the process that draws for all pages, without a pause. It does what a page asked of it
 * after the page was closed too, and draws nothing else in that time. It is killed above this, and the browser starts
 * another one.
 */
const MAX_DRAWING_CPU_MS = 5_000;
/** Milliseconds in which its threads run or wait for a processor between two checks. With less, it has paused. */
const PAUSE_RUNNABLE_MS = 50;
const LOOK_EVERY_MS = 100;
/** Number of checks between two searches for new processes of pages. */
const LOOKS_PER_WALK = 3;
/**
 * Renderers are children of a zygote, which is a child of the browser. With some sandboxes the zygote has another
 * zygote as its parent.
 */
const MAX_GENERATIONS = 4;

/** Nice values for a page's process by the CPU time that it has used, so that pages that used less run first. @bound */
const NICENESS: readonly (readonly [fromCpuMs: number, nice: number])[] = [
  [1_500, 19],
  [300, 10],
];
/** Milliseconds of CPU time after which a process runs only when no other process wants the processor. @bound */
const IDLE_CPU_MS = 4_000;
/**
 * If the browser's main thread is busy for this share of the time, a page may flood it with calls. Only processes of
 * pages with more than these milliseconds of CPU time can be the cause.
 */
const BUSY_SHARE = 0.7;
const RELIEF_CPU_MS = 800;

/**
 * Milliseconds after the end of a killed process in which the browser reports it; a crash later than this has another cause. The end
 * itself can take seconds: hundreds of threads of the lowest priority exit one by one.
 */
const KILL_SEEN_MS = 3_000;

/** The words of a command line that name the type of a process. */
const RENDERER = "--type=renderer";
const DRAWING = "--type=gpu-process";

/** Limits of a browser's processes. @internal */
export const PROCESS_LIMITS = {
  rendererBytes: MAX_RENDERER_BYTES,
  allRenderersBytes: Math.min(totalmem(), process.constrainedMemory() || totalmem()) * MAX_MEMORY_SHARE,
  rendererThreads: MAX_RENDERER_THREADS,
  rendererCpuMs: MAX_RENDERER_CPU_MS,
  drawingCpuMs: MAX_DRAWING_CPU_MS,
  idleCpuMs: IDLE_CPU_MS,
  reliefCpuMs: RELIEF_CPU_MS,
};

interface Watched {
  readonly facts: ProcessFacts;
  /** Milliseconds of CPU time between the last two checks. */
  readonly recentMs: number;
  readonly isRenderer: boolean;
  /** Undefined if it does not draw. */
  readonly drawing: Drawing | undefined;
}

/** The work of the process that draws. Both values are in milliseconds. */
interface Drawing {
  readonly runnableMs: number;
  /** CPU time since it paused last. */
  readonly unpausedMs: number;
}

/**
 * Limits the resources of a browser's processes: lowers the priority of those that use much CPU time, and kills those
 * that exceed a limit. That needs no cgroup and no privileges. The process that draws for all pages is killed too if it does not
 * pause, because it finishes a closed page's drawing first: one shader kept it busy for over a minute.
 */
export class ProcessWatch {
  readonly #browser: number;
  readonly #limits: typeof PROCESS_LIMITS;
  readonly #clock: () => number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #watchers = 0;
  #looks = 0;
  #watched = new Map<number, Watched>();
  #runnableMs = 0;
  #busyShare = 0;
  #lookedAt = 0;
  #killed = 0;
  /** The processes of pages that it killed because they exceeded a limit by themselves, and when each was seen to have ended. */
  #excesses: { readonly pid: number; endedAt: number | undefined }[] = [];

  /** `clock` returns monotonic milliseconds. */
  constructor(
    browser: number,
    limits: Partial<typeof PROCESS_LIMITS> = {},
    clock: () => number = () => performance.now(),
  ) {
    this.#browser = browser;
    this.#limits = { ...PROCESS_LIMITS, ...limits };
    this.#clock = clock;
  }

  /** Processes of pages that it has killed so far. */
  get killed(): number {
    return this.#killed;
  }

  /**
   * True if a page's process that ended just now was killed because it exceeded a limit by itself. Each kill explains
   * one end.
   */
  claimExcess(): boolean {
    this.#forgetExcesses();
    return this.#excesses.shift() !== undefined;
  }

  /** Starts the watch. It runs until `leave` was called as often as this, and the process that draws has paused. */
  enter(): void {
    this.#watchers += 1;
    // Pages that were killed before are closed.
    if (this.#timer === undefined) this.#excesses = [];
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  leave(): void {
    this.#watchers -= 1;
    this.#stopIfIdle();
  }

  /** Bytes of resident memory of the browser's main process. */
  browserBytes(): number {
    return processFacts(this.#browser)?.residentBytes ?? 0;
  }

  /**
   * Reports that the browser's main process responds slowly. If its own work is the cause, the page's process with the
   * most CPU time is killed, because a page can flood the main process with calls.
   */
  relieve(): void {
    if (this.#busyShare < BUSY_SHARE) return;
    const burning = [...this.#watched.values()].filter(
      ({ facts, isRenderer, recentMs }) => isRenderer && recentMs > 0 && facts.cpuMs >= this.#limits.reliefCpuMs,
    );
    const [worst] = burning.toSorted((a, b) => b.facts.cpuMs - a.facts.cpuMs);
    if (worst !== undefined) this.#kill(worst);
  }

  #stopIfIdle(): void {
    if (this.#watchers > 0 || this.#watched.values().some(({ drawing }) => (drawing?.unpausedMs ?? 0) > 0)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    this.#lookAtAll();
    this.#stopIfIdle();
  }

  #lookAtAll(): void {
    const main = processFacts(this.#browser);
    if (main === undefined) return this.#watched.clear();
    this.#forgetExcesses();
    if (main.residentBytes > MAX_BROWSER_BYTES) killQuietly(this.#browser);
    this.#measureBrowser();
    const pids = this.#looks++ % LOOKS_PER_WALK === 0 ? descendants(this.#browser) : [...this.#watched.keys()];
    this.#watched = new Map(pids.flatMap((pid) => this.#watch(pid)));
    for (const watched of this.#watched.values()) {
      if (this.#isTooMuch(watched)) this.#killForExcess(watched);
      else if (watched.isRenderer && watched.recentMs > 0) lowerPriority(watched.facts, this.#limits.idleCpuMs);
    }
    this.#boundMemory();
  }

  #measureBrowser(): void {
    const now = this.#clock();
    const before = this.#runnableMs;
    this.#runnableMs = runnableMs(this.#browser);
    this.#busyShare = (this.#runnableMs - before) / (now - this.#lookedAt);
    this.#lookedAt = now;
  }

  #watch(pid: number): (readonly [number, Watched])[] {
    const facts = processFacts(pid);
    if (facts === undefined) return [];
    const before = this.#watched.get(pid);
    const recentMs = facts.cpuMs - (before?.facts.cpuMs ?? 0);
    const type = before === undefined ? typeOf(pid) : undefined;
    const isRenderer = before?.isRenderer ?? type === RENDERER;
    const isDrawing = before === undefined ? type === DRAWING : before.drawing !== undefined;
    const drawing = isDrawing ? drawingOf(pid, before?.drawing, recentMs) : undefined;
    return [[pid, { facts, isRenderer, drawing, recentMs }]];
  }

  #isTooMuch({ facts, isRenderer, drawing }: Watched): boolean {
    const { rendererBytes, rendererThreads, rendererCpuMs, drawingCpuMs } = this.#limits;
    if (facts.residentBytes > rendererBytes || (drawing?.unpausedMs ?? 0) > drawingCpuMs) return true;
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
    if (watched.isRenderer) this.#excesses.push({ pid: watched.facts.pid, endedAt: undefined });
    this.#kill(watched);
  }

  #forgetExcesses(): void {
    const now = this.#clock();
    for (const excess of this.#excesses) if (processFacts(excess.pid) === undefined) excess.endedAt ??= now;
    this.#excesses = this.#excesses.filter(({ endedAt = now }) => now - endedAt <= KILL_SEEN_MS);
  }

  #kill({ facts, isRenderer }: Watched): void {
    if (isRenderer) this.#killed += 1;
    this.#watched.delete(facts.pid);
    killQuietly(facts.pid);
  }
}

/**
 * Lowers a process's priority. Priorities belong to threads, and a thread begins with the priority of the thread that
 * starts it.
 */
function lowerPriority({ pid, cpuMs, threads }: ProcessFacts, idleCpuMs: number): void {
  const weight = cpuMs * Math.max(1, threads / USUAL_THREADS);
  const [, nice] = NICENESS.find(([from]) => weight >= from) ?? [];
  if (nice === undefined && weight < idleCpuMs) return;
  for (const thread of threadsOf(pid)) {
    try {
      if (weight >= idleCpuMs) runWhenIdle(thread);
      else if (nice !== undefined) setPriority(thread, nice);
    } catch {
      // The thread ended, or it has a higher nice value, which only root can lower.
    }
  }
}

function drawingOf(pid: number, before: Drawing | undefined, recentMs: number): Drawing {
  const threads = threadsOf(pid);
  const runnable = threads.reduce((sum, thread) => sum + runnableMs(pid, thread), 0);
  const isShort = runnable - (before?.runnableMs ?? 0) < PAUSE_RUNNABLE_MS;
  const isPaused = isShort && !threads.some((thread) => isRunnable(pid, thread));
  return { runnableMs: runnable, unpausedMs: isPaused ? 0 : (before?.unpausedMs ?? 0) + recentMs };
}

function typeOf(pid: number): string | undefined {
  return commandOf(pid).find((word) => word === RENDERER || word === DRAWING);
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
