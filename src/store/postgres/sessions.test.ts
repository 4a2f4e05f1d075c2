import { beforeAll, describe, setDefaultTimeout } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { testSessions } from "../testing/sessions-contract.ts";
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
});
