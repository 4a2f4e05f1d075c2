/** The short run of `npm run kills -- --sessions N`: callers with sessions at once, of services that are killed at random moments. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { hasPostgres } from "../../src/store/testing/postgres.ts";
import { visitThroughKills } from "./session-kills.ts";

// Each killed service has to start first, and leases of dead processes have to expire.
setDefaultTimeout(patient(180_000));

test("through kills, each caller sees its own logins, and what was acknowledged", async () => {
  const seed = Date.now() >>> 0;
  // One store in each run, so that the tests take no longer.
  const store = hasPostgres && seed % 2 === 1 ? "postgres" : "sqlite";
  const { wrong, pages } = await visitThroughKills({ callers: 2, kills: 2, store, seed });
  expect({ seed, store, wrong }).toEqual({ seed, store, wrong: [] });
  expect(pages).toBeGreaterThan(4);
});
