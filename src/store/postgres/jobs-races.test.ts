import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { type Job, type JobStore, PAGE } from "../jobs/job-store.ts";
import { newJob } from "../testing/jobs-contract.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { openPostgresJobs } from "./open-postgres-store.ts";

const LEASE_MS = 60_000;
const TURN_MS = 1_000;

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

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
});
