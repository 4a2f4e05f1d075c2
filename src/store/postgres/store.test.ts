import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import { hasPostgres, TestPostgres } from "../testing/postgres.ts";
import { testStore } from "../testing/store-contract.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { patient } from "../../lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: TestPostgres;

  beforeAll(async () => {
    server = await TestPostgres.start();
  });
  afterAll(() => server.close());

  testStore("PostgreSQL", async () => {
    const user = await server.newUser();
    return async (now) => {
      const store = openPostgresStore(server.settings({ user }), now);
      await store.ready();
      return store;
    };
  });
});
