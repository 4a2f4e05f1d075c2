import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { newJob, testJobs } from "../testing/jobs-contract.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { Connection, statement } from "./connection.ts";
import { openPostgresJobs } from "./open-postgres-store.ts";
import { PostgresError } from "./postgres-error.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const DAY_MS = 86_400_000;
const UNREACHABLE = {
  target: { host: "127.0.0.1", port: 1, user: "me", database: "db", sslMode: "disable" },
  password: "",
  allowCleartext: false,
  authorities: "",
  statementMs: 1000,
  size: 1,
} as const;

test("a database is full if it says that its disk is", async () => {
  const jobs = openPostgresJobs(UNREACHABLE);
  const said = [new PostgresError("53100", "full"), new PostgresError("53200", "no memory"), new Error("53100")];
  expect(said.map((error) => jobs.isFull(error))).toEqual([true, false, false]);
  await jobs.close();
});

test("a write that is not made rejects", async () => {
  const jobs = openPostgresJobs(UNREACHABLE);
  await jobs.close();
  const writes = [
    jobs.begin("a"),
    jobs.paid("a", { pages: 1, amount: "1", transaction: "", isClosed: false }),
    jobs.rename("a", { secretHash: "", sale: "" }),
    jobs.end("a", "failed", ""),
    jobs.hooks.add("a"),
  ];
  const ends = await Promise.allSettled(writes);
  expect(ends.map(({ status }) => status)).toEqual(writes.map(() => "rejected"));
});

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  testJobs("PostgreSQL", async () => {
    const user = await server.newUser();
    return async (now) => {
      const jobs = openPostgresJobs(server.settings({ user }), now);
      await jobs.ready();
      return jobs;
    };
  });

  test("a sweep drops the tables of the days before yesterday, unless a job of the day is still known", async () => {
    const clock = { now: 1_800_000_000_000 };
    const user = await server.newUser();
    const store = openPostgresJobs(server.settings({ user }), () => clock.now);
    const add = (keptMs: number) => store.create(newJob({ maxRunMs: 1, keptMs }), []);
    const today = clock.now / DAY_MS;
    const days = async (): Promise<number[]> => {
      const tables = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = '${user}'::regnamespace`;
      const numbers = (await server.query(tables)).map(([name]) => /_(\d+)$/.exec(name ?? "")?.[1]);
      return [...new Set(numbers.map(Number).filter((day) => day > 0))]
        .map((day) => day - Math.floor(today))
        .toSorted((a, b) => a - b);
    };
    await add(3 * DAY_MS);
    clock.now += DAY_MS;
    await add(1);
    clock.now += DAY_MS;
    await add(1);
    await store.sweep();
    expect(await days()).toEqual([0, 1, 2]);
    clock.now += DAY_MS;
    await store.sweep();
    expect(await days()).toEqual([0, 2]);
    // The results of the first job are kept for three days after the sweep that ended it.
    clock.now += 2 * DAY_MS;
    await store.sweep();
    expect(await days()).toEqual([]);
    await store.close();
  });

  test("a sweep reports a transaction that keeps an old snapshot", async () => {
    const user = await server.newUser();
    const store = openPostgresJobs(server.settings({ user }), undefined, 0);
    await store.ready();
    const reader = await Connection.open(server.settings({ user }));
    const run = (text: string) => reader.run([{ statement: statement(text), values: [] }], patient(10_000));
    await run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await run("SELECT 1");
    expect(await store.sweep()).toEqual([expect.stringMatching(/^a transaction of this database is \d+ s old/)]);
    reader.close();
    await store.close();
  });
});
