import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { testJobs } from "../testing/jobs-contract.ts";
import { hasPostgres, TestPostgres } from "../testing/postgres.ts";
import { openPostgresJobs } from "./open-postgres-store.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: TestPostgres;

  beforeAll(async () => {
    server = await TestPostgres.start();
  });
  afterAll(() => server.close());

  testJobs("PostgreSQL", async () => {
    const user = await server.newUser();
    return async (now) => {
      const jobs = openPostgresJobs(server.settings({ user }), now);
      await jobs.ready();
      return jobs;
    };
  });
});
