/** States that a power failure must not undo: money is transferred because of them, or was transferred. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "./migrations.ts";
import { WriteTurns } from "./write-turns.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { RESERVATION as PAYMENT } from "../testing/reservation.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-flushes-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A connection that counts the statements that it runs. */
function counted(database: Database, count: { runs: number }): Database {
  return new Proxy(database, {
    get(target, name) {
      if (name === "query") {
        return (sql: string) => {
          const statement = target.query(sql);
          return {
            run(...values: []) {
              count.runs++;
              return statement.run(...values);
            },
            get: (...values: []) => statement.get(...values),
            all: (...values: []) => statement.all(...values),
          };
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

test("only states that transfer money are flushed to the disk", async () => {
  const path = join(folder, "ledger.db");
  const count = { runs: 0 };
  const durable = new Database(path, { create: true, strict: true });
  durable.run("PRAGMA journal_mode = WAL");
  migrate(durable);
  const quick = new Database(path, { strict: true });
  const files = { quick: new SqliteConnection(quick), durable: new SqliteConnection(counted(durable, count)) };
  const ledger = new SqliteLedger(files, Date.now, Date.now, new WriteTurns(0));
  const flushes: Record<string, number> = {};
  for (const state of ["verified", "settling", "settled", "failed", "unknown", "released"] as const) {
    const { payment } = await ledger.reserve({ ...PAYMENT, nonce: state });
    if (state === "released") await ledger.move(payment, { state: "verified", lease: true });
    count.runs = 0;
    await ledger.move(payment, { state, lease: false });
    flushes[state] = count.runs;
  }
  expect(flushes).toEqual({ verified: 0, settling: 1, settled: 1, failed: 1, unknown: 1, released: 0 });
  const { payment } = await ledger.reserve({ ...PAYMENT, nonce: "delivered" });
  count.runs = 0;
  await ledger.move(payment, { state: "settled", lease: false, delivered: true });
  // A delivery transfers no money. At worst the response is sent again.
  expect(count.runs).toBe(0);
  await ledger.close();
  quick.close();
  durable.close();
});
