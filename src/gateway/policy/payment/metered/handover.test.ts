import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { channelNonce } from "../../../../store/channels.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { openPostgresStore } from "../../../../store/postgres/open-postgres-store.ts";
import { type Store } from "../../../../store/store.ts";
import { hasPostgres, sharedPostgres } from "../../../../store/testing/postgres.ts";
import { closeShops, counted, type ShopOptions } from "../testing/shop.ts";
import { handover, HANDOVER_MS } from "./handover.ts";
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
      tie: (...call) => paymentIds.tie(...call),
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

test("a payment that another gateway announced, and did not record, does not end the response", async () => {
  const store = openStore(":memory:");
  let looks = 0;
  const { paymentIds } = store;
  const watched: Store = {
    ...store,
    paymentIds: {
      tie: (...call) => paymentIds.tie(...call),
      find: async (id) => {
        const nonce = await paymentIds.find(id);
        if (nonce !== undefined) looks += 1;
        return nonce;
      },
      untie: (id, fingerprint) => paymentIds.untie(id, fingerprint),
    },
  };
  const sale = await sell({ store: watched });
  const { reader, stream } = await begin(sale);
  const { id } = await sale.channel();
  const at = handover(channelNonce(id, "0"), stream);
  await paymentIds.tie(at, channelNonce(id, "1000"), sale.shop.clock.now + HANDOVER_MS);
  sale.source.send(events(1, 4));
  await seen(reader, HI + events(1, 3));
  await until(() => looks > 1);
  expect((await further(sale.shop, sale.voucher(2000), stream)).status).toBe(200);
  await seen(reader, HI + events(1, 4));
  sale.source.end();
  await settled(sale, { base: "1334", charged: "1334" });
});

test("at another gateway one payment can wait, and the next one is given back", async () => {
  const sale = await sell();
  const elsewhere = await sell({ of: sale });
  const { reader, stream } = await begin(sale);
  sale.source.send(events(1, 2));
  await seen(reader, HI + events(1, 2));
  expect((await further(elsewhere.shop, sale.voucher(2000), stream)).status).toBe(200);
  for (let i = 0; i < 2; i++) {
    const early = await further(elsewhere.shop, sale.voucher(3000), stream);
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await sale.channel()).toMatchObject({ base: "2000", holder: "" });
  }
  expect(counted(elsewhere.shop)).toEqual({
    stages: { signed: 3, verified: 3, settled: 1, delivered: 1 },
    losses: { used: 2 },
  });
  sale.source.end();
  await settled(sale, { base: "667", charged: "667", holder: "" });
});

/** A ledger in which another request has each lease when a charge is deferred. */
const losing: ShopOptions["ledger"] = (real) => ({
  move: async (payment, change) => change.state !== "deferred" && real.move(payment, change),
});

test("at another gateway a payment that another request has since is not taken", async () => {
  const sale = await sell();
  const { reader, stream } = await begin(sale);
  sale.source.send(events(1, 2));
  await seen(reader, HI + events(1, 2));
  const elsewhere = await sell({ of: sale, shop: { ledger: losing } });
  const lost = await further(elsewhere.shop, sale.voucher(2000), stream);
  expect([lost.status, lost.headers.get("retry-after")]).toEqual([409, "1"]);
  const { id } = await sale.channel();
  const at = handover(channelNonce(id, "0"), stream);
  expect(await sale.shop.store.paymentIds.find(at)).toBeUndefined();
  sale.source.end();
  await reader.leave();
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
