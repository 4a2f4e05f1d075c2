import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { Database } from "./database.ts";
import { PostgresResponses } from "./kept-responses.ts";

setDefaultTimeout(patient(60_000));

const MIB = 1024 * 1024;

describe.skipIf(!hasPostgres)("responses in PostgreSQL", () => {
  let server: SharedPostgres;
  let database: Database;
  const clock = { now: 1_800_000_000_000 };
  beforeAll(async () => {
    server = await sharedPostgres();
    database = new Database(server.settings({ user: await server.newUser() }), () => clock.now);
  });
  afterAll(async () => {
    await database.close();
  });

  test("are kept up to the limit of all together, and an expired one gives its space back with the next sweep", async () => {
    const responses = new PostgresResponses(database, 100);
    expect(await responses.keep("a", new Uint8Array(60), 1000)).toBe(true);
    expect(await responses.keep("b", new Uint8Array(41), 5000)).toBe(false);
    expect(await responses.keep("b", new Uint8Array(40), 5000)).toBe(true);
    expect(await responses.keep("c", new Uint8Array(1), 5000)).toBe(false);
    clock.now += 1000;
    expect([await responses.has("a"), await responses.find("a")]).toEqual([false, undefined]);
    expect(await responses.keep("c", new Uint8Array(1), 5000)).toBe(false);
    expect(await responses.sweep(10)).toBe(1);
    expect(await responses.keep("c", new Uint8Array(60), 5000)).toBe(true);
    expect((await responses.find("b"))?.length).toBe(40);
    clock.now += 5000;
    await responses.sweep(10);
  });

  test("of more than 8 MiB are not kept, nor more than 32 MiB while they are sent", async () => {
    const responses = new PostgresResponses(database, 1000 * MIB);
    expect(await responses.keep("long", new Uint8Array(8 * MIB + 1), 5000)).toBe(false);
    const long = new Uint8Array(8 * MIB);
    const kept = await Promise.all(["a", "b", "c", "d", "e"].map((key) => responses.keep(key, long, 5000)));
    expect(kept).toEqual([true, true, true, true, false]);
    expect(await responses.keep("e", long, 5000)).toBe(true);
  });
});
