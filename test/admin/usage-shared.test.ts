/** Real gateways whose usage adds up in one PostgreSQL database. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { signedPayment } from "../../src/payments/testing/payment.ts";
import { hasPostgres, TestPostgres } from "../../src/store/testing/postgres.ts";
import { requestsOf, UsageSite } from "./testing/usage-site.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(90_000));

describe.skipIf(!hasPostgres)("with a database", () => {
  let database: TestPostgres;

  beforeAll(async () => {
    database = await TestPostgres.start();
  });
  afterAll(() => database.close());

  test("two gateways under load, reset in turns: each request is reported once, by one of them", async () => {
    const postgres = { url: database.url(await database.newUser()) };
    await using one = await UsageSite.start({ workers: 1, postgres });
    await using two = await UsageSite.start({ workers: 2, postgres });
    const sites = [one, two];
    const load = { goes: true };
    let sent = 0;
    const clients = sites.map(async (site) => {
      while (load.goes) {
        await site.ask("/keys", "alice");
        sent++;
      }
    });
    let seen = 0;
    for (let i = 0; i < 60; i++) {
      const usage = await sites[i % 2]?.usage(true);
      if (usage !== undefined) seen += requestsOf(usage);
    }
    load.goes = false;
    await Promise.all(clients);
    // Each shows its own counts and those that the other has stored.
    await until(async () => {
      for (const site of sites) {
        const usage = await site.usage(true);
        seen += requestsOf(usage);
      }
      return seen >= sent;
    });
    expect(seen).toBe(sent);
    expect(sent).toBeGreaterThan(60);
  });

  test("one gateway shows the counts of the other once they are stored, and payments at once", async () => {
    const postgres = { url: database.url(await database.newUser()) };
    await using one = await UsageSite.start({ workers: 2, postgres });
    await using two = await UsageSite.start({ workers: 1, postgres });
    const fields = { "payment-signature": encodeHeader(signedPayment(Date.now() / 1000)) };
    expect(await one.ask("/paid", "alice", fields)).toBe(200);
    expect((await two.usage()).consumers).toMatchObject([{ name: "alice", payments: 1 }]);
    await two.ask("/keys", "bob");
    await until(async () => requestsOf(await two.usage()) === 2, 20_000);
    await until(async () => requestsOf(await one.usage()) === 2, 20_000);
    expect((await one.usage()).consumers).toMatchObject([
      { name: "alice", requests: 1, payments: 1 },
      { name: "bob", requests: 1, payments: 0 },
    ]);
  });

  test("while the database is unavailable requests are counted, and shown when it is available again", async () => {
    const postgres = { url: database.url(await database.newUser()), statement_timeout_ms: 1000 };
    await using site = await UsageSite.start({ workers: 2, postgres });
    for (let i = 0; i < 3; i++) await site.ask("/free");
    await until(async () => requestsOf(await site.usage()) === 3);
    await database.crash();
    for (let i = 0; i < 4; i++) expect(await site.ask("/free")).toBe(200);
    const response = await site.admin("/v1/usage");
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain(postgres.url);
    const trouble = /Cannot store the usage: .*counting continues in memory/;
    await until(() => trouble.test(site.gateway.output()), 25_000);
    await database.up();
    await until(async () => (await site.admin("/v1/usage")).status === 200, 20_000);
    expect(requestsOf(await site.usage(true))).toBe(7);
  });
});
