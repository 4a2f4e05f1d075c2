import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RESERVATION as PAYMENT } from "./testing/reservation.ts";
import { HOLD_MS, type PaymentState } from "./ledger.ts";
import { openStore } from "./open-store.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(30_000);

/** Takes a payment so far, says so, and waits to be killed. */
const CHILD = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "open-store.ts"))};
  const [path, payment, states] = process.argv.slice(1);
  const { ledger } = openStore(path);
  const claim = await ledger.reserve(JSON.parse(payment));
  for (const state of JSON.parse(states)) await ledger.move(claim.payment, { state, hold: true });
  console.log("ready");
  setInterval(() => {}, 1000);
`;

const STEPS: readonly (readonly [states: readonly PaymentState[], after: PaymentState])[] = [
  [[], "reserved"],
  [["verified"], "reserved"],
  [["verified", "settling"], "unknown"],
  [["verified", "settling", "settled"], "settled"],
];

for (const [states, after] of STEPS) {
  test(`killed when ${states.at(-1) ?? "reserved"}, the payment is ${after} to the client's retry`, async () => {
    const path = join(mkdtempSync(join(tmpdir(), "turnpike-crash-")), "state.db");
    const child = Bun.spawn([process.execPath, "-e", CHILD, path, JSON.stringify(PAYMENT), JSON.stringify(states)], {
      stdout: "pipe",
    });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("ready\n");
    child.kill("SIGKILL");
    await child.exited;

    const early = openStore(path);
    expect(await early.ledger.find(PAYMENT)).toMatchObject({ state: states.at(-1) ?? "reserved" });
    expect((await early.ledger.reserve(PAYMENT)).held).toBe(false);
    await early.close();

    const later = openStore(path, () => Date.now() + HOLD_MS + 1);
    expect(await later.ledger.reserve(PAYMENT)).toMatchObject({ held: true, payment: { state: after, attempt: 2 } });
    await later.close();
  });
}
