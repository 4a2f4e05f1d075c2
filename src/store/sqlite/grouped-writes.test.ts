import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { GroupedWrites } from "./grouped-writes.ts";
import { WriteTurns } from "./write-turns.ts";

test("writes of one turn are one transaction, and one that fails does not take the others with it", async () => {
  using database = new Database(":memory:");
  database.run("CREATE TABLE numbers (value INTEGER CHECK (value <> 2))");
  const insert = database.query<unknown, [number]>("INSERT INTO numbers VALUES (?)");
  let transactions = 0;
  const write = database.transaction((values: readonly number[]) => {
    transactions++;
    return values.map((value) => insert.run(value).changes);
  });
  const writes = new GroupedWrites<number, number>((values) => write.immediate(values), new WriteTurns(0));
  expect(await Promise.all([4, 5, 6].map((value) => writes.run(value)))).toEqual([1, 1, 1]);
  expect(transactions).toBe(1);
  const ends = await Promise.allSettled([1, 2, 3].map((value) => writes.run(value)));
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(database.query("SELECT value FROM numbers").values().flat()).toEqual([4, 5, 6, 1, 3]);
});
