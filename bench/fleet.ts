/** Paid requests through one, two and three gateways that share PostgreSQL: rates, and the CPU time of gateways and database. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { markdownTable } from "../scripts/reference/markdown-table.ts";
import { hasPostgres } from "../src/store/testing/postgres.ts";
import { hasRedis } from "../test/policy/testing/redis-server.ts";
import { Buyers } from "../test/fleet/buyers.ts";
import { Fleet } from "../test/fleet/fleet.ts";

const GATEWAYS = [1, 2, 3];
/** Concurrent payments. */
const AT_ONCE = 16;
/** Payments of each gateway before the measurement, so that its code is compiled. */
const WARM_UP = 1000;
/** The unit of CPU time in `/proc`. */
const TICK_US = 10_000;

interface Figures {
  readonly perSecond: number;
  /** CPU microseconds per payment. */
  readonly gatewayUs: number;
  readonly databaseUs: number;
}

/** `npm run bench -- fleet [--payments N]`: N payments through each gateway. */
export async function runFleetBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { payments: { type: "string", default: "2000" } } });
  if (!hasPostgres || !hasRedis) {
    console.error("Cannot run: PostgreSQL or Redis is not installed");
    return 1;
  }
  const rows: string[][] = [];
  for (const gateways of GATEWAYS) {
    const { perSecond, gatewayUs, databaseUs } = await measureFleet(gateways, Number(values.payments) * gateways);
    rows.push([gateways, perSecond, gatewayUs, databaseUs].map((value) => String(Math.round(value))));
  }
  console.log(markdownTable([["gateways", "payments/s", "CPU µs of the gateways", "CPU µs of the database"], ...rows]));
  return 0;
}

async function measureFleet(gateways: number, payments: number): Promise<Figures> {
  const fleet = await Fleet.start({ gateways, contents: 0 });
  try {
    const buyers = new Buyers(fleet, Math.random, 0);
    await pay(fleet, buyers, WARM_UP * gateways);
    const pids = fleet.gateways.map(({ pid }) => pid ?? 0);
    const sessions = await fleet.postgres.backendsOf(fleet.user);
    const [own, database, start] = [cpuUs(pids), cpuUs(sessions), performance.now()];
    await pay(fleet, buyers, payments);
    const seconds = (performance.now() - start) / 1000;
    return {
      perSecond: payments / seconds,
      gatewayUs: (cpuUs(pids) - own) / payments,
      databaseUs: (cpuUs(sessions) - database) / payments,
    };
  } finally {
    await fleet.close();
  }
}

/** Throws if a payment gets no response. */
async function pay(fleet: Fleet, buyers: Buyers, payments: number): Promise<void> {
  let left = payments;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        const machine = fleet.gateways[left-- % fleet.gateways.length];
        const response = machine && (await buyers.ask(buyers.newPurchase("goods"), machine));
        if (response?.status !== 200) throw new Error(`A gateway responds with ${response?.status}`);
      }
    }),
  );
}

function cpuUs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_US;
  }, 0);
}
