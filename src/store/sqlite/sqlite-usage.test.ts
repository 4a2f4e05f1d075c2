import { expect, test } from "bun:test";
import { openStore } from "../open/open-store.ts";
import { RESERVATION } from "../testing/reservation.ts";
import { testSqliteStore } from "../testing/sqlite-store.ts";

testSqliteStore(["usage"]);

test("new payments are written between the transactions that count a thousand settled payments each", async () => {
  const store = openStore(":memory:");
  const { ledger, usage } = store;
  const nonces = Array.from({ length: 2000 }, (_, i) => `0x${i}`);
  const claims = await Promise.all(nonces.map((nonce) => ledger.reserve({ ...RESERVATION, nonce })));
  await Promise.all(claims.map(({ payment }) => ledger.move(payment, { state: "settled", lease: false })));
  const written: string[] = [];
  await Promise.all([
    ledger.reserve(RESERVATION).then(() => written.push("payment")),
    usage.add({ gateway: "g", sequence: 1, routes: [], upstreams: [], funnel: [] }).then(() => written.push("usage")),
  ]);
  expect(written).toEqual(["payment", "usage"]);
  expect((await usage.read("g")).paid).toMatchObject([{ payments: 2000 }]);
  await store.close();
});
