import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { type Job, type JobStore, LEASE_MS, PAGE, TURN_MS } from "../jobs/job-store.ts";
import { newJob, testJobs } from "../testing/jobs-contract.ts";
import { testSessions } from "../testing/sessions-contract.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { Connection, statement } from "./connection.ts";
import { testPages } from "../testing/pages-contract.ts";
import { startRelay } from "../testing/relay.ts";
import {
  openPostgresCertificates,
  openPostgresJobs,
  openPostgresPages,
  openPostgresTemplates,
} from "./open-postgres-store.ts";
import { PostgresError } from "./postgres-error.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const DAY_MS = 86_400_000;

test("a database is full if it says that its disk is", async () => {
  const target = { host: "127.0.0.1", port: 1, user: "me", database: "db", sslMode: "disable" } as const;
  const rest = { password: "", allowCleartext: false, authorities: "", statementMs: 1000, size: 1 };
  const jobs = openPostgresJobs({ target, ...rest });
  const said = [new PostgresError("53100", "full"), new PostgresError("53200", "no memory"), new Error("53100")];
  expect(said.map((error) => jobs.isFull(error))).toEqual([true, false, false]);
  await jobs.close();
});

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  for (const contract of [testJobs, testSessions]) {
    contract("PostgreSQL", async () => {
      const user = await server.newUser();
      return async (now) => {
        const jobs = openPostgresJobs(server.settings({ user }), now);
        await jobs.ready();
        return jobs;
      };
    });
  }

  async function begin(user: string, now: () => number, size: number): Promise<{ store: JobStore; job: Job }> {
    const store = openPostgresJobs(server.settings({ user, size, statementMs: patient(10_000) }), now);
    const made = newJob({ limit: 10_000, maxRunMs: 1e12 });
    const urls = Array.from({ length: 200 }, (_, at) => `https://s${at % 20}.example/${at}`);
    await store.create(
      made,
      urls.map((url) => ({ url, task: PAGE, depth: 0 })),
    );
    const job = await store.find(made.id);
    if (job === undefined) throw new Error("the job is not there");
    return { store, job };
  }

  test("services whose leases end while they report them never wait for one another in a circle", async () => {
    const clock = { now: 1_800_000_000_000 };
    const { store, job } = await begin(await server.newUser(), () => clock.now, 6);
    const deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    const before = await server.query(deadlocks);
    await Promise.all(
      Array.from({ length: 6 }, async (_, worker) => {
        for (let turn = 0; turn < 25; turn += 1) {
          const taken = await store.take(job, { hosts: 8, addresses: 16, delayMs: 0 });
          // The leases of all others end.
          clock.now += LEASE_MS / 2;
          const finished = taken.map((one) => ({ taken: one, kind: "page-failed", againMs: 0 }));
          const found = taken.map(({ url }) => ({ url: `${url}/more`, task: PAGE, depth: 1 }));
          const turned = worker % 2 === 0 ? taken : taken.toReversed();
          await Promise.all([
            store.renew(job, turned),
            store.finish(job, { finished: worker % 2 === 0 ? finished : finished.toReversed(), found }),
          ]);
        }
      }),
    );
    await store.close();
    expect(await server.query(deadlocks)).toEqual(before);
  });

  test("an address that is found while others look for work of its host is taken in the next turn", async () => {
    const clock = { now: 1_800_000_000_000 };
    const { store, job } = await begin(await server.newUser(), () => clock.now, 4);
    const share = { hosts: 8, addresses: 8, delayMs: 0 };
    for (let round = 0; round < 100; round += 1) {
      const url = `https://found.example/${round}`;
      const found = [{ url, task: PAGE, depth: 0 }];
      const [, ...parts] = await Promise.all([
        store.finish(job, { finished: [], found }),
        ...Array.from({ length: 3 }, () => store.take(job, share)),
      ]);
      const taken = parts.flat();
      for (let turn = 0; turn < 50 && !taken.some((one) => one.url === url); turn += 1) {
        clock.now += TURN_MS;
        taken.push(...(await store.take(job, share)));
      }
      expect(taken.map((one) => one.url)).toContain(url);
      // The first addresses stay open, so that the job goes on.
      const finished = taken.filter((one) => one.url === url).map((one) => ({ taken: one, kind: "page-failed" }));
      await store.finish(job, { finished, found: [] });
      clock.now += TURN_MS;
    }
    await store.close();
  });

  testPages("PostgreSQL", async () => {
    const user = await server.newUser();
    return (options) => openPostgresPages(server.settings({ user }), options);
  });

  test("a result about jobs, pages and certificates comes only after the database has confirmed it", async () => {
    const user = await server.newUser();
    using relay = await startRelay(server.port);
    const settings = server.settings({ user, statementMs: patient(100), size: 30 });
    const lossy = { ...settings, target: { ...settings.target, port: relay.port } };
    const store = openPostgresJobs(lossy);
    const certificates = openPostgresCertificates(lossy);
    const templates = openPostgresTemplates(lossy);
    await Promise.all([store.ready(), certificates.read(), templates.exchange([])]);
    const made = newJob();
    await store.create(made, []);
    const job = await store.find(made.id);
    if (job === undefined) throw new Error("the job is not there");
    const taken = { key: "1", host: "1", url: "u", task: PAGE, depth: 0, tries: 1, startMs: 0 };
    const hook = { jobId: made.id, job: 1, turn: 1, sent: 0, tries: 0, failure: "", failingSince: 0, isOver: false };
    const use = { id: "s", turn: 1, state: new Uint8Array() };
    const { hooks, sessions } = store;
    relay.loses = true;
    const asked: Readonly<Record<string, Promise<unknown>>> = {
      create: store.create(newJob(), []),
      find: store.find(made.id),
      running: store.running(),
      newest: store.newest(1),
      take: store.take(job, { hosts: 1, addresses: 1, delayMs: 0 }),
      renew: store.renew(job, [taken]),
      finish: store.finish(job, { finished: [{ taken, kind: "page-failed" }], found: [] }),
      end: store.end(made.id, "cancelled", ""),
      paid: store.paid(made.id, { pages: 1, amount: "1", transaction: "", isClosed: false }),
      rename: store.rename(made.id, { secretHash: "h", sale: "" }),
      results: store.results(job, 0, 1),
      sweep: store.sweep(),
      addHook: hooks.add(made.id),
      takeHooks: hooks.take(1, false),
      record: hooks.record(hook, { sent: 0, tries: 0, failure: "", nextMs: 1 }),
      hookOf: hooks.of(1),
      createSession: sessions.create({ id: "s", secretHash: "h", ttlMs: 1, idleMs: 1 }),
      findSession: sessions.find("s"),
      stateOf: sessions.stateOf("s"),
      withSecret: sessions.withSecret("h"),
      takeSession: sessions.take("s"),
      renewSession: sessions.renew(use),
      leave: sessions.leave(use),
      keep: sessions.leave(use, new Uint8Array([1])),
      removeSession: sessions.remove("s"),
      readCertificates: certificates.read(),
      write: certificates.write("a", "1"),
      removeCertificate: certificates.write("a", undefined),
      lease: certificates.lease(1),
      letGo: certificates.lease(0),
      exchange: templates.exchange([]),
    };
    const outcomes = await Promise.allSettled(Object.values(asked));
    const done = Object.keys(asked).filter((_, i) => outcomes[i]?.status === "fulfilled");
    expect(done).toEqual([]);
    relay.loses = false;
    await Promise.all([store.close(), certificates.close(), templates.close()]);
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
