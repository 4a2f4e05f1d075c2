import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOLD_MS } from "./ledger.ts";
import { openStore } from "./open-store.ts";
import { type Store } from "./store.ts";
import { RESERVATION } from "./testing/reservation.ts";
import { patient } from "../lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-faults-"));
const mounted: string[] = [];

afterAll(() => {
  for (const path of mounted) spawnSync("umount", [path]);
  rmSync(folder, { recursive: true });
});

const NOTICE = { id: "notice", url: "https://books.example", body: "{}" };

/** Locks a file for writing, says so, and lets go when its standard input ends. */
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

test("a file that another process writes to is waited for, then the change fails whole, and works later", async () => {
  const path = join(folder, "busy.db");
  const store = openStore(path, Date.now, 50);
  const { payment } = await store.ledger.reserve(RESERVATION);
  await store.ledger.move(payment, { state: "settling", hold: true });
  const locker = await lock(path);
  const settle = () =>
    store.ledger.move(payment, { state: "settled", hold: false, transaction: "0xtx", notice: NOTICE });
  expect(await settle().catch(codeOf)).toBe("SQLITE_BUSY");
  expect(await store.ledger.reserve({ ...RESERVATION, nonce: "0xnew" }).catch(codeOf)).toBe("SQLITE_BUSY");
  expect(await store.paymentIds.tie({ payer: "p", id: "i" }, "f", 5e12).catch(codeOf)).toBe("SQLITE_BUSY");
  // Reading waits for nobody.
  expect(await store.ledger.find(RESERVATION)).toMatchObject({ state: "settling", transaction: "" });
  expect(await store.view.open()).toBe(1);
  expect(await store.outbox.claim(1)).toEqual([]);
  await locker.letGo();
  expect(await settle()).toBe(true);
  expect(await store.outbox.claim(1)).toMatchObject([{ id: "notice" }]);
  await store.close();
});

test("a file that is free within the time is waited for beside the event loop, in the order of the writes", async () => {
  const path = join(folder, "short.db");
  const store = openStore(path);
  const locker = await lock(path);
  const done: string[] = [];
  const writes = ["0x1", "0x2", "0x3"].map(async (nonce) => {
    const { held } = await store.ledger.reserve({ ...RESERVATION, nonce });
    done.push(`${nonce} ${held}`);
  });
  // The lock is let go of only after this process has done something else.
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

test("what waits for a file fails when the store is closed", async () => {
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

/** Settles payments until one cannot be written down; the nonce of that one, and how it failed. */
async function fill(store: Store): Promise<{ nonce: string; code: string }> {
  for (let i = 0; ; i++) {
    const nonce = `0x${i}`;
    try {
      const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce, payload: "signed".repeat(500) });
      await store.ledger.move(payment, { state: "settling", hold: true });
      await store.ledger.move(payment, {
        state: "settled",
        hold: false,
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

test.skipIf(process.getuid?.() !== 0)("on a full disk a change fails whole, and works once there is room", async () => {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { encoding: "utf8" });
  // A container may not let even root mount; then the limit of the next test must do.
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
  expect((await store.ledger.reserve(key)).held).toBe(true);
  await store.close();
  expectWhole(path);
});

const FILLER = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "open-store.ts"))};
  const [path, reservation, notice] = process.argv.slice(1);
  const { ledger } = openStore(path);
  const first = { ...JSON.parse(reservation), nonce: "0x0" };
  let code = "";
  for (let i = 0; code === ""; i++) {
    const nonce = "0x" + i;
    try {
      const { payment } = await ledger.reserve({ ...first, nonce, payload: "signed".repeat(500) });
      await ledger.move(payment, { state: "settling", hold: true });
      await ledger.move(payment, {
        state: "settled", hold: false, transaction: "0xtx", notice: { ...JSON.parse(notice), id: nonce },
      });
    } catch (error) {
      code = error.code;
    }
  }
  await Bun.write(Bun.stdout, code + " " + (await ledger.find(first)).state);
  process.exit();
`;

test("where the file may not grow any more, a change fails whole, and what was written is read", async () => {
  const path = join(folder, "limited.db");
  const limited = `trap '' XFSZ; ulimit -f 1000; exec "$0" -e "$@"`;
  const args = [FILLER, path, JSON.stringify(RESERVATION), JSON.stringify(NOTICE)];
  const child = Bun.spawn(["sh", "-c", limited, process.execPath, ...args]);
  expect(await new Response(child.stdout).text()).toMatch(/^SQLITE_(FULL|IOERR\w*) settled$/);
  expectWhole(path);
});

test("a hold of before the clock was put back ends for all others at once", async () => {
  const clock = { now: Date.now() };
  const store = openStore(":memory:", () => clock.now);
  await store.ledger.reserve(RESERVATION);
  clock.now -= HOLD_MS;
  expect((await store.ledger.reserve(RESERVATION)).held).toBe(false);
  clock.now -= 1;
  expect(await store.ledger.reserve(RESERVATION)).toMatchObject({ held: true, payment: { attempt: 2 } });
  await store.close();
});

test("signs of life prolong holds by the machine's clock, and take hold of nothing that was given back", async () => {
  const steady = { now: 1_000_000 };
  using timers = spyOn(globalThis, "setInterval");
  const store = openStore(":memory:", Date.now, undefined, () => steady.now);
  const [tend] = timers.mock.calls.find(([, ms]) => ms === HOLD_MS / 3) ?? [];
  if (typeof tend !== "function") throw new Error("Nothing gives signs of life");
  const { ledger } = store;
  const given = { ...RESERVATION, nonce: "given back" };
  const { payment: back } = await ledger.reserve(given);
  await ledger.move(back, { state: "settled", hold: false, delivered: false });
  const { payment } = await ledger.reserve(RESERVATION);
  await ledger.move(payment, { state: "verified", hold: true });
  const isFree = async (): Promise<boolean> => (await ledger.reserve(RESERVATION)).held;
  expect(await isFree()).toBe(false);
  steady.now += HOLD_MS;
  tend();
  expect((await ledger.reserve(given)).held).toBe(true);
  steady.now += HOLD_MS;
  expect(await isFree()).toBe(false);
  steady.now += 1;
  expect(await isFree()).toBe(true);
  await store.close();
});
