import { beforeAll, describe, setDefaultTimeout } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { testPages } from "../testing/pages-contract.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { openPostgresPages } from "./open-postgres-store.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  testPages("PostgreSQL", async () => {
    const user = await server.newUser();
    return (options) => openPostgresPages(server.settings({ user }), options);
  });
});
