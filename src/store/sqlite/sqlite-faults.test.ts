import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LEASE_MS } from "../ledger.ts";
import { openStore } from "../open/open-store.ts";
import { type Store } from "../store.ts";
import { RESERVATION } from "../testing/reservation.ts";
import { patient } from "../../lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-faults-"));
const mounted: string[] = [];

afterAll(() => {
  for (const path of mounted) spawnSync("umount", [path]);
  rmSync(folder, { recursive: true });
});

const NOTICE = { id: "notice", url: "https://books.example", body: "{}" };

/** Locks a file for writing, reports it, and unlocks it when its standard input ends. */
const LOCKER = `
  import { Database } from "bun:sqlite";
  const database = new Database(process.argv[1]);
  database.run("BEGIN IMMEDIATE");
  await Bun.write(Bun.stdout, "locked");
  await Bun.stdin.text();
  database.run("COMMIT");
`;

async function lock(path: string): Promise<{ letGo(): Promise<unknown> }> {
  const child = Bun.spawn([process.execPath, "-e", LOCKER, path], { stdin: "pipe", stdout: "pipe" });
  await child.stdout.getReader().read();
  return {
    letGo: async () => {
      await child.stdin.end();
      return child.exited;
    },
  };
}

test("a change waits for another process's write, then fails completely, and works later", async () => {
  const path = join(folder, "busy.db");
  const store = openStore(path, Date.now, 50);
  const { payment } = await store.ledger.reserve(RESERVATION);
  await store.ledger.move(payment, { state: "settling", lease: true });
  const locker = await lock(path);
  const settle = () =>
    store.ledger.move(payment, { state: "settled", lease: false, transaction: "0xtx", notice: NOTICE });
  expect(await settle().catch(codeOf)).toBe("SQLITE_BUSY");
  expect(await store.ledger.reserve({ ...RESERVATION, nonce: "0xnew" }).catch(codeOf)).toBe("SQLITE_BUSY");
  expect(await store.paymentIds.tie({ payer: "p", id: "i" }, "f", 5e12).catch(codeOf)).toBe("SQLITE_BUSY");
  // A read does not wait.
  expect(await store.ledger.find(RESERVATION)).toMatchObject({ state: "settling", transaction: "" });
  expect((await store.view.standing()).open).toBe(1);
  expect(await store.outbox.claim(1)).toEqual([]);
  await locker.letGo();
  expect(await settle()).toBe(true);
  expect(await store.outbox.claim(1)).toMatchObject([{ id: "notice" }]);
  await store.close();
});

test("writes wait without blocking the event loop, and keep their order", async () => {
  const path = join(folder, "short.db");
  const store = openStore(path);
  const locker = await lock(path);
  const done: string[] = [];
  const writes = ["0x1", "0x2", "0x3"].map(async (nonce) => {
    const { leased } = await store.ledger.reserve({ ...RESERVATION, nonce });
    done.push(`${nonce} ${leased}`);
  });
  // The lock is released only after this process has done other work.
  for (let turn = 0; turn < 10; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- turns of the event loop
    await Bun.sleep(1);
    expect(await store.ledger.find(RESERVATION)).toBeUndefined();
  }
  expect(done).toEqual([]);
  await locker.letGo();
  await Promise.all(writes);
  expect(done).toEqual(["0x1 true", "0x2 true", "0x3 true"]);
  await store.close();
});

test("waiting writes fail when the store is closed", async () => {
  const path = join(folder, "closed.db");
  const store = openStore(path);
  const locker = await lock(path);
  const write = store.ledger.reserve(RESERVATION).catch(codeOf);
  await store.close();
  expect(await write).toBe("SQLITE_BUSY");
  await locker.letGo();
});

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** Settles payments until a write fails. Returns the nonce of that payment, and the error code. */
async function fill(store: Store): Promise<{ nonce: string; code: string }> {
  for (let i = 0; ; i++) {
    const nonce = `0x${i}`;
    try {
      const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce, payload: "signed".repeat(500) });
      await store.ledger.move(payment, { state: "settling", lease: true });
      await store.ledger.move(payment, {
        state: "settled",
        lease: false,
        transaction: "0xtx",
        notice: { ...NOTICE, id: nonce },
      });
    } catch (error) {
      return { nonce, code: codeOf(error) };
    }
  }
}

function expectWhole(path: string): void {
  const database = new Database(path);
  const one = (sql: string): unknown => Object.values(database.query<Record<string, unknown>, []>(sql).get() ?? {})[0];
  expect(one("PRAGMA integrity_check")).toBe("ok");
  expect(one("SELECT count(*) FROM payments WHERE state = 'settled'")).toBe(one("SELECT count(*) FROM outbox"));
  expect(one("SELECT count(*) FROM payments WHERE (state = 'settled') <> (tx = '0xtx')")).toBe(0);
  database.close();
}

test.skipIf(process.getuid?.() !== 0)("on a full disk a change fails completely, and works later", async () => {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { encoding: "utf8" });
  // A container may not allow even root to mount. Then only the next test covers this.
  if (status !== 0) return console.warn(`no disk of its own: ${stderr.trim()}`);
  mounted.push(disk);
  const path = join(disk, "full.db");
  const ballast = join(disk, "ballast");
  writeFileSync(ballast, Buffer.alloc(400_000));
  const store = openStore(path);
  const { nonce, code } = await fill(store);
  expect(code).toMatch(/^SQLITE_(FULL|IOERR)/);
  expect(await store.ledger.find({ ...RESERVATION, nonce: "0x0" })).toMatchObject({ state: "settled" });
  rmSync(ballast);
  const key = { ...RESERVATION, nonce: `${nonce}-again` };
  expect((await store.ledger.reserve(key)).leased).toBe(true);
  await store.close();
  expectWhole(path);
});

const FILLER = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "../open/open-store.ts"))};
  const [path, reservation, notice] = process.argv.slice(1);
  const { ledger } = openStore(path);
  const first = { ...JSON.parse(reservation), nonce: "0x0" };
  let code = "";
  for (let i = 0; code === ""; i++) {
    const nonce = "0x" + i;
    try {
      const { payment } = await ledger.reserve({ ...first, nonce, payload: "signed".repeat(500) });
      await ledger.move(payment, { state: "settling", lease: true });
      await ledger.move(payment, {
        state: "settled", lease: false, transaction: "0xtx", notice: { ...JSON.parse(notice), id: nonce },
      });
    } catch (error) {
      code = error.code;
    }
  }
  await Bun.write(Bun.stdout, code + " " + (await ledger.find(first)).state);
  process.exit();
`;

test("if the file cannot grow, a change fails completely, and earlier changes can be read", async () => {
  const path = join(folder, "limited.db");
  const limited = `trap '' XFSZ; ulimit -f 1000; exec "$0" -e "$@"`;
  const args = [FILLER, path, JSON.stringify(RESERVATION), JSON.stringify(NOTICE)];
  const child = Bun.spawn(["sh", "-c", limited, process.execPath, ...args]);
  expect(await new Response(child.stdout).text()).toMatch(/^SQLITE_(FULL|IOERR\w*) settled$/);
  expectWhole(path);
});

test("a lease from before the clock was set back ends at once for all other processes", async () => {
  const clock = { now: Date.now() };
  const store = openStore(":memory:", () => clock.now);
  await store.ledger.reserve(RESERVATION);
  clock.now -= LEASE_MS;
  expect((await store.ledger.reserve(RESERVATION)).leased).toBe(false);
  clock.now -= 1;
  expect(await store.ledger.reserve(RESERVATION)).toMatchObject({ leased: true, payment: { attempt: 2 } });
  await store.close();
});

test("renewals prolong leases by the machine's clock, and do not acquire released ones", async () => {
  const steady = { now: 1_000_000 };
  using timers = spyOn(globalThis, "setInterval");
  const store = openStore(":memory:", Date.now, undefined, () => steady.now);
  const [tend] = timers.mock.calls.find(([, ms]) => ms === LEASE_MS / 3) ?? [];
  if (typeof tend !== "function") throw new Error("Nothing gives signs of life");
  const { ledger } = store;
  const given = { ...RESERVATION, nonce: "given back" };
  const { payment: back } = await ledger.reserve(given);
  await ledger.move(back, { state: "settled", lease: false, delivered: false });
  const { payment } = await ledger.reserve(RESERVATION);
  await ledger.move(payment, { state: "verified", lease: true });
  const isFree = async (): Promise<boolean> => (await ledger.reserve(RESERVATION)).leased;
  expect(await isFree()).toBe(false);
  steady.now += LEASE_MS;
  tend();
  expect((await ledger.reserve(given)).leased).toBe(true);
  steady.now += LEASE_MS;
  expect(await isFree()).toBe(false);
  steady.now += 1;
  expect(await isFree()).toBe(true);
  await store.close();
});
