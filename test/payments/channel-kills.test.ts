/** The short run of `npm run kills -- --channels N`: channels of gateways that are killed at random moments. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { hasPostgres } from "../../src/store/testing/postgres.ts";
import { hasChain } from "../../src/payments/testing/chain.ts";
import { buyThroughKills } from "./channel-kills.ts";

setDefaultTimeout(patient(180_000));

test.skipIf(!hasChain)("through kills, deliveries, charges and claims of channels agree to the unit", async () => {
  const seed = Date.now() >>> 0;
  // One store in each run, so that the tests take no longer.
  const store = hasPostgres && seed % 2 === 1 ? "postgres" : "sqlite";
  const outcome = await buyThroughKills({ channels: 4, calls: 6, kills: 2, store, seed });
  expect({ seed, store, wrong: outcome.wrong }).toEqual({ seed, store, wrong: [] });
  expect(outcome.payments).toBe(24);
});
