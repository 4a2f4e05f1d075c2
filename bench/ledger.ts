/**
 * The cost of a payment in the ledger: reserved, settling, settled, of which the last two wait for the disk. Beside it that of
 * a charge to prepaid credit: reserved, settled, all with one balance.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { markdownTable } from "../scripts/reference/markdown-table.ts";
import { openStore } from "../src/store/open/open-store.ts";
import { openPostgresStore } from "../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../src/store/store.ts";
import { hasPostgres, TestPostgres } from "../src/store/testing/postgres.ts";
import { RESERVATION } from "../src/store/testing/reservation.ts";

const WARM_UP = 200;
/** Concurrent payments. */
const AT_ONCE = [1, 16] as const;
/** The unit of CPU time in `/proc`. */
const TICK_US = 10_000;

interface Figures {
  readonly perSecond: number;
  /** CPU microseconds of this process, and of the database's sessions. */
  readonly ownUs: number;
  readonly serverUs: number;
}

let nonces = 0;

const CREDIT = {
  id: "bench",
  hash: "",
  owner: RESERVATION.from,
  unit: "money",
  name: "",
  network: RESERVATION.network,
  token: RESERVATION.token,
  routes: [],
  expiresAt: 0,
} as const;
const KINDS = ["payment", "charge"] as const;
type Kind = (typeof KINDS)[number];

async function live({ ledger }: Store, kind: Kind): Promise<void> {
  if (kind === "charge") {
    const charge = { ...RESERVATION, scheme: "credit", asset: `credit:${CREDIT.id}`, nonce: `0x${(nonces += 1)}` };
    const { leased, payment } = await ledger.reserve(charge);
    if (!leased) throw new Error("the balance is too small");
    await ledger.move(payment, { state: "settled", lease: true, transaction: "" });
    return;
  }
  const { payment } = await ledger.reserve({ ...RESERVATION, nonce: `0x${(nonces += 1)}` });
  await ledger.move(payment, { state: "settling", lease: true });
  await ledger.move(payment, { state: "settled", lease: true, transaction: "0xtx" });
}

async function lives(store: Store, kind: Kind, { count, atOnce }: { count: number; atOnce: number }): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await live(store, kind);
    }),
  );
}

/** `serverCpu` returns the microseconds so far. */
async function measure(
  store: Store,
  { kind, payments, atOnce }: { readonly kind: Kind; readonly payments: number; readonly atOnce: number },
  serverCpu: () => Promise<number>,
): Promise<Figures> {
  await lives(store, kind, { count: WARM_UP, atOnce });
  const [serverBefore, before, start] = [await serverCpu(), process.cpuUsage(), performance.now()];
  await lives(store, kind, { count: payments, atOnce });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: payments / seconds,
    ownUs: (user + system) / payments,
    serverUs: ((await serverCpu()) - serverBefore) / payments,
  };
}

/** User and system time of a process, from /proc/PID/stat. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

async function sqlite(payments: number, rows: string[][]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-"));
  const store = openStore(join(folder, "turnpike.db"));
  await measureAll(store, { name: "SQLite", payments, rows }, async () => 0);
  await store.close();
  rmSync(folder, { recursive: true });
}

async function postgres(payments: number, rows: string[][]): Promise<void> {
  const server = await TestPostgres.start({ fsync: "on" });
  try {
    for (const size of [2, 4]) {
      const user = await server.newUser();
      const store = openPostgresStore(server.settings({ user, size }));
      const serverCpu = async (): Promise<number> =>
        (await server.backendsOf(user)).reduce((sum, pid) => sum + cpuOf(pid), 0);
      await measureAll(store, { name: `PostgreSQL, ${size} connections`, payments, rows }, serverCpu);
      await store.close();
    }
  } finally {
    await server.close();
  }
}

async function measureAll(
  store: Store,
  { name, payments, rows }: { readonly name: string; readonly payments: number; readonly rows: string[][] },
  serverCpu: () => Promise<number>,
): Promise<void> {
  await store.ready();
  await store.credits.open(CREDIT, { id: "bench", kind: "issued", amount: "1000000000000000", payment: "" });
  for (const kind of KINDS)
    for (const atOnce of AT_ONCE)
      rows.push(row(`${name}, ${kind}`, atOnce, await measure(store, { kind, payments, atOnce }, serverCpu)));
}

function row(name: string, atOnce: number, { perSecond, ownUs, serverUs }: Figures): string[] {
  return [name, String(atOnce), perSecond.toFixed(0), ownUs.toFixed(0), serverUs === 0 ? "" : serverUs.toFixed(0)];
}

/** `npm run bench -- ledger [--payments N]`. */
export async function runLedgerBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { payments: { type: "string", default: "3000" } } });
  const payments = Number(values.payments);
  if (!Number.isInteger(payments) || payments < 1 || payments > 1_000_000) {
    console.error("usage: npm run bench -- ledger [--payments N]");
    return 2;
  }
  const rows: string[][] = [];
  await sqlite(payments, rows);
  if (hasPostgres) await postgres(payments, rows);
  else console.error("PostgreSQL is not installed, so it is left out");
  console.log(markdownTable([["store", "at once", "payments/s", "CPU µs each", "of the server"], ...rows]));
  return 0;
}
