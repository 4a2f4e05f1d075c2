import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { testSessions } from "../testing/sessions-contract.ts";
import { SESSIONS } from "./jobs-schema.ts";
import { openPostgresJobs } from "./open-postgres-store.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  testSessions("PostgreSQL", async () => {
    const user = await server.newUser();
    return async (now) => {
      const jobs = openPostgresJobs(server.settings({ user }), now);
      await jobs.ready();
      return jobs;
    };
  });

  test("10,000 sessions exist at most, whoever created them", async () => {
    const user = await server.newUser();
    const jobs = openPostgresJobs(server.settings({ user }));
    try {
      await jobs.ready();
      await server.query(`INSERT INTO ${user}.${SESSIONS} (id, secret_hash, idle_ms, created_at, used_at, expires_at)
        SELECT n::text, n::text, 3600000, now, now, now + 3600000
        FROM generate_series(1, 9999) AS n, (SELECT (extract(epoch FROM now()) * 1000)::bigint AS now) AS clock`);
      const create = async (id: string): Promise<boolean | undefined> =>
        await jobs.sessions?.create({ id, secretHash: id, ttlMs: 60_000, idleMs: 60_000 });
      expect([await create("last"), await create("one more")]).toEqual([true, false]);
    } finally {
      await jobs.close();
    }
  });
});
