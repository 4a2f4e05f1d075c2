import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../open/open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-payment-ids-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("with each new id ten expired ones are deleted, and none that is still bound", async () => {
  const path = join(folder, "ids.db");
  let now = 1000;
  const store = openStore(path, () => now);
  const idsOf = (): number => {
    using database = new Database(path, { readonly: true });
    return database.query<{ count: number }, []>("SELECT count(*) AS count FROM payment_ids").get()?.count ?? -1;
  };
  const tie = (id: string, until: number): Promise<string> =>
    store.paymentIds.tie({ payer: "0xfrom", id }, "print", until);
  for (let i = 0; i < 15; i++) await tie(`short-${i}`, 2000);
  await tie("long", 9000);
  expect(idsOf()).toBe(16);
  now = 2000;
  await tie("new-1", 9000);
  expect(idsOf()).toBe(7);
  await tie("new-2", 9000);
  expect(idsOf()).toBe(3);
  await store.close();
});
