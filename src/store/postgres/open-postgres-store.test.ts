import { beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { Connection, statement } from "./connection.ts";
import {
  openPostgresCertificates,
  openPostgresJobs,
  openPostgresPages,
  openPostgresStore,
  openPostgresTemplates,
  openPostgresUsage,
  readPostgresVersion,
} from "./open-postgres-store.ts";
import { type PoolSettings } from "./pool.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

test("a closed store leaves no timer, also if it was never used", async () => {
  using set = spyOn(globalThis, "setInterval");
  using clear = spyOn(globalThis, "clearInterval");
  const target = { host: "127.0.0.1", port: 1, user: "u", database: "d", sslMode: "disable" } as const;
  const store = openPostgresStore({
    target,
    password: "",
    allowCleartext: false,
    authorities: "",
    statementMs: 1000,
    size: 1,
  });
  await store.close();
  const begun = set.mock.results.map(({ value }): unknown => value);
  expect(begun).not.toBeEmpty();
  expect(clear.mock.calls.map(([timer]): unknown => timer)).toEqual(begun);
});

/** Something open in a database. */
interface Opened {
  readonly use: () => Promise<unknown>;
  readonly close: () => unknown;
}

const PAGES = { name: "pages", maxBytes: 1000, versions: 1, log: () => {} };

const OPENED: readonly (readonly [name: string, connections: number, open: (settings: PoolSettings) => Opened])[] = [
  [
    "store",
    2,
    (settings) => {
      const store = openPostgresStore(settings);
      return { use: () => store.outbox.size(), close: () => store.close() };
    },
  ],
  [
    "usage",
    1,
    (settings) => {
      const usage = openPostgresUsage(settings);
      return { use: () => usage.hours(), close: () => usage.close() };
    },
  ],
  [
    "certificates",
    1,
    (settings) => {
      const certificates = openPostgresCertificates(settings);
      return { use: () => certificates.read(), close: () => certificates.close() };
    },
  ],
  [
    "templates",
    1,
    (settings) => {
      const templates = openPostgresTemplates(settings);
      return { use: () => templates.exchange([]), close: () => templates.close() };
    },
  ],
  [
    "pages",
    2,
    (settings) => {
      const pages = openPostgresPages(settings, PAGES);
      return { use: () => pages.get("a"), close: () => pages.close() };
    },
  ],
  [
    "jobs",
    2,
    (settings) => {
      const jobs = openPostgresJobs(settings);
      return { use: () => jobs.find("a"), close: () => jobs.close() };
    },
  ],
];

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  /** The number of sessions of a user that wait for a lock. */
  async function waitingOf(user: string): Promise<number> {
    const waits = `SELECT count(*) FROM pg_stat_activity WHERE usename = '${user}' AND wait_event_type = 'Lock'`;
    return Number((await server.query(waits))[0]?.[0]);
  }

  test.each(OPENED)(
    "the open %s: at most %d connections, which close after the running statement",
    async (_, size, open) => {
      const user = await server.newUser();
      const { use, close } = open(server.settings({ user, size: 2 }));
      await use();
      await Promise.all([use(), use(), use()]);
      expect(await server.backendsOf(user)).toHaveLength(size);
      const tables = await server.query(`SELECT tablename FROM pg_tables WHERE schemaname = '${user}'`);
      const locker = await Connection.open(server.settings());
      const lock = `LOCK TABLE ${tables.map(([table]) => `${user}.${table}`).join(", ")}`;
      for (const text of ["BEGIN", lock]) await locker.run([{ statement: statement(text), values: [] }], 10_000);
      const ends: string[] = [];
      // A second statement of the same work is refused.
      const working = use().then(
        () => ends.push("work"),
        () => ends.push("work"),
      );
      await until(async () => (await waitingOf(user)) === 1);
      const closing = Promise.resolve(close()).then(() => ends.push("close"));
      expect([await waitingOf(user), ends]).toEqual([1, []]);
      locker.close();
      await Promise.all([working, closing]);
      await until(async () => (await server.backendsOf(user)).length === 0);
    },
  );

  test("the version of the tables is read without creating them, on a connection that is closed", async () => {
    const user = await server.newUser();
    const settings = server.settings({ user });
    const { known } = await readPostgresVersion(settings);
    expect(await readPostgresVersion(settings)).toEqual({ found: 0, known });
    const store = openPostgresStore(settings);
    await store.ready();
    await store.close();
    expect(await readPostgresVersion(settings)).toEqual({ found: known, known });
    await until(async () => (await server.backendsOf(user)).length === 0);
  });
});
