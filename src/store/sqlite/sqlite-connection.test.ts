import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { SqliteConnection } from "./sqlite-connection.ts";

test("what opens a file is called at the first use, and again only after it has failed", async () => {
  let calls = 0;
  const connection = new SqliteConnection(() => {
    calls += 1;
    if (calls === 1) throw new Error("the disk is full");
    return new Database(":memory:", { strict: true });
  });
  expect(calls).toBe(0);
  expect(() => connection.run("CREATE TABLE t (a)")).toThrow("the disk is full");
  connection.run("CREATE TABLE t (a)");
  await connection.write("INSERT INTO t VALUES ($a)", { a: 1 });
  expect([connection.get("SELECT a FROM t"), calls]).toEqual([{ a: 1 }, 2]);
  connection.close();
});

test("closing closes the file, used or not", () => {
  const file = new Database(":memory:", { strict: true });
  new SqliteConnection(file).close();
  expect(() => file.run("SELECT 1")).toThrow();
});
