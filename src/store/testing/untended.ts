import { spyOn } from "bun:test";
import { LEASE_MS } from "../ledger.ts";

/**
 * Opens a store whose leases end by the clock of the test alone. Its timer would renew them in real time, also those of a gateway
 * that the test takes for dead.
 */
export function untended<S>(open: () => S): S {
  using timers = spyOn(globalThis, "setInterval");
  const store = open();
  for (const [i, [, ms]] of timers.mock.calls.entries()) {
    if (ms === LEASE_MS / 3) clearInterval(timers.mock.results[i]?.value as NodeJS.Timeout); // the value of setInterval
  }
  return store;
}
