import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "./open-store.ts";
import { RESERVATION as PAYMENT } from "./testing/reservation.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-open-store-"));

afterAll(() => rmSync(folder, { recursive: true }));

test("the file is its owner's alone, and opens again as it was", async () => {
  const path = join(folder, "own.db");
  const first = openStore(path);
  const { payment } = await first.ledger.reserve(PAYMENT);
  await first.ledger.move(payment, { state: "unknown", hold: false, reason: "timeout" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
  await first.close();
  const second = openStore(path);
  expect(await second.ledger.find(PAYMENT)).toMatchObject({ state: "unknown", reason: "timeout" });
  await second.close();
});

test("a file that cannot be made is named with the cause", () => {
  const path = join(import.meta.path, "state.db");
  expect(() => openStore(path)).toThrow(`Cannot open the ledger "${path}": ENOTDIR`);
});

test("a file of a newer version is refused, and left as it is", () => {
  const path = join(folder, "newer.db");
  const newer = new Database(path);
  newer.run("PRAGMA user_version = 99");
  newer.close();
  expect(() => openStore(path)).toThrow("its schema is version 99, this program knows");
});

test("a ledger of the first version keeps its payments, with the token that was their asset", async () => {
  const path = join(folder, "old.db");
  const current = openStore(path);
  await current.close();
  const old = new Database(path);
  // As the first released schema was: nothing of what came later.
  for (const table of ["outbox", "payment_ids"]) old.run(`DROP TABLE ${table}`);
  for (const index of ["open", "by_time", "by_nonce", "by_transaction", "finished"])
    old.run(`DROP INDEX payments_${index}`);
  for (const column of ["cuts", "token", "scheme", "payload", "body_digest"])
    old.run(`ALTER TABLE payments DROP COLUMN ${column}`);
  old.run("PRAGMA user_version = 1");
  old.run(
    `INSERT INTO payments (network, asset, payer_from, nonce, state, attempt, owner, held_until, amount, pay_to, route,
       fingerprint, valid_before, created_at, updated_at)
     VALUES ('eip155:84532', '0xasset', '0xfrom', '0xnonce', 'settled', 1, 'o', 0, '5', '0xto', '/read', 'print', 1, 1, 1)`,
  );
  old.close();
  const store = openStore(path);
  expect(await store.ledger.find(PAYMENT)).toMatchObject({
    state: "settled",
    token: "0xasset",
    scheme: "exact",
    amount: "5",
    payload: "",
    bodyDigest: "",
  });
  await store.close();
});
