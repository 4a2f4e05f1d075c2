import { expect, test } from "bun:test";
import { openStore } from "../../../store/open/open-store.ts";
import { RESERVATION } from "../../../store/testing/reservation.ts";
import { readPayments } from "./read-payments.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2027, 0, 15, 12);

test("the summary has the sales of thirty days with today, the newest first, and the newest fifty payments", async () => {
  let now = NOW;
  const store = openStore(":memory:", () => now);
  for (let n = 64; n >= 0; n--) {
    // Two payments a day.
    now = NOW - Math.floor(n / 2) * DAY_MS - n;
    // oxlint-disable-next-line no-await-in-loop -- in the order of their times
    const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: `0x${n}`, amount: "2" });
    // oxlint-disable-next-line no-await-in-loop -- as above
    await store.ledger.move(payment, { state: "settled", lease: false });
  }
  expect(await readPayments(store.view, NOW)).toMatchObject({
    days: Array.from({ length: 30 }, (_, n) => ({
      day: new Date(NOW - n * DAY_MS).toISOString().slice(0, 10),
      amount: "4",
      payments: 2,
    })),
    recent: Array.from({ length: 50 }, (_, n) => ({ id: `0x${n}` })),
  });
  await store.close();
});
