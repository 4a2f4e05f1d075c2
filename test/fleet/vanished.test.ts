/** Packets to other machines vanish, as behind a firewall that drops them: each dependency has a time limit. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { canMakeNetwork, runInOwnNetwork } from "../../src/lib/testing/own-network.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(120_000));

if (!canMakeNetwork) console.log("Skipped: this system allows no network namespace");

test.skipIf(!canMakeNetwork)("every request gets a response while packets to other machines vanish", () => {
  expect(runInOwnNetwork(new URL("vanished-program.ts", import.meta.url))).toEqual({
    connection: "vanished",
    free: 200,
    // Redis: the gateway limits by itself.
    limited: 200,
    // The facilitator: nothing is charged.
    paid: 503,
    gone: 504,
    // One of two servers of an upstream.
    both: [200, 200, 200, 200, 200, 200],
    database: expect.stringMatching(/ended with 1: [^]*database/),
    remote: "there is no response within 5000 ms",
  });
});
