import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { testPostgresStore } from "../testing/postgres-store.ts";
import { Connection, statement } from "./connection.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { PAYMENT_IDS } from "./schema.ts";
import { patient } from "../../lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

testPostgresStore();

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  test("a response that one gateway keeps is found by another, byte for byte, until the database's clock says so", async () => {
    const settings = { ...server.settings({ user: await server.newUser() }), keptResponseBytes: 100_000_000 };
    const clock = { now: 1_800_000_000_000 };
    const [one, two] = [openPostgresStore(settings, () => clock.now), openPostgresStore(settings, () => clock.now)];
    await using _ = { [Symbol.asyncDispose]: async () => void (await Promise.all([one.close(), two.close()])) };
    for (const bytes of [0, 1, 57, 1_000_003, 8 * 1024 * 1024]) {
      const response = crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)));
      const whole = Buffer.alloc(bytes, response);
      expect(await one.responses?.keep(`of ${bytes}`, whole, 1000)).toBe(true);
      expect(await two.responses?.has(`of ${bytes}`)).toBe(true);
      expect((await two.responses?.find(`of ${bytes}`))?.equals(whole)).toBe(true);
    }
    expect(await one.responses?.keep("too long", Buffer.alloc(8 * 1024 * 1024 + 1), 1000)).toBe(false);
    await one.responses?.keep("of 1", Buffer.from("another"), 2000);
    expect((await two.responses?.find("of 1"))?.toString()).toBe("another");
    clock.now += 1000;
    expect(await two.responses?.has("of 57")).toBe(false);
    expect(await two.responses?.find("of 57")).toBeUndefined();
    expect(await two.responses?.has("of 1")).toBe(true);
    expect([await one.responses?.sweep(3), await two.responses?.sweep(10), await two.responses?.sweep(10)]).toEqual([
      3, 1, 0,
    ]);
    expect(await two.responses?.has("of 1")).toBe(true);
  });

  test("the space of all gateways' responses has a limit, and expired ones give theirs back", async () => {
    const settings = { ...server.settings({ user: await server.newUser() }), keptResponseBytes: 250 };
    const clock = { now: 1_800_000_000_000 };
    const [one, two] = [openPostgresStore(settings, () => clock.now), openPostgresStore(settings, () => clock.now)];
    await using _ = { [Symbol.asyncDispose]: async () => void (await Promise.all([one.close(), two.close()])) };
    const keep = (store: typeof one, key: string): Promise<boolean> | undefined =>
      store.responses?.keep(key, Buffer.alloc(100), 1000);
    expect([await keep(one, "a"), await keep(one, "b"), await keep(one, "c")]).toEqual([true, true, false]);
    // A sweep counts the responses of other gateways.
    await two.responses?.sweep(10);
    expect(await keep(two, "d")).toBe(false);
    clock.now += 1000;
    await two.responses?.sweep(10);
    expect(await keep(two, "d")).toBe(true);
    expect(await one.responses?.find("c")).toBeUndefined();
  });

  test("binding an id that others bind and release again and again is given up after a few attempts", async () => {
    const settings = server.settings({ user: await server.newUser() });
    const store = openPostgresStore(settings);
    await using _ = { [Symbol.asyncDispose]: () => store.close() };
    await store.ready();
    const connection = await Connection.open(settings);
    const run = (text: string) => connection.run([{ statement: statement(text), values: [] }], 5000);
    // Each attempt finds the id bound by another, which has released it when the attempt reads it.
    await run("CREATE SEQUENCE attempts");
    await run(`CREATE FUNCTION released() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM nextval(''attempts''); RETURN NULL; END'`);
    await run(`CREATE TRIGGER released BEFORE INSERT ON ${PAYMENT_IDS} FOR EACH ROW EXECUTE FUNCTION released()`);
    const id = { payer: "0xfrom", id: "order" };
    expect(await store.paymentIds.tie(id, "print", 5e12).catch(String)).toContain("bound and released again and again");
    expect((await run("SELECT last_value FROM attempts")).rows).toEqual([["5"]]);
    await run(`DROP TRIGGER released ON ${PAYMENT_IDS}`);
    expect(await store.paymentIds.tie(id, "print", 5e12)).toBe("print");
    connection.close();
  });

  test("a store without space for responses keeps none", async () => {
    const store = openPostgresStore({ ...server.settings(), keptResponseBytes: 0 });
    expect(store.responses).toBeUndefined();
    await store.close();
  });
});
