import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { testCertificates } from "../testing/certificates-contract.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { startRelay } from "../testing/relay.ts";
import { openPostgresCertificates } from "./open-postgres-store.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  testCertificates("PostgreSQL", async () => {
    const user = await server.newUser();
    return (now) => openPostgresCertificates(server.settings({ user }), now);
  });

  test("entries that have expired are deleted when a gateway takes the lock", async () => {
    const user = await server.newUser();
    const clock = { now: 1_800_000_000_000 };
    const certificates = openPostgresCertificates(server.settings({ user }), () => clock.now);
    await certificates.write("challenge-a", "x", 1000);
    await certificates.write("certificate-a", "y");
    const names = async (): Promise<unknown[]> =>
      (await server.query(`SELECT name FROM ${user}.turnpike_certificates ORDER BY name`)).flat();
    clock.now += 999;
    await certificates.lease(1000);
    expect(await names()).toEqual(["certificate-a", "challenge-a", "lock"]);
    clock.now += 1;
    await certificates.lease(1000);
    expect(await names()).toEqual(["certificate-a", "lock"]);
    await certificates.close();
  });

  test("a read transfers only the values that have changed since the last one", async () => {
    using relay = await startRelay(server.port);
    const settings = server.settings({ user: await server.newUser() });
    const certificates = openPostgresCertificates(
      { ...settings, target: { ...settings.target, port: relay.port } },
      Date.now,
    );
    await certificates.write("large", "x".repeat(100_000));
    expect((await certificates.read()).size).toBe(1);
    await certificates.write("small", "y");
    const before = relay.sent;
    expect([...(await certificates.read()).keys()].toSorted()).toEqual(["large", "small"]);
    expect(relay.sent - before).toBeLessThan(10_000);
    await certificates.close();
  });
});
