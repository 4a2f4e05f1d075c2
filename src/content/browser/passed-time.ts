import { within } from "../../lib/time/within.ts";
import { CdpError, type CdpFields } from "./program/cdp.ts";

/** Milliseconds of the page's clock that pass at once, so that timers with a shorter delay run. */
const PASSED_MS = 4_000;

/** Milliseconds of the page's clock before a refresh that is due later, which must not run. */
const BEFORE_REFRESH_MS = 500;

/** Milliseconds of the longest wait for the timers of a page whose requests do not end, and at most half of the whole wait. */
const MAX_UNPAUSED_MS = 500;

/** Milliseconds of the page's clock in one step while another document loads. */
const STEP_MS = 100;
/** Milliseconds that a step waits for the requests of that document, and then for its end. */
const MAX_STEP_MS = 250;

/**
 * Maximum number of tasks while the page's clock stands still, because a timer can start itself again without a delay.
 * Then the clock continues.
 */
const MAX_TASKS_AT_ONCE = 1_000;

export interface ClockedTab {
  call(method: string, params: CdpFields): Promise<CdpFields>;
  /**
   * Resolves when the clock has reached the end of the latest budget, or when the page shows another document: the browser
   * gives it the whole budget again.
   */
  stopped(): Promise<void>;
}

/** The bounds of one move of the clock, in milliseconds. */
export interface Passing {
  /** The longest real time. */
  readonly mostMs: number;
  /** The time until the page refreshes itself. Infinity if it does not. */
  readonly refreshMs: number;
}

/**
 * Moves the clock of a page forward, so that its timers run at once: a timer of three seconds takes some milliseconds.
 * The clock stands still during the page's requests. Afterwards no timer runs in the page any more, not even one of the
 * service's own scripts. Remote browsers that cannot do this ignore it.
 */
export async function passTime(tab: ClockedTab, { mostMs, refreshMs }: Passing): Promise<void> {
  const budget = Math.min(PASSED_MS, refreshMs - BEFORE_REFRESH_MS);
  if (budget <= 0) return;
  const unpausedMs = Math.min(MAX_UNPAUSED_MS, mostMs / 2);
  try {
    const first = { policy: "pauseIfNetworkFetchesPending", budget, mostMs: mostMs - unpausedMs } as const;
    if (await pass(tab, first)) return;
    // A stream of events, for example, does not end.
    await pass(tab, { policy: "advance", budget, mostMs: unpausedMs });
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
  }
}

/**
 * Moves the clock of a page in steps until `isLoaded` returns true: another document loads in the page. A clock that ran
 * freely would run that document's timers too, and a page that reloads itself would never have loaded.
 */
export async function passUntil(tab: ClockedTab, isLoaded: () => boolean): Promise<void> {
  while (!isLoaded()) {
    if (!(await pass(tab, { policy: "pauseIfNetworkFetchesPending", budget: STEP_MS, mostMs: MAX_STEP_MS })))
      // A request of the document does not end.
      await pass(tab, { policy: "advance", budget: STEP_MS, mostMs: MAX_STEP_MS });
  }
}

/** One move of the clock by `budget` milliseconds of the page, for `mostMs` milliseconds at most. */
interface Move {
  readonly policy: "pauseIfNetworkFetchesPending" | "advance";
  readonly budget: number;
  readonly mostMs: number;
}

/** True if the clock has reached the end of the budget in time, or the page shows another document. */
async function pass(tab: ClockedTab, { policy, budget, mostMs }: Move): Promise<boolean> {
  const stopped = tab.stopped();
  const params = { policy, budget, maxVirtualTimeTaskStarvationCount: MAX_TASKS_AT_ONCE };
  await tab.call("Emulation.setVirtualTimePolicy", params);
  return await within(
    mostMs,
    stopped.then(() => true),
    () => false,
  );
}
