import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../open/open-store.ts";
import { type PartOfStore, testStore } from "./store-contract.ts";

/** For tests only: behaviour that these parts of the store must have in an SQLite file. */
export function testSqliteStore(parts?: readonly PartOfStore[]): void {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-store-"));
  let databases = 0;

  afterAll(() => rmSync(folder, { recursive: true }));

  testStore(
    "SQLite",
    async () => {
      const path = join(folder, `${(databases += 1)}.db`);
      return async (now) => {
        const store = openStore(path, now);
        await store.ready();
        return store;
      };
    },
    parts,
  );
}
