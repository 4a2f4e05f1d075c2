/** Refunds while the clock of the database is set: a live request keeps its payment, and that of a killed gateway is free soon. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { type Payment } from "../ledger.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { testPostgresStore } from "../testing/postgres-store.ts";
import { WISH } from "../testing/refunds-contract.ts";
import { RESERVATION } from "../testing/reservation.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const LEASE_MS = 15_000;

setDefaultTimeout(patient(60_000));

testPostgresStore(["refunds"]);

const DAY_MS = 86_400_000;
const BUSY = { kind: "refused", why: "busy" } as const;

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharedPostgres();
  });

  /** A gateway that knows the clock of its database, and a payment whose holder was killed. `pass` moves both clocks. */
  async function begin() {
    const settings = server.settings({ user: await server.newUser() });
    const at = { now: 1_800_000_000_000, steady: 1_000_000 };
    const store = openPostgresStore(
      settings,
      () => at.now,
      () => at.steady,
    );
    await store.ready();
    const pass = async (ms: number): Promise<void> => {
      at.now += ms;
      at.steady += ms;
      // Looks at the clock.
      await store.ready();
    };
    await pass(LEASE_MS);
    const { payment } = await store.ledger.reserve(RESERVATION);
    await store.ledger.move(payment, { state: "settled", lease: true });
    return { store, payment, at, pass, [Symbol.asyncDispose]: () => store.close() };
  }

  const owed = async ({ store, at }: Awaited<ReturnType<typeof begin>>): Promise<readonly Payment[]> =>
    await store.refunds.owed([RESERVATION.payTo.toLowerCase()], at.now + 2 * DAY_MS, 10);

  test("after the clock was set back, the payment of a killed gateway is refunded as soon as the clock is trusted", async () => {
    await using gateway = await begin();
    const { store, payment, at, pass } = gateway;
    at.now -= DAY_MS;
    await pass(0);
    // A gateway that lives has not renewed its leases yet.
    expect([await store.refunds.begin(payment, WISH), await owed(gateway)]).toEqual([BUSY, []]);
    await pass(LEASE_MS - 1);
    expect(await store.refunds.begin(payment, WISH)).toEqual(BUSY);
    await pass(1);
    expect(await owed(gateway)).toMatchObject([{ nonce: payment.nonce }]);
    expect((await store.refunds.begin(payment, WISH)).kind).toBe("begun");
  });

  test("a payment that no request has is refunded at once, whether the clock is trusted or not", async () => {
    await using gateway = await begin();
    const { store, at } = gateway;
    for (const ms of [0, -DAY_MS, 3 * DAY_MS]) {
      at.now += ms;
      const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: `after ${ms}` });
      await store.ledger.move(payment, { state: "settled", lease: false });
      expect((await store.refunds.begin(payment, WISH)).kind).toBe("begun");
    }
  });

  test("after the clock was set forward, no payment is refunded whose response a request may be receiving", async () => {
    await using gateway = await begin();
    const { store, payment, at, pass } = gateway;
    at.now += DAY_MS;
    expect([await store.refunds.begin(payment, WISH), await owed(gateway)]).toEqual([BUSY, []]);
    await pass(0);
    expect([await store.refunds.begin(payment, WISH), await owed(gateway)]).toEqual([BUSY, []]);
    await pass(LEASE_MS);
    expect(await owed(gateway)).toMatchObject([{ nonce: payment.nonce }]);
    expect((await store.refunds.begin(payment, WISH)).kind).toBe("begun");
  });
});
