import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

test("the log of a file may grow beyond the 4 MB after which SQLite itself would copy it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-log-"));
  const path = join(folder, "state.db");
  const store = openStore(path);
  for (let i = 0; i < 80; i++) {
    // oxlint-disable-next-line no-await-in-loop -- each in a transaction of its own
    await store.ledger.reserve({ ...RESERVATION, nonce: String(i), payload: "a".repeat(100_000) });
  }
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(8_000_000);
  await store.close();
  rmSync(folder, { recursive: true });
});
