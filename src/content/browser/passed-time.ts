import { within } from "../../lib/within.ts";
import { CdpError, type CdpFields } from "./cdp.ts";

/** Milliseconds of the page's clock that pass at once, so that timers with a shorter delay run. */
const PASSED_MS = 4_000;

/** Milliseconds of the page's clock before a refresh that is due later, which must not run. */
const BEFORE_REFRESH_MS = 500;

/** Milliseconds of the longest wait for the timers of a page whose requests do not end, and at most half of the whole wait. */
const MAX_UNPAUSED_MS = 500;

/** Tasks at one moment of the page's clock, after which the clock goes on: a timer can start itself without a delay. */
const MAX_TASKS_AT_ONCE = 1_000;

/** The tab whose clock is moved forward. */
export interface ClockedTab {
  /** Calls a method on the tab. */
  call(method: string, params: CdpFields): Promise<CdpFields>;
  /** Resolves when the clock has reached the end of the latest budget. */
  stopped(): Promise<void>;
}

/** The bounds of one move of the clock, in milliseconds. */
export interface Passing {
  /** The longest real time. */
  readonly mostMs: number;
  /** The page's requests end, as far as is known. Otherwise the clock does not stand still for them. */
  readonly isIdle: boolean;
  /** The time until the page refreshes itself. Infinity if it does not. */
  readonly refreshMs: number;
}

/**
 * Moves the clock of a page forward, so that its timers run at once: a timer of three seconds takes some milliseconds.
 * The clock stands still during the page's requests. Afterwards no timer runs in the page any more, not even one of the
 * service's own scripts. Remote browsers that cannot do this ignore it.
 */
export async function passTime(tab: ClockedTab, { mostMs, isIdle, refreshMs }: Passing): Promise<void> {
  const budget = Math.min(PASSED_MS, refreshMs - BEFORE_REFRESH_MS);
  if (budget <= 0) return;
  const pass = async (policy: string, ms: number): Promise<boolean> => {
    const stopped = tab.stopped();
    const params = { policy, budget, maxVirtualTimeTaskStarvationCount: MAX_TASKS_AT_ONCE };
    await tab.call("Emulation.setVirtualTimePolicy", params);
    return await within(
      ms,
      stopped.then(() => true),
      () => false,
    );
  };
  const unpausedMs = Math.min(MAX_UNPAUSED_MS, mostMs / 2);
  try {
    if (isIdle && (await pass("pauseIfNetworkFetchesPending", mostMs - unpausedMs))) return;
    // A stream of events, for example, does not end.
    await pass("advance", unpausedMs);
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
  }
}

/** Lets the clock of a page run without an end, so that another document can load in it. */
export async function freeClock(tab: Pick<ClockedTab, "call">): Promise<void> {
  await tab.call("Emulation.setVirtualTimePolicy", { policy: "advance" });
}
