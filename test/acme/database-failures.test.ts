/** A database that fails during an order, and two gateways that could order at the same time. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { openPostgresCertificates } from "../../src/store/postgres/open-postgres-store.ts";
import { hasPostgres, TestPostgres } from "../../src/store/testing/postgres.ts";
import { until } from "../support/program.ts";
import { Keeping } from "./testing/keeping.ts";
import { hasPebble, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPebble || !hasPostgres)("with pebble and PostgreSQL", () => {
  let directory: TestDirectory;
  let postgres: TestPostgres;
  let user: string;

  beforeAll(async () => {
    const ports = { httpPort: await freePort(), tlsPort: await freePort() };
    [directory, postgres] = await Promise.all([
      TestDirectory.start({ ...ports, alwaysValid: true }),
      TestPostgres.start(),
    ]);
  });
  afterAll(async () => {
    await directory.close();
    await postgres.close();
  });
  beforeEach(async () => {
    directory.intercept = () => undefined;
    directory.orders.length = 0;
    // After a test that failed while it was down.
    await postgres.query("SELECT 1").catch(() => postgres.up());
    user = await postgres.newUser();
  });

  async function keeping(...domains: readonly string[]): Promise<Keeping> {
    const acme = { domains };
    return Keeping.start({
      directory,
      httpPort: await freePort(),
      acme,
      deps: { open: () => openPostgresCertificates(postgres.settings({ user })), firstPauseMs: 1000 },
    });
  }

  /** Stops the database at the first request to a path with this beginning, and responds with `response`. */
  function stopAt(path: string, response?: Response): void {
    let isFirst = true;
    directory.intercept = async (one) => {
      if (!isFirst || !one.startsWith(path)) return undefined;
      isFirst = false;
      await postgres.crash();
      return response;
    };
  }

  const FAILURES: readonly [when: string, path: string, response: Response | undefined, says: RegExp][] = [
    ["during an order that fails", "/finalize-order/", new Response("", { status: 503 }), /responded with status 503/],
    ["before the account is stored", "/dir", undefined, /localhost:\d+: /],
  ];
  for (const [when, path, response, says] of FAILURES) {
    test(`a database that stops ${when} hides neither the failure nor its reason, and the order follows`, async () => {
      stopAt(path, response);
      await using one = await keeping("a.test");
      expect(await one.says(/Cannot get a certificate for a\.test/)).toMatch(says);
      expect([one.orders, one.events[0]]).toMatchObject([
        ["failed"],
        { kind: "certificate", outcome: "failed", details: { domain: "a.test", attempts: 1 } },
      ]);
      await one.says(/Cannot check the certificates: /);
      await postgres.up();
      await one.says(/got a certificate for a\.test/);
      expect(one.orders).toEqual(["failed", "issued"]);
    });
  }

  test("a certificate that the stopped database does not take is used, and stored later without a second order", async () => {
    stopAt("/certZ/");
    await using one = await keeping("a.test");
    await one.says(/Cannot store the certificate for a\.test: .*; the gateway keeps it in memory and tries again/);
    await postgres.up();
    await one.says(/got a certificate for a\.test/);
    expect([one.orders, one.issued.pairs.length, directory.orders.length]).toEqual([["failed", "issued"], 1, 1]);
  });

  test("of two gateways that want the same certificate at the same time, one orders it", async () => {
    await using one = await keeping("a.test");
    await using other = await keeping("a.test");
    await until("both", () => (one.issued.pairs.length + other.issued.pairs.length === 2 ? true : undefined));
    expect(one.issued.pairs).toEqual(other.issued.pairs);
    expect([[...one.orders, ...other.orders], directory.orders.length]).toEqual([["issued"], 1]);
  });
});
