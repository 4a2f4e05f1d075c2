/** The short run of `npm run kills`: gateways that are killed at random moments, on each store. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { hasPostgres } from "../../src/store/testing/postgres.ts";
import { sellThroughKills } from "./kills.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Each killed gateway has to start first, and leases of dead processes have to expire.
setDefaultTimeout(patient(180_000));

/** `TURNPIKE_TEST_KILLS` sets another number. */
const KILLS = Number(Bun.env["TURNPIKE_TEST_KILLS"] ?? 4);

const RUNS = [
  ["payment", "sqlite", "before"],
  ["payment", "sqlite", "after"],
  ["payment", "postgres", "before"],
  ["credit", "sqlite", "after"],
  ["credit", "postgres", "before"],
] as const;

for (const [pay, store, settle] of RUNS) {
  test.concurrent.skipIf(store === "postgres" && !hasPostgres)(
    `${pay}, settle ${settle} on ${store}: killed ${KILLS} times, every charged request gets its response in the end`,
    async () => {
      const seed = Date.now() >>> 0;
      const outcome = await sellThroughKills({ kills: KILLS, pay, store, settle, seed });
      expect({ seed, lost: outcome.lost, wrong: outcome.wrong }).toEqual({ seed, lost: [], wrong: [] });
      expect(outcome.payments).toBeGreaterThan(KILLS);
    },
  );
}
