import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { CREDIT } from "../testing/credits-contract.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { testPostgresStore } from "../testing/postgres-store.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

testPostgresStore(["credits", "creditRefunds"]);

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  test("a fault of the database is not taken for a balance that is too small or too large", async () => {
    const user = await server.newUser();
    const store = openPostgresStore(server.settings({ user }));
    await store.ready();
    const grant = { id: "g", kind: "issued", amount: "1", payment: "" } as const;
    await store.credits.open(CREDIT, grant);
    await server.query(`ALTER TABLE ${user}.turnpike_credits RENAME TO missing`);
    const faults: readonly Promise<unknown>[] = [
      store.credits.open({ ...CREDIT, id: "other" }, { ...grant, id: "other" }),
      store.credits.add(CREDIT.id, { ...grant, id: "more" }, 0),
      store.credits.take(CREDIT.id, { ...grant, id: "less", kind: "refunded" }),
    ];
    const said = await Promise.all(faults.map((fault) => fault.catch(String)));
    for (const fault of said) expect(fault).toContain("42P01");
    await store.close();
  });
});
