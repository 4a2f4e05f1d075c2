import { beforeAll, describe } from "bun:test";
import { openPostgresStore } from "../postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "./postgres.ts";
import { type PartOfStore, testStore } from "./store-contract.ts";

/** For tests only: behaviour that these parts of the store must have in PostgreSQL. */
export function testPostgresStore(parts?: readonly PartOfStore[]): void {
  describe.skipIf(!hasPostgres)("with a server", () => {
    let server: SharedPostgres;

    beforeAll(async () => {
      server = await sharedPostgres();
    });

    testStore(
      "PostgreSQL",
      async () => {
        const user = await server.newUser();
        return async (now) => {
          const store = openPostgresStore(server.settings({ user }), now);
          await store.ready();
          return store;
        };
      },
      parts,
    );
  });
}
