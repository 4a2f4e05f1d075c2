import { beforeAll, beforeEach, describe } from "bun:test";
import { openStore } from "../../../../store/open/open-store.ts";
import { openPostgresStore } from "../../../../store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../../../store/testing/postgres.ts";
import { untended } from "../../../../store/testing/untended.ts";
import { type ShopOptions } from "./shop.ts";

/** Options of the first shop of a test, whose store is new. Other shops can share that store. */
export type OnNewStore = () => Required<Pick<ShopOptions, "store" | "clock">>;

/** For tests only: runs tests of shops on each store. */
export function onEachStore(tests: (onNewStore: OnNewStore) => void): void {
  describe("on SQLite", () => {
    tests(() => {
      const clock = { now: Date.now() };
      return { clock, store: untended(() => openStore(":memory:", () => clock.now)) };
    });
  });
  describe.skipIf(!hasPostgres)("on PostgreSQL", () => {
    let server: SharedPostgres;
    let user = "";
    beforeAll(async () => {
      server = await sharedPostgres();
    });
    beforeEach(async () => {
      user = await server.newUser();
    });
    tests(() => {
      const clock = { now: Date.now() };
      return { clock, store: untended(() => openPostgresStore(server.settings({ user }), () => clock.now)) };
    });
  });
}
