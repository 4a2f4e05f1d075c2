/** The leases of payments: how long they last, and how a process renews, loses and forgets them. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import {
  expectBoundedReaping,
  expectForgottenLeases,
  expectLongLeases,
  expectReturnedCredit,
} from "../testing/long-leases.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { startRelay } from "../testing/relay.ts";
import { RESERVATION as PAYMENT } from "../testing/reservation.ts";
import { Database } from "./database.ts";
import { PostgresLedger } from "./ledger.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const LEASE_MS = 15_000;
const RECHECK_MS = 30_000;

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  test("leases end with their payments, or after a long time without progress", async () => {
    const clock = { now: 1_800_000_000_000 };
    const now = (): number => clock.now;
    const database = new Database(server.settings({ user: await server.newUser() }), now);
    const ledger = new PostgresLedger(database, now);
    await expectLongLeases({ ledger, clock, tend: () => ledger.tend() });
    await ledger.close();
    await database.close();
  });

  test("one renewal deletes a thousand payments at most", async () => {
    const clock = { now: 1_800_000_000_000 };
    const now = (): number => clock.now;
    const user = await server.newUser();
    const database = new Database(server.settings({ user }), now);
    const [ledger, dead] = [new PostgresLedger(database, now), new PostgresLedger(database, now)];
    // This stops their timers.
    await Promise.all([ledger.close(), dead.close()]);
    const payments = `SELECT count(*) FROM ${user}.turnpike_payments`;
    const left = async (): Promise<number> => Number((await server.query(payments))[0]?.[0]);
    await expectBoundedReaping({ ledger, clock, tend: () => ledger.tend() }, dead, left);
    await database.close();
  });

  test("the credit that a dead process had reserved is returned by another one, when the lease has ended", async () => {
    const clock = { now: 1_800_000_000_000 };
    const now = (): number => clock.now;
    const settings = server.settings({ user: await server.newUser() });
    const store = openPostgresStore(settings, now);
    await store.ready();
    const database = new Database(settings, now);
    const [ledger, dead] = [new PostgresLedger(database, now), new PostgresLedger(database, now)];
    // This stops their timers.
    await Promise.all([ledger.close(), dead.close()]);
    await expectReturnedCredit({ ledger, clock, tend: () => ledger.tend() }, dead, store.credits);
    await store.close();
    await database.close();
  });

  test("a process forgets a lease when it ends, and when another process has taken it over", async () => {
    const clock = { now: 1_800_000_000_000 };
    const now = (): number => clock.now;
    const settings = server.settings({ user: await server.newUser() });
    const databases = [1, 2].map(() => new Database(settings, now)) as [Database, Database]; // one of each item
    const [ledger, other] = [new PostgresLedger(databases[0], now), new PostgresLedger(databases[1], now)];
    await Promise.all([ledger.tend(), other.tend()]);
    await expectForgottenLeases({ ledger, clock, tend: () => ledger.tend() }, other);
    for (const closed of [ledger, other, ...databases]) await closed.close();
  });

  test("a ledger reads the clock at its first use, and takes over leases that have expired by it", async () => {
    const clock = { now: 1_800_000_000_000 };
    const now = (): number => clock.now;
    const settings = server.settings({ user: await server.newUser() });
    const databases = [1, 2, 3].map(() => new Database(settings, now));
    const [holder, asker, claimer] = databases.map((database) => new PostgresLedger(database, now));
    const { payment } = (await holder?.reserve(PAYMENT)) ?? {};
    const { payment: begun } = (await holder?.reserve({ ...PAYMENT, nonce: "open" })) ?? {};
    if (payment === undefined || begun === undefined) throw new Error("Nothing is held");
    await holder?.move(begun, { state: "settling", lease: true });
    await asker?.reserve({ ...PAYMENT, nonce: "another" });
    await claimer?.claimOpen(1);
    clock.now += LEASE_MS;
    expect((await asker?.reserve(PAYMENT))?.leased).toBe(false);
    expect(await claimer?.claimOpen(5)).toEqual([]);
    clock.now += RECHECK_MS;
    expect((await asker?.reserve(PAYMENT))?.leased).toBe(true);
    expect((await claimer?.claimOpen(5))?.map(({ nonce }) => nonce)).toEqual(["open"]);
    for (const ledger of [holder, asker, claimer]) await ledger?.close();
    for (const database of databases) await database.close();
  });

  test("renewals are lost while the database is unavailable, and continue later", async () => {
    const database = new Database(server.settings({ user: await server.newUser() }));
    const ledger = new PostgresLedger(database, () => performance.now());
    await ledger.reserve(PAYMENT);
    await database.close();
    await ledger.tend();
    await ledger.tend();
    await ledger.close();
  });

  test("a lease is renewed, but a lease whose response was lost expires", async () => {
    const clock = { now: 1_800_000_000_000 };
    const now = (): number => clock.now;
    const settings = server.settings({ user: await server.newUser() });
    const other = openPostgresStore(settings, now);
    await other.ready();
    using relay = await startRelay(server.port);
    const target = { ...settings.target, port: relay.port };
    const database = new Database({ ...settings, target, statementMs: patient(100), size: 1 }, now);
    const ledger = new PostgresLedger(database, now);
    // This stops its timer: a renewal that runs already would take the place of the one below.
    await ledger.close();
    expect((await ledger.reserve({ ...PAYMENT, nonce: "0xkept" })).leased).toBe(true);
    relay.loses = true;
    const [said, waited] = ["0xlost", "0xagain"].map((nonce) => ledger.reserve({ ...PAYMENT, nonce }).catch(String));
    expect(await said).toContain("did not respond");
    expect(await waited).toContain("no connection was free");
    relay.loses = false;
    expect(await other.ledger.find({ ...PAYMENT, nonce: "0xlost" })).toMatchObject({ state: "reserved" });
    // A request in the meantime learns only that the payment has a lease.
    expect((await ledger.reserve({ ...PAYMENT, nonce: "0xlost" })).leased).toBe(false);
    clock.now += LEASE_MS - 1;
    await ledger.tend();
    clock.now += 2;
    expect((await other.ledger.reserve({ ...PAYMENT, nonce: "0xkept" })).leased).toBe(false);
    expect((await other.ledger.reserve({ ...PAYMENT, nonce: "0xlost" })).leased).toBe(true);
    // A later response says that the process has the lease.
    expect((await ledger.reserve({ ...PAYMENT, nonce: "0xagain" })).leased).toBe(true);
    clock.now += LEASE_MS - 1;
    await ledger.tend();
    clock.now += 2;
    expect((await other.ledger.reserve({ ...PAYMENT, nonce: "0xagain" })).leased).toBe(false);
    await Promise.all([database.close(), other.close()]);
  });
});
