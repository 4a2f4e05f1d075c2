/** Work of the database besides sales: tables, renewals of leases, counts, and deletions. */
import { beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { type Store } from "../store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { CREDIT } from "../testing/credits-contract.ts";
import { RESERVATION as PAYMENT } from "../testing/reservation.ts";
import { statement } from "./connection.ts";
import { Database } from "./database.ts";
import { PostgresLedger } from "./ledger.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { type PoolSettings } from "./pool.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_GATEWAYS = 1000;
const OLD_DAYS_MS = 300_000;

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  async function open(
    changes: Partial<PoolSettings> = {},
    now?: () => number,
  ): Promise<AsyncDisposable & { store: Store; user: string; settings: PoolSettings }> {
    const user = await server.newUser();
    const settings = server.settings({ user, ...changes });
    const store = openPostgresStore(settings, now);
    await store.ready();
    return { store, user, settings, [Symbol.asyncDispose]: () => store.close() };
  }

  test("the first statement on an empty database waits for its tables, whatever kind it is", async () => {
    const rows = "SELECT count(*) FROM turnpike_payments";
    const ways: ((database: Database) => Promise<unknown>)[] = [
      (database) => database.transaction("", (run) => run(rows)),
      (database) => database.durable(statement(rows), []),
      (database) => database.quick(statement(rows), []),
      (database) => database.read(statement(rows), []),
    ];
    for (const way of ways) {
      const database = new Database(server.settings({ user: await server.newUser(), size: 2 }));
      await way(database);
      await database.close();
    }
  });

  test("a gateway whose clock is days ahead deletes no payment that the database knows as new", async () => {
    await using opened = await open();
    const { store } = opened;
    const validBefore = Math.floor(Date.now() / 1000) - 3600;
    const { payment } = await store.ledger.reserve({ ...PAYMENT, validBefore });
    await store.ledger.move(payment, { state: "settled", lease: false });
    const DAY_MS = 86_400_000;
    const real = Date.now;
    const clock = spyOn(Date, "now").mockImplementation(() => real() + 3 * DAY_MS);
    expect(await store.forget(Date.now() - DAY_MS, 8)).toBe(0);
    await server.query(`UPDATE ${opened.user}.turnpike_payments SET updated_at = updated_at - ${DAY_MS + 1}`);
    expect(await store.forget(Date.now() - DAY_MS, 8)).toBe(1);
    clock.mockRestore();
  });

  test("a gateway whose clock is days ahead finds no payment owed for days that the database knows as new", async () => {
    await using opened = await open();
    const { store } = opened;
    const { payment } = await store.ledger.reserve(PAYMENT);
    await store.ledger.move(payment, { state: "settled", lease: false });
    const DAY_MS = 86_400_000;
    const real = Date.now;
    const clock = spyOn(Date, "now").mockImplementation(() => real() + 3 * DAY_MS);
    const owed = () => store.refunds.owed([PAYMENT.payTo.toLowerCase()], Date.now() - DAY_MS, 8);
    expect(await owed()).toEqual([]);
    await server.query(`UPDATE ${opened.user}.turnpike_payments SET updated_at = updated_at - ${DAY_MS + 1}`);
    expect(await owed()).toHaveLength(1);
    clock.mockRestore();
  });

  test("an id that a gateway with a slow clock binds stays bound for its time", async () => {
    await using opened = await open();
    const { paymentIds } = opened.store;
    const id = { payer: "0xa", id: "sign-in:1" };
    const real = Date.now;
    const clock = spyOn(Date, "now").mockImplementation(() => real() - 3_600_000);
    const until = Date.now() + 600_000;
    expect([await paymentIds.tie(id, "first", until), await paymentIds.tie(id, "second", until)]).toEqual([
      "first",
      "first",
    ]);
    clock.mockRestore();
  });

  test("a gateway whose clock is wrong delays no settlement record", async () => {
    await using opened = await open();
    const { ledger, outbox } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    await ledger.move(payment, {
      state: "settled",
      lease: false,
      notice: { id: "a", url: "https://a.example", body: "" },
    });
    const due = () => server.query(`SELECT due_at < ${Date.now() + 600_000} AS d FROM ${opened.user}.turnpike_outbox`);
    const real = Date.now;
    const clock = spyOn(Date, "now").mockImplementation(() => real() + 3_600_000);
    await outbox.claim(1);
    await outbox.postpone("a", 5000);
    clock.mockRestore();
    expect(await due()).toEqual([["t"]]);
  });

  test.each([-1, 1])("credit ends by the database's clock if the gateway's is wrong by an hour (%d)", async (sign) => {
    await using opened = await open();
    const { credits } = opened.store;
    const grant = { id: "g", kind: "issued", amount: "1", payment: "" } as const;
    const real = Date.now;
    const clock = spyOn(Date, "now").mockImplementation(() => real() + sign * 3_600_000);
    const end = async (): Promise<number> => ((await credits.find(CREDIT.id))?.expiresAt ?? 0) - real();
    await credits.open({ ...CREDIT, expiresAt: Date.now() + 600_000 }, grant);
    const opening = await end();
    await credits.add(CREDIT.id, { ...grant, id: "h" }, Date.now() + 1_200_000);
    const addition = await end();
    await credits.add(CREDIT.id, { ...grant, id: "i" }, 0);
    const never = (await credits.find(CREDIT.id))?.expiresAt;
    clock.mockRestore();
    expect([Math.round(opening / 600_000), Math.round(addition / 600_000), never]).toEqual([1, 2, 0]);
  });

  test("a current schema is not written again", async () => {
    await using opened = await open();
    const row = () => server.query(`SELECT xmin, version FROM ${opened.user}.turnpike_schema`);
    const before = await row();
    const next = openPostgresStore(opened.settings);
    await next.ready();
    await next.close();
    expect(await row()).toEqual(before);
  });

  test("a batch of usage and a reset count all settled payments, however many there are", async () => {
    await using opened = await open();
    const { usage } = opened.store;
    const settle = (prefix: string) =>
      server.query(
        `INSERT INTO ${opened.user}.turnpike_payments (network, asset, payer_from, nonce, state, attempt, owner, held_until,
           token, scheme, amount, pay_to, route, consumer, fingerprint, valid_before, payload, created_at, updated_at, claimed_at, counted)
         SELECT 'n', 'a', 'f', '${prefix}' || i, 'settled', 1, '', 0, 't', 's', '1', 'p', 'r', 'c', 'x', 0, '', 0, 0, 0, false
         FROM generate_series(1, 2001) AS i`,
      );
    const uncounted = `SELECT count(*) FROM ${opened.user}.turnpike_payments WHERE NOT counted`;
    await settle("a");
    await usage.add({ gateway: "g", sequence: 1, routes: [], upstreams: [], funnel: [] });
    expect(await server.query(uncounted)).toEqual([["0"]]);
    await settle("b");
    expect((await usage.reset("r", "g")).paid).toMatchObject([{ payments: 4002, amount: "4002" }]);
    expect(await server.query(uncounted)).toEqual([["0"]]);
  });

  test("gateways without a batch for the longest time are removed", async () => {
    await using opened = await open();
    const { usage } = opened.store;
    await server.query(
      `INSERT INTO ${opened.user}.turnpike_usage_flushes (gateway, sequence, flushed_at)
       SELECT 'old' || i, 1, i FROM generate_series(1, ${MAX_GATEWAYS}) AS i`,
    );
    await usage.add({ gateway: "new", sequence: 7, routes: [], upstreams: [], funnel: [] });
    expect((await usage.read("old1")).sequence).toBe(0);
    expect((await usage.read("old2")).sequence).toBe(1);
    expect((await usage.read("new")).sequence).toBe(7);
  });

  test("the sums of the days before yesterday are read again after five minutes", async () => {
    const clock = { now: 1_800_000_000_000 + 3 * 86_400_000 };
    await using opened = await open({}, () => clock.now);
    const early = openPostgresStore(opened.settings, () => 1_800_000_000_000);
    await using _ = { [Symbol.asyncDispose]: () => early.close() };
    const sell = async (nonce: string): Promise<void> => {
      const { payment } = await early.ledger.reserve({ ...PAYMENT, nonce });
      await early.ledger.move(payment, { state: "settled", lease: false, transaction: nonce, delivered: true });
    };
    const sold = async (): Promise<readonly number[]> =>
      (await opened.store.view.sold(1_800_000_000_000)).map(({ payments }) => payments);
    await sell("0x1");
    expect(await sold()).toEqual([1]);
    await sell("0x2");
    clock.now += OLD_DAYS_MS;
    expect(await sold()).toEqual([1]);
    clock.now += 1;
    expect(await sold()).toEqual([2]);
  });

  test("an unpaid payment is deleted two minutes after its end", async () => {
    const clock = { now: 1_800_000_000_000 };
    const now = (): number => clock.now;
    const database = new Database(server.settings({ user: await server.newUser() }), now);
    const ledger = new PostgresLedger(database, now);
    const validBefore = clock.now / 1000;
    for (const state of ["verified", "failed"] as const) {
      const { payment } = await ledger.reserve({ ...PAYMENT, nonce: state, validBefore });
      await ledger.move(payment, { state, lease: false });
    }
    await ledger.tend();
    clock.now += 120_000;
    await ledger.tend();
    expect(await ledger.find({ ...PAYMENT, nonce: "verified" })).toBeDefined();
    clock.now += 1000;
    await ledger.tend();
    await ledger.tend();
    expect(await ledger.find({ ...PAYMENT, nonce: "verified" })).toBeUndefined();
    expect(await ledger.find({ ...PAYMENT, nonce: "failed" })).toBeDefined();
    await ledger.close();
    await database.close();
  });
});
