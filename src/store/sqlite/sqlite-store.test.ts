import { expect, test } from "bun:test";
import { openStore } from "../open/open-store.ts";
import { RESERVATION } from "../testing/reservation.ts";
import { testSqliteStore } from "../testing/sqlite-store.ts";

testSqliteStore();

test("the sums of a day's sales are kept for 400 days, longer than its payments", async () => {
  const DAY_MS = 86_400_000;
  const clock = { now: 20_000 * DAY_MS };
  const store = openStore(":memory:", () => clock.now);
  const { ledger, view } = store;
  const { payment } = await ledger.reserve({ ...RESERVATION, validBefore: clock.now / 1000 });
  await ledger.move(payment, { state: "settled", lease: false });
  clock.now += 401 * DAY_MS - 1;
  expect(await store.forget(clock.now, 100)).toBe(1);
  expect(await view.sold(0)).toMatchObject([{ payments: 1 }]);
  clock.now += 1;
  await store.forget(clock.now, 100);
  expect(await view.sold(0)).toEqual([]);
  await store.close();
});
