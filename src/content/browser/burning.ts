import { type CdpFields } from "./cdp.ts";

/** A page that took so much of its visit's time as processor time used the visit up. */
const BURNT_SHARE = 0.5;
/**
 * The same of a page that still works at the end and worked most of the time: the more it takes, the lower its priority is
 * (`ProcessWatch`), so that it waits for a processor too. Beyond BURNT_MS its share says nothing: heavy pages take 3 s in all.
 */
const WORKED_SHARE = 0.75;
const BURNT_SHARE_OF_WORK = 0.25;
const BURNT_MS = 4_000;
/** A browser that does not answer within this time may be busy with other pages. */
const RESPONSE_MS = 1_000;

/** One that timed out. */
export interface LateVisit {
  /** Milliseconds that the visit took. */
  readonly elapsedMs: number;
  /** Whether the page's script left no time for anything else at its end. */
  readonly isBusy: boolean;
}

/** Calls a method of the page's session. */
type Send = (method: string) => Promise<CdpFields>;

/**
 * Whether the processor time of the page's own process used the visit's time up. False where that is not certain. The page's
 * session must have Performance enabled; a script that never ends is interrupted for the response. Decision 0905.
 */
export async function hasBurnt(send: Send, { elapsedMs, isBusy }: LateVisit): Promise<boolean> {
  const asked = send("Performance.getMetrics").catch(() => ({}));
  const metrics = metricsOf(await Promise.race([asked, Bun.sleep(RESPONSE_MS).then(() => ({}))]));
  // Both in seconds: of the process's threads together, and by the clock of the main thread's tasks.
  const cpuMs = (metrics.get("ProcessTime") ?? 0) * 1000;
  const workedMs = (metrics.get("TaskDuration") ?? 0) * 1000;
  if (cpuMs >= elapsedMs * BURNT_SHARE) return true;
  const hasWorked = isBusy && workedMs >= elapsedMs * WORKED_SHARE;
  return hasWorked && cpuMs >= Math.min(BURNT_MS, elapsedMs * BURNT_SHARE_OF_WORK);
}

function metricsOf({ metrics = [] }: CdpFields): ReadonlyMap<string, number> {
  // The protocol gives an array of these.
  const all = metrics as readonly { readonly name: string; readonly value: number }[];
  return new Map(all.map(({ name, value }) => [name, value]));
}
