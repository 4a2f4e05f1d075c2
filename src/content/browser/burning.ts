import { within } from "../../lib/time/within.ts";
import { type CdpFields } from "./program/cdp.ts";

/** A page whose processor time is at least this share of its visit's time used the visit's time up. */
const BURNT_SHARE = 0.5;
/**
 * The same, for a page whose script still runs at the end of the visit and ran for this share of its time. The more
 * processor time a page takes, the lower its priority is (`ProcessWatch`), so it waits for a processor too. BURNT_MS is
 * enough whatever its share: heavy pages take 3 s in all.
 */
const WORKED_SHARE = 0.75;
const BURNT_SHARE_OF_WORK = 0.25;
const BURNT_MS = 4_000;
/** Milliseconds. A browser that does not respond within this time may be busy with other pages. */
const RESPONSE_MS = 1_000;

export interface LateVisit {
  /** Milliseconds that the visit took. */
  readonly elapsedMs: number;
  /** True if the page's script left no time for anything else at the end. */
  readonly isBusy: boolean;
}

type Send = (method: string) => Promise<CdpFields>;

/**
 * True if the processor time of the page's own process used up the visit's time; false if that is not certain. The
 * page's session must have Performance enabled. A script that never ends is interrupted for the response.
 */
export async function hasBurnt(send: Send, { elapsedMs, isBusy }: LateVisit): Promise<boolean> {
  const asked = send("Performance.getMetrics").catch(() => ({}));
  const metrics = metricsOf(await within(RESPONSE_MS, asked, () => ({})));
  // Both values are in seconds: the CPU time of all threads of the process, and the wall clock time of the main
  // thread's tasks.
  const cpuMs = (metrics.get("ProcessTime") ?? 0) * 1000;
  const workedMs = (metrics.get("TaskDuration") ?? 0) * 1000;
  if (cpuMs >= elapsedMs * BURNT_SHARE) return true;
  const hasWorked = isBusy && workedMs >= elapsedMs * WORKED_SHARE;
  return hasWorked && cpuMs >= Math.min(BURNT_MS, elapsedMs * BURNT_SHARE_OF_WORK);
}

function metricsOf({ metrics = [] }: CdpFields): ReadonlyMap<string, number> {
  // The protocol gives an array of these objects.
  const all = metrics as readonly { readonly name: string; readonly value: number }[];
  return new Map(all.map(({ name, value }) => [name, value]));
}
