import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Store } from "../store.ts";
import { hasPostgres, TestPostgres } from "../testing/postgres.ts";
import { WISH } from "../testing/refunds-contract.ts";
import { RESERVATION as PAYMENT } from "../testing/reservation.ts";
import { until } from "../../lib/testing/until.ts";
import { Connection, statement } from "./connection.ts";
import { PostgresLedger } from "./ledger.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { type PoolSettings } from "./pool.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { patient } from "../../lib/testing/patience.ts";

const LEASE_MS = 15_000;

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const PROCESSES = 8;
const PAYMENTS = 100;

/** Reserves each of the payments after a start signal, and reports which ones it got. */
const CHILD = `
  import { openPostgresStore } from ${JSON.stringify(join(import.meta.dir, "open-postgres-store.ts"))};
  const [settings, payments] = process.argv.slice(1).map((text) => JSON.parse(text));
  const { ledger, ready, close } = openPostgresStore(settings);
  await ready();
  console.log("ready");
  for await (const _ of console) break;
  const claims = await Promise.all(payments.map((payment) => ledger.reserve(payment)));
  console.log(JSON.stringify(claims.flatMap(({ leased, payment }) => (leased ? [payment.nonce] : []))));
  await close();
`;

/** Waits until the store works again. */
async function recovers({ ledger }: Store, nonce: string): Promise<void> {
  await until(() =>
    ledger.reserve({ ...PAYMENT, nonce }).then(
      () => true,
      () => false,
    ),
  );
}

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: TestPostgres;

  beforeAll(async () => {
    server = await TestPostgres.start();
  });
  afterAll(() => server.close());

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

  test("eight processes reserve the same hundred payments at once: one process gets each", async () => {
    const user = await server.newUser();
    const settings = JSON.stringify(server.settings({ user }));
    const payments = JSON.stringify(Array.from({ length: PAYMENTS }, (_, i) => ({ ...PAYMENT, nonce: `0x${i}` })));
    const children = Array.from({ length: PROCESSES }, () =>
      Bun.spawn([process.execPath, "-e", CHILD, settings, payments], { stdin: "pipe", stdout: "pipe" }),
    );
    const won = await Promise.all(
      children.map(async (child) => {
        const decoder = new TextDecoder();
        const reader = child.stdout.getReader();
        let text = decoder.decode((await reader.read()).value);
        expect(text).toBe("ready\n");
        return {
          async go(): Promise<string[]> {
            void child.stdin.write("go\n");
            await child.stdin.end();
            text = "";
            for (let part = await reader.read(); !part.done; part = await reader.read())
              text += decoder.decode(part.value);
            expect(await child.exited).toBe(0);
            return JSON.parse(text);
          },
        };
      }),
    );
    const nonces = (await Promise.all(won.map((child) => child.go()))).flat();
    expect(nonces).toHaveLength(PAYMENTS);
    expect(new Set(nonces).size).toBe(PAYMENTS);
  });

  test("processes that open an empty database at once create one schema", async () => {
    const user = await server.newUser();
    const stores = Array.from({ length: 8 }, () => openPostgresStore(server.settings({ user })));
    await Promise.all(stores.map((store) => store.ready()));
    expect(await server.query(`SELECT version FROM ${user}.turnpike_schema`)).toEqual([[String(SCHEMA_VERSION)]]);
    for (const store of stores) await store.close();
  });

  test.each(["99", "16"])(
    "a schema of a newer version, or of one before the first, is refused, and not changed",
    async (version) => {
      await using opened = await open();
      await server.query(`UPDATE ${opened.user}.turnpike_schema SET version = ${version}`);
      const other = openPostgresStore(opened.settings);
      const said = await other.ledger.find(PAYMENT).catch(String);
      expect(said).toContain(`its schema is version ${version}, this program knows ${SCHEMA_VERSION}`);
      expect(await server.query(`SELECT version FROM ${opened.user}.turnpike_schema`)).toEqual([[version]]);
      await other.close();
    },
  );

  test("a user without the right to create tables gets a clear error, and can use existing tables", async () => {
    const user = await server.newUser();
    await server.query(`CREATE SCHEMA bare_${user}`);
    await server.query(`ALTER ROLE ${user} SET search_path = bare_${user}`);
    await server.query(`GRANT USAGE ON SCHEMA bare_${user} TO ${user}`);
    const bare = openPostgresStore(server.settings({ user }));
    expect(await bare.ready().catch(String)).toContain("may not make Turnpike's tables");
    await server.query(`GRANT CREATE ON SCHEMA bare_${user} TO ${user}`);
    await bare.ready();
    await server.query(`REVOKE CREATE ON SCHEMA bare_${user} FROM ${user}`);
    const next = openPostgresStore(server.settings({ user }));
    expect((await next.ledger.reserve(PAYMENT)).leased).toBe(true);
    await bare.close();
    await next.close();
  });

  test("only changes that transfer money, and deliveries, wait for the disk, whatever the server's own setting is", async () => {
    await using opened = await open();
    const { store, user } = opened;
    await server.query(`CREATE TABLE ${user}.seen (state text, setting text)`);
    await server.query(`ALTER TABLE ${user}.seen OWNER TO ${user}`);
    await server.query(
      `CREATE FUNCTION ${user}.see() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN INSERT INTO seen VALUES (new.state, current_setting(''synchronous_commit'')); RETURN new; END'`,
    );
    await server.query(
      `CREATE TRIGGER see BEFORE INSERT OR UPDATE OF state ON ${user}.turnpike_payments FOR EACH ROW EXECUTE FUNCTION ${user}.see()`,
    );
    await server.query(`ALTER ROLE ${user} SET synchronous_commit = off`);
    await using lax = { store: openPostgresStore(opened.settings), [Symbol.asyncDispose]: () => lax.store.close() };
    for (const { ledger } of [store, lax.store]) {
      const { payment } = await ledger.reserve({ ...PAYMENT, nonce: crypto.randomUUID() });
      await ledger.move(payment, { state: "verified", lease: true });
      await ledger.move(payment, { state: "settling", lease: true });
      // On a slow machine the timer comes here. A renewal waits for no disk, and writes no state.
      if (ledger instanceof PostgresLedger) await ledger.tend();
      const notice = { id: crypto.randomUUID(), url: "http://a.test", body: "{}" };
      await ledger.move(payment, { state: "settled", lease: true, notice });
      await ledger.move(payment, { state: "settled", lease: false, delivered: true });
      expect(await server.query(`DELETE FROM ${user}.seen RETURNING state, setting`)).toEqual([
        ["reserved", "off"],
        ["verified", "off"],
        ["settling", "on"],
        ["settled", "on"],
        ["settled", "on"],
      ]);
    }
  });

  test("a claim that the database has lost is void, even if the next claim counts the same attempt", async () => {
    const clock = { now: 1_800_000_000_000 };
    await using opened = await open({}, () => clock.now);
    const { ledger } = opened.store;
    const { payment: lost } = await ledger.reserve(PAYMENT);
    await server.query(`DELETE FROM ${opened.user}.turnpike_payments`);
    clock.now += 1;
    const { payment } = await ledger.reserve(PAYMENT);
    expect(payment.attempt).toBe(lost.attempt);
    expect(await ledger.move(lost, { state: "settling", lease: true })).toBe(false);
    expect(await ledger.move(lost, { state: "released", lease: false })).toBe(false);
    expect(await ledger.move(payment, { state: "settling", lease: true })).toBe(true);
  });

  test("leases are timed by the database's clock, not by the gateway's", async () => {
    await using opened = await open();
    const { payment } = await opened.store.ledger.reserve(PAYMENT);
    const [row] = await server.query(
      `SELECT held_until - ${LEASE_MS} - ${payment.createdAt}, abs(extract(epoch FROM now()) * 1000 - created_at) < 60000
       FROM ${opened.user}.turnpike_payments`,
    );
    expect(row).toEqual(["0", "t"]);
  });

  test("a session that is ended under load fails its statement, and the next statement gets a new session", async () => {
    await using opened = await open();
    const { ledger } = opened.store;
    const load = { runs: true, held: 0, errors: 0 };
    const all = Array.from({ length: 20 }, async (_, i) => {
      for (let n = 0; load.runs; n++) {
        await ledger.reserve({ ...PAYMENT, nonce: `0x${i}-${n}` }).then(
          () => (load.held += 1),
          () => (load.errors += 1),
        );
      }
    });
    try {
      let old: number[] = [];
      await until(async () => load.held > 100 && (old = await server.backendsOf(opened.user)).length === 2);
      for (const pid of old) await server.query(`SELECT pg_terminate_backend(${pid})`);
      await until(async () => (await server.backendsOf(opened.user)).every((pid) => !old.includes(pid)));
      const before = load.held;
      await until(() => load.held > before + 100, 5000, "more");
    } finally {
      // This comes before the close of the store: the loop would fail at once each time and block the event loop.
      load.runs = false;
      await Promise.all(all);
    }
    // A failed change may have been written; a successful one was.
    const [row] = await server.query(`SELECT count(*) FROM ${opened.user}.turnpike_payments`);
    expect(Number(row?.[0])).toBeGreaterThanOrEqual(load.held);
    // There are fewer than two if a session was ended between two statements.
    expect(load.errors).toBeLessThanOrEqual(2);
  });

  test("if the server accepts fewer connections than the pool would open, the accepted ones do the work", async () => {
    await using opened = await open({ size: 1 });
    await server.query(`ALTER ROLE ${opened.user} CONNECTION LIMIT 2`);
    const store = openPostgresStore({ ...opened.settings, size: 4 });
    const claims = Array.from({ length: 50 }, (_, i) => store.ledger.reserve({ ...PAYMENT, nonce: `0x${i}` }));
    expect((await Promise.all(claims)).filter(({ leased }) => leased)).toHaveLength(50);
    await store.close();
  });

  test("a session without progress is given up in time, and the next statement gets a new one", async () => {
    await using opened = await open({ statementMs: patient(300), size: 1 });
    const { ledger } = opened.store;
    await ledger.find(PAYMENT);
    const pids = await server.backendsOf(opened.user);
    expect(pids).toHaveLength(1);
    try {
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      const said = await Promise.all([ledger.reserve(PAYMENT).catch(String), ledger.find(PAYMENT).catch(String)]);
      expect(said[0]).toContain(`the server did not respond within ${patient(300) + 500} ms`);
      expect(said[1]).toContain(`no connection was free within ${patient(300)} ms`);
      await recovers(opened.store, "0xafter");
    } finally {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    }
  });

  test("the server ends a wait for a row that another transaction has locked", async () => {
    await using opened = await open({ statementMs: patient(200) });
    const { store, user } = opened;
    await store.ledger.reserve(PAYMENT);
    const blocker = await Connection.open(server.settings());
    for (const text of ["BEGIN", `SELECT 1 FROM ${user}.turnpike_payments FOR UPDATE`]) {
      await blocker.run([{ statement: statement(text), values: [] }], 10_000);
    }
    const waiter = store.ledger.reserve({ ...PAYMENT, fingerprint: "other" });
    expect(await waiter.then(() => "reserved", String)).toContain("SQLSTATE 57014");
    blocker.close();
    await until(() =>
      store.ledger.reserve(PAYMENT).then(
        ({ leased }) => !leased,
        () => false,
      ),
    );
  });

  test("a write whose wait for a replica is cancelled is not a success", async () => {
    await using opened = await open({ size: 8 });
    const { ledger, refunds } = opened.store;
    const [settling, delivered, refunded] = await Promise.all(
      ["0xsettling", "0xdelivered", "0xrefunded"].map(async (nonce) => {
        const { payment } = await ledger.reserve({ ...PAYMENT, nonce });
        if (nonce !== "0xsettling") await ledger.move(payment, { state: "settled", lease: false, transaction: "0xtx" });
        return payment;
      }),
    );
    if (settling === undefined || delivered === undefined || refunded === undefined) throw new Error("no payment");
    const waits = async (): Promise<string[]> => {
      const where = `usename = '${opened.user}' AND wait_event = 'SyncRep'`;
      const rows = await server.query(`SELECT pid FROM pg_stat_activity WHERE ${where}`);
      return rows.map(([pid]) => String(pid));
    };
    await server.configure("synchronous_standby_names", "nobody");
    try {
      const writes = [
        ledger.move(settling, { state: "settling", lease: true }),
        ledger.deliver(delivered),
        refunds.begin(refunded, WISH),
      ].map((write) => write.then(() => "written", String));
      await until(async () => (await waits()).length === 3);
      for (const pid of await waits()) await server.query(`SELECT pg_cancel_backend(${pid})`);
      const unconfirmed = expect.stringContaining("no replica has confirmed this write");
      expect(await Promise.all(writes)).toEqual(writes.map(() => unconfirmed));
    } finally {
      await server.configure("synchronous_standby_names", "");
    }
    expect(await ledger.move(settling, { state: "settling", lease: true })).toBe(true);
  });

  test("a server that crashes loses no change that transfers money, and is found again", async () => {
    await using opened = await open();
    const { ledger, outbox } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    await ledger.move(payment, { state: "verified", lease: true });
    const notice = { id: crypto.randomUUID(), url: "http://a.test", body: "{}" };
    await ledger.move(payment, { state: "settled", lease: true, transaction: "0xtx", notice });
    const others = Array.from({ length: 50 }, (_, i) => ledger.reserve({ ...PAYMENT, nonce: `0x${i}` }).catch(String));
    await server.crash();
    await Promise.all(others);
    expect(await ledger.move(payment, { state: "settled", lease: false, delivered: true }).catch(String)).toContain(
      "Cannot use the database",
    );
    await server.up();
    await recovers(opened.store, "0xafter");
    expect(await ledger.find(PAYMENT)).toMatchObject({ state: "settled", transaction: "0xtx", delivered: false });
    expect(await outbox.size()).toBe(1);
    expect(await ledger.move(payment, { state: "settled", lease: false, delivered: true })).toBe(true);
  });
});
