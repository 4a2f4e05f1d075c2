/** Packets between two machines of a fleet vanish: the others sell, nothing is taken twice, and all recover. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { canMakeNetwork, runInOwnNetwork } from "../../src/lib/testing/own-network.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { hasPostgres, sharedPostgres } from "../../src/store/testing/postgres.ts";
import { hasRedis } from "../policy/testing/redis-server.ts";

setDefaultTimeout(patient(120_000));

/** `npm run test:fleet` sets it: the machines need some 10 s. */
const isLong = Number(Bun.env["TURNPIKE_TEST_FLEET"] ?? 0) > 0;
const canRun = canMakeNetwork && hasPostgres && hasRedis;
if (!isLong) console.log("Skipped: only npm run test:fleet cuts networks in namespaces");
else if (!canRun) console.log("Skipped: it needs network namespaces, PostgreSQL and Redis");

/** Both purchases are sold, and each is settled once. */
const SOLD = { free: 200, own: [200, 200], other: [200, 200], paidEarly: [true, true], settles: [1, 1] };

test.skipIf(!canRun || !isLong)(
  "a gateway that is cut from a member charges nothing that it cannot deliver, and recovers",
  async () => {
    const postgres = await sharedPostgres();
    const program = new URL("network-program.ts", import.meta.url);
    expect(runInOwnNetwork(program, postgres.socketPath, await postgres.newUser())).toEqual({
      none: SOLD,
      database: { ...SOLD, own: [503, 503], paidEarly: [false, false] },
      redis: SOLD,
      content: { ...SOLD, own: [200, 504], paidEarly: [true, false] },
      origin: { ...SOLD, free: 504, own: [504, 200], paidEarly: [false, true] },
      facilitator: { ...SOLD, own: [503, 503], paidEarly: [false, false] },
      gateways: SOLD,
    });
  },
);
