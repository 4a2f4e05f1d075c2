import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../../lib/testing/patience.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { openPostgresStore } from "../../../../store/postgres/open-postgres-store.ts";
import { type Store } from "../../../../store/store.ts";
import { hasPostgres, sharedPostgres } from "../../../../store/testing/postgres.ts";
import { closeShops } from "../testing/shop.ts";
import { begin, events, further, HI, seen, sell, settled } from "./testing/metered-sale.ts";

setDefaultTimeout(patient(40_000));

afterAll(closeShops);

async function handOver(stores: readonly Store[]): Promise<void> {
  const [here, there = here] = stores;
  const sale = await sell(here === undefined ? {} : { store: here });
  const elsewhere = await sell(there === undefined ? { of: sale } : { of: sale, store: there });
  const { reader, stream } = await begin(sale);
  sale.source.send(events(1, 5));
  await seen(reader, HI + events(1, 3));
  expect((await further(elsewhere.shop, sale.voucher(2000), stream)).status).toBe(200);
  await seen(reader, HI + events(1, 5));
  // One that waits there when the response ends is given back.
  expect((await further(elsewhere.shop, sale.voucher(3000), stream)).status).toBe(200);
  expect((await further(elsewhere.shop, sale.voucher(3000), stream)).status).toBe(200);
  await settled(sale, { base: "3000" });
  sale.source.end();
  await settled(sale, { charged: "1667", base: "1667" });
  expect((await further(elsewhere.shop, sale.voucher(2667), stream)).status).toBe(409);
  expect(await sale.channel()).toMatchObject({ base: "1667", charged: "1667", holder: "" });
  expect([sale.shop.runs, elsewhere.shop.runs]).toEqual([1, 0]);
}

test("a payment that came to another gateway is given back if the ledger fails while it is taken", async () => {
  const store = openStore(":memory:");
  const { paymentIds } = store;
  const failing: Store = {
    ...store,
    paymentIds: {
      tie: (id, fingerprint, until) => paymentIds.tie(id, fingerprint, until),
      find: (id) => paymentIds.find(id),
      untie: () => Promise.reject(new Error("the ledger is away")),
    },
  };
  const sale = await sell({ store: failing });
  const elsewhere = await sell({ of: sale, store });
  const { reader, stream } = await begin(sale);
  sale.source.send(events(1, 5));
  await seen(reader, HI + events(1, 3));
  expect((await further(elsewhere.shop, sale.voucher(2000), stream)).status).toBe(200);
  await settled(sale, { base: "1000", charged: "1000" });
});

describe("a further payment can come to another gateway of the same ledger", () => {
  test("in SQLite", () => handOver([]));

  test.skipIf(!hasPostgres)("in PostgreSQL", async () => {
    const database = await sharedPostgres();
    const user = await database.newUser();
    const stores = [0, 1].map(() => openPostgresStore(database.settings({ user })));
    await Promise.all(stores.map((store) => store.ready()));
    await handOver(stores);
  });
});
